#include "daedalus/durability/checkpoint_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <thread>
#include <utility>

#include "daedalus/durability/checkpoint_reader.hpp"

namespace daedalus::durability {

namespace {

/// For each segment's loader. Side by side, one takes chunks while the machine's cores, shared by all segments, unpack
/// the next: unpacking is what takes the time.
uint32_t threads_of(RecoveryOrder order, size_t segments) {
  if (order == RecoveryOrder::kOneByOne) {
    return 1;
  }
  const auto cores = std::max<size_t>(1, std::thread::hardware_concurrency());
  return 1 + static_cast<uint32_t>((cores + segments - 1) / segments);
}

bool read_note(const std::string& note, Timestamp* outcomes) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(note.data(), note.data() + note.size(), value);
  *outcomes = Timestamp{value};
  return error == std::errc{} && end == note.data() + note.size();
}

/// Loads segments side by side and adds up how far they are.
class Loading {
 public:
  Loading(const CheckpointReader& reader, const std::vector<engine::Segment*>& segments,
          const std::function<void(const LoadState&)>& report)
      : reader_(reader),
        segments_(segments),
        report_(report),
        states_(segments.size()),
        slots_known_(segments.size()) {}

  [[nodiscard]] Result<LoadedCheckpoint> run(RecoveryOrder order) {
    threads_ = threads_of(order, states_.size());
    std::vector<std::jthread> threads;
    for (uint32_t segment = 0; segment < states_.size(); ++segment) {
      if (order == RecoveryOrder::kSideBySide) {
        threads.emplace_back([this, segment] { load(segment); });
      } else {
        load(segment);
      }
    }
    threads.clear();
    if (failed_) {
      return *failed_;
    }
    const Manifest& manifest = reader_.manifest();
    Timestamp outcomes{};
    if (!read_note(manifest.opaque, &outcomes)) {
      return Error{ErrorCategory::kFatal, kDataCorrupted, "the checkpoint does not say where the log's outcomes ended",
                   "look at the data directory: it is not what this node wrote", 0};
    }
    return LoadedCheckpoint{manifest.number, {manifest.lowest, manifest.highest, outcomes}, slots_known_};
  }

 private:
  void load(uint32_t index) {
    engine::Segment& segment = *segments_[index];
    LoadTarget target;
    target.on_chunk = [&](const engine::ChunkImage& image) { return segment.load_chunk(image); };
    target.on_allocator = [&](const engine::AllocatorImage& image) {
      slots_known_[index] = image.prefix;
      return segment.load_allocator(image);
    };
    target.on_progress = [&](const LoadProgress& progress) {
      const std::scoped_lock lock(mutex_);
      states_[index] = {progress.chunks, progress.chunk_count, progress.rows, progress.bytes};
      report_(sum());
    };
    Result<void> done = reader_.load(index, target, threads_);
    if (done) {
      done = segment.finish_restore(reader_.manifest().lowest);
    }
    if (!done) {
      const std::scoped_lock lock(mutex_);
      failed_ = failed_ ? failed_ : std::optional(done.error());
    }
  }

  [[nodiscard]] LoadState sum() const {
    LoadState all;
    for (const LoadState& state : states_) {
      all.chunks += state.chunks;
      all.chunk_count += state.chunk_count;
      all.rows += state.rows;
      all.bytes += state.bytes;
    }
    return all;
  }

  const CheckpointReader& reader_;
  const std::vector<engine::Segment*>& segments_;
  const std::function<void(const LoadState&)>& report_;
  uint32_t threads_ = 1;  ///< Each segment has so many.
  std::mutex mutex_;
  std::vector<LoadState> states_;  ///< By segment.
  std::vector<Timestamp> slots_known_;
  std::optional<Error> failed_;
};

}  // namespace

std::string log_note(Timestamp outcomes_durable) { return std::to_string(raw(outcomes_durable)); }

Result<std::optional<LoadedCheckpoint>> load_newest_checkpoint(Disk& disk,
                                                               const std::vector<engine::Segment*>& segments,
                                                               RecoveryOrder order,
                                                               const std::function<void(const LoadState&)>& report) {
  const auto reader = CheckpointReader::open(disk);
  if (!reader) {
    return reader.error();
  }
  if (!*reader) {
    return std::optional<LoadedCheckpoint>();
  }
  const size_t found = (*reader)->manifest().segments.size();
  if (found != segments.size()) {
    return Error{
        ErrorCategory::kFatal, kDataCorrupted,
        fmt::format("{}: its checkpoint is of {} segments, not of {}", disk.path_of(""), found, segments.size()),
        "look at the data directory: it is not what this node wrote", 0};
  }
  auto loaded = Loading(**reader, segments, report).run(order);
  if (!loaded) {
    return loaded.error();
  }
  return std::optional(std::move(*loaded));
}

}  // namespace daedalus::durability

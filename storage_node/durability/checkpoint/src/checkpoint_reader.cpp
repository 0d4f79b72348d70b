#include "daedalus/durability/checkpoint_reader.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "checkpoint_bytes.hpp"
#include "daedalus/base/check.hpp"

namespace daedalus::durability {
namespace {

/// One segment's blocks on their way.
class SegmentLoad {
 public:
  SegmentLoad(Disk& disk, const Manifest& manifest, uint32_t segment)
      : disk_(disk), segment_(segment), manifest_(manifest.segments[segment]) {}

  Result<void> open() {
    Result<DataFiles> opened = open_data_files(disk_, segment_, manifest_);
    if (!opened) {
      return opened.error();
    }
    files_ = std::move(*opened);
    return {};
  }

  /// Reads the block and checks that it is that of this chunk.
  Result<ReadBlock> read(const BlockPlace& place, BlockKind kind, uint32_t chunk) const {
    Result<ReadBlock> block = read_block(*files_.at(place.file), place);
    if (!block) {
      return block;
    }
    const BlockHeader& header = block->header;
    if (header.kind != kind || header.segment != segment_ || header.chunk != chunk ||
        header.chunk_count != manifest_.chunks.size()) {
      return named(corrupted("the block there is not that of chunk " + std::to_string(chunk) + " of segment " +
                             std::to_string(segment_)),
                   place);
    }
    return block;
  }

  /// Says where it is that something is wrong.
  Error named(const Error& error, const BlockPlace& place) const {
    Error at = error;
    at.message = data_file_name(segment_, place.file) + ", offset " + std::to_string(place.offset) + ": " + at.message;
    return at;
  }

  [[nodiscard]] const SegmentManifest& manifest() const { return manifest_; }

 private:
  Disk& disk_;
  uint32_t segment_;
  const SegmentManifest& manifest_;
  DataFiles files_;
};

Result<LoadedChunk> unpack_chunk(const ReadBlock& block, Timestamp stamp, std::vector<uint64_t> memory) {
  Result<std::vector<uint64_t>> content = unpack_block(block.header, block.bytes, std::move(memory));
  if (!content) {
    return content.error();
  }
  const std::string_view bytes(reinterpret_cast<const char*>(content->data()), block.header.content_size);
  if (widths_digest(bytes, block.header.column_count) != block.header.widths_digest) {
    return corrupted("the widths of the chunk's columns are not those that were written");
  }
  return LoadedChunk::make(block.header, std::move(*content), stamp);
}

/// A chunk out of its block, or what is wrong with that.
using Unpacked = Result<LoadedChunk>;

Unpacked named_unpack(const SegmentLoad& load, const ReadBlock& block, const BlockPlace& place,
                      std::vector<uint64_t> memory) {
  Unpacked chunk = unpack_chunk(block, place.stamp, std::move(memory));
  return chunk ? std::move(chunk) : Unpacked(load.named(chunk.error(), place));
}

/// Reads and unpacks chunks ahead of those that are taken, with threads of its own: blocks one after the other, and
/// each thread unpacks what it has read while another reads on.
class ChunksAhead {
 public:
  ChunksAhead(const SegmentLoad& load, uint32_t threads) : load_(load), window_(threads + 1), slots_(window_) {
    for (uint32_t number = 0; number < threads; ++number) {
      threads_.emplace_back([this] { work(); });
    }
  }
  ~ChunksAhead() {
    {
      const std::scoped_lock lock(mutex_);
      taken_ = chunk_count();  // Nothing more is wanted.
      read_ = chunk_count();
    }
    changed_.notify_all();
  }
  ChunksAhead(const ChunksAhead&) = delete;
  ChunksAhead& operator=(const ChunksAhead&) = delete;

  /// The next chunk, ascending; `memory` is that of one that is done with. Precondition: there is one.
  Unpacked take(std::vector<uint64_t> memory) {
    std::unique_lock lock(mutex_);
    spare_.push_back(std::move(memory));
    std::optional<Unpacked>& slot = slots_[taken_ % window_];
    changed_.wait(lock, [&] { return slot.has_value(); });
    Unpacked chunk = std::move(*slot);
    slot.reset();
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    return chunk;
  }

 private:
  [[nodiscard]] uint32_t chunk_count() const { return static_cast<uint32_t>(load_.manifest().chunks.size()); }

  /// Holds what a thread unpacks, and into what.
  struct Next {
    uint32_t chunk = 0;
    Result<ReadBlock> block;
    std::vector<uint64_t> memory;
  };

  void work() {
    while (true) {
      std::optional<Next> next = read_next();
      if (!next) {
        return;
      }
      const uint32_t chunk = next->chunk;
      const Result<ReadBlock>& block = next->block;
      Unpacked unpacked = block ? named_unpack(load_, *block, load_.manifest().chunks[chunk], std::move(next->memory))
                                : Unpacked(block.error());
      {
        const std::scoped_lock lock(mutex_);
        slots_[chunk % window_] = std::move(unpacked);
      }
      changed_.notify_all();
    }
  }

  /// Waits while as many are ahead as may be; nothing: all have been read.
  std::optional<Next> read_next() {
    const std::scoped_lock reading(reading_);
    uint32_t chunk = 0;
    std::vector<uint64_t> memory;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return read_ == chunk_count() || read_ < taken_ + window_; });
      if (read_ == chunk_count()) {
        return std::nullopt;
      }
      chunk = read_++;
      if (!spare_.empty()) {
        memory = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    return Next{chunk, load_.read(load_.manifest().chunks[chunk], BlockKind::kChunk, chunk), std::move(memory)};
  }

  const SegmentLoad& load_;
  const uint32_t window_;  ///< Chunks that are read and not taken yet, at most.
  std::mutex reading_;     ///< Held by the one that reads: the disk sees one reader, from front to back.
  std::mutex mutex_;       ///< Guards the rest.
  std::condition_variable changed_;
  std::vector<std::optional<Unpacked>> slots_;  ///< By chunk, modulo window_.
  std::vector<std::vector<uint64_t>> spare_;    ///< To be unpacked into: fresh memory costs a fifth on top.
  uint32_t read_ = 0;
  uint32_t taken_ = 0;
  std::vector<std::jthread> threads_;  ///< Last: they end before the rest does.
};

/// Gives the target all chunks, ascending; `next` is asked for each, and gets the memory of the one before.
Result<void> load_chunks(const SegmentLoad& load, const LoadTarget& target,
                         const std::function<Unpacked(uint32_t chunk, std::vector<uint64_t> memory)>& next) {
  const std::vector<BlockPlace>& places = load.manifest().chunks;
  LoadProgress progress{.chunk_count = static_cast<uint32_t>(places.size())};
  std::vector<uint64_t> memory;
  for (uint32_t chunk = 0; chunk < places.size(); ++chunk) {
    Unpacked unpacked = next(chunk, std::move(memory));
    if (!unpacked) {
      return unpacked.error();
    }
    if (Result<void> taken = target.on_chunk(unpacked->image()); !taken) {
      return load.named(taken.error(), places[chunk]);
    }
    ++progress.chunks;
    progress.rows += unpacked->image().live_count;
    progress.bytes += places[chunk].size;
    if (target.on_progress) {
      target.on_progress(progress);
    }
    memory = std::move(*unpacked).take_memory();
  }
  return {};
}

Result<void> load_chunks(const SegmentLoad& load, const LoadTarget& target, uint32_t threads) {
  if (threads > 1) {
    ChunksAhead ahead(load, threads - 1);
    return load_chunks(load, target,
                       [&](uint32_t /*chunk*/, std::vector<uint64_t> memory) { return ahead.take(std::move(memory)); });
  }
  return load_chunks(load, target, [&](uint32_t chunk, std::vector<uint64_t> memory) {
    const BlockPlace& place = load.manifest().chunks[chunk];
    const Result<ReadBlock> block = load.read(place, BlockKind::kChunk, chunk);
    return block ? named_unpack(load, *block, place, std::move(memory)) : Unpacked(block.error());
  });
}

}  // namespace

Result<std::optional<CheckpointReader>> CheckpointReader::open(Disk& disk) {
  Result<std::optional<Manifest>> manifest = find_manifest(disk);
  if (!manifest) {
    return manifest.error();
  }
  if (!manifest->has_value()) {
    return std::optional<CheckpointReader>();
  }
  return std::optional<CheckpointReader>(CheckpointReader(disk, std::move(**manifest)));
}

Result<void> CheckpointReader::load(uint32_t segment, const LoadTarget& target, uint32_t threads) const {
  CHECK(segment < manifest_.segments.size() && threads > 0);
  SegmentLoad load(*disk_, manifest_, segment);
  if (Result<void> opened = load.open(); !opened) {
    return opened;
  }
  if (Result<void> loaded = load_chunks(load, target, threads); !loaded) {
    return loaded;
  }
  const BlockPlace& place = load.manifest().allocator;
  const Result<ReadBlock> block = load.read(place, BlockKind::kAllocator, 0);
  if (!block) {
    return block.error();
  }
  Result<std::vector<uint64_t>> content = unpack_block(block->header, block->bytes);
  if (!content) {
    return load.named(content.error(), place);
  }
  const Result<LoadedAllocator> allocator = LoadedAllocator::make(block->header, std::move(*content));
  if (!allocator) {
    return load.named(allocator.error(), place);
  }
  if (Result<void> taken = target.on_allocator(allocator->image()); !taken) {
    return load.named(taken.error(), place);
  }
  return {};
}

}  // namespace daedalus::durability

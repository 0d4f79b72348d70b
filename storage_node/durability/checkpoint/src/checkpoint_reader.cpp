#include "daedalus/durability/checkpoint_reader.hpp"

#include <algorithm>
#include <thread>

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
  Result<ReadBlock> read(const BlockPlace& place, BlockKind kind, uint32_t chunk) {
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

Result<LoadedChunk> unpack_chunk(const ReadBlock& block, Timestamp stamp) {
  Result<std::vector<uint64_t>> content = unpack_block(block.header, block.bytes);
  if (!content) {
    return content.error();
  }
  const std::string_view bytes(reinterpret_cast<const char*>(content->data()), block.header.content_size);
  if (widths_digest(bytes, block.header.column_count) != block.header.widths_digest) {
    return corrupted("the widths of the chunk's columns are not those that were written");
  }
  return LoadedChunk::make(block.header, std::move(*content), stamp);
}

/// Unpacks all at once, a thread each.
std::vector<Result<LoadedChunk>> unpack_all(const std::vector<ReadBlock>& blocks, const BlockPlace* places) {
  std::vector<Result<LoadedChunk>> chunks(blocks.size(), corrupted("not unpacked"));
  std::vector<std::thread> threads;
  for (size_t number = 1; number < blocks.size(); ++number) {
    threads.emplace_back([&, number] { chunks[number] = unpack_chunk(blocks[number], places[number].stamp); });
  }
  chunks[0] = unpack_chunk(blocks[0], places[0].stamp);
  for (std::thread& thread : threads) {
    thread.join();
  }
  return chunks;
}

Result<void> load_chunks(SegmentLoad& load, const LoadTarget& target, uint32_t threads) {
  const std::vector<BlockPlace>& places = load.manifest().chunks;
  LoadProgress progress{.chunk_count = static_cast<uint32_t>(places.size())};
  while (progress.chunks < places.size()) {
    const uint32_t first = progress.chunks;
    const auto end = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{first} + threads, places.size()));
    std::vector<ReadBlock> blocks;
    for (uint32_t chunk = first; chunk < end; ++chunk) {
      Result<ReadBlock> block = load.read(places[chunk], BlockKind::kChunk, chunk);
      if (!block) {
        return block.error();
      }
      blocks.push_back(std::move(*block));
    }
    const std::vector<Result<LoadedChunk>> chunks = unpack_all(blocks, places.data() + first);
    for (uint32_t chunk = first; chunk < end; ++chunk) {
      const Result<LoadedChunk>& unpacked = chunks[chunk - first];
      if (!unpacked) {
        return load.named(unpacked.error(), places[chunk]);
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
    }
  }
  return {};
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

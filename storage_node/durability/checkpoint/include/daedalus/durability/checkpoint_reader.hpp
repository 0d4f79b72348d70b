// Loads a checkpoint into segments, before anything runs.
//
// Decides in which order blocks are read and by how many threads they are unpacked. Refuses to know segments: whoever
// loads says where chunks go. Reads one block of a segment after the other.
#pragma once

#include <functional>
#include <optional>

#include "daedalus/durability/checkpoint_files.hpp"

namespace daedalus::durability {

struct LoadProgress {
  uint32_t chunks = 0;
  uint32_t chunk_count = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;  ///< Read.
};

/// Says where blocks go; all are called in the loading thread. Images are borrowed for the length of the call.
struct LoadTarget {
  std::function<Result<void>(const engine::ChunkImage&)> on_chunk;
  std::function<Result<void>(const engine::AllocatorImage&)> on_allocator;
  std::function<void(const LoadProgress&)> on_progress;  ///< After each chunk; may be empty.
};

class CheckpointReader {
 public:
  /// Opens the newest valid checkpoint; returns nothing where there is none. See find_manifest().
  [[nodiscard]] static Result<std::optional<CheckpointReader>> open(Disk& disk);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }

  /// All chunks of a segment, ascending, then its allocator. threads: at least 1, the caller's with them; all but that
  /// one read and unpack ahead, and at most two chunks a thread are in memory at a time. Error (XX001): a block is
  /// damaged or another's, says file and offset; or what the target says, which ends it. May be called for several
  /// segments at once where the disk may.
  [[nodiscard]] Result<void> load(uint32_t segment, const LoadTarget& target, uint32_t threads) const;

 private:
  CheckpointReader(Disk& disk, Manifest manifest) : disk_(&disk), manifest_(std::move(manifest)) {}

  Disk* disk_;
  Manifest manifest_;
};

}  // namespace daedalus::durability

// The bytes of a checkpoint's files (docs/durability.md, "Checkpoints"): blocks in data files, and manifests that say
// which blocks are one checkpoint.
//
// A block is a chunk of rows or the state of a slot allocator. It says where it lies and is checked with its own place,
// so that one that was written elsewhere is none there. Refuses to know rounds, and what a checkpoint is good for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/checkpoint.hpp"

namespace daedalus::durability {

constexpr uint32_t kCheckpointVersion = 1;
constexpr uint64_t kDataFileHeaderSize = 64;
constexpr uint64_t kBlockHeaderSize = 88;
constexpr uint64_t kBlockAlignment = 8;
/// More than the largest chunk there can be; what claims to be longer is none.
constexpr uint64_t kBlockContentMax = uint64_t{1} << 32;

/// Says where a block lies and what it holds, as a manifest names it.
struct BlockPlace {
  uint64_t file = 0;    ///< The number of its data file: that of the round that wrote it.
  uint64_t offset = 0;  ///< Says where its header begins.
  uint64_t size = 0;    ///< Header and content as they lie there.
  Timestamp stamp{};    ///< The prefix it is in: not below the one in its header, which is that of its copy.

  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

struct DataFile {
  uint64_t number = 0;
  uint64_t size = 0;

  friend bool operator==(const DataFile&, const DataFile&) = default;
};

struct SegmentManifest {
  std::vector<DataFile> files;  ///< Holds those that blocks lie in; ascending.
  std::vector<BlockPlace> chunks;
  BlockPlace allocator;

  friend bool operator==(const SegmentManifest&, const SegmentManifest&) = default;
};

/// One checkpoint of a node.
struct Manifest {
  uint64_t number = 0;
  Timestamp lowest{};   ///< The lowest stamp of all chunks: the log is needed from the next one on.
  Timestamp highest{};  ///< The highest stamp of all blocks: outcomes are needed up to it.
  std::string opaque;   ///< Whatever the caller adds.
  std::vector<SegmentManifest> segments;

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

[[nodiscard]] std::string encode_manifest(const Manifest& manifest);
/// Error (XX001): torn, of another version, or it does not agree with itself.
[[nodiscard]] Result<Manifest> decode_manifest(std::string_view bytes);

enum class BlockKind : uint32_t { kChunk = 1, kAllocator = 2 };

struct BlockHeader {
  BlockKind kind{};
  uint32_t segment = 0;
  uint32_t chunk = 0;
  uint32_t chunk_count = 0;
  Timestamp stamp{};
  Timestamp changed{};
  uint32_t row_count = 0;  ///< Counts the slots of an allocator.
  uint32_t live_count = 0;
  uint32_t column_count = 0;
  uint32_t widths_digest = 0;  ///< CRC-32C of the widths with which a chunk's content begins.
  uint64_t stored_size = 0;    ///< Counts the bytes of the content as it lies there,
  uint64_t content_size = 0;   ///< and unpacked.
  uint64_t file = 0;
  uint64_t offset = 0;
};

[[nodiscard]] std::string encode_data_file_header(uint32_t segment, uint64_t number);  ///< All there is to it.

/// Packs a block into `bytes`, header first. `header` gets its sizes. Cost: zstd, level 1.
void encode_block(BlockHeader& header, std::string_view content, std::string& bytes);

/// The header of a block. Error: no valid one, or of a block that lies elsewhere. `bytes` begins with it.
[[nodiscard]] Result<BlockHeader> decode_block_header(std::string_view bytes, const BlockPlace& place);
/// The header of a whole block whose content is as it was written.
[[nodiscard]] Result<BlockHeader> check_block(std::string_view bytes, const BlockPlace& place);
/// The content of a checked block, in words; the last is filled up with zeros. `memory`: to unpack into, if it is long
/// enough; what it holds does not matter.
[[nodiscard]] Result<std::vector<uint64_t>> unpack_block(const BlockHeader& header, std::string_view bytes,
                                                         std::vector<uint64_t> memory = {});

/// Bytes of a value, and how many of them lie in a plane of tails.
struct ColumnWidths {
  uint32_t width = 0;
  uint32_t tail_width = 0;
};

/// Counts the bytes of a chunk with live rows; others have the widths alone. row_bytes: those of one row's values.
[[nodiscard]] uint64_t chunk_content_size(uint32_t row_count, uint32_t column_count, uint64_t row_bytes);

/// Writes the content of a chunk to `out`, which has room for it, and returns its end. What lies in slots that are not
/// live comes along. Cost: one pass.
uint8_t* write_chunk_content(const engine::ChunkImage& image, uint8_t* out);
/// Zeroes what is not live, so that it packs well.
void clear_dead_rows(const BlockHeader& header, std::span<uint8_t> content);
[[nodiscard]] uint32_t widths_digest(std::string_view content, uint32_t column_count);

/// A chunk read back; owns what its image points to.
class LoadedChunk {
 public:
  /// Error: the content is not of the size that its header and widths call for.
  [[nodiscard]] static Result<LoadedChunk> make(const BlockHeader& header, std::vector<uint64_t> content,
                                                Timestamp stamp);

  /// Borrowed: as long as this object.
  [[nodiscard]] engine::ChunkImage image() const;
  /// The memory of its content, to unpack another into.
  [[nodiscard]] std::vector<uint64_t> take_memory() && { return std::move(content_); }

 private:
  BlockHeader header_;
  Timestamp stamp_{};
  std::vector<uint64_t> content_;
  std::vector<uint32_t> widths_;
  std::vector<uint64_t> no_rows_;  ///< Bitmaps, where no row is live.
  std::vector<const uint8_t*> planes_;
  std::vector<const uint64_t*> nulls_;
  const uint64_t* live_ = nullptr;
};

/// The state of a slot allocator read back.
class LoadedAllocator {
 public:
  /// Counts the bytes for so many slots. Its object writes them to `out`, which has room for it, as often as wanted.
  [[nodiscard]] static uint64_t content_size(uint32_t slot_count) { return 16 + uint64_t{slot_count} / 8 * 3; }
  static void write_content(const engine::AllocatorImage& image, uint8_t* out);
  [[nodiscard]] static Result<LoadedAllocator> make(const BlockHeader& header, std::vector<uint64_t> content);
  [[nodiscard]] engine::AllocatorImage image() const;

 private:
  Timestamp prefix_{};
  uint32_t slot_count_ = 0;
  std::vector<uint64_t> words_;  ///< Both generations, then the three bitmaps.
};

}  // namespace daedalus::durability

// A checkpoint in memory: what a hook was shown, copied.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/engine/checkpoint.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// A chunk's image that owns what it points to. Of slots that are not live it keeps `dead_byte`s: whoever takes the
/// image may not rely on what was there.
class KeptChunk {
 public:
  KeptChunk(const ChunkImage& image, uint8_t dead_byte)
      : image_(image),
        widths_(image.widths.begin(), image.widths.end()),
        live_(image.live.begin(), image.live.end()),
        bytes_(image.planes.size()),
        nulls_(image.nulls.size()),
        plane_pointers_(image.planes.size()) {
    const size_t columns = widths_.size();
    for (size_t column = 0; column < columns; ++column) {
      const bool has_tail = image.planes[columns + column] != nullptr;
      const uint32_t stride = has_tail ? 8 : widths_[column];
      keep(image, column, stride, dead_byte);
      keep(image, columns + column, has_tail ? widths_[column] - stride : 0, dead_byte);
      nulls_[column].assign(image.nulls[column], image.nulls[column] + live_.size());
      null_pointers_.push_back(nulls_[column].data());
    }
  }
  KeptChunk(KeptChunk&&) = default;

  [[nodiscard]] ChunkImage image() const {
    ChunkImage image = image_;
    image.widths = widths_;
    image.planes = plane_pointers_;
    image.nulls = null_pointers_;
    image.live = live_;
    return image;
  }

  /// Returns whether live rows are the same, at the same places.
  [[nodiscard]] bool has_rows_of(const KeptChunk& other) const {
    bool same = live_ == other.live_ && bytes_ == other.bytes_;
    for (size_t column = 0; column < nulls_.size(); ++column) {
      for (size_t word = 0; word < live_.size(); ++word) {
        same = same && (nulls_[column][word] & live_[word]) == (other.nulls_[column][word] & live_[word]);
      }
    }
    return same;
  }

 private:
  void keep(const ChunkImage& image, size_t plane, uint32_t width, uint8_t dead_byte) {
    bytes_[plane].assign(size_t{image.row_count} * width, dead_byte);
    for (uint32_t row = 0; row < image.row_count && width > 0; ++row) {
      if (((live_[row / 64] >> (row % 64)) & 1) != 0) {
        std::memcpy(bytes_[plane].data() + size_t{row} * width, image.planes[plane] + size_t{row} * width, width);
      }
    }
    plane_pointers_[plane] = width > 0 ? bytes_[plane].data() : nullptr;
  }

  ChunkImage image_;
  std::vector<uint32_t> widths_;
  std::vector<uint64_t> live_;
  std::vector<std::vector<uint8_t>> bytes_;
  std::vector<std::vector<uint64_t>> nulls_;
  std::vector<const uint8_t*> plane_pointers_;
  std::vector<const uint64_t*> null_pointers_;
};

class KeptAllocator {
 public:
  explicit KeptAllocator(const AllocatorImage& image)
      : image_(image),
        free_(image.free.begin(), image.free.end()),
        cooling_{std::vector<uint64_t>(image.cooling[0].slots.begin(), image.cooling[0].slots.end()),
                 std::vector<uint64_t>(image.cooling[1].slots.begin(), image.cooling[1].slots.end())} {}

  [[nodiscard]] AllocatorImage image() const {
    AllocatorImage image = image_;
    image.free = free_;
    image.cooling[0].slots = cooling_[0];
    image.cooling[1].slots = cooling_[1];
    return image;
  }

 private:
  AllocatorImage image_;
  std::vector<uint64_t> free_;
  std::vector<uint64_t> cooling_[2];
};

struct KeptCheckpoint {
  std::vector<KeptChunk> chunks;
  std::optional<KeptAllocator> allocator;
};

/// Keeps the last checkpoint that came to its end. Has room when it likes.
class CheckpointStore final : public CheckpointHook {
 public:
  /// `refuses_one_in`: of so many chunks it has no room for one; at least two; 0: it always has.
  CheckpointStore(Random& random, uint64_t refuses_one_in)
      : random_(random()), refuses_one_in_(refuses_one_in), dead_byte_(one_in(random, 2) ? 0xee : 0) {}

  [[nodiscard]] bool is_ready() const noexcept override { return !refuses(); }

  [[nodiscard]] bool on_chunk(const ChunkImage& image) noexcept override {
    EXPECT_EQ(image.chunk, growing_.chunks.size()) << "in ascending order, each once";
    EXPECT_LE(image.changed, image.prefix);
    if (refuses()) {
      ++refused_;
      return false;
    }
    growing_.chunks.emplace_back(image, dead_byte_);
    return true;
  }

  void on_round_end(const AllocatorImage& image) noexcept override {
    EXPECT_FALSE(growing_.chunks.empty());
    for (const KeptChunk& chunk : growing_.chunks) {
      EXPECT_EQ(chunk.image().chunk_count, growing_.chunks.size());
      EXPECT_LE(chunk.image().prefix, image.prefix);
    }
    growing_.allocator.emplace(image);
    last_ = std::make_shared<const KeptCheckpoint>(std::move(growing_));
    growing_ = {};
    ++round_count_;
  }

  [[nodiscard]] std::shared_ptr<const KeptCheckpoint> last() const { return last_; }
  [[nodiscard]] uint64_t round_count() const { return round_count_; }
  [[nodiscard]] uint64_t refused() const { return refused_; }

 private:
  [[nodiscard]] bool refuses() const { return refuses_one_in_ > 0 && one_in(random_, refuses_one_in_); }

  mutable Random random_;
  uint64_t refuses_one_in_;
  uint8_t dead_byte_;
  KeptCheckpoint growing_;
  std::shared_ptr<const KeptCheckpoint> last_;
  uint64_t round_count_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace daedalus::engine::test

// Memory that is given out piece by piece and goes as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace daedalus::aggregator::sql {

/// It never destroys the objects that lie in it, so they have to be trivially destructible. Not thread-safe.
class Arena {
 public:
  /// A first block of this many bytes; each block after it is as large as all before it together.
  explicit Arena(size_t first_block_size) : next_block_size_(first_block_size) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Precondition: `alignment` is a power of two, at most that of std::max_align_t.
  [[nodiscard]] void* allocate(size_t size, size_t alignment) {
    size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (start + size > size_) {
      add_block(size);
      start = 0;
    }
    used_ = start + size;
    return block_ + start;
  }

 private:
  void add_block(size_t size_min) {
    size_ = std::max(size_min, next_block_size_);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
    block_ = blocks_.back().get();
    block_bytes_ += size_;
    next_block_size_ = block_bytes_ / 2;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* block_ = nullptr;  ///< The last block.
  size_t size_ = 0;             ///< The bytes of the last block.
  size_t used_ = 0;             ///< The bytes of the last block that are given out.
  size_t block_bytes_ = 0;      ///< The bytes of all blocks.
  size_t next_block_size_;
};

}  // namespace daedalus::aggregator::sql

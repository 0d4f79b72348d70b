#include "cycle_memory.hpp"

#include <algorithm>

namespace daedalus::engine {

void CycleMemory::reset() {
  block_ = 0;
  used_ = 0;
  taken_ = 0;
  size_t kept = 0;
  std::erase_if(blocks_, [&](const Block& block) { return (kept += block.size) > kKeptMax; });
}

void* CycleMemory::do_allocate(size_t size, size_t alignment) {
  while (block_ < blocks_.size()) {
    const size_t start = (used_ + alignment - 1) / alignment * alignment;  // Blocks begin aligned for anything.
    if (start + size <= blocks_[block_].size) {
      used_ = start + size;
      return blocks_[block_].bytes.get() + start;
    }
    taken_ += blocks_[block_++].size;
    used_ = 0;
  }
  const size_t block_size = std::max(size, kBlockSize);
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(block_size), block_size});
  used_ = size;
  return blocks_.back().bytes.get();
}

}  // namespace daedalus::engine

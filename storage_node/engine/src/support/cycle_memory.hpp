// Memory for what is compiled anew in every cycle: handed out in passing, taken back all at once, kept for the next.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <vector>

namespace daedalus::engine {

class CycleMemory final : public std::pmr::memory_resource {
 public:
  /// Everything handed out is gone. What it takes from the system it keeps, up to kKeptMax bytes.
  void reset();

  /// Bytes handed out since then, or lost between those.
  [[nodiscard]] size_t taken() const { return taken_ + used_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };

  static constexpr size_t kBlockSize = 256u << 10;
  static constexpr size_t kKeptMax = 64u << 20;

  void* do_allocate(size_t size, size_t alignment) override;
  void do_deallocate(void*, size_t, size_t) override {}
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::vector<Block> blocks_;
  size_t block_ = 0;  ///< Being handed out.
  size_t used_ = 0;   ///< Counts the used bytes of that block.
  size_t taken_ = 0;  ///< Counts the bytes taken in the blocks before it.
};

}  // namespace daedalus::engine

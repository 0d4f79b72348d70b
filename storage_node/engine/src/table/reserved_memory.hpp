// The memory that a segment lives in: reserved once, bound to a NUMA node, in huge pages where the kernel grants them.
//
// Decides where pages lie and how large they are. Refuses to know what is in them.
#pragma once

#include <cstdint>
#include <optional>

#include "daedalus/engine/memory_placement.hpp"

namespace daedalus::engine {

/// The smallest multiple of `unit` that is not less than `size`.
[[nodiscard]] constexpr uint64_t rounded_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

/// Zeroed anonymous memory between two guard pages; first touched by whoever writes it first, or by settle().
class ReservedMemory {
 public:
  /// Reserves addresses, no pages. Throws std::bad_alloc when there are none.
  explicit ReservedMemory(uint64_t size);
  ~ReservedMemory();
  ReservedMemory(const ReservedMemory&) = delete;
  ReservedMemory& operator=(const ReservedMemory&) = delete;

  [[nodiscard]] uint8_t* data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return size_; }

  /// Binds the memory to `numa_node`, touches all of it in the calling thread, asks for huge pages where there are none
  /// and looks where the pages are. What is there stays; nobody else may use it meanwhile. What does not succeed is
  /// said in the result: the memory works all the same. Cost: about 0.3 s a GiB.
  MemoryPlacement settle(std::optional<uint32_t> numa_node);

 private:
  /// Empty, or why not.
  [[nodiscard]] std::string bind(uint32_t numa_node);
  void touch();
  /// Empty, or why it is not so.
  [[nodiscard]] std::string verify(uint32_t numa_node) const;
  [[nodiscard]] uint64_t huge_page_bytes() const;

  uint64_t mapped_size_;
  uint8_t* mapped_ = nullptr;
  uint64_t size_;
  uint8_t* data_ = nullptr;
};

/// The NUMA node that a core belongs to; none where that cannot be known.
[[nodiscard]] std::optional<uint32_t> numa_node_of_core(uint32_t core);

}  // namespace daedalus::engine

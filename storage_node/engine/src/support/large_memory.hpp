// Zeroed memory that grows with the groups of a query: small pieces from the allocator, large ones from the kernel.
//
// Decides where it comes from. Random places of a large table are looked up in it, so it asks for huge pages; and it
// takes more addresses than memory, so that growing is not copying. Refuses to count: who grows it asks AnswerMemory
// before, and what is in memory is what was asked for, to the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {

/// Asks for huge pages in place of those that lie wholly in this memory. To be called before it is written. Best
/// effort: without huge pages everything works, with more page faults and address translation misses.
void ask_for_huge_pages(void* data, size_t size);

/// How many elements of so many bytes to make room for where there is room for `room` and `wanted` are more: for twice
/// as many while copying them is cheap; then, since there growing is no copying, for an eighth more, in whole huge
/// pages.
[[nodiscard]] uint32_t grown_room(uint32_t room, uint32_t wanted, uint64_t element_bytes);

class LargeMemory {
 public:
  LargeMemory() = default;
  LargeMemory(LargeMemory&& other) noexcept { swap(other); }
  LargeMemory& operator=(LargeMemory&& other) noexcept {
    LargeMemory gone(std::move(other));
    swap(gone);
    return *this;
  }
  ~LargeMemory();

  /// At least so many bytes from now on, those that are new zero. What there was may lie elsewhere. Throws bad_alloc.
  void grow(size_t bytes);

  [[nodiscard]] uint8_t* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  void swap(LargeMemory& other) noexcept;
  [[nodiscard]] static LargeMemory mapped(size_t bytes);
  /// For those that are wanted to their end: so no page is there that nobody counted.
  void advise();

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  void* mapping_ = nullptr;  ///< Null: from the allocator.
  size_t mapping_size_ = 0;
  size_t addresses_ = 0;  ///< From data_ on, of the mapping.
  size_t huge_size_ = 0;  ///< From data_ on, in huge pages if the kernel has them.
};

/// Numbers, keys or states, those that are new zero, or copies of a value.
template <typename T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LargeArray() = default;
  explicit LargeArray(size_t count) { resize(count); }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  [[nodiscard]] T& operator[](size_t at) { return data()[at]; }
  [[nodiscard]] const T& operator[](size_t at) const { return data()[at]; }

  void reserve(size_t count) { memory_.grow(count * sizeof(T)); }
  /// Never fewer than before.
  void resize(size_t count) {
    DCHECK(count >= size_);
    reserve(count);
    size_ = count;
  }
  void resize(size_t count, const T& value) {
    const size_t known = size_;
    resize(count);
    for (size_t at = known; at < count; ++at) {
      data()[at] = value;
    }
  }
  /// Precondition: room was reserved.
  void push_back(const T& value) {
    DCHECK((size_ + 1) * sizeof(T) <= memory_.size());
    data()[size_++] = value;
  }

 private:
  LargeMemory memory_;
  size_t size_ = 0;
};

}  // namespace daedalus::engine

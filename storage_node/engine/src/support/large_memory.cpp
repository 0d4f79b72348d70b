#include "large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace daedalus::engine {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
/// Smaller pieces fit the allocator's lists and the translation of addresses.
constexpr size_t kMappedMin = size_t{1} << 20;
/// Addresses taken for each byte: it is copied once in so many doublings, then.
constexpr size_t kAddressFactor = 8;

size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

void* map(size_t bytes) {
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapping == MAP_FAILED ? nullptr : mapping;
}

}  // namespace

LargeMemory::~LargeMemory() {
  if (mapping_ != nullptr) {
    munmap(mapping_, mapping_size_);
  } else {
    std::free(data_);
  }
}

void LargeMemory::swap(LargeMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  std::swap(addresses_, other.addresses_);
  std::swap(huge_size_, other.huge_size_);
}

LargeMemory LargeMemory::mapped(size_t bytes) {
  LargeMemory made;
  // Where addresses are limited, it does with fewer.
  for (size_t factor = kAddressFactor; factor > 0 && made.mapping_ == nullptr; factor /= 2) {
    made.addresses_ = rounded_up(bytes * factor, kHugePage);
    made.mapping_size_ = made.addresses_ + kHugePage;
    made.mapping_ = map(made.mapping_size_);
  }
  if (made.mapping_ == nullptr) {
    throw std::bad_alloc();
  }
  const auto address = reinterpret_cast<uintptr_t>(made.mapping_);
  made.data_ = static_cast<uint8_t*>(made.mapping_) + (rounded_up(address, kHugePage) - address);
  return made;
}

/// Only those that are wanted to their end: so no page is there that nobody counted.
void LargeMemory::ask_for_huge_pages() {
  const size_t whole = size_ / kHugePage * kHugePage;
  if (whole > huge_size_) {
    // Best effort: without huge pages everything works, with more address translation misses.
    static_cast<void>(madvise(data_ + huge_size_, whole - huge_size_, MADV_HUGEPAGE));
    huge_size_ = whole;
  }
}

void LargeMemory::grow(size_t bytes) {
  if (bytes <= size_) {
    return;
  }
  if (bytes > addresses_) {
    LargeMemory larger;
    if (bytes < kMappedMin) {
      larger.data_ = static_cast<uint8_t*>(std::calloc(bytes, 1));
      if (larger.data_ == nullptr) {
        throw std::bad_alloc();
      }
    } else {
      larger = mapped(bytes);
    }
    larger.size_ = bytes;
    larger.ask_for_huge_pages();
    if (size_ > 0) {
      std::memcpy(larger.data_, data_, size_);
    }
    swap(larger);
    return;
  }
  size_ = bytes;
  ask_for_huge_pages();
}

}  // namespace daedalus::engine

#include "large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace daedalus::engine {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
/// Smaller pieces do with small pages: a piece that has been written before it is as large as this would keep them.
constexpr size_t kMappedMin = kHugePage;
/// Addresses taken for each byte: it is copied once in so many doublings, then.
constexpr size_t kAddressFactor = 8;

size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

void* map(size_t bytes) {
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapping == MAP_FAILED ? nullptr : mapping;
}

}  // namespace

void ask_for_huge_pages(void* data, size_t size) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t before = rounded_up(address, kHugePage) - address;
  if (size >= before + kHugePage) {
    static_cast<void>(
        madvise(static_cast<uint8_t*>(data) + before, (size - before) / kHugePage * kHugePage, MADV_HUGEPAGE));
  }
}

uint32_t grown_room(uint32_t room, uint32_t wanted, uint64_t element_bytes) {
  const uint64_t bytes = room * element_bytes;
  if (bytes < kHugePage) {
    return std::max(wanted, 2 * room);
  }
  const uint64_t grown = rounded_up(std::max(bytes + bytes / 8, wanted * element_bytes), kHugePage);
  return static_cast<uint32_t>((grown + element_bytes - 1) / element_bytes);
}

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
  // If addresses are limited, it does with fewer.
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

void LargeMemory::advise() {
  const size_t whole = size_ / kHugePage * kHugePage;
  if (whole > huge_size_) {
    ask_for_huge_pages(data_ + huge_size_, whole - huge_size_);
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
    larger.advise();
    if (size_ > 0) {
      std::memcpy(larger.data_, data_, size_);
    }
    swap(larger);
    return;
  }
  size_ = bytes;
  advise();
}

}  // namespace daedalus::engine

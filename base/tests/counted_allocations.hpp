// Counts what a program allocates by `new`. For one source file of a test that is a program of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace daedalus::test {

/// Allocations of this thread so far.
inline thread_local uint64_t allocations = 0;

inline void* counted_allocation(size_t size, size_t alignment) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace daedalus::test

// Every allocation of C++ comes through one of these; the others of the standard library call them.
void* operator new(size_t size) { return daedalus::test::counted_allocation(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return daedalus::test::counted_allocation(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

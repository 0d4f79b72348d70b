#include "reserved_memory.hpp"

#include <numa.h>
#include <numaif.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = 2u << 20;
/// Pages asked for in one call of the kernel.
constexpr size_t kPagesAsked = 4096;
/// MADV_COLLAPSE of Linux 6.1, which the C library's headers may not know: makes huge pages of what is there.
constexpr int kMadviseCollapse = 25;

std::string with_reason(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

ReservedMemory::ReservedMemory(uint64_t size) : size_(rounded_up(size, size < kHugePage ? kPage : kHugePage)) {
  // Inaccessible pages on both sides: what reads beyond is found at once, and the kernel keeps this memory's figures
  // apart from its neighbours'.
  const uint64_t alignment = size_ < kHugePage ? kPage : kHugePage;
  mapped_size_ = size_ + alignment + 2 * kPage;
  void* const mapped = mmap(nullptr, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  mapped_ = static_cast<uint8_t*>(mapped);
  const auto address = reinterpret_cast<uintptr_t>(mapped_);
  data_ = mapped_ + (rounded_up(address + kPage, alignment) - address);
  if (mprotect(data_, size_, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped_, mapped_size_);
    throw std::bad_alloc();
  }
  // Best effort: without huge pages everything works, with more address translation misses.
  static_cast<void>(madvise(data_, size_, MADV_HUGEPAGE));
}

ReservedMemory::~ReservedMemory() { munmap(mapped_, mapped_size_); }

MemoryPlacement ReservedMemory::settle(std::optional<uint32_t> numa_node) {
  MemoryPlacement placement;
  placement.problem = numa_node.has_value() ? bind(*numa_node) : "its owner is pinned to no core";
  const bool is_bound = placement.problem.empty();
  touch();
  placement.huge_page_bytes = huge_page_bytes();
  if (placement.huge_page_bytes < size_ / kHugePage * kHugePage) {
    static_cast<void>(madvise(data_, size_, kMadviseCollapse));
    placement.huge_page_bytes = huge_page_bytes();
  }
  if (is_bound) {
    placement.numa_node = static_cast<int32_t>(*numa_node);
    placement.problem = verify(*numa_node);
    placement.is_verified = placement.problem.empty();
  }
  placement.bytes = size_;
  placement.is_settled = true;
  return placement;
}

std::string ReservedMemory::bind(uint32_t numa_node) {
  if (numa_available() < 0) {
    return "the kernel knows no NUMA nodes";
  }
  constexpr uint32_t kWordBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> nodes(numa_node / kWordBits + 1, 0);
  nodes[numa_node / kWordBits] |= 1ul << (numa_node % kWordBits);
  // The kernel takes one bit less than it is told.
  if (mbind(data_, size_, MPOL_BIND, nodes.data(), nodes.size() * kWordBits + 1, MPOL_MF_MOVE) != 0) {
    return with_reason(("cannot be bound to NUMA node " + std::to_string(numa_node)).c_str());
  }
  return {};
}

void ReservedMemory::touch() {
  for (uint64_t offset = 0; offset < size_; offset += kPage) {
    // A write that changes nothing and that no compiler may turn into a read, which would not get a page of its own.
    volatile uint8_t* const byte = data_ + offset;
    *byte = *byte;
  }
}

std::string ReservedMemory::verify(uint32_t numa_node) const {
  std::vector<void*> pages;
  std::vector<int> nodes;
  for (uint64_t offset = 0; offset < size_;) {
    pages.clear();
    for (; offset < size_ && pages.size() < kPagesAsked; offset += kPage) {
      pages.push_back(data_ + offset);
    }
    nodes.assign(pages.size(), -1);
    if (move_pages(0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) {
      return with_reason("the kernel does not say where pages are");
    }
    const auto elsewhere =
        std::find_if(nodes.begin(), nodes.end(), [=](int node) { return node != static_cast<int>(numa_node); });
    if (elsewhere != nodes.end()) {
      return *elsewhere < 0 ? std::string("a page is not there: ") + std::strerror(-*elsewhere)
                            : "a page lies on NUMA node " + std::to_string(*elsewhere);
    }
  }
  return {};
}

uint64_t ReservedMemory::huge_page_bytes() const {
  std::ifstream maps("/proc/self/smaps");
  const auto begin = reinterpret_cast<uintptr_t>(data_);
  bool is_ours = false;
  uint64_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t kib = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &first, &last) == 2) {
      is_ours = first >= begin && last <= begin + size_;
    } else if (is_ours && std::sscanf(line.c_str(), "AnonHugePages: %" SCNu64 " kB", &kib) == 1) {
      found += kib << 10;
    }
  }
  return found;
}

std::optional<uint32_t> numa_node_of_core(uint32_t core) {
  if (numa_available() < 0) {
    return std::nullopt;
  }
  static std::mutex mutex;  // The library remembers what it has asked the kernel, and leaks when threads ask at once.
  const std::scoped_lock lock(mutex);
  const int node = numa_node_of_cpu(static_cast<int>(core));
  return node < 0 ? std::nullopt : std::optional(static_cast<uint32_t>(node));
}

}  // namespace daedalus::engine

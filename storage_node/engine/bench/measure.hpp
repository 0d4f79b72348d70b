// Has what every measurement needs: a clock, cold caches, memory in huge pages, one line of JSON.
#pragma once

#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/check.hpp"

namespace daedalus::engine::bench {

/// Milliseconds that `work` took.
template <typename Work>
double milliseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns what the processor spent on this thread so far, in milliseconds.
[[nodiscard]] double processor_milliseconds();

/// Measures the processor time of `work`, which others on the machine disturb less.
template <typename Work>
double processor_milliseconds(Work&& work) {
  const double start = processor_milliseconds();
  work();
  return processor_milliseconds() - start;
}

/// The upper median; 0 for none.
[[nodiscard]] double median(std::vector<double> values);

/// Zeroed memory in huge pages where the kernel has them: no baseline shall be slow because of its page tables.
template <typename Item>
class HugeArray {
 public:
  explicit HugeArray(size_t count) : count_(count) {
    constexpr size_t kHugePage = 2u << 20;
    const size_t bytes = (count * sizeof(Item) + kHugePage) / kHugePage * kHugePage;
    items_.reset(static_cast<Item*>(std::aligned_alloc(kHugePage, bytes)));
    CHECK(items_ != nullptr);
    // Failure leaves ordinary pages: slower, not wrong.
    static_cast<void>(madvise(items_.get(), bytes, MADV_HUGEPAGE));
    std::fill_n(items_.get(), count, Item{});
  }

  [[nodiscard]] Item* data() { return items_.get(); }
  [[nodiscard]] const Item* data() const { return items_.get(); }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] Item& operator[](size_t at) { return items_.get()[at]; }
  [[nodiscard]] const Item& operator[](size_t at) const { return items_.get()[at]; }
  [[nodiscard]] std::span<const uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t*>(items_.get()), count_ * sizeof(Item)};
  }

 private:
  struct Free {
    void operator()(Item* items) const { std::free(items); }
  };

  size_t count_;
  std::unique_ptr<Item, Free> items_;
};

/// Bytes of the largest cache that a core of this machine shares, as the kernel knows it; 0 where it does not.
[[nodiscard]] uint64_t last_level_cache_bytes();

class Caches {
 public:
  Caches();
  /// Empties the caches, as far as writing to twice the last one's size of something else does, 160 MiB at least.
  void evict();

 private:
  HugeArray<uint8_t> dirt_;
};

/// One measured point, as a line of JSON. Names and texts are our own and need no escapes.
class JsonLine {
 public:
  JsonLine& add(std::string_view name, std::string_view text);
  JsonLine& add(std::string_view name, const char* text) { return add(name, std::string_view(text)); }
  JsonLine& add(std::string_view name, double number);
  JsonLine& add(std::string_view name, uint64_t number);
  JsonLine& add(std::string_view name, const std::vector<double>& numbers);
  /// To stdout, at once: the reader waits for it.
  void print() const;

 private:
  void start(std::string_view name);

  std::string fields_;
};

}  // namespace daedalus::engine::bench

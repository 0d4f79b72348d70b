// A bounded queue between one producer and one consumer thread, without locks.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {

template <typename T>
class SpscRing {
 public:
  /// Room for at least `capacity_min` elements. Precondition: 1 to 2^31.
  explicit SpscRing(uint32_t capacity_min)
      : capacity_(std::bit_ceil(capacity_min)), places_(std::make_unique<T[]>(capacity_)) {
    CHECK(capacity_min > 0);
  }
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  /// Producer. False when full; `value` is then untouched.
  [[nodiscard]] bool push(T&& value) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ == capacity_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ == capacity_) {
        return false;
      }
    }
    places_[tail & (capacity_ - 1)] = std::move(value);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Consumer. The oldest element, or null when empty; valid until pop().
  [[nodiscard]] T* front() {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_seen_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head == tail_seen_) {
        return nullptr;
      }
    }
    return &places_[head & (capacity_ - 1)];
  }

  /// Consumer. The element so many behind the oldest, or null where none is known of yet. Precondition: front() is not
  /// null.
  [[nodiscard]] const T* behind_front(uint32_t distance) const {
    const uint64_t place = head_.load(std::memory_order_relaxed) + distance;
    return place < tail_seen_ ? &places_[place & (capacity_ - 1)] : nullptr;
  }

  /// Consumer. Drops the oldest element and what it owns. Precondition: front() is not null.
  void pop() {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    DCHECK(head != tail_seen_);
    places_[head & (capacity_ - 1)] = T{};
    head_.store(head + 1, std::memory_order_release);
  }

  /// Any thread; true is out of date at once where the caller is not the producer.
  [[nodiscard]] bool is_empty() const {
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire);
  }

 private:
  static constexpr size_t kCacheLine = 64;  // Producer and consumer must not share one.

  const uint64_t capacity_;
  const std::unique_ptr<T[]> places_;
  alignas(kCacheLine) std::atomic<uint64_t> tail_{0};
  uint64_t head_seen_ = 0;  ///< The producer's last look at head_.
  alignas(kCacheLine) std::atomic<uint64_t> head_{0};
  uint64_t tail_seen_ = 0;  ///< The consumer's last look at tail_.
};

}  // namespace daedalus::engine

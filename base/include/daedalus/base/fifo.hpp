// A queue that keeps its memory: std::deque gives blocks back as they empty, and asks for new ones as fast.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"

namespace daedalus {

/// First in, first out, in a ring that grows by doubling. What has left leaves a moved-from T in its place. Once it is
/// empty, a ring of more than kKeptMax places is given back. T is default-constructible. Every call costs O(1).
template <typename T>
class Fifo {
 public:
  static constexpr size_t kKeptMax = 4096;

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] T& front() {
    DCHECK(count_ > 0);
    return ring_[first_];
  }

  template <typename... Arguments>
  void emplace_back(Arguments&&... arguments) {
    if (count_ == ring_.size()) {
      grow();
    }
    ring_[place(count_)] = T(std::forward<Arguments>(arguments)...);
    ++count_;
  }
  void push_back(T item) { emplace_back(std::move(item)); }

  /// Takes the oldest. Precondition: !empty().
  T take_front() {
    DCHECK(count_ > 0);
    T taken = std::move(ring_[first_]);
    first_ = place(1);
    --count_;
    give_back();
    return taken;
  }
  void pop_front() { (void)take_front(); }
  /// Drops the newest. Precondition: !empty().
  void pop_back() {
    DCHECK(count_ > 0);
    --count_;
    ring_[place(count_)] = T();
  }

 private:
  [[nodiscard]] size_t place(size_t index) const { return (first_ + index) & (ring_.size() - 1); }

  void grow() {
    std::vector<T> larger(ring_.empty() ? 4 : 2 * ring_.size());
    for (size_t index = 0; index < count_; ++index) {
      larger[index] = std::move(ring_[place(index)]);
    }
    ring_ = std::move(larger);
    first_ = 0;
  }
  void give_back() {
    if (count_ == 0 && ring_.size() > kKeptMax) {
      ring_ = {};
      first_ = 0;
    }
  }

  std::vector<T> ring_;  ///< A power of two of them.
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace daedalus

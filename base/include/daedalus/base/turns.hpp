// Who works next, among many that are done in pieces: each has its turn, and who has just come does not wait for those
// that take long.
#pragma once

#include <cstdint>
#include <optional>

#include "daedalus/base/fifo.hpp"

namespace daedalus {

/// Whoever is in it is in it once: the caller sees to that. Every call costs O(1).
template <typename Id>
class Turns {
 public:
  /// `is_first`: it has had no turn yet.
  void add(Id id, bool is_first) { (is_first ? first_ : later_).push_back(id); }

  /// Returns the next one. Those that have had no turn go before the others, but not every time: nobody waits for ever.
  [[nodiscard]] std::optional<Id> next() {
    const bool is_first = !first_.empty() && (later_.empty() || firsts_in_row_ < kFirstsInRowMax);
    Fifo<Id>& queue = is_first ? first_ : later_;
    firsts_in_row_ = is_first ? firsts_in_row_ + 1 : 0;
    if (queue.empty()) {
      return std::nullopt;
    }
    return queue.take_front();
  }

  [[nodiscard]] bool is_empty() const { return first_.empty() && later_.empty(); }

 private:
  static constexpr uint32_t kFirstsInRowMax = 64;

  Fifo<Id> first_;
  Fifo<Id> later_;
  uint32_t firsts_in_row_ = 0;
};

}  // namespace daedalus

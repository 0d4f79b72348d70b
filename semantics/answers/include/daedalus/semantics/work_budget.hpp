// How much work one step of something long may do, counted instead of timed: pure code has no clock.
#pragma once

#include <cstdint>

namespace daedalus::semantics {

/// One unit is about ten nanoseconds of an optimised build: one value walked over, one comparison of two rows, 32 bytes
/// copied. A step may overdraw by its smallest piece (a row, a run to be sorted), never by more.
class WorkBudget {
 public:
  explicit constexpr WorkBudget(int64_t units) : left_(units) {}

  void spend(uint64_t units) { left_ -= static_cast<int64_t>(units); }
  [[nodiscard]] bool is_spent() const { return left_ <= 0; }
  [[nodiscard]] int64_t left() const { return left_; }

  /// Enough for anything.
  static constexpr WorkBudget unbounded() { return WorkBudget(INT64_MAX / 2); }

 private:
  int64_t left_;
};

/// Gives what copying so many bytes costs.
[[nodiscard]] constexpr uint64_t copy_units(uint64_t bytes) { return bytes / 32; }

/// Gives what it costs to get so many bytes from the kernel, or to give them back, page by page: up to some
/// microseconds each where a hypervisor is asked, too.
[[nodiscard]] constexpr uint64_t page_units(uint64_t bytes) { return bytes / 4096 * 250; }

}  // namespace daedalus::semantics

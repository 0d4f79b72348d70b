// Who computes rows one at a time asks this whether somebody still waits for them: an expression without kernels may
// take milliseconds a row, and a chunk has thousands.
#pragma once

#include <atomic>
#include <cstdint>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"

namespace daedalus::engine {

/// What a query that was aborted ends with: 57014.
[[nodiscard]] inline Error aborted_error() { return rejected("57014", "canceling statement due to user request"); }

/// What a query that is too late ends with: 57014.
[[nodiscard]] inline Error late_error() {
  return {ErrorCategory::kRetry, "57014", "query dropped: its deadline passed before it could be answered",
          "Allow more time, or ask again when the node is less busy."};
}

/// Of whoever the scanner works for. The scanner's alone.
class Patience {
 public:
  using Clock = Instant (*)();

  /// Null: time stands still, and nobody is too late.
  void look_at(Clock clock) { clock_ = clock; }

  /// From now on the scanner works for a query, or several, the last of which waits until then. aborted: may be null;
  /// lives until the next call.
  void work_for(Instant deadline, const std::atomic<bool>* aborted) {
    deadline_ = deadline;
    aborted_ = aborted;
    rows_ = 0;
    is_over_ = false;
  }

  /// To be asked before each row; from when it is true on, rows need not be computed.
  [[nodiscard]] bool is_over() {
    if (!is_over_ && rows_++ % kRowsPerLook == 0) {
      is_over_ = is_aborted() || (clock_ != nullptr && deadline_ != kNever && deadline_ <= clock_());
    }
    return is_over_;
  }

  /// What those end with that it is over for.
  [[nodiscard]] Error error() const { return is_aborted() ? aborted_error() : late_error(); }

 private:
  /// A look takes as long as the cheapest of rows.
  static constexpr uint32_t kRowsPerLook = 16;

  [[nodiscard]] bool is_aborted() const { return aborted_ != nullptr && aborted_->load(std::memory_order_relaxed); }

  Clock clock_ = nullptr;
  Instant deadline_ = kNever;
  const std::atomic<bool>* aborted_ = nullptr;
  uint32_t rows_ = 0;
  bool is_over_ = false;
};

}  // namespace daedalus::engine

// Who computes rows for a query asks this whether to go on: an expression may take milliseconds a row, and a chunk has
// thousands.
//
// Decides when a query is given up: its client has left or its deadline has passed, or it has computed for as long as
// one query may in a segment. Everybody else waits meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/semantics/evaluation_watch.hpp"

namespace daedalus::engine {

/// The error of a query that was aborted: 57014.
[[nodiscard]] inline Error aborted_error() { return rejected("57014", "canceling statement due to user request"); }

/// The error of a query that is too late: 57014.
[[nodiscard]] inline Error late_error() {
  return {ErrorCategory::kRetry, "57014", "query dropped: its deadline passed before it could be answered",
          "Allow more time, or ask again when the node is less busy."};
}

/// Counts how long one query, or several that share what they compute, has computed in a segment, and how long it may.
struct ComputeTime {
  int64_t spent_ns = 0;
  int64_t allowed_ns = INT64_MAX;
};

/// The error of a query that computed for too long: 54000.
[[nodiscard]] inline Error computed_too_long_error(int64_t allowed_ns) {
  return rejected("54000",
                  "the query computed for longer than compute_ms allows: " + std::to_string(allowed_ns / kMillisecond) +
                      " ms in a segment",
                  "Restrict the rows by a comparison of a column, or compute less for each. The setting compute_ms of "
                  "the storage nodes (docs/configuration.md) and the session's daedalus.compute_ms say how long.");
}

/// Tells the scanner when whoever it works for has no more time. It is the scanner's alone.
class DeadlineCheck final : public semantics::EvaluationWatch {
 public:
  using Clock = Instant (*)();

  /// The scanner works for a query, or several, until this object goes. Not two at a time. With nobody to work for,
  /// patience is never over: updates are computed to their end.
  class Work {
   public:
    /// The last client waits until `deadline`. aborted: may be null. time: null where nothing is computed, and no clock
    /// is looked at for it. Both outlive this object.
    Work(DeadlineCheck& deadline_check, Instant deadline, const std::atomic<bool>* aborted, ComputeTime* time)
        : deadline_check_(deadline_check) {
      deadline_check.begin(deadline, aborted, time);
    }
    ~Work() { deadline_check_.end(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    DeadlineCheck& deadline_check_;
  };

  /// Null: time stands still, and nobody is too late.
  void look_at(Clock clock) { clock_ = clock; }

  /// To be asked before each row; from when it is true on, rows need not be computed.
  [[nodiscard]] bool is_over() override {
    if (is_working_ && !is_over_ && asked_++ % kAskedPerLook == 0) {
      look();
    }
    return is_over_;
  }
  /// Does the same before what may take long by itself.
  [[nodiscard]] bool is_over_now() override {
    if (is_working_ && !is_over_) {
      look();
    }
    return is_over_;
  }

  /// The error of the queries whose time is over.
  [[nodiscard]] Error error() const {
    if (is_aborted()) {
      return aborted_error();
    }
    return has_computed_too_long_ ? computed_too_long_error(time_->allowed_ns) : late_error();
  }

 private:
  /// A look takes as long as the cheapest of rows.
  static constexpr uint32_t kAskedPerLook = 16;

  void begin(Instant deadline, const std::atomic<bool>* aborted, ComputeTime* time) {
    deadline_ = deadline;
    aborted_ = aborted;
    time_ = clock_ != nullptr ? time : nullptr;
    asked_ = 0;
    is_working_ = true;
    is_over_ = false;
    has_computed_too_long_ = false;
    if (time_ != nullptr) {
      began_ = clock_();
    }
  }

  void end() {
    if (time_ != nullptr) {
      time_->spent_ns += clock_().ns - began_.ns;
    }
    is_working_ = false;
    is_over_ = false;
    time_ = nullptr;
  }

  void look() {
    is_over_ = is_aborted();
    if (is_over_ || clock_ == nullptr || (deadline_ == kNever && time_ == nullptr)) {
      return;
    }
    const Instant now = clock_();
    has_computed_too_long_ = time_ != nullptr && time_->spent_ns + (now.ns - began_.ns) > time_->allowed_ns;
    is_over_ = has_computed_too_long_ || deadline_ <= now;
  }

  [[nodiscard]] bool is_aborted() const { return aborted_ != nullptr && aborted_->load(std::memory_order_relaxed); }

  Clock clock_ = nullptr;
  Instant deadline_ = kNever;
  const std::atomic<bool>* aborted_ = nullptr;
  ComputeTime* time_ = nullptr;
  Instant began_{};
  uint32_t asked_ = 0;
  bool is_working_ = false;
  bool is_over_ = false;
  bool has_computed_too_long_ = false;
};

}  // namespace daedalus::engine

// Whoever has expressions evaluated may end an evaluation in its middle: one row of one expression may take seconds.
#pragma once

#include <cstdint>

namespace daedalus::semantics {

/// Every call of a function asks the watch of its thread whether to go on. An evaluation that is over ends with an
/// error, whatever its values are; the watcher knows the reason to tell.
class EvaluationWatch {
 public:
  virtual ~EvaluationWatch() = default;

  /// Says whether the evaluation is to end. Cheap: it need not look at a clock each time.
  [[nodiscard]] virtual bool is_over() = 0;
  /// Says so before a call that may take milliseconds: it looks at the clock.
  [[nodiscard]] virtual bool is_over_now() = 0;

  /// The watch of this thread. Null: every evaluation runs to its end.
  [[nodiscard]] static EvaluationWatch* of_thread() { return place(); }

  /// Watches the evaluations of this thread for as long as it lives. One at a time.
  class Scope {
   public:
    explicit Scope(EvaluationWatch& watch) { place() = &watch; }
    ~Scope() { place() = nullptr; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

 private:
  [[nodiscard]] static EvaluationWatch*& place() {
    thread_local EvaluationWatch* watch = nullptr;
    return watch;
  }
};

/// Steps of matching an automaton that may take a tenth of a millisecond, and more.
constexpr uint64_t kLongMatchSteps = 20'000;

/// Says whether this thread's evaluation is to end before a call of so many steps.
[[nodiscard]] inline bool is_evaluation_over(uint64_t steps = 0) {
  EvaluationWatch* const watch = EvaluationWatch::of_thread();
  return watch != nullptr && (steps > kLongMatchSteps ? watch->is_over_now() : watch->is_over());
}

}  // namespace daedalus::semantics

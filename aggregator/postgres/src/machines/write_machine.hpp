// Statements that write: a worker compiles them, the session gathers them into one update, and the logical writer gets
// it.
//
// Decides which write may be part of the update under way, and what its outcome ends. Refuses to know how an update is
// sent again.
#pragma once

#include <optional>

#include "daedalus/base/result.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

using Ends = awaited::Outcome::Ends;

struct SubmissionEnd {
  std::optional<Failure> failure;
};

class WriteMachine {
 public:
  explicit WriteMachine(SessionCore& core) : core_(core) {}

  /// Errors: 0A000 it cannot be part of the update under way.
  [[nodiscard]] Result<void> check_write(const WriteCommand& command) const;
  void start_write(Portal& portal, uint32_t rows_max);
  void on_compiled(const Execution& execution, Result<aggregator::Compiled> compiled);
  /// Returns whether a write waits for COMMIT: once a block has gathered one, all its writes do.
  [[nodiscard]] bool gathers_writes() const;
  /// Returns whether a write of the block is compiled and takes effect now.
  [[nodiscard]] bool has_write_for_now() const;

  // ---- on the way to the writer ----
  void submit(Ends ends);
  /// Sends the batch of the COPY under way, or what has been gathered.
  void send_submission();
  /// Returns nothing while the submission goes on: it is sent once more.
  [[nodiscard]] std::optional<SubmissionEnd> take_submitted(const wire::v1::Result& answer);
  /// Precondition: an Outcome is awaited.
  void end_submission(SubmissionEnd end);

 private:
  void give_back(const Execution& execution, aggregator::Returning returning, uint32_t inserted);
  [[nodiscard]] SubmissionEnd on_confirmed(const wire::v1::WriteConfirmed& confirmed);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

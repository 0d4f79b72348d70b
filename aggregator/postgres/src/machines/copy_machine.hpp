// COPY: the machine hands what the client sends to the CopyIn that is under way, and makes the CopyOut of a query.
#pragma once

#include "daedalus/base/result.hpp"
#include "session_core.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

class CopyMachine {
 public:
  explicit CopyMachine(SessionCore& core) : core_(core) {}

  /// Returns whether the portal's rows are to be asked for; else the client sends them.
  [[nodiscard]] Result<bool> start_copy(Portal& portal);
  void on_copy_frame(CopyIn& copy, const Frame& frame);
  void on_converted(CopyIn& copy, CopyRows rows);
  void on_copy_submitted(CopyIn& copy, SubmissionEnd end);
  void fail_copy(CopyIn& copy, Error error);

 private:
  [[nodiscard]] Result<bool> start_copy_out(Portal& portal);
  /// Does what is to be done next of it.
  void step_copy(CopyIn& copy);
  void finish_copy();

  SessionCore& core_;
};

}  // namespace daedalus::postgres

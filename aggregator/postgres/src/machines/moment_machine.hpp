// A block of REPEATABLE READ takes a moment with its first query, and has it held to its end.
//
// Decides when that is, and which moment. A statement waits for it before anything is done of it, so it is executed
// from its beginning then.
#pragma once

#include "session_core.hpp"

namespace daedalus::postgres {

class MomentMachine {
 public:
  explicit MomentMachine(SessionCore& core) : core_(core) {}

  /// Says whether the portal has to wait until its block has a moment.
  [[nodiscard]] bool is_wanted(const Portal& portal) const;
  void ask(Portal& portal, uint32_t rows_max);
  /// Takes the answer to a HOLD. Returns whose statement is to be executed now; null portal: nobody's.
  [[nodiscard]] awaited::Moment take(const wire::v1::Result& answer);
  /// Tells the core what is held, where that is news.
  void tell();

 private:
  SessionCore& core_;
};

}  // namespace daedalus::postgres

// The simple protocol: a text of any number of statements, one after the other, and one ReadyForQuery at its end.
#pragma once

#include <string>
#include <string_view>

#include "session_core.hpp"

namespace daedalus::postgres {

class SimpleMachine {
 public:
  explicit SimpleMachine(SessionCore& core) : core_(core) {}

  /// Ends the statement without a name, as in PostgreSQL; the portal without a name ends with the first statement.
  void on_query(std::string_view body);
  void step_simple();

 private:
  void run_simple(std::string sql);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

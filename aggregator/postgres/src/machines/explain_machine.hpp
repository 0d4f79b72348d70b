// EXPLAIN: a worker compiles the statement, nobody runs it, and the nodes say how many rows the table has.
#pragma once

#include <string>

#include "daedalus/aggregator/plan.hpp"
#include "daedalus/base/result.hpp"
#include "explain_answer.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class ExplainMachine {
 public:
  explicit ExplainMachine(SessionCore& core) : core_(core) {}

  /// Precondition: it is not of an EXECUTE.
  void explain(Portal& portal, const ExplainCommand& command);
  /// Explains an EXECUTE of this statement, whose values are the portal's.
  void explain_executed(Portal& portal, const Prepared& statement);
  void on_explained(Portal& portal, Result<aggregator::Plan> plan);
  void on_table_size(const wire::v1::Result& result);

 private:
  /// `write`: null of a query.
  void start_explain(Portal& portal, std::string sql, const WriteCommand* write);
  void tell_plan(Portal& portal, const aggregator::Plan& plan, const SweptRows& swept);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

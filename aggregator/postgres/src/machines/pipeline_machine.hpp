// Queries that run beside each other: while one is under way, the session looks at what the client has sent behind it,
// and what it says of that waits behind the query's answer.
//
// Only what an error ahead of it can undo runs ahead: binding, describing, further queries, the statement without a
// name, and a Sync outside a block. Everything else (writes, commands, named statements, row limits) waits until all
// queries have ended. What stands behind a query that fails is forgotten up to the next Sync, as if nobody had looked
// at it.
#pragma once

#include "session_core.hpp"

namespace daedalus::postgres {

class PipelineMachine {
 public:
  explicit PipelineMachine(SessionCore& core) : core_(core) {}

  /// Says whether a message may be looked at before the queries ahead of it have ended.
  [[nodiscard]] bool may_run_ahead(const Frame& frame) const;
  void start_entry(Portal& portal);
  void on_entry_result(Pipeline::Entry& entry, wire::v1::Result&& result);
  /// Sends what is due, up to the first query that has not ended.
  void pump_entries();

 private:
  /// Returns whether the first query has ended.
  [[nodiscard]] bool pump_first();
  void fail_first(const Failure& failure);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

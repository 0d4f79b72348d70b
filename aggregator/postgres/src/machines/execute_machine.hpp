// Statements that run: the machine finds out which kind each is, and has the machine of that kind run it.
#pragma once

#include <memory>

#include "daedalus/aggregator/statement_home.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class ExecuteMachine {
 public:
  explicit ExecuteMachine(SessionCore& core) : core_(core) {}

  /// Runs a statement or goes on with it; at most `rows_max` rows, 0: all.
  void execute(Portal& portal, uint32_t rows_max);
  void on_values(awaited::Values& awaited, wire::v1::Result&& result);
  void on_located(awaited::Home awaited, const aggregator::StatementHome& home);

 private:
  void start_rows(Portal& portal, uint32_t rows_max);
  /// Returns false where the statement needs the table or the writer.
  [[nodiscard]] bool run_command(Portal& portal);

  // ---- EXECUTE and DEALLOCATE (execute_prepared.cpp) ----
  void execute_prepared(Portal& portal, uint32_t rows_max);
  void ask_for_values(Portal& portal, const ExecuteCommand& command, std::shared_ptr<const Prepared> statement,
                      uint32_t rows_max);
  /// From now on the portal is one of that statement.
  void become(Portal& portal, std::shared_ptr<const Prepared> statement, uint32_t rows_max);
  void deallocate(const DeallocateCommand& command);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

// Cursors of SQL: DECLARE asks, FETCH and MOVE take of the answer what they want, CLOSE ends it.
#pragma once

#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "daedalus/semantics/types.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class CursorMachine {
 public:
  explicit CursorMachine(SessionCore& core) : core_(core) {}

  /// `sql`: of the cursor's query.
  void open_cursor(Portal& portal, std::string sql, const std::vector<semantics::Column>& columns);
  void ask_for_cursor(Portal& portal, std::string sql);
  void open_catalogue_cursor(const Portal& portal, catalogue::Answer answer);
  void fetch(Portal& portal, uint32_t rows_max);
  void go_on_fetching(Execution& execution);
  /// A FETCH takes longer than statement_timeout.
  void end_late_fetch();
  void close_cursor(const CloseCommand& command);

 private:
  /// Errors: 25P01, 34000, 42P03, 54000.
  [[nodiscard]] Result<void> check_cursor(const DeclareCommand& command) const;
  /// In a block of REPEATABLE READ its one query may be declared again once its cursor is closed (postgres_fdw does):
  /// it has the same answer, as long as all of that is there. False: nothing is.
  [[nodiscard]] bool reopen_closed(const Portal& portal, const std::string& sql, const DeclareCommand& command);
  [[nodiscard]] Result<void> begin_fetch(Portal& portal, const FetchCommand& command);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

// Statements over the catalogue: PostgreSQL itself runs them, and the machine passes its answer on to the client.
//
// The session finds them out once the compiler has refused them. So a statement that the table's own answer costs
// nothing of this; one over the catalogue is compiled in vain first.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class CatalogueMachine {
 public:
  explicit CatalogueMachine(SessionCore& core) : core_(core) {}

  /// Errors, where no statement over the catalogue may run now: 42501, 0A000, 54000 too many of its rows wait.
  [[nodiscard]] Result<void> check_catalogue() const;
  void ask_catalogue(Awaited awaited, catalogue::Statement statement);
  void start_catalogue(Portal& portal, uint32_t rows_max);
  void begin_catalogue_rows(const Execution& execution, catalogue::Answer answer);
  /// Sends what the portal has of its answer, as far as its Execute wants it.
  void pump_catalogue(const Execution& execution);

 private:
  SessionCore& core_;
};

}  // namespace daedalus::postgres

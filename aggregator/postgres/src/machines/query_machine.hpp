// Queries that run: the machine asks the core, takes the rows of an answer and passes them on to the client.
//
// Decides when an Execute has enough, and what is an error of an answer. Refuses to know where portals come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/types.hpp"
#include "own_answers.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class QueryMachine {
 public:
  explicit QueryMachine(SessionCore& core) : core_(core) {}

  /// Errors, where no query of the table may begin now: 42501, 0A000.
  [[nodiscard]] Result<void> check_query() const;
  void start_query(Portal& portal);
  Execution& await_rows(Portal& portal, uint32_t rows_max);
  void take_result(Portal& portal, wire::v1::Result&& result);
  /// Rows of these columns come. Errors: 0A000 others were described.
  [[nodiscard]] Result<void> begin_rows(Portal& portal, const std::vector<semantics::Column>& columns);
  /// Sends what the portal has, and ends its Execute when there is enough.
  void pump(Execution& execution);
  /// Sends an answer that the session gives itself.
  void answer(Portal& portal, const std::vector<OwnRow>& rows, std::string_view tag);

 private:
  void on_rows(Portal& portal, wire::v1::QueryRows& rows);
  /// Makes the encoder of all rows of an answer, given its first ones. Errors: 0A000 they are not what was described.
  [[nodiscard]] Result<void> begin_answer(Portal& portal, const wire::v1::QueryRows& first);
  /// Does so for an answer by handle, whose columns are known since its definition's first. Errors: XX000.
  [[nodiscard]] Result<void> begin_registered(Portal& portal, uint64_t sequence);
  /// Errors: 08P01, 54000 too much is held back.
  [[nodiscard]] Result<void> send_rows(const Portal& portal, std::string rows);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

// Statements that are described before they run: of Parse, of PREPARE and of DECLARE.
//
// Decides whom a description comes from: what is known already, the compiler, or the catalogue. Refuses to know how a
// description is told.
#pragma once

#include <memory>
#include <string_view>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class DescribeMachine {
 public:
  explicit DescribeMachine(SessionCore& core) : core_(core) {}

  void prepare(const PrepareCommand& command);
  void declare(Portal& portal);
  /// Errors: 53200, and those of PreparedStatements::check_room().
  [[nodiscard]] Result<void> check_room(std::string_view name, size_t sql_size);
  /// Learns what the statement takes and gives.
  void describe(std::unique_ptr<DescriptionRun> run, const DescriptionRun::Kinds& declared);
  void describe_by_compiler(std::unique_ptr<DescriptionRun> run);
  void describe_by_catalogue(std::unique_ptr<DescriptionRun> run);
  void on_described(std::unique_ptr<DescriptionRun> run, Result<aggregator::StatementDescription> description);
  void keep_catalogue_description(DescriptionRun& run, catalogue::Answer answer);
  /// Keeps the statement, whose description is known now.
  void keep_described(DescriptionRun& run);

 private:
  SessionCore& core_;
};

}  // namespace daedalus::postgres

// Says what a statement is to a session: something it answers itself, a query for the table, or a write.
//
// The grammar is PostgreSQL's (daedalus/aggregator/session_command.hpp). Decides what types and options of EXPLAIN
// mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/aggregator/session_command.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

using aggregator::BeginCommand;
using aggregator::BlockModes;
using aggregator::CloseCommand;
using aggregator::CopyCommand;
using aggregator::DeallocateCommand;
using aggregator::DeclareCommand;
using aggregator::DiscardCommand;
using aggregator::EmptyCommand;
using aggregator::EndCommand;
using aggregator::ExecuteCommand;
using aggregator::FetchCommand;
using aggregator::Isolation;
using aggregator::kTruncate;
using aggregator::LockCommand;
using aggregator::QueryCommand;
using aggregator::ResetCommand;
using aggregator::SavepointCommand;
using aggregator::SessionQuery;
using aggregator::SetBlockCommand;
using aggregator::SetCommand;
using aggregator::ShowCommand;
using aggregator::WriteCommand;

/// PREPARE.
struct PrepareCommand {
  std::string name;
  std::vector<uint32_t> types;  ///< OIDs of its first parameters.
  uint32_t query_at = 0;        ///< The byte at which its statement begins.
};
/// EXPLAIN is asked to show this.
struct ExplainOptions {
  bool is_verbose = false;
  bool has_costs = true;
  bool has_summary = false;
  bool is_json = false;
};
struct ExplainCommand {
  ExplainOptions options;
  std::variant<QueryCommand, WriteCommand, SessionQuery, ExecuteCommand> explained;
  uint32_t query_at = 0;  ///< The byte at which that begins; for a DECLARE its query.
  /// The first mistake in the options. It is told once the statement itself is known to be right.
  std::shared_ptr<const Error> mistake = nullptr;
};
/// A statement that is known, and not supported.
struct RefusedCommand {
  Error error;
};

using Command = std::variant<EmptyCommand, SetCommand, ResetCommand, ShowCommand, BeginCommand, SetBlockCommand,
                             EndCommand, SavepointCommand, LockCommand, DeclareCommand, FetchCommand, CloseCommand,
                             PrepareCommand, ExecuteCommand, DeallocateCommand, DiscardCommand, SessionQuery,
                             WriteCommand, CopyCommand, QueryCommand, ExplainCommand, RefusedCommand>;

/// Says whether it is a query, or an EXPLAIN of one.
[[nodiscard]] bool is_of_query(const Command& command);
/// Says whether it is a write, or an EXPLAIN of one.
[[nodiscard]] bool is_of_write(const Command& command);
/// Returns the text that the compiler is given of a statement: of an EXPLAIN the explained one, at its place.
[[nodiscard]] std::string compiled_text(const Command& command, const std::string& sql);

/// `statement` is one statement. Cost: of aggregator::read_session_command().
[[nodiscard]] Command command_of(std::string_view statement);

/// EXPLAIN, read without its options' meaning, of a statement.
[[nodiscard]] Command explain_command(const aggregator::ExplainStatement& read, std::string_view statement);

/// Returns whether it may run in a block that has failed: it ends the block, or goes back to a savepoint, or is empty.
[[nodiscard]] bool ends_failure(const Command& command);

}  // namespace daedalus::postgres

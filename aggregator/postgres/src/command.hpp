// What a statement is to a session: something it answers itself, a query for the table, or a write.
//
// Decides by the first words alone, and by PostgreSQL's tree for COPY. Whatever it does not know by name is a query:
// the compiler says what is wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/aggregator/copy_statement.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

struct EmptyCommand {};
struct SetCommand {
  std::string name;
  std::optional<std::string> value;  ///< None: DEFAULT.
  bool is_local = false;
};
struct ResetCommand {
  std::string name;  ///< "all": everything.
};
struct ShowCommand {
  std::string name;
};
struct BeginCommand {
  std::string tag;  ///< BEGIN or START TRANSACTION.
  bool is_repeatable = false;
  bool is_read_only = false;
};
/// SET TRANSACTION, within a block.
struct SetBlockCommand {
  bool is_repeatable = false;
  bool is_read_only = false;
};
struct EndCommand {
  bool is_commit = false;
};
struct DeallocateCommand {
  std::string name;  ///< Empty: all.
};
struct DiscardCommand {};
/// SELECT of functions that only the session can answer, without FROM.
struct SessionQuery {
  struct Item {
    std::string function;
    std::string column;
    std::vector<std::string> arguments;
  };
  std::vector<Item> items;
};
/// INSERT, UPDATE or DELETE.
struct WriteCommand {
  std::string_view word;  ///< Which of them, in upper case.
};
/// COPY, whose options nobody has judged yet.
struct CopyCommand {
  std::shared_ptr<const aggregator::CopyStatement> statement;
};
/// Whatever the compiler is to judge.
struct QueryCommand {};
/// A statement that is known, and not supported.
struct RefusedCommand {
  Error error;
};

using Command = std::variant<EmptyCommand, SetCommand, ResetCommand, ShowCommand, BeginCommand, SetBlockCommand,
                             EndCommand, DeallocateCommand, DiscardCommand, SessionQuery, WriteCommand, CopyCommand,
                             QueryCommand, RefusedCommand>;

/// `statement` is one statement, without a semicolon. Cost: of its first tokens; of a COPY, aggregator::read_copy().
[[nodiscard]] Command command_of(std::string_view statement);

/// Whether a statement speaks of the catalogue: pg_catalog, information_schema, or a relation behind FROM or JOIN whose
/// name begins with "pg_". Looked at once it has failed.
[[nodiscard]] bool mentions_catalogue(std::string_view statement);

}  // namespace daedalus::postgres

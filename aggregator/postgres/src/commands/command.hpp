// What a statement is to a session: something it answers itself, a query for the table, or a write.
//
// Decides by the first words alone, and by PostgreSQL's tree for COPY. Whatever it does not know by name is a query:
// the compiler says what is wrong.
// In files by what they are about: command.cpp, command_cursors.cpp, command_explain.cpp, command_statements.cpp,
// over command_words.cpp.
#pragma once

#include <cstdint>
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
  std::string name;  ///< "all": every one.
};
/// READ UNCOMMITTED is READ COMMITTED, as in PostgreSQL.
enum class Isolation : uint8_t { kReadCommitted, kRepeatableRead, kSerializable };

/// What is said of a block's isolation and access; nothing: what it would be anyway.
struct BlockModes {
  std::optional<Isolation> isolation;
  std::optional<bool> is_read_only;
};
struct BeginCommand {
  std::string tag;  ///< BEGIN or START TRANSACTION.
  BlockModes modes;
};
/// SET TRANSACTION, within a block; SET SESSION CHARACTERISTICS, for blocks to come.
struct SetBlockCommand {
  BlockModes modes;
  bool is_default = false;
};
struct EndCommand {
  bool is_commit = false;
};
struct SavepointCommand {
  enum class What : uint8_t { kMake, kRelease, kGoBack };
  What what = What::kMake;
  std::string name;
};
/// LOCK … IN ACCESS SHARE MODE, which waits for nothing: nobody alters or drops the table.
struct LockCommand {
  std::vector<std::string> tables;  ///< As they are written, with schemas.
};
struct DeclareCommand {
  std::string cursor;
  bool may_go_back = true;  ///< No NO SCROLL.
  bool is_binary = false;
  bool is_holdable = false;
  uint32_t query_at = 0;  ///< Where its query begins, in bytes.
};
/// FETCH or MOVE.
struct FetchCommand {
  enum class Way : uint8_t { kForward, kBackward, kAbsolute, kRelative };
  static constexpr int64_t kAll = INT64_MAX;
  std::string cursor;
  bool is_move = false;
  bool is_complete = true;  ///< False while it is read: a number is missing.
  Way way = Way::kForward;
  int64_t count = 1;
};
struct CloseCommand {
  std::string cursor;  ///< Empty: all.
};
struct PrepareCommand {
  std::string name;
  std::vector<uint32_t> types;  ///< OIDs of its first parameters.
  uint32_t query_at = 0;        ///< Where its statement begins, in bytes.
};
struct ExecuteCommand {
  std::string name;
  std::vector<std::string> values;  ///< Expressions, as they stand there.
};
struct DeallocateCommand {
  std::string name;  ///< Empty: all.
};
/// DISCARD, and UNLISTEN of all: there is nothing to forget but what DISCARD ALL names.
struct DiscardCommand {
  std::string_view tag;
};
/// SELECT of functions that only the session can answer, without FROM.
struct SessionQuery {
  struct Item {
    std::string function;
    std::string column;
    std::vector<std::string> arguments;  ///< Strings, and booleans by their words.

    /// Whether PostgreSQL's type of it is name.
    [[nodiscard]] bool is_name() const;
  };
  std::vector<Item> items;
  bool is_of_known_setting = false;  ///< One set_config() FROM pg_settings: no row where there is no such setting.
};
/// The tag of TRUNCATE, which counts no rows.
constexpr std::string_view kTruncate = "TRUNCATE TABLE";

/// INSERT, UPDATE, DELETE or TRUNCATE TABLE.
struct WriteCommand {
  std::string_view word;  ///< Which of them, in upper case.
};
/// COPY, whose options nobody has judged yet.
struct CopyCommand {
  std::shared_ptr<const aggregator::CopyStatement> statement;
};
/// Whatever the compiler is to judge.
struct QueryCommand {};
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
  uint32_t query_at = 0;  ///< Where that begins, in bytes; of a DECLARE its query.
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

/// `statement` is one statement, without a semicolon. Cost: of its first tokens; of a COPY, aggregator::read_copy().
[[nodiscard]] Command command_of(std::string_view statement);

/// Whether it may run in a block that has failed: what ends the block, or its failure.
[[nodiscard]] bool ends_failure(const Command& command);

}  // namespace daedalus::postgres

// Statements that a session answers itself, as PostgreSQL's grammar reads them: settings, blocks, cursors, prepared
// statements, COPY and EXPLAIN.
//
// Decides what of such a statement is kept, and which of them nobody supports. Refuses to know a session: which
// settings, cursors, types and options there are.
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

namespace daedalus::aggregator {

struct EmptyCommand {};
struct SetCommand {
  std::string name;
  std::optional<std::string> value;  ///< None: DEFAULT.
  bool is_local = false;
  bool is_interval = false;  ///< The value is what INTERVAL stands in front of.
};
struct ResetCommand {
  std::string name;  ///< "all": everything.
};
struct ShowCommand {
  std::string name;  ///< "all": every one.
};
/// READ UNCOMMITTED is READ COMMITTED by another name, as in PostgreSQL.
enum class Isolation : uint8_t { kReadUncommitted, kReadCommitted, kRepeatableRead, kSerializable };

/// A statement asks for this isolation and access of a block; nothing: the block has what it would have anyway.
struct BlockModes {
  std::optional<Isolation> isolation;
  std::optional<bool> is_read_only;
};
struct BeginCommand {
  std::string_view tag;  ///< BEGIN or START TRANSACTION.
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
  uint32_t query_at = 0;  ///< The byte at which its query begins.
};
/// FETCH or MOVE.
struct FetchCommand {
  enum class Way : uint8_t { kForward, kBackward, kAbsolute, kRelative };
  static constexpr int64_t kAll = INT64_MAX;
  std::string cursor;
  bool is_move = false;
  Way way = Way::kForward;
  int64_t count = 1;
};
struct CloseCommand {
  std::string cursor;  ///< Empty: all.
};
/// PREPARE, whose types nobody has looked up yet.
struct PrepareStatement {
  struct Type {
    std::string name;  ///< PostgreSQL's own, which a keyword stands for: int4.
    bool is_array = false;
    uint32_t position = 0;  ///< Character of the text, from 1.
  };
  std::string name;
  std::vector<Type> types;  ///< The types of its first parameters.
  uint32_t query_at = 0;    ///< The byte at which its statement begins.
};
struct ExecuteCommand {
  struct Value {
    enum class Kind : uint8_t { kComputed, kNull, kString, kWord };
    std::string text;  ///< The expression, as it stands there.
    Kind kind = Kind::kComputed;
    std::string literal;  ///< The value of a string; the word of a number, of true or of false (kWord).
  };
  std::string name;
  std::vector<Value> values;
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

    /// Returns whether PostgreSQL gives it the type `name`.
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
  std::shared_ptr<const CopyStatement> statement;
};
/// EXPLAIN, whose options nobody has judged yet.
struct ExplainStatement {
  std::vector<StatementOption> options;
  uint32_t query_at = 0;  ///< The byte at which the explained statement begins.
};
/// Whatever the compiler is to judge.
struct QueryCommand {};

using SessionCommand = std::variant<EmptyCommand, SetCommand, ResetCommand, ShowCommand, BeginCommand, SetBlockCommand,
                                    EndCommand, SavepointCommand, LockCommand, DeclareCommand, FetchCommand,
                                    CloseCommand, PrepareStatement, ExecuteCommand, DeallocateCommand, DiscardCommand,
                                    SessionQuery, WriteCommand, CopyCommand, ExplainStatement, QueryCommand>;

/// Decides by the first words, and reads what is a session's with PostgreSQL's parser, but for the query behind
/// PREPARE, DECLARE and EXPLAIN: the compiler reads that. Precondition: the text is valid UTF-8 without zero bytes.
///
/// Errors: PostgreSQL's 42601 with its position, of two statements, too; 42P11 options of a cursor that contradict each
/// other; 54001 too complex; 0A000 known, and not supported; those of read_copy(). Cost: of a query its first words; of
/// another statement a microsecond or two, and 0.2 µs for each token of an EXECUTE. Thread-safe.
[[nodiscard]] Result<SessionCommand> read_session_command(std::string_view text);

}  // namespace daedalus::aggregator

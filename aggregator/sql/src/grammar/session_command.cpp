#include "daedalus/aggregator/session_command.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lexer.hpp"
#include "positions.hpp"
#include "session_tree.hpp"

namespace daedalus::aggregator {

namespace {

using sql::is_keyword;
using sql::Lexer;
using sql::Token;

/// Words that nothing but a session's statements begin with.
constexpr std::string_view kSessionWords[] = {"abort",    "begin",     "close",   "commit",  "deallocate", "declare",
                                              "discard",  "end",       "execute", "explain", "fetch",      "listen",
                                              "lock",     "move",      "notify",  "prepare", "release",    "reset",
                                              "rollback", "savepoint", "set",     "show",    "start",      "unlisten"};

/// Most bytes of a SELECT that is read as one of a session's functions.
constexpr size_t kSessionQuerySizeMax = 4096;

struct ShortQuery {
  std::string_view word;
  std::string_view rest;  ///< Completes a statement that begins with the word.
};

/// Statements behind PREPARE, DECLARE and EXPLAIN that the compiler reads or refuses.
constexpr ShortQuery kShortQueries[] = {{"select", ""},
                                        {"values", " (1)"},
                                        {"table", " t"},
                                        {"with", " a AS (SELECT) SELECT"},
                                        {"insert", " INTO t DEFAULT VALUES"},
                                        {"update", " t SET a = 1"},
                                        {"delete", " FROM t"},
                                        {"merge", " INTO t USING t ON true WHEN MATCHED THEN DELETE"},
                                        {"create", " TABLE t AS SELECT"},
                                        {"refresh", " MATERIALIZED VIEW t"}};

bool is_symbol(const std::optional<Token>& token, std::string_view symbol) {
  return token && token->kind == sql::TokenKind::kSymbol && token->text == symbol;
}

bool is_word(const std::optional<Token>& token, std::string_view keyword) {
  return token && is_keyword(*token, keyword);
}

template <size_t kSize>
bool is_any_of(const Token& token, const std::string_view (&keywords)[kSize]) {
  return std::any_of(std::begin(keywords), std::end(keywords), [&](auto each) { return is_keyword(token, each); });
}

/// Returns the offset at which the statement behind EXPLAIN and its options begins.
uint32_t explained_at(std::string_view text, uint32_t options_at) {
  constexpr std::string_view kQueryWords[] = {"select", "values", "with", "table"};
  Lexer lexer(text, options_at);
  auto token = lexer.next();
  if (is_symbol(token, "(")) {
    const auto inner = lexer.next();
    if (is_symbol(inner, "(") || (inner && is_any_of(*inner, kQueryWords))) {
      return token->offset;
    }
    while (token && !is_symbol(token, ")")) {
      token = lexer.next();
    }
    token = lexer.next();
  } else {
    token = is_word(token, "analyze") || is_word(token, "analyse") ? lexer.next() : token;
    token = is_word(token, "verbose") ? lexer.next() : token;
  }
  return token ? token->offset : static_cast<uint32_t>(text.size());
}

/// Returns the offset of the query in a PREPARE, DECLARE or EXPLAIN; `first` is the statement's first word. Returns the
/// end of the text when there is no query.
uint32_t query_offset(std::string_view text, const Token& first) {
  const auto behind = [&](std::string_view keyword) {
    const int32_t at = sql::find_keyword(text, keyword);
    return at < 0 ? static_cast<uint32_t>(text.size())
                  : sql::first_token(text, static_cast<uint32_t>(at) + static_cast<uint32_t>(keyword.size()));
  };
  if (is_keyword(first, "explain")) {
    return explained_at(text, first.offset + static_cast<uint32_t>(first.text.size()));
  }
  return is_keyword(first, "prepare")   ? behind("as")
         : is_keyword(first, "declare") ? behind("for")
                                        : static_cast<uint32_t>(text.size());
}

/// The text with another query of the same kind instead of its own, however long that is.
std::string with_short_query(std::string_view text, uint32_t query_at) {
  const auto first = Lexer(text, query_at).next();
  if (is_symbol(first, "(")) {
    return std::string(text.substr(0, query_at)) + "(SELECT)";
  }
  const auto* const found = std::find_if(std::begin(kShortQueries), std::end(kShortQueries),
                                         [&](const ShortQuery& query) { return is_word(first, query.word); });
  return found == std::end(kShortQueries)
             ? std::string(text)
             : std::string(text.substr(0, query_at + first->text.size())) + std::string(found->rest);
}

/// Finds the texts between the commas of EXECUTE's parentheses. Precondition: the grammar has found the values there.
void find_values(std::string_view text, ExecuteCommand& command) {
  Lexer lexer(text);
  size_t begin = 0;
  int depth = 0;
  auto value = command.values.begin();
  for (auto token = lexer.next(); token && value != command.values.end(); token = lexer.next()) {
    if (is_symbol(token, "(") || is_symbol(token, "[")) {
      begin = ++depth == 1 ? token->offset + 1 : begin;
      continue;
    }
    depth -= is_symbol(token, ")") || is_symbol(token, "]") ? 1 : 0;
    if ((depth == 0 && is_symbol(token, ")")) || (depth == 1 && is_symbol(token, ","))) {
      begin = sql::first_token(text, static_cast<uint32_t>(begin));
      value++->text = text.substr(begin, token->offset - begin);
      begin = token->offset + 1;
    }
  }
}

/// Fills in what PostgreSQL's tree does not tell, and positions in characters.
struct Completion {
  std::string_view text;
  uint32_t query_at;

  void operator()(DeclareCommand& command) const { command.query_at = query_at; }
  void operator()(PrepareStatement& command) const {
    command.query_at = query_at;
    for (auto& type : command.types) {
      type.position = sql::as_character(text, type.position);
    }
  }
  void operator()(ExplainStatement& command) const {
    command.query_at = query_at;
    for (auto& option : command.options) {
      option.position = sql::as_character(text, option.position);
    }
  }
  void operator()(ExecuteCommand& command) const { find_values(text, command); }
  template <typename Complete>
  void operator()(Complete&) const {}
};

Result<SessionCommand> read_with_parser(std::string_view text, const Token& first) {
  const uint32_t query_at = query_offset(text, first);
  const std::string read = with_short_query(text, query_at);
  uint32_t location = 0;
  if (auto checked = sql::check_complexity(read, &location); !checked) {
    Error error = checked.error();
    error.position = sql::position_at(read, location);
    return error;
  }
  auto command = sql::read_session_tree(read);
  if (command) {
    std::visit(Completion{text, query_at}, *command);
  }
  return command;
}

/// A block's begin or end that is a word alone: nothing is asked more often, and the parser takes seven times as long.
std::optional<SessionCommand> read_bare_word(const Token& word) {
  if (is_keyword(word, "begin")) {
    return BeginCommand{"BEGIN", {}};
  }
  const bool is_commit = is_keyword(word, "commit") || is_keyword(word, "end");
  const bool is_end = is_commit || is_keyword(word, "rollback") || is_keyword(word, "abort");
  return is_end ? std::optional<SessionCommand>(EndCommand{is_commit}) : std::nullopt;
}

/// Returns whether the word behind SELECT, after `pg_catalog.` if that is there, names a function that only the session
/// can answer.
bool begins_session_query(Lexer lexer) {
  auto token = lexer.next();
  if (is_word(token, "pg_catalog")) {
    static_cast<void>(lexer.next());
    token = lexer.next();
  }
  if (!token || token->kind != sql::TokenKind::kWord) {
    return false;
  }
  std::string name(token->text);
  std::transform(name.begin(), name.end(), name.begin(), sql::lower_letter);
  return sql::is_session_function(name, is_symbol(lexer.next(), "(")) || sql::is_session_function(name, false);
}

SessionCommand read_select(std::string_view text, const Lexer& behind) {
  uint32_t location = 0;
  if (text.size() <= kSessionQuerySizeMax && begins_session_query(behind) && sql::check_complexity(text, &location)) {
    if (auto query = sql::read_session_query(std::string(text))) {
      return std::move(*query);
    }
  }
  return QueryCommand{};
}

}  // namespace

bool SessionQuery::Item::is_name() const {
  return sql::is_session_function(function, /*is_called=*/false) || function == "current_database";
}

Result<SessionCommand> read_session_command(std::string_view text) {
  Lexer lexer(text);
  const auto first = lexer.next();
  if (!first) {
    return EmptyCommand{};
  }
  if (is_keyword(*first, "select")) {
    return read_select(text, lexer);
  }
  constexpr std::pair<std::string_view, std::string_view> kWrites[] = {
      {"insert", "INSERT"}, {"update", "UPDATE"}, {"delete", "DELETE"}, {"truncate", kTruncate}};
  for (const auto& [word, tag] : kWrites) {
    if (is_keyword(*first, word)) {
      return WriteCommand{tag};
    }
  }
  if (is_keyword(*first, "copy")) {
    auto copy = read_copy(text);
    return copy ? Result<SessionCommand>(CopyCommand{std::make_shared<const CopyStatement>(std::move(*copy))})
                : copy.error();
  }
  if (!is_any_of(*first, kSessionWords)) {
    return QueryCommand{};
  }
  auto bare = lexer.next() ? std::nullopt : read_bare_word(*first);
  return bare ? Result<SessionCommand>(std::move(*bare)) : read_with_parser(text, *first);
}

}  // namespace daedalus::aggregator

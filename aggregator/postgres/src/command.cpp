#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "daedalus/aggregator/statement_text.hpp"

namespace daedalus::postgres {

using aggregator::first_words;
using aggregator::is_word;
using aggregator::StatementWord;
using aggregator::unquoted;

namespace {

/// No command that a session answers itself has more tokens; longer ones are queries, or refused.
constexpr size_t kWordsMax = 64;
/// As far as a statement that has failed is looked at for names of the catalogue.
constexpr size_t kCatalogueWordsMax = 4096;

/// The tokens of one command, read from the front.
class Words {
 public:
  explicit Words(std::string_view statement) : words_(first_words(statement, kWordsMax)) {}

  [[nodiscard]] bool is_at_end() const { return at_ >= words_.size(); }
  [[nodiscard]] bool is_cut() const { return words_.size() == kWordsMax; }
  [[nodiscard]] bool is(std::string_view keyword) const { return !is_at_end() && is_word(words_[at_], keyword); }
  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return !is_at_end() && words_[at_].kind == StatementWord::Kind::kSymbol && words_[at_].text == symbol;
  }
  [[nodiscard]] bool is_name() const {
    return !is_at_end() && (words_[at_].kind == StatementWord::Kind::kWord ||
                            (words_[at_].kind == StatementWord::Kind::kQuoted && words_[at_].text[0] == '"'));
  }
  [[nodiscard]] bool is_string() const {
    return !is_at_end() && words_[at_].kind == StatementWord::Kind::kQuoted && words_[at_].text[0] == '\'';
  }
  [[nodiscard]] const StatementWord& word() const { return words_[at_]; }
  bool take(std::string_view keyword) { return is(keyword) && (++at_, true); }
  bool take_symbol(std::string_view symbol) { return is_symbol(symbol) && (++at_, true); }
  std::string take_text() { return unquoted(words_[at_++]); }
  /// The rest, as a list of values is shown.
  std::string rest() {
    std::string text;
    for (; !is_at_end(); ++at_) {
      const bool is_first = text.empty() || text.back() == '-' || text.back() == '+';
      text += is_symbol(",") || is_first ? "" : " ";
      text += words_[at_].kind == StatementWord::Kind::kQuoted ? unquoted(words_[at_]) : std::string(words_[at_].text);
    }
    return text;
  }

 private:
  std::vector<StatementWord> words_;
  size_t at_ = 0;
};

RefusedCommand refuse(std::string name, std::string hint = {}) {
  return {rejected("0A000", fmt::format("{} is not supported", name), std::move(hint))};
}

RefusedCommand syntax_error(const Words& words) {
  const std::string where =
      words.is_at_end() ? "at end of input" : fmt::format("at or near \"{}\"", words.word().text.substr(0, 64));
  return {rejected("42601", fmt::format("syntax error {}", where))};
}

struct BlockModes {
  bool is_repeatable = false;
  bool is_read_only = false;
};

/// ISOLATION LEVEL ..., READ ONLY, READ WRITE, [NOT] DEFERRABLE, with or without commas. What is wrong comes back.
std::optional<RefusedCommand> read_modes(Words& words, BlockModes& modes) {
  while (!words.is_at_end()) {
    static_cast<void>(words.take_symbol(","));
    if (words.take("isolation") && words.take("level")) {
      if (words.take("serializable")) {
        return refuse("ISOLATION LEVEL SERIALIZABLE", "use READ COMMITTED, or REPEATABLE READ for one query");
      }
      modes.is_repeatable = words.take("repeatable");
      if (modes.is_repeatable ? !words.take("read")
                              : !words.take("read") || !(words.take("committed") || words.take("uncommitted"))) {
        return syntax_error(words);
      }
    } else if (words.take("read")) {
      modes.is_read_only = words.is("only");
      if (!words.take("only") && !words.take("write")) {
        return syntax_error(words);
      }
    } else {
      static_cast<void>(words.take("not"));
      if (!words.take("deferrable")) {
        return syntax_error(words);
      }
    }
  }
  return std::nullopt;
}

Command begin_command(Words& words, std::string tag) {
  BlockModes modes;
  if (auto wrong = read_modes(words, modes)) {
    return *wrong;
  }
  return BeginCommand{std::move(tag), modes.is_repeatable, modes.is_read_only};
}

Command end_command(Words& words, bool is_commit) {
  if (words.is("prepared")) {
    return refuse("PREPARED", "use COMMIT");
  }
  static_cast<void>(words.take("work") || words.take("transaction"));
  if (words.is("to")) {
    return refuse("SAVEPOINT", "use ROLLBACK, which ends the block");
  }
  if (words.take("and")) {
    if (!words.take("no")) {
      return refuse("AND CHAIN", "use BEGIN afterwards");
    }
    static_cast<void>(words.take("chain"));
  }
  return words.is_at_end() ? Command(EndCommand{is_commit}) : Command(syntax_error(words));
}

Command set_modes(Words& words, bool is_default) {
  BlockModes modes;
  if (auto wrong = read_modes(words, modes)) {
    return *wrong;
  }
  if (!is_default) {
    return SetBlockCommand{modes.is_repeatable, modes.is_read_only};
  }
  return SetCommand{"default_transaction_isolation", modes.is_repeatable ? "repeatable read" : "read committed", false};
}

Command set_command(Words& words) {
  SetCommand command;
  command.is_local = words.take("local");
  if (words.take("session")) {
    if (words.take("characteristics")) {
      static_cast<void>(words.take("as") && words.take("transaction"));
      return set_modes(words, /*is_default=*/true);
    }
    if (words.is("authorization")) {
      return refuse("SET SESSION AUTHORIZATION", "connect as the other user");
    }
  }
  if (words.take("transaction")) {
    return set_modes(words, /*is_default=*/false);
  }
  if (words.is("role") || words.is("constraints")) {
    return refuse(words.is("role") ? "SET ROLE" : "SET CONSTRAINTS");
  }
  if (words.take("time")) {
    if (!words.take("zone")) {
      return syntax_error(words);
    }
    command.name = "timezone";
  } else if (words.take("names")) {
    command.name = "client_encoding";
  } else {
    if (!words.is_name()) {
      return syntax_error(words);
    }
    command.name = words.take_text();
    while (words.take_symbol(".")) {
      command.name += words.is_name() ? "." + words.take_text() : ".";
    }
    if (!words.take_symbol("=") && !words.take("to")) {
      return syntax_error(words);
    }
  }
  if (words.is_at_end() || words.is_cut()) {
    return syntax_error(words);
  }
  const bool is_default = words.take("default") || (command.name == "timezone" && words.take("local"));
  std::string value = words.rest();
  if (!is_default) {
    command.value = std::move(value);
  }
  return command;
}

/// The name of a parameter behind SHOW or RESET.
std::string parameter_name(Words& words) {
  if (words.take("time")) {
    static_cast<void>(words.take("zone"));
    return "timezone";
  }
  if (words.take("transaction")) {
    static_cast<void>(words.take("isolation") && words.take("level"));
    return "transaction_isolation";
  }
  if (words.take("session")) {
    static_cast<void>(words.take("authorization"));
    return "session_authorization";
  }
  std::string name = words.is_name() ? words.take_text() : std::string();
  while (words.take_symbol(".")) {
    name += words.is_name() ? "." + words.take_text() : ".";
  }
  return name;
}

Command deallocate_command(Words& words) {
  static_cast<void>(words.take("prepare"));
  if (words.take("all")) {
    return DeallocateCommand{};
  }
  return words.is_name() ? Command(DeallocateCommand{words.take_text()}) : Command(syntax_error(words));
}

constexpr std::string_view kCalls[] = {"version",        "current_database", "current_schema",
                                       "pg_backend_pid", "current_setting",  "set_config"};
constexpr std::string_view kNames[] = {"current_user", "session_user",    "current_role",
                                       "user",         "current_catalog", "current_schema"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One item of a SessionQuery; nothing when it is none.
std::optional<SessionQuery::Item> session_item(Words& words) {
  static_cast<void>(words.take("pg_catalog") && words.take_symbol("."));
  if (words.is_at_end() || words.word().kind != StatementWord::Kind::kWord) {
    return std::nullopt;
  }
  SessionQuery::Item item;
  item.function = item.column = words.take_text();
  if (words.take_symbol("(")) {
    while (words.is_string() || words.is("true") || words.is("false")) {
      item.arguments.push_back(words.take_text());
      static_cast<void>(words.take_symbol(","));
    }
    const size_t wanted = item.function == "current_setting" ? 1 : item.function == "set_config" ? 3 : 0;
    if (!words.take_symbol(")") || !is_among(kCalls, item.function) || item.arguments.size() != wanted) {
      return std::nullopt;
    }
  } else if (!is_among(kNames, item.function)) {
    return std::nullopt;
  }
  const bool has_alias = words.take("as") || (!words.is_symbol(",") && words.is_name() && !words.is("from"));
  if (has_alias && words.is_name()) {
    item.column = words.take_text();
  }
  return item;
}

/// A SELECT of nothing but functions of the session; otherwise a query.
Command select_command(Words& words) {
  SessionQuery query;
  do {
    auto item = session_item(words);
    if (!item) {
      return QueryCommand{};
    }
    query.items.push_back(std::move(*item));
  } while (words.take_symbol(","));
  return words.is_at_end() ? Command(std::move(query)) : Command(QueryCommand{});
}

Command copy_command(std::string_view statement) {
  auto copy = aggregator::read_copy(statement);
  if (!copy) {
    return RefusedCommand{copy.error()};
  }
  return CopyCommand{std::make_shared<const aggregator::CopyStatement>(std::move(*copy))};
}

}  // namespace

Command command_of(std::string_view statement) {
  Words words(statement);
  if (words.is_at_end()) {
    return EmptyCommand{};
  }
  if (words.take("select")) {
    return select_command(words);
  }
  if (words.is("insert") || words.is("update") || words.is("delete")) {
    return WriteCommand{words.is("insert") ? "INSERT" : words.is("update") ? "UPDATE" : "DELETE"};
  }
  if (words.take("set")) {
    return set_command(words);
  }
  if (words.take("show")) {
    return ShowCommand{parameter_name(words)};
  }
  if (words.take("reset")) {
    return ResetCommand{parameter_name(words)};
  }
  if (words.take("begin")) {
    static_cast<void>(words.take("work") || words.take("transaction"));
    return begin_command(words, "BEGIN");
  }
  if (words.take("start")) {
    return words.take("transaction") ? begin_command(words, "START TRANSACTION") : syntax_error(words);
  }
  if (words.take("commit") || words.take("end")) {
    return end_command(words, /*is_commit=*/true);
  }
  if (words.take("rollback") || words.take("abort")) {
    return end_command(words, /*is_commit=*/false);
  }
  if (words.is("savepoint") || words.is("release")) {
    return refuse("SAVEPOINT", "a block is either committed or rolled back as a whole");
  }
  if (words.take("deallocate")) {
    return deallocate_command(words);
  }
  if (words.take("discard")) {
    return words.take("all") ? Command(DiscardCommand{}) : Command(refuse("DISCARD of a part", "use DISCARD ALL"));
  }
  if (words.is("copy")) {
    return copy_command(statement);
  }
  if (words.is("declare") || words.is("fetch") || words.is("move") || words.is("close")) {
    return refuse("a cursor of SQL", "ask with a limit of rows in the protocol (fetch size), which is supported");
  }
  if (words.is("prepare") || words.is("execute")) {
    return refuse("PREPARE in SQL", "use prepared statements of the protocol");
  }
  if (words.is("listen") || words.is("notify") || words.is("unlisten")) {
    return refuse("LISTEN and NOTIFY");
  }
  return QueryCommand{};
}

bool mentions_catalogue(std::string_view statement) {
  bool is_relation = false;
  for (const StatementWord& word : first_words(statement, kCatalogueWordsMax)) {
    if (word.kind != StatementWord::Kind::kWord) {
      continue;
    }
    if (is_word(word, "pg_catalog") || is_word(word, "information_schema") ||
        (is_relation && unquoted(word).starts_with("pg_"))) {
      return true;
    }
    is_relation = is_word(word, "from") || is_word(word, "join");
  }
  return false;
}

}  // namespace daedalus::postgres

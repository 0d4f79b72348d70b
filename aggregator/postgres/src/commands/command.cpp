#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "command_words.hpp"
#include "daedalus/aggregator/statement_text.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::postgres {

using aggregator::StatementWord;

namespace {

/// A level of isolation; nothing for other words. READ UNCOMMITTED is READ COMMITTED, as in PostgreSQL.
std::optional<Isolation> read_isolation(Words& words) {
  if (words.take("serializable")) {
    return Isolation::kSerializable;
  }
  if (words.take("repeatable")) {
    return words.take("read") ? std::optional(Isolation::kRepeatableRead) : std::nullopt;
  }
  const bool is_read = words.take("read") && (words.take("committed") || words.take("uncommitted"));
  return is_read ? std::optional(Isolation::kReadCommitted) : std::nullopt;
}

/// ISOLATION LEVEL ..., READ ONLY, READ WRITE, [NOT] DEFERRABLE, with or without commas. What is wrong comes back.
std::optional<RefusedCommand> read_modes(Words& words, BlockModes& modes) {
  while (!words.is_at_end()) {
    static_cast<void>(words.take_symbol(","));
    if (words.take("isolation") && words.take("level")) {
      modes.isolation = read_isolation(words);
      if (!modes.isolation) {
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
  BeginCommand command{std::move(tag), {}};
  if (auto wrong = read_modes(words, command.modes)) {
    return *wrong;
  }
  return command;
}

/// A savepoint's name, and the end.
Command savepoint_command(Words& words, SavepointCommand::What what) {
  if (what != SavepointCommand::What::kMake && words.left() > 1) {
    static_cast<void>(words.take("savepoint"));
  }
  if (!words.is_name()) {
    return syntax_error(words);
  }
  SavepointCommand command{what, words.take_name()};
  return words.is_at_end() ? Command(std::move(command)) : Command(syntax_error(words));
}

Command end_command(Words& words, bool is_commit) {
  if (words.is("prepared")) {
    return refuse("PREPARED", "use COMMIT");
  }
  static_cast<void>(words.take("work") || words.take("transaction"));
  if (!is_commit && words.take("to")) {
    return savepoint_command(words, SavepointCommand::What::kGoBack);
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
  SetBlockCommand command;
  command.is_default = is_default;
  if (words.is_at_end()) {
    return syntax_error(words);
  }
  if (auto wrong = read_modes(words, command.modes)) {
    return *wrong;
  }
  return command;
}

/// SET TIME ZONE INTERVAL 'text' [fields]: the value is the interval as PostgreSQL shows it.
Command set_zone_interval(Words& words, SetCommand command) {
  words.skip();
  if (!words.is_string()) {
    return syntax_error(words);
  }
  const std::string given = words.take_text();
  const semantics::Type type{semantics::TypeKind::kInterval};
  const auto interval = semantics::parse_text(type, given);
  command.value = fmt::format("INTERVAL '{}'", interval ? semantics::format_text(type, *interval) : given);
  const bool has_fields = !words.take("hour") || !words.take("to") || words.take("minute");
  return words.is_at_end() && has_fields ? Command(std::move(command)) : syntax_error(words);
}

/// SET ROLE and SET SESSION AUTHORIZATION, behind these words: NAME, 'NAME', NONE or DEFAULT.
Command set_identity(Words& words, SetCommand command, std::string_view name) {
  command.name = name;
  const bool is_default = words.take("default");
  if (!is_default && (words.is_name() || words.is_string())) {
    command.value = words.take_text();
  }
  return words.is_at_end() && (is_default || command.value) ? Command(std::move(command)) : syntax_error(words);
}

Command set_command(Words& words) {
  SetCommand command;
  command.is_local = words.take("local");
  if (words.take("session")) {
    if (words.take("characteristics")) {
      static_cast<void>(words.take("as") && words.take("transaction"));
      return set_modes(words, /*is_default=*/true);
    }
    if (words.take("authorization")) {
      return set_identity(words, std::move(command), "session_authorization");
    }
  }
  if (words.take("transaction")) {
    return set_modes(words, /*is_default=*/false);
  }
  if (words.take("role")) {
    return set_identity(words, std::move(command), "role");
  }
  if (words.is("constraints")) {
    return refuse("SET CONSTRAINTS");
  }
  if (words.take("time")) {
    if (!words.take("zone")) {
      return syntax_error(words);
    }
    command.name = "timezone";
    if (words.is("interval")) {
      return set_zone_interval(words, std::move(command));
    }
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

Command lock_command(Words& words) {
  LockCommand command;
  static_cast<void>(words.take("table"));
  static_cast<void>(words.take("only"));
  do {
    if (!words.is_name()) {
      return syntax_error(words);
    }
    command.tables.push_back(words.take_name());
    while (words.take_symbol(".") && words.is_name()) {
      command.tables.back() += "." + words.take_name();
    }
    static_cast<void>(words.take_symbol("*"));
  } while (words.take_symbol(","));
  const bool is_shared = words.take("in") && words.take("access") && words.take("share") && words.take("mode");
  if (!is_shared) {
    return refuse("LOCK in another mode than ACCESS SHARE", "leave it out: updates take effect one after the other");
  }
  static_cast<void>(words.take("nowait"));
  return words.is_at_end() ? Command(std::move(command)) : Command(syntax_error(words));
}

Command discard_command(Words& words) {
  DiscardCommand command;
  if (words.take("all")) {
    command.tag = "DISCARD ALL";
  } else if (words.take("plans")) {
    command.tag = "DISCARD PLANS";
  } else if (words.take("sequences")) {
    command.tag = "DISCARD SEQUENCES";
  } else if (words.take("temp") || words.take("temporary")) {
    command.tag = "DISCARD TEMP";
  }
  return !command.tag.empty() && words.is_at_end() ? Command(command) : Command(syntax_error(words));
}

constexpr std::string_view kCalls[] = {"version",         "current_database", "current_schema",        "pg_backend_pid",
                                       "current_setting", "set_config",       "pg_advisory_unlock_all"};
constexpr std::string_view kNames[] = {"current_user", "session_user",    "current_role",
                                       "user",         "current_catalog", "current_schema"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_its_arguments(const SessionQuery::Item& item) {
  const size_t count = item.arguments.size();
  if (item.function == "current_setting") {
    return count == 1 || count == 2;
  }
  return count == (item.function == "set_config" ? 3 : 0);
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
    if (!words.take_symbol(")") || !is_among(kCalls, item.function) || !has_its_arguments(item)) {
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

/// Nobody listens to anything, which is all that it asks for.
bool is_unlisten_of_all(std::string_view statement) {
  Words words(statement);
  return words.take("unlisten") && words.take_symbol("*") && words.is_at_end();
}

/// `pg_settings WHERE name = 'setting'` or the same of pg_show_all_settings(): the setting; nothing for anything else.
std::optional<std::string> named_setting(Words& words) {
  static_cast<void>(words.take("pg_catalog") && words.take_symbol("."));
  const bool is_view = words.take("pg_settings");
  if (!is_view && !(words.take("pg_show_all_settings") && words.take_symbol("(") && words.take_symbol(")"))) {
    return std::nullopt;
  }
  const bool is_named = words.take("where") && words.take("name") && words.take_symbol("=") && words.is_string();
  return is_named ? std::optional(words.take_text()) : std::nullopt;
}

/// set_config(name, 'value', is_local) FROM pg_settings WHERE name = 'setting', which pg_dump says for what not every
/// server has, and the same with the setting instead of `name`, which pgAdmin says; nothing when it is something else.
std::optional<SessionQuery> known_setting_query(Words words) {
  SessionQuery::Item item;
  item.function = item.column = "set_config";
  static_cast<void>(words.take("pg_catalog") && words.take_symbol("."));
  if (!words.take("set_config") || !words.take_symbol("(")) {
    return std::nullopt;
  }
  const std::string given = words.is_string() ? words.take_text() : std::string();
  if ((given.empty() && !words.take("name")) || !words.take_symbol(",") || !words.is_string()) {
    return std::nullopt;
  }
  const std::string value = words.take_text();
  if (!words.take_symbol(",") || (!words.is("true") && !words.is("false"))) {
    return std::nullopt;
  }
  const std::string is_local = words.take_text();
  if (!words.take_symbol(")") || !words.take("from")) {
    return std::nullopt;
  }
  const auto name = named_setting(words);
  if (!name || (!given.empty() && given != *name)) {
    return std::nullopt;
  }
  item.arguments = {*name, value, is_local};
  return words.is_at_end() ? std::optional(SessionQuery{{std::move(item)}, true}) : std::nullopt;
}

/// A SELECT of nothing but functions of the session; otherwise a query.
Command select_command(Words& words) {
  if (auto query = known_setting_query(words)) {
    return std::move(*query);
  }
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
  if (words.is("truncate")) {
    return WriteCommand{kTruncate};
  }
  if (words.is("insert") || words.is("update") || words.is("delete")) {
    return WriteCommand{words.is("insert") ? "INSERT" : words.is("update") ? "UPDATE" : "DELETE"};
  }
  if (words.take("set")) {
    return set_command(words);
  }
  if (words.take("show")) {
    return words.is_at_end() ? Command(syntax_error(words)) : Command(ShowCommand{parameter_name(words)});
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
  if (words.take("savepoint")) {
    return savepoint_command(words, SavepointCommand::What::kMake);
  }
  if (words.take("release")) {
    return savepoint_command(words, SavepointCommand::What::kRelease);
  }
  if (words.take("lock")) {
    return lock_command(words);
  }
  if (words.take("deallocate")) {
    return deallocate_command(words);
  }
  if (words.take("discard")) {
    return discard_command(words);
  }
  if (words.is("copy")) {
    return copy_command(statement);
  }
  if (words.take("declare")) {
    return declare_command(words);
  }
  if (words.is("fetch") || words.is("move")) {
    const bool is_move = words.take("move");
    static_cast<void>(words.take("fetch"));
    return fetch_command(words, is_move);
  }
  if (words.take("close")) {
    return close_command(words);
  }
  if (words.is("prepare")) {
    return prepare_command(statement);
  }
  if (words.is("execute")) {
    return execute_command(statement);
  }
  if (words.is("explain")) {
    return explain_command(statement);
  }
  if (is_unlisten_of_all(statement)) {
    return DiscardCommand{"UNLISTEN"};
  }
  if (words.is("listen") || words.is("notify") || words.is("unlisten")) {
    return refuse("LISTEN and NOTIFY");
  }
  return QueryCommand{};
}

bool SessionQuery::Item::is_name() const {
  return is_among(kNames, function) || function == "current_database" || function == "current_schema";
}

bool ends_failure(const Command& command) {
  const auto* savepoint = std::get_if<SavepointCommand>(&command);
  return std::holds_alternative<EndCommand>(command) || std::holds_alternative<EmptyCommand>(command) ||
         (savepoint != nullptr && savepoint->what == SavepointCommand::What::kGoBack);
}

}  // namespace daedalus::postgres

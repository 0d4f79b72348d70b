// What a session answers itself: settings, functions of the session, the end of what it keeps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "byte_order.hpp"
#include "row_descriptions.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kIsolation = "transaction_isolation";
constexpr std::string_view kDefaultIsolation = "default_transaction_isolation";
constexpr std::string_view kReadOnly = "transaction_read_only";
constexpr std::string_view kDefaultReadOnly = "default_transaction_read_only";

semantics::Column text_column(std::string name) {
  return {std::move(name), {semantics::TypeKind::kText}, true, std::nullopt};
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A boolean as PostgreSQL's function takes it, by its word or as a string.
bool is_true(std::string_view argument) { return is_among(argument, {"true", "t", "on", "yes", "y", "1"}); }

}  // namespace

std::vector<semantics::Column> PgSession::columns_of(const Command& command) {
  std::vector<semantics::Column> columns;
  if (const auto* shown = std::get_if<ShowCommand>(&command); shown != nullptr && shown->name == "all") {
    columns = {text_column("name"), text_column("setting"), text_column("description")};
  } else if (shown != nullptr) {
    columns.push_back(text_column(shown->name == "timezone" ? "TimeZone" : shown->name));
  } else if (const auto* query = std::get_if<SessionQuery>(&command)) {
    for (const auto& item : query->items) {
      columns.push_back(text_column(item.column));
      if (item.function == "pg_backend_pid") {
        columns.back().type = {semantics::TypeKind::kInt};
      }
    }
  }
  return columns;
}

bool PgSession::run_command(Portal& portal) {
  const Command& command = portal.statement->command;
  if (std::holds_alternative<EmptyCommand>(command)) {
    append_plain('I', out());
  } else if (const auto* set = std::get_if<SetCommand>(&command)) {
    run(*set);
  } else if (const auto* reset_one = std::get_if<ResetCommand>(&command)) {
    reset(reset_one->name);
  } else if (const auto* begin = std::get_if<BeginCommand>(&command)) {
    run(*begin);
  } else if (const auto* modes = std::get_if<SetBlockCommand>(&command)) {
    run(*modes);
  } else if (const auto* end = std::get_if<EndCommand>(&command)) {
    run(*end);
  } else if (const auto* savepoint = std::get_if<SavepointCommand>(&command)) {
    run(*savepoint);
  } else if (const auto* lock = std::get_if<LockCommand>(&command)) {
    run(*lock);
  } else if (const auto* close = std::get_if<CloseCommand>(&command)) {
    run(*close);
  } else if (const auto* prepare = std::get_if<PrepareCommand>(&command)) {
    run(*prepare);
  } else if (const auto* deallocate = std::get_if<DeallocateCommand>(&command)) {
    run(*deallocate);
  } else if (const auto* discard = std::get_if<DiscardCommand>(&command)) {
    run(*discard);
  } else if (const auto* shown = std::get_if<ShowCommand>(&command)) {
    auto value = shown->name == "all" ? Result<std::string>(std::string()) : show(shown->name);
    if (!value) {
      fail(value.error());
    } else if (shown->name == "all") {
      show_all(portal);
    } else {
      std::vector<semantics::Value> row(1, semantics::Value(std::move(*value)));
      answer(portal, {std::move(row)}, "SHOW");
    }
  } else if (const auto* query = std::get_if<SessionQuery>(&command)) {
    std::vector<semantics::Value> values;
    for (const auto& item : query->items) {
      auto value = value_of(item);
      if (!value && query->is_of_known_setting && value.error().sqlstate == "42704") {
        answer(portal, {}, "SELECT 0");
        return true;
      }
      if (!value) {
        fail(value.error());
        return true;
      }
      values.push_back(std::move(*value));
    }
    answer(portal, {std::move(values)}, "SELECT 1");
  } else {
    return false;
  }
  return true;
}

// ---- settings ----

void PgSession::run(const SetCommand& command) {
  if (command.is_local && !is_in_block()) {
    warn("25P01", "SET LOCAL can only be used in transaction blocks");
    return append_command_complete("SET", out());
  }
  if (auto done = set(command); !done) {
    return fail(done.error());
  }
  append_command_complete("SET", out());
}

Result<void> PgSession::set(const SetCommand& command) {
  auto replaced = settings_->show(command.name);
  Settings& settings = settings_.change(is_in_block());
  auto done = command.value ? settings.set(command.name, *command.value) : settings.reset(command.name);
  if (!done) {
    return done;
  }
  if (command.is_local) {
    block_.locals.try_emplace(command.name, replaced ? std::optional(std::move(*replaced)) : std::nullopt);
  } else if (is_in_block()) {
    block_.locals.erase(command.name);
  }
  return {};
}

void PgSession::reset(const std::string& name) {
  Settings& settings = settings_.change(is_in_block());
  if (name == "all") {
    settings.reset_all();
  } else if (auto done = settings.reset(name); !done) {
    return fail(done.error());
  }
  append_command_complete("RESET", out());
}

Result<std::string> PgSession::show(const std::string& name) const {
  if (name == kIsolation && is_in_block()) {
    return std::string(block_.is_repeatable ? "repeatable read" : "read committed");
  }
  if (name == kReadOnly && is_in_block()) {
    return std::string(block_.is_read_only ? "on" : "off");
  }
  const std::string_view shown = name == kIsolation ? kDefaultIsolation : name == kReadOnly ? kDefaultReadOnly : name;
  return settings_->show(std::string(shown));
}

// ---- what is kept ----

void PgSession::run(const DiscardCommand& command) {
  if (command.tag != "DISCARD ALL") {
    return append_command_complete(command.tag, out());  // There is nothing of that kind.
  }
  if (is_in_block()) {
    return fail(rejected("25001", "DISCARD ALL cannot run inside a transaction block"));
  }
  settings_.change(/*is_in_block=*/false).reset_all();
  statements_.drop_all();
  portals_.drop_all();
  append_command_complete("DISCARD ALL", out());
}

// ---- answers ----

void PgSession::answer(Portal& portal, const std::vector<std::vector<semantics::Value>>& rows, std::string_view tag) {
  const auto& columns = portal.statement->columns;
  if (portal.is_simple) {
    append_columns(columns, portal.formats, portal.statement->command, out());
  }
  for (const auto& values : rows) {
    const MessageWriter row('D', out());
    append_big_endian(static_cast<uint16_t>(values.size()), out());
    for (size_t column = 0; column < values.size(); ++column) {
      append_value(columns[column].type, values[column], portal.formats[column], out(), settings_->zone());
    }
  }
  append_command_complete(tag, out());
}

void PgSession::show_all(Portal& portal) {
  std::vector<std::vector<semantics::Value>> rows;
  for (const Settings::Described& setting : Settings::all()) {
    auto value = show(std::string(setting.name));
    rows.push_back({semantics::Value(std::string(setting.name)), semantics::Value(value ? *value : std::string()),
                    semantics::Value(std::string(setting.description))});
  }
  answer(portal, rows, "SHOW");
}

Result<semantics::Value> PgSession::value_of(const SessionQuery::Item& item) {
  const std::string& function = item.function;
  if (function == "version") {
    return semantics::Value(fmt::format("PostgreSQL {}, one table in memory, swept by all queries", kServerVersion));
  }
  if (is_among(function, {"current_database", "current_catalog"})) {
    return semantics::Value(options_.database);
  }
  if (function == "current_schema") {
    return semantics::Value(std::string("public"));
  }
  if (function == "pg_backend_pid") {
    return semantics::Value(static_cast<int64_t>(identity_.key.process_id));
  }
  if (function == "pg_advisory_unlock_all") {
    return semantics::Value(std::string());  // There are none, so none is left; PostgreSQL's void is shown like this.
  }
  if (function == "set_config") {
    const bool is_local = is_true(item.arguments[2]);
    if (is_local && !is_in_block()) {  // It would be over with this statement.
      return semantics::Value(item.arguments[1]);
    }
    if (auto done = set({item.arguments[0], item.arguments[1], is_local}); !done) {
      return done.error();
    }
  }
  if (is_among(function, {"current_setting", "set_config"})) {
    auto shown = show(item.arguments[0]);
    if (!shown && function == "current_setting" && item.arguments.size() == 2 && is_true(item.arguments[1])) {
      return semantics::Value();  // No such parameter: NULL was asked for.
    }
    return shown ? Result<semantics::Value>(semantics::Value(std::move(*shown))) : shown.error();
  }
  return semantics::Value(entrance_.user());
}

}  // namespace daedalus::postgres

// What a session answers itself: settings, blocks, functions of the session, the end of what it keeps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "byte_order.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kIsolation = "transaction_isolation";
constexpr std::string_view kDefaultIsolation = "default_transaction_isolation";
constexpr std::string_view kReadOnly = "transaction_read_only";
constexpr std::string_view kRepeatable = "repeatable read";

semantics::Column text_column(std::string name) {
  return {std::move(name), {semantics::TypeKind::kText}, true, std::nullopt};
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<semantics::Column> PgSession::columns_of(const Command& command) {
  std::vector<semantics::Column> columns;
  if (const auto* shown = std::get_if<ShowCommand>(&command)) {
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
  } else if (const auto* deallocate = std::get_if<DeallocateCommand>(&command)) {
    run(*deallocate);
  } else if (std::holds_alternative<DiscardCommand>(command)) {
    discard_all();
  } else if (const auto* shown = std::get_if<ShowCommand>(&command)) {
    auto value = show(shown->name);
    if (!value) {
      fail(value.error());
    } else {
      answer(portal, {std::move(*value)}, "SHOW");
    }
  } else if (const auto* query = std::get_if<SessionQuery>(&command)) {
    std::vector<semantics::Value> values;
    for (const auto& item : query->items) {
      auto value = value_of(item);
      if (!value) {
        fail(value.error());
        return true;
      }
      values.push_back(std::move(*value));
    }
    answer(portal, std::move(values), "SELECT 1");
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
  const auto before = settings_.reports();
  auto replaced = settings_.show(command.name);
  const auto done = command.value ? settings_.set(command.name, *command.value) : settings_.reset(command.name);
  if (!done) {
    return fail(done.error());
  }
  if (command.is_local) {
    block_.locals.try_emplace(command.name, replaced ? std::optional(std::move(*replaced)) : std::nullopt);
  } else if (is_in_block()) {
    block_.locals.erase(command.name);
  }
  tell_changes(before);
  append_command_complete("SET", out());
}

void PgSession::reset(const std::string& name) {
  const auto before = settings_.reports();
  if (name == "all") {
    settings_.reset_all();
  } else if (auto done = settings_.reset(name); !done) {
    return fail(done.error());
  }
  tell_changes(before);
  append_command_complete("RESET", out());
}

Result<std::string> PgSession::show(const std::string& name) const {
  if (name.empty() || name == "all") {
    return rejected("0A000", "SHOW ALL is not supported", "SHOW a parameter by its name");
  }
  if (name == kIsolation && is_in_block()) {
    return std::string(block_.is_repeatable ? kRepeatable : "read committed");
  }
  if (name == kReadOnly && is_in_block()) {
    return std::string(block_.is_read_only ? "on" : "off");
  }
  return settings_.show(name == kIsolation ? std::string(kDefaultIsolation) : name);
}

void PgSession::tell_changes(const std::vector<Report>& before) {
  const auto now = settings_.reports();
  for (size_t index = 0; index < now.size(); ++index) {
    if (now[index] != before[index]) {
      append_parameter_status(now[index].first, now[index].second, out());
    }
  }
}

// ---- blocks ----

void PgSession::run(const BeginCommand& command) {
  if (is_in_block()) {
    warn("25001", "there is already a transaction in progress");
    return append_command_complete(command.tag, out());
  }
  if (group_.has_any()) {
    return fail(rejected("0A000", "BEGIN after a write in the same message is not supported",
                         "send the write on its own, or BEGIN before it"));
  }
  block_ = {};
  block_.state = BlockState::kInBlock;
  block_.is_repeatable = command.is_repeatable || *settings_.show(kDefaultIsolation) == kRepeatable;
  block_.is_read_only = command.is_read_only || *settings_.show("default_transaction_read_only") == "on";
  block_.values = settings_.values();
  append_command_complete(command.tag, out());
}

void PgSession::run(const SetBlockCommand& command) {
  if (!is_in_block()) {
    warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
  } else if (block_.has_queried || group_.has_any()) {
    return fail(rejected("25001", "SET TRANSACTION must be called before any query"));
  } else {
    block_.is_repeatable = command.is_repeatable;
    block_.is_read_only = command.is_read_only;
  }
  append_command_complete("SET", out());
}

void PgSession::run(const EndCommand& command) {
  if (!is_in_block()) {
    warn("25P01", "there is no transaction in progress");
    return append_command_complete(command.is_commit ? "COMMIT" : "ROLLBACK", out());
  }
  const bool is_commit = command.is_commit && block_.state == BlockState::kInBlock;
  if (is_commit && group_.has_any()) {
    return submit(Then::kEndBlock);
  }
  end_block(is_commit);
  append_command_complete(is_commit ? "COMMIT" : "ROLLBACK", out());
}

void PgSession::end_block(bool is_commit) {
  const auto before = settings_.reports();
  if (is_commit) {
    for (const auto& [name, value] : block_.locals) {
      static_cast<void>(value ? settings_.set(name, *value) : settings_.reset(name));
    }
  } else {
    settings_.restore(std::move(block_.values));
  }
  block_ = {};
  group_.clear();
  drop_all_portals_but_active();
  tell_changes(before);
}

// ---- what is kept ----

void PgSession::run(const DeallocateCommand& command) {
  if (command.name.empty()) {
    drop_all_statements();
    return append_command_complete("DEALLOCATE ALL", out());
  }
  if (!statements_.contains(command.name)) {
    return fail(rejected("26000", fmt::format("prepared statement \"{}\" does not exist", command.name)));
  }
  drop_statement(command.name);
  append_command_complete("DEALLOCATE", out());
}

void PgSession::discard_all() {
  if (is_in_block()) {
    return fail(rejected("25001", "DISCARD ALL cannot run inside a transaction block"));
  }
  const auto before = settings_.reports();
  settings_.reset_all();
  drop_all_statements();
  drop_all_portals_but_active();
  tell_changes(before);
  append_command_complete("DISCARD ALL", out());
}

// ---- answers of one row ----

void PgSession::answer(Portal& portal, std::vector<semantics::Value> values, std::string_view tag) {
  const auto& columns = portal.statement->columns;
  if (portal.is_simple) {
    describe_columns(columns, portal.formats);
  }
  {
    const MessageWriter row('D', out());
    append_big_endian(static_cast<uint16_t>(values.size()), out());
    for (size_t column = 0; column < values.size(); ++column) {
      append_value(columns[column].type, values[column], portal.formats[column], out());
    }
  }
  append_command_complete(tag, out());
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
  if (function == "set_config") {
    const auto before = settings_.reports();
    if (auto done = settings_.set(item.arguments[0], item.arguments[1]); !done) {
      return done.error();
    }
    tell_changes(before);
  }
  if (is_among(function, {"current_setting", "set_config"})) {
    auto shown = show(item.arguments[0]);
    return shown ? Result<semantics::Value>(semantics::Value(std::move(*shown))) : shown.error();
  }
  return semantics::Value(user_);
}

}  // namespace daedalus::postgres

#include "own_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "setting_entries.hpp"

namespace daedalus::postgres {

namespace {

semantics::Column text_column(std::string name) {
  return {std::move(name), {semantics::TypeKind::kText}, true, std::nullopt};
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A boolean as PostgreSQL's function takes it, by its word or as a string.
bool is_true(std::string_view argument) { return is_among(argument, {"true", "t", "on", "yes", "y", "1"}); }

}  // namespace

std::vector<semantics::Column> columns_of(const Command& command) {
  std::vector<semantics::Column> columns;
  if (const auto* shown = std::get_if<ShowCommand>(&command); shown != nullptr && shown->name == "all") {
    columns = {text_column("name"), text_column("setting"), text_column("description")};
  } else if (shown != nullptr) {
    const SettingEntry* const entry = find_setting(shown->name);
    columns.push_back(text_column(entry == nullptr ? shown->name : std::string(entry->name)));
  } else if (const auto* query = std::get_if<SessionQuery>(&command)) {
    for (const auto& item : query->items) {
      columns.push_back(text_column(item.column));
      if (item.function == "pg_backend_pid") {
        columns.back().type = {semantics::TypeKind::kInt};
      }
    }
  } else if (std::holds_alternative<ExplainCommand>(command)) {
    columns.push_back(text_column("QUERY PLAN"));
  }
  return columns;
}

Result<semantics::Value> value_of(const SessionQuery::Item& item, const SessionFacts& facts, Block& block) {
  const std::string& function = item.function;
  if (function == "version") {
    return semantics::Value(fmt::format("PostgreSQL {}, one table in memory, swept by all queries", kServerVersion));
  }
  if (is_among(function, {"current_database", "current_catalog"})) {
    return semantics::Value(std::string(facts.database));
  }
  if (function == "current_schema") {
    return semantics::Value(std::string("public"));
  }
  if (function == "pg_backend_pid") {
    return semantics::Value(static_cast<int64_t>(facts.process_id));
  }
  if (function == "pg_advisory_unlock_all") {
    return semantics::Value(std::string());  // There are none, so none is left; PostgreSQL's void is shown like this.
  }
  if (function == "set_config") {
    const bool is_local = is_true(item.arguments[2]);
    if (is_local && !block.is_open()) {  // It would be over with this statement.
      return semantics::Value(item.arguments[1]);
    }
    if (auto done = block.set({item.arguments[0], item.arguments[1], is_local}); !done) {
      return done.error();
    }
  }
  if (is_among(function, {"current_setting", "set_config"})) {
    auto shown = block.show(item.arguments[0]);
    if (!shown && function == "current_setting" && item.arguments.size() == 2 && is_true(item.arguments[1])) {
      return semantics::Value();  // No such parameter: NULL was asked for.
    }
    return shown ? Result<semantics::Value>(semantics::Value(std::move(*shown))) : shown.error();
  }
  return semantics::Value(std::string(facts.user));
}

std::vector<OwnRow> all_settings(const Block& block) {
  std::vector<OwnRow> rows;
  for (const Settings::Described& setting : Settings::all()) {
    auto value = block.show(std::string(setting.name));
    rows.push_back({semantics::Value(std::string(setting.name)), semantics::Value(value ? *value : std::string()),
                    semantics::Value(std::string(setting.description))});
  }
  return rows;
}

}  // namespace daedalus::postgres

// SELECT of functions that only the session can answer.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "session_tree.hpp"
// Behind what knows nothing of PostgreSQL's structures.
#include "raw_values.hpp"

namespace daedalus::aggregator::sql {

namespace {

constexpr std::string_view kCalls[] = {"version",         "current_database", "current_schema",        "pg_backend_pid",
                                       "current_setting", "set_config",       "pg_advisory_unlock_all"};
constexpr std::string_view kNames[] = {"current_user", "session_user",    "current_role",
                                       "user",         "current_catalog", "current_schema"};

/// Says whether nothing but items, FROM and WHERE stands there.
bool has_no_more_clauses(const ::SelectStmt& raw) {
  return raw.distinctClause == NIL && raw.intoClause == nullptr && raw.groupClause == NIL &&
         raw.havingClause == nullptr && raw.windowClause == NIL && raw.valuesLists == NIL && raw.sortClause == NIL &&
         raw.limitOffset == nullptr && raw.limitCount == nullptr && raw.lockingClause == NIL &&
         raw.withClause == nullptr && raw.op == SETOP_NONE;
}

/// The name of a call without FILTER, OVER and the like, in pg_catalog or nowhere; empty for another.
std::string plain_name(const ::FuncCall& raw) {
  std::vector<std::string> names = names_of(raw.funcname);
  const bool is_plain = raw.agg_order == NIL && raw.agg_filter == nullptr && raw.over == nullptr && !raw.agg_star &&
                        !raw.agg_distinct && !raw.func_variadic;
  const bool is_known = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  return is_plain && is_known ? std::move(names.back()) : std::string();
}

std::string_view name_of(::SQLValueFunctionOp function) {
  switch (function) {
    case SVFOP_CURRENT_ROLE:
      return "current_role";
    case SVFOP_CURRENT_USER:
      return "current_user";
    case SVFOP_USER:
      return "user";
    case SVFOP_SESSION_USER:
      return "session_user";
    case SVFOP_CURRENT_CATALOG:
      return "current_catalog";
    case SVFOP_CURRENT_SCHEMA:
      return "current_schema";
    default:
      return {};
  }
}

/// A string, or a boolean by its word.
std::optional<std::string> argument_of(const void* raw) {
  const ::A_Const* const constant = constant_of(raw);
  const bool is_argument = constant != nullptr && !constant->isnull &&
                           (tag_of(&constant->val) == T_String || tag_of(&constant->val) == T_Boolean);
  return is_argument ? value_text(&constant->val) : std::nullopt;
}

bool has_its_arguments(const SessionQuery::Item& item) {
  const size_t count = item.arguments.size();
  if (item.function == "current_setting") {
    return count == 1 || count == 2;
  }
  return count == (item.function == "set_config" ? 3 : 0);
}

std::optional<SessionQuery::Item> item_of(const ::ResTarget& raw) {
  SessionQuery::Item item;
  if (tag_of(raw.val) == T_SQLValueFunction) {
    item.function = name_of(as<::SQLValueFunction>(raw.val).op);
  } else if (tag_of(raw.val) == T_FuncCall) {
    const auto& call = as<::FuncCall>(raw.val);
    item.function = plain_name(call);
    for (const ::ListCell& cell : cells_of(call.args)) {
      auto argument = argument_of(cell.ptr_value);
      if (!argument) {
        return std::nullopt;
      }
      item.arguments.push_back(std::move(*argument));
    }
  }
  const bool is_called = tag_of(raw.val) == T_FuncCall;
  if (!is_session_function(item.function, is_called) || !has_its_arguments(item)) {
    return std::nullopt;
  }
  item.column = raw.name == nullptr ? item.function : text_of(raw.name);
  return item;
}

/// Says whether it is pg_settings or pg_show_all_settings().
bool is_of_settings(const void* raw) {
  if (tag_of(raw) == T_RangeVar) {
    const auto& table = as<::RangeVar>(raw);
    return text_of(table.relname) == "pg_settings" && table.alias == nullptr &&
           (table.schemaname == nullptr || text_of(table.schemaname) == "pg_catalog");
  }
  if (tag_of(raw) != T_RangeFunction || as<::RangeFunction>(raw).alias != nullptr) {
    return false;
  }
  const void* const call = linitial(&as<::List>(linitial(as<::RangeFunction>(raw).functions)));
  return tag_of(call) == T_FuncCall && plain_name(as<::FuncCall>(call)) == "pg_show_all_settings" &&
         as<::FuncCall>(call).args == NIL;
}

bool is_column_name(const void* raw) {
  return tag_of(raw) == T_ColumnRef && names_of(as<::ColumnRef>(raw).fields) == std::vector<std::string>{"name"};
}

/// The setting of WHERE name = 'setting'; nothing for another condition.
std::optional<std::string> named_setting(const void* raw) {
  if (raw == nullptr || tag_of(raw) != T_A_Expr || as<::A_Expr>(raw).kind != AEXPR_OP) {
    return std::nullopt;
  }
  const auto& condition = as<::A_Expr>(raw);
  const bool is_of_name = names_of(condition.name) == std::vector<std::string>{"="} && condition.lexpr != nullptr &&
                          is_column_name(condition.lexpr);
  return is_of_name ? argument_of(condition.rexpr) : std::nullopt;
}

/// set_config(name, 'value', is_local) FROM pg_settings WHERE name = 'setting', which pg_dump says for what not every
/// server has, and the same with the setting instead of `name`, which pgAdmin says; nothing when it is something else.
std::optional<SessionQuery> known_setting_query(const ::SelectStmt& raw) {
  const auto from = cells_of(raw.fromClause);
  const auto targets = cells_of(raw.targetList);
  const auto setting = named_setting(raw.whereClause);
  if (from.size() != 1 || targets.size() != 1 || !setting || !is_of_settings(from[0].ptr_value)) {
    return std::nullopt;
  }
  const void* const call = as<::ResTarget>(targets[0].ptr_value).val;
  if (tag_of(call) != T_FuncCall || plain_name(as<::FuncCall>(call)) != "set_config") {
    return std::nullopt;
  }
  const auto arguments = cells_of(as<::FuncCall>(call).args);
  if (arguments.size() != 3) {
    return std::nullopt;
  }
  const auto given = is_column_name(arguments[0].ptr_value) ? setting : argument_of(arguments[0].ptr_value);
  const auto value = argument_of(arguments[1].ptr_value);
  const auto is_local = argument_of(arguments[2].ptr_value);
  if (given != setting || !value || !is_local) {
    return std::nullopt;
  }
  return SessionQuery{{{"set_config", "set_config", {*setting, *value, *is_local}}}, true};
}

}  // namespace

bool is_session_function(std::string_view name, bool is_called) {
  return is_called ? std::find(std::begin(kCalls), std::end(kCalls), name) != std::end(kCalls)
                   : std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<SessionQuery> read_session_query(const std::string& text) {
  const RawParse parse(text.c_str());
  const ::Node* const statement = parse.has_failed() ? nullptr : only_statement(parse);
  if (statement == nullptr || statement->type != T_SelectStmt) {
    return std::nullopt;
  }
  const auto& select = as<::SelectStmt>(statement);
  if (!has_no_more_clauses(select)) {
    return std::nullopt;
  }
  if (select.fromClause != NIL || select.whereClause != nullptr) {
    return known_setting_query(select);
  }
  SessionQuery query;
  for (const ::ListCell& cell : cells_of(select.targetList)) {
    auto item = item_of(as<::ResTarget>(cell.ptr_value));
    if (!item) {
      return std::nullopt;
    }
    query.items.push_back(std::move(*item));
  }
  return query;
}

}  // namespace daedalus::aggregator::sql

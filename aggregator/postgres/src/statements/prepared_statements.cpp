#include "prepared_statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/aggregator/array_list.hpp"
#include "daedalus/aggregator/statement_text.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::postgres {

namespace {

using semantics::DateOrder;

/// Returns whether the text may be a date, and another one in the second order.
bool may_differ(std::string_view text, DateOrder first, DateOrder second) {
  constexpr semantics::TypeKind kKind = semantics::TypeKind::kTimestamp;
  if (!semantics::may_hang_on_date_order(kKind, text)) {
    return false;
  }
  const auto read = [&](DateOrder order) {
    return semantics::parse_text({kKind}, text, std::nullopt, nullptr, nullptr, order);
  };
  const auto one = read(first);
  const auto other = read(second);
  const auto is_unknown = [](const auto& value) { return !value && value.error().sqlstate == "0A000"; };
  return is_unknown(one) || is_unknown(other) || one.has_value() != other.has_value() || (one && *one != *other);
}

bool has_other_date(const std::string& literal, DateOrder first, DateOrder second) {
  const auto elements = aggregator::sql::parse_array(literal);
  const auto differs = [&](const std::optional<std::string>& element) {
    return element && may_differ(*element, first, second);
  };
  return elements ? std::any_of(elements->begin(), elements->end(), differs) : may_differ(literal, first, second);
}

}  // namespace

Result<void> check_dates(const Prepared& prepared, DateOrder now) {
  if (!prepared.dates || *prepared.dates == now) {
    return {};
  }
  for (const std::string& literal : aggregator::string_values(prepared.sql)) {
    if (has_other_date(literal, *prepared.dates, now)) {
      return rejected("0A000",
                      fmt::format("a prepared statement with the literal '{}' is not supported while DateStyle is ISO, "
                                  "{}: it was prepared while that was ISO, {}",
                                  literal, semantics::name_of(now), semantics::name_of(*prepared.dates)),
                      "prepare it again, or pass the date as a parameter");
    }
  }
  return {};
}

size_t column_count(const Prepared& prepared) {
  return prepared.catalogue != nullptr ? catalogue::column_count(prepared.catalogue->columns) : prepared.columns.size();
}

std::vector<uint32_t> parameter_oids(const Prepared& prepared) {
  if (prepared.catalogue != nullptr) {
    return prepared.catalogue->parameter_types;
  }
  std::vector<uint32_t> types;
  for (const ParameterType& parameter : prepared.parameters) {
    types.push_back(oid_of(parameter.type));
  }
  return types;
}

std::vector<std::optional<aggregator::ParameterKind>> declared_of(const Prepared& prepared) {
  std::vector<std::optional<aggregator::ParameterKind>> declared;
  for (const ParameterType& parameter : prepared.parameters) {
    declared.push_back(parameter.is_declared ? std::optional(parameter.type) : std::nullopt);
  }
  return declared;
}

bool has_usual_order(const Prepared& prepared) { return prepared.dates == semantics::DateOrder::kMonthDayYear; }

std::vector<semantics::Column> answer_columns(const wire::v1::QueryRows& rows) {
  std::vector<semantics::Column> columns;
  columns.reserve(static_cast<size_t>(rows.columns_size()));
  for (const auto& column : rows.columns()) {
    const auto type = contract::to_type(column.type());
    columns.push_back({column.name(), type ? *type : semantics::Type{semantics::TypeKind::kText}, true, std::nullopt,
                       column.has_modifier() ? std::optional(column.modifier()) : std::nullopt});
  }
  return columns;
}

// ---- by name ----

PreparedStatements::Statement PreparedStatements::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Result<void> PreparedStatements::check_room(std::string_view name, size_t sql_size) const {
  if (name.empty()) {
    return {};
  }
  if (by_name_.contains(name)) {
    return rejected("42P05", fmt::format("prepared statement \"{}\" already exists", name));
  }
  const SessionLimits& limits = options_.limits;
  if (by_name_.size() >= limits.statements_max || text_bytes_ + sql_size + name.size() > limits.statement_bytes_max) {
    return rejected("54000",
                    fmt::format("a connection keeps at most {} prepared statements of {} bytes together",
                                limits.statements_max, limits.statement_bytes_max),
                    "close some that are not needed any longer");
  }
  return {};
}

void PreparedStatements::keep(const std::string& name, Prepared prepared) {
  drop(name);
  if (!name.empty() && prepared.catalogue == nullptr && std::holds_alternative<QueryCommand>(prepared.command)) {
    prepared.registered = make_registered();
  }
  add(name, std::make_shared<const Prepared>(std::move(prepared)));
}

void PreparedStatements::put_back_unnamed(Statement statement) {
  drop("");
  if (statement != nullptr) {
    add("", std::move(statement));
  }
}

void PreparedStatements::add(const std::string& name, Statement statement) {
  text_bytes_ += statement->sql.size() + name.size();
  by_name_.emplace(name, std::move(statement));
}

void PreparedStatements::drop(std::string_view name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    text_bytes_ -= found->second->sql.size() + name.size();
    drop_registered(*found->second);
    by_name_.erase(found);
  }
}

void PreparedStatements::drop_all() {
  for (const auto& [name, prepared] : by_name_) {
    drop_registered(*prepared);
  }
  by_name_.clear();
  text_bytes_ = 0;
}

// ---- by handle ----

std::shared_ptr<RegisteredStatement> PreparedStatements::make_registered() {
  if (handles_ == nullptr) {
    handles_ = std::make_unique<StatementHandles>(options_.handles);
  }
  return std::make_shared<RegisteredStatement>();
}

void PreparedStatements::drop_registered(const Prepared& prepared) {
  if (prepared.registered != nullptr) {
    handles_->drop(*prepared.registered, prepared.sql);
  }
}

uint32_t PreparedStatements::handle_of(const Prepared& prepared, Requests& requests) {
  const std::shared_ptr<RegisteredStatement>& registered = prepared.registered;
  if (registered == nullptr) {
    return 0;
  }
  if (handles_->use(*registered, prepared.sql) == StatementHandles::Use::kDefine) {
    handles_->define(registered, prepared.sql, requests.next_sequence());
    wire::v1::ShapeBody shape;
    shape.set_sql(prepared.sql);
    wire::v1::Operation operation;
    operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DEFINE);
    operation.mutable_header()->set_shape_handle(registered->handle);
    shape.SerializeToString(operation.mutable_body());
    requests.ask(std::move(operation));
  }
  return registered->handle;
}

void PreparedStatements::learn_columns(const wire::v1::QueryRows& rows) {
  if (rows.shape_sequence() == 0 || rows.columns_size() == 0 || handles_ == nullptr) {
    return;
  }
  if (const auto registered = handles_->find(rows.shape_sequence())) {
    registered->columns = answer_columns(rows);
  }
}

std::shared_ptr<RegisteredStatement> PreparedStatements::find_registered(const Prepared& prepared,
                                                                         uint64_t sequence) const {
  if (prepared.registered != nullptr && prepared.registered->sequence == sequence) {
    return prepared.registered;
  }
  return handles_ == nullptr ? nullptr : handles_->find(sequence);
}

const std::string* PreparedStatements::find_description(const Prepared& prepared, const std::vector<int16_t>& formats,
                                                        uint32_t table) {
  const RegisteredStatement* const registered = prepared.registered.get();
  const bool is_known = registered != nullptr && !registered->description.empty() &&
                        registered->description_formats == formats && registered->description_table == table;
  return is_known ? &registered->description : nullptr;
}

void PreparedStatements::keep_description(const Prepared& prepared, std::string_view description,
                                          const std::vector<int16_t>& formats, uint32_t table) {
  if (prepared.registered != nullptr) {
    handles_->keep_description(*prepared.registered, description, formats, table);
  }
}

}  // namespace daedalus::postgres

#include "scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/semantics/interval_style.hpp"
#include "refusals.hpp"
#include "suggestion.hpp"
#include "value_query.hpp"

namespace daedalus::aggregator::sql {

namespace {

constexpr std::string_view kPublicSchema = "public";

std::string dotted(grammar::Names names) {
  std::string text;
  for (const std::string_view name : names) {
    text += text.empty() ? "" : ".";
    text += name;
  }
  return text;
}

/// PostgreSQL has them in every table.
bool is_system_column(std::string_view name) {
  return name == "ctid" || name == "xmin" || name == "xmax" || name == "cmin" || name == "cmax" || name == "tableoid";
}

std::string written(const grammar::ColumnReference& reference) {
  return dotted(reference.names) + (reference.is_star ? ".*" : "");
}

}  // namespace

int64_t Scope::local_now_us() const {
  constexpr int64_t kMicrosPerSecond = 1'000'000;
  const semantics::SessionZone* zone = session_zone();
  if (zone == nullptr) {
    return now_us_;
  }
  const int64_t seconds = now_us_ / kMicrosPerSecond - (now_us_ % kMicrosPerSecond < 0 ? 1 : 0);
  return now_us_ + zone->zone().offset_at(seconds) * kMicrosPerSecond;
}

// A statement that hangs on the style is never kept for other sessions.

Result<void> Scope::show_interval(int32_t location) const {
  places_.give_up();
  if (body_.interval_style().empty()) {
    return {};
  }
  return refuse(fmt::format("an interval as text while IntervalStyle is {}", body_.interval_style()), location,
                "SET IntervalStyle = postgres, or give the interval itself back");
}

Result<void> Scope::read_interval(std::string_view text, int32_t location) const {
  if (!semantics::is_read_otherwise_in_sql_standard(text)) {
    return {};
  }
  places_.give_up();
  return is_standard_style()
             ? refuse("a sign in front of several fields of an interval while IntervalStyle is sql_standard", location,
                      "give each field its own sign")
             : Result<void>();
}

Result<void> Scope::read_intervals(int32_t location) const {
  places_.give_up();
  return is_standard_style() ? refuse("a text as an interval while IntervalStyle is sql_standard", location,
                                      "SET IntervalStyle = postgres, or write the interval as a literal")
                             : Result<void>();
}

Result<void> Scope::read_dates(int32_t location) const {
  const semantics::DateOrder order = date_order();
  return order == semantics::DateOrder::kMonthDayYear
             ? Result<void>()
             : refuse(
                   fmt::format("a text of a row as a date while DateStyle is ISO, {}", name_of(order)), location,
                   "SET DateStyle = 'ISO, MDY' where the texts are of that order, or take them apart with to_date()");
}

bool Scope::is_standard_style() const {
  return semantics::interval_style_of(body_.interval_style()) == semantics::IntervalStyle::kSqlStandard;
}

Error Scope::error(std::string sqlstate, std::string message, int32_t location, std::string hint) const {
  Error error = rejected(std::move(sqlstate), std::move(message), std::move(hint));
  error.position = statement_.position(location);
  return error;
}

Error Scope::refuse(std::string construct, int32_t location, std::string hint) const {
  return error("0A000", std::move(construct) + " is not supported", location, std::move(hint));
}

Error Scope::refuse(const grammar::Node& node) const {
  if (has_several_columns(node)) {
    return error("42601", "subquery must return only one column", location_of(node));
  }
  Construct construct = describe(node);
  construct.name += construct.is_misplaced ? " in this place" : "";
  return refuse(std::move(construct.name), location_of(node), std::move(construct.hint));
}

Error Scope::located(Error error, int32_t location) const {
  if (error.position == 0) {
    error.position = statement_.position(location);
  }
  return error;
}

Result<void> Scope::bind_table(const grammar::RangeVariable& table) {
  if (!table.catalog_name.empty() && table.catalog_name != database()) {
    return error("0A000",
                 fmt::format("cross-database references are not implemented: \"{}.{}.{}\"", table.catalog_name,
                             table.schema_name, table.relation_name),
                 table.location);
  }
  const bool is_known_schema = table.schema_name.empty() || table.schema_name == kPublicSchema;
  if (!is_known_schema || table.relation_name != schema_.table_name) {
    const std::string prefix = table.schema_name.empty() ? "" : fmt::format("{}.", table.schema_name);
    return error("42P01", fmt::format("relation \"{}{}\" does not exist", prefix, table.relation_name), table.location,
                 fmt::format("the only table here is \"{}\"", schema_.table_name));
  }
  if (table.has_column_aliases) {
    return refuse("renaming columns in FROM", table.location, "use AS in the SELECT list");
  }
  has_alias_ = table.has_alias;
  table_alias_ = has_alias_ ? table.alias : table.relation_name;
  return {};
}

Result<void> Scope::check_qualifier(const grammar::ColumnReference& reference, size_t qualifier_size) const {
  if (qualifier_size == 0) {
    return {};
  }
  const std::string_view table = reference.names[qualifier_size - 1];
  const bool is_table = table == table_alias_;
  const bool is_schema = qualifier_size == 1 ||
                         (qualifier_size <= 3 && !has_alias_ && reference.names[qualifier_size - 2] == kPublicSchema);
  if (qualifier_size == 3 && reference.names[0] != database()) {
    return error("0A000", fmt::format("cross-database references are not implemented: {}", written(reference)),
                 reference.location);
  }
  if (qualifier_size > 3) {
    return error("42601", fmt::format("improper qualified name (too many dotted names): {}", written(reference)),
                 reference.location);
  }
  if (is_table && is_schema) {
    return {};
  }
  if (has_alias_ && table == schema_.table_name) {
    return error("42P01", fmt::format("invalid reference to FROM-clause entry for table \"{}\"", table),
                 reference.location, fmt::format("use the table's alias \"{}\"", table_alias_));
  }
  return error("42P01", fmt::format("missing FROM-clause entry for table \"{}\"", table), reference.location);
}

Result<uint32_t> Scope::column(const grammar::ColumnReference& reference) const {
  const size_t count = reference.names.size();
  if (count == 0 || reference.is_star) {
    return refuse("* in this place", reference.location);
  }
  if (auto checked = check_qualifier(reference, count - 1); !checked) {
    return checked.error();
  }
  const std::string_view name = reference.names.back();
  if (const auto position = columns_.find(name)) {
    return *position;
  }
  if (count == 1 && name == table_alias_) {
    return refuse("a whole row as a value", reference.location, "name the columns");
  }
  if (is_system_column(name)) {
    return refuse(fmt::format("the system column {}", name), reference.location,
                  "rows have no place and no transaction that a client could name");
  }
  const std::string spelled = count == 1 ? fmt::format("\"{}\"", name) : dotted(reference.names);
  return error("42703", fmt::format("column {} does not exist", spelled), reference.location,
               suggest_column(schema_, table_alias_, name));
}

Result<bool> Scope::is_star(const grammar::ColumnReference& reference) const {
  if (!reference.is_star) {
    return false;
  }
  if (auto checked = check_qualifier(reference, reference.names.size()); !checked) {
    return checked.error();
  }
  return true;
}

Result<uint32_t> Scope::target_column(const grammar::ResultTarget& target) const {
  if (target.has_indirection) {
    return refuse("writing a part of a column", target.location);
  }
  if (const auto position = columns_.find(target.name)) {
    return *position;
  }
  return error("42703", fmt::format("column \"{}\" of relation \"{}\" does not exist", target.name, schema_.table_name),
               target.location, suggest_column(schema_, schema_.table_name, target.name));
}

std::string Scope::qualified(uint32_t column) const {
  return fmt::format("{}.{}", table_alias_, schema_.columns[column].name);
}

Result<const wire::v1::Constant*> Scope::parameter(const grammar::ParameterReference& reference) {
  if (reference.number < 1 || reference.number > body_.parameters_size()) {
    return error("42P02", fmt::format("there is no parameter ${}", reference.number), reference.location,
                 fmt::format("{} parameters were given", body_.parameters_size()));
  }
  parameters_used_ = std::max(parameters_used_, reference.number);
  places_.read(reference.number);
  return &body_.parameters(reference.number - 1);
}

Result<std::optional<ParameterKind>> Scope::parameter_kind(const grammar::ParameterReference& reference) {
  if (reference.number < 1 || reference.number > kParameterNumberMax) {
    return error("42P02", fmt::format("there is no parameter ${}", reference.number), reference.location,
                 "parameters are numbered from 1");
  }
  return types_->see(reference.number, reference.location);
}

Result<void> Scope::check_parameters() const {
  if (parameters_used_ < body_.parameters_size()) {
    return rejected("08P01", fmt::format("{} parameters were given, but the statement takes {}",
                                         body_.parameters_size(), parameters_used_));
  }
  return {};
}

}  // namespace daedalus::aggregator::sql

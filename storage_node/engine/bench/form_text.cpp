#include "form_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ticket_text.hpp"

namespace daedalus::engine::bench {
namespace {

using Kind = FormCondition::Kind;

/// `a`, or `(a, b)`.
std::string tuple(const std::vector<std::string>& parts) {
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
}

std::string member_text(const TicketTable& table, const FormCondition& condition) {
  std::vector<std::string> values;
  if (condition.kind == Kind::kBetween) {
    values.push_back(quoted_text(table, condition.between.column, condition.between.low));
  }
  for (const FormCondition& child : condition.children) {
    values.push_back(quoted_text(table, child.between.column, child.between.low));
  }
  return tuple(values);
}

/// Writes an OR all of whose alternatives are equalities on the same columns.
std::string list_text(const TicketTable& table, const FormCondition& condition) {
  const std::vector<uint32_t> columns = list_columns(condition);
  if (columns.empty()) {
    return "";
  }
  std::vector<std::string> names;
  for (const uint32_t column : columns) {
    names.push_back(table.columns()[column].name);
  }
  std::vector<std::string> members;
  for (const FormCondition& child : condition.children) {
    members.push_back(member_text(table, child));
  }
  return fmt::format("{} IN ({})", tuple(names), fmt::join(members, ", "));
}

std::string condition_text(const TicketTable& table, const FormCondition& condition) {
  if (condition.kind == Kind::kBetween) {
    return condition.between.low == kNullOrdinal ? table.columns()[condition.between.column].name + " IS NULL"
                                                 : where_text(table, {condition.between});
  }
  if (condition.kind == Kind::kOr) {
    if (std::string list = list_text(table, condition); !list.empty()) {
      return list;
    }
  }
  std::vector<std::string> parts;
  for (const FormCondition& child : condition.children) {
    parts.push_back(fmt::format("({})", condition_text(table, child)));
  }
  return fmt::format("{}", fmt::join(parts, condition.kind == Kind::kOr ? " OR " : " AND "));
}

std::string outputs_text(const TicketTable& table, FormOutput output) {
  const std::string& summed = table.columns()[table.has_tickets() ? kSummed : uint32_t{kSeats}].name;
  switch (output) {
    case FormOutput::kCount:
      return "count(*)";
    case FormOutput::kSum:
      return fmt::format("sum({}), count(*)", summed);
    case FormOutput::kSumByMany:
      return fmt::format("sum({}), count(*), {}", summed, table.columns()[kMany].name);
    case FormOutput::kFetched:
    case FormOutput::kWhole:
      break;
  }
  std::vector<std::string> names;
  for (const uint32_t column : form_columns(table, output)) {
    names.push_back(table.columns()[column].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string sql_text(const TicketTable& table, const FormQuery& query) {
  const bool is_filtered = query.condition.kind != Kind::kAnd || !query.condition.children.empty();
  return fmt::format("SELECT {} FROM ticket{}{}", outputs_text(table, query.output),
                     is_filtered ? " WHERE " + condition_text(table, query.condition) : "",
                     query.output == FormOutput::kSumByMany ? " GROUP BY " + table.columns()[kMany].name : "");
}

}  // namespace daedalus::engine::bench

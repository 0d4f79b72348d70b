#include "query_forms.hpp"

#include <algorithm>
#include <numeric>

namespace daedalus::engine::bench {
namespace {

using semantics::AggregateFunction;
using semantics::Literal;
using semantics::Operator;

constexpr uint32_t kFare = 12;
constexpr uint32_t kPassenger = 14;
constexpr uint32_t kTicketNumber = 15;
constexpr uint32_t kBooked = 17;
constexpr uint32_t kCount = kSummed;
constexpr uint32_t kWeight = 39;
constexpr uint32_t kTax = 40;
constexpr uint32_t kAgent = 41;  ///< 5,000 values.
constexpr uint32_t kChanged = 46;

/// The share of days that filters of sums and groups let through.
constexpr uint32_t kFilteredPercent = 30;
/// Comparisons of a condition drawn at random, and the most rows it should hold for where rows are fetched.
constexpr uint32_t kRandomComparisonsMax = 24;
constexpr double kRandomRowsMax = 32;

FormCondition equal(uint32_t column, uint32_t ordinal) {
  return {.kind = FormCondition::Kind::kBetween, .between = {column, ordinal, ordinal}};
}
FormCondition range(const Between& between) { return {.kind = FormCondition::Kind::kBetween, .between = between}; }
FormCondition all_of(std::vector<FormCondition> children) {
  return {.kind = FormCondition::Kind::kAnd, .children = std::move(children)};
}
FormCondition any_of(std::vector<FormCondition> children) {
  return {.kind = FormCondition::Kind::kOr, .children = std::move(children)};
}

/// A row that exists and has no NULL in these columns.
Ordinals some_row(const TicketTable& table, const std::vector<uint32_t>& columns, Random& random) {
  while (true) {
    const Ordinals row = table.ordinals(below(random, table.row_count()));
    if (std::none_of(columns.begin(), columns.end(), [&](uint32_t column) { return row[column] == kNullOrdinal; })) {
      return row;
    }
  }
}

/// The values of a row that exists in these columns.
FormCondition values_of_a_row(const TicketTable& table, const std::vector<uint32_t>& columns, Random& random) {
  const Ordinals row = some_row(table, columns, random);
  std::vector<FormCondition> values;
  for (const uint32_t column : columns) {
    values.push_back(equal(column, row[column]));
  }
  return values.size() == 1 ? values[0] : all_of(std::move(values));
}

FormCondition rows_of(const TicketTable& table, const std::vector<uint32_t>& columns, uint32_t count, Random& random) {
  std::vector<FormCondition> alternatives;
  for (uint32_t number = 0; number < count; ++number) {
    alternatives.push_back(values_of_a_row(table, columns, random));
  }
  return any_of(std::move(alternatives));
}

/// So many percent of the rows that came last, less up to half of them.
FormCondition newest(const TicketTable& table, uint32_t percent, Random& random) {
  const uint32_t rows = table.row_count();
  const uint32_t most = std::max(1u, static_cast<uint32_t>(uint64_t{rows} * percent / 100));
  const auto wanted = static_cast<uint32_t>(most / 2 + below(random, most - most / 2)) + 1;
  return range({.column = kId, .low = rows - std::min(wanted, rows), .high = rows - 1});
}

FormCondition three_ranges(const TicketTable& table, uint32_t percent, Random& random) {
  std::vector<uint32_t> columns = {kDeparture, kArrival, kFare, kTicketNumber, kBooked, kCount, kTax, kChanged};
  std::shuffle(columns.begin(), columns.end(), random);
  columns.resize(3);
  const Ordinals row = some_row(table, columns, random);
  std::vector<FormCondition> ranges;
  for (const uint32_t column : columns) {
    ranges.push_back(range(around(table, column, row[column], percent, random)));
  }
  return all_of(std::move(ranges));
}

FormCondition some_days(const TicketTable& table, uint32_t column, Random& random) {
  const uint32_t days = table.columns()[column].cardinality;
  const uint32_t span = days * kFilteredPercent / 100;
  const uint32_t first = below(random, days - span);
  return range({column, first, first + span - 1});
}

/// One comparison, or a list, about what a row holds in a column drawn from all.
FormCondition random_leaf(const TicketTable& table, const Ordinals& row, Random& random) {
  const uint32_t column = below(random, table.column_count());
  if (row[column] == kNullOrdinal) {
    return equal(column, kNullOrdinal);
  }
  switch (below(random, 4)) {
    case 0:
      return range(around(table, column, row[column], 1 + below(random, 40), random));
    case 1: {
      std::vector<FormCondition> members = {equal(column, row[column])};
      const uint32_t cardinality = table.columns()[column].cardinality;
      for (uint32_t more = 1 + below(random, 12); more > 0; --more) {
        members.push_back(equal(column, below(random, cardinality)));
      }
      return any_of(std::move(members));
    }
    default:
      return equal(column, row[column]);
  }
}

/// Returns what holds for the row: of so many leaves, AND and OR in turn.
FormCondition random_tree(const TicketTable& table, const Ordinals& row, uint32_t leaves, bool is_and, Random& random) {
  if (leaves <= 1) {
    return random_leaf(table, row, random);
  }
  std::vector<FormCondition> children;
  while (leaves > 0) {
    const uint32_t own = 1 + below(random, children.empty() ? leaves - 1 : leaves);
    // Another row's values may stand in an alternative.
    const bool is_other = !is_and && !children.empty() && below(random, 2) == 0;
    const Ordinals other = is_other ? table.ordinals(below(random, table.row_count())) : row;
    children.push_back(random_tree(table, other, own, !is_and, random));
    leaves -= own;
  }
  return is_and ? all_of(std::move(children)) : any_of(std::move(children));
}

/// The share of rows that a condition holds for, if no two comparisons have to do with each other.
double expected_share(const TicketTable& table, const FormCondition& condition) {
  if (condition.kind == FormCondition::Kind::kBetween) {
    const ColumnSpec& column = table.columns()[condition.between.column];
    const double present = 1 - column.null_percent / 100.0;
    return condition.between.low == kNullOrdinal
               ? 1 - present
               : present * (condition.between.high - condition.between.low + 1) / column.cardinality;
  }
  const bool is_and = condition.kind == FormCondition::Kind::kAnd;
  double left = 1;
  for (const FormCondition& child : condition.children) {
    const double share = expected_share(table, child);
    left *= is_and ? share : 1 - share;
  }
  return is_and ? left : 1 - left;
}

FormQuery random_query(const TicketTable& table, bool is_counted, Random& random) {
  while (true) {
    const Ordinals row = table.ordinals(below(random, table.row_count()));
    FormQuery query{.condition = random_tree(table, row, 2 + below(random, kRandomComparisonsMax - 1),
                                             below(random, 4) > 0, random),
                    .output = is_counted ? FormOutput::kCount : FormOutput::kFetched};
    if (is_counted || expected_share(table, query.condition) * table.row_count() < kRandomRowsMax) {
      return query;
    }
  }
}

/// A form's name and the number behind it.
struct FormName {
  explicit FormName(const std::string& form) : kind(form) {
    const size_t dash = form.find('-');
    if (dash != std::string::npos && form.find_first_not_of("0123456789", dash + 1) == std::string::npos) {
      kind = form.substr(0, dash);
      number = static_cast<uint32_t>(std::stoul(form.substr(dash + 1)));
    }
  }

  std::string kind;
  uint32_t number = 1;
};

FormQuery ticket_query(const TicketTable& table, const FormName& form, Random& random) {
  const auto rows = [&](const std::vector<uint32_t>& columns) { return rows_of(table, columns, form.number, random); };
  const auto values = [&](const std::vector<uint32_t>& columns) { return values_of_a_row(table, columns, random); };
  if (form.kind == "list") {
    return {.condition = rows({kId})};
  }
  if (form.kind == "codes" || form.kind == "floats") {
    return {.condition = rows({form.kind == "codes" ? kAgent : kWeight}), .output = FormOutput::kCount};
  }
  if (form.kind == "pairs") {
    return {.condition = rows({kCount, kAgent})};
  }
  if (form.kind == "keys") {
    return {.condition = rows({kRloc, kArrival})};
  }
  if (form.kind == "or") {
    return {.condition = any_of({values({kRloc}), values({kTicketNumber})})};
  }
  if (form.kind == "or-and") {
    return {.condition = any_of({values({kCount, kAgent}), values({kFare, kPassenger})})};
  }
  if (form.kind == "ranges") {
    return {.condition = three_ranges(table, form.number, random)};
  }
  if (form.kind == "sums") {
    return {.condition = some_days(table, kBooked, random), .output = FormOutput::kSum};
  }
  if (form.kind == "flags") {
    return {.condition = values({kCabin, kSgtQualifier}), .output = FormOutput::kSum};
  }
  if (form.kind == "recent") {
    return {.condition = newest(table, form.number, random), .output = FormOutput::kSum};
  }
  if (form.kind == "whole") {
    return {.condition = values({kFlight, kDateIn}), .output = FormOutput::kWhole};
  }
  if (form.kind == "nested") {
    const Ordinals row = table.ordinals(below(random, table.row_count()));
    return {.condition = random_tree(table, row, form.number, true, random), .output = FormOutput::kCount};
  }
  CHECK(form.kind == "random-rows" || form.kind == "random-counts");
  return random_query(table, form.kind == "random-counts", random);
}

FormQuery narrow_query(const TicketTable& table, const FormName& form, const FormCondition& days_of_all,
                       Random& random) {
  if (form.kind == "narrow") {
    const Ordinals row = table.ordinals(below(random, table.row_count()));
    return {.condition = all_of({equal(kMany, row[kMany]), range(around(table, kDay, row[kDay], 60, random))}),
            .output = FormOutput::kWhole};
  }
  CHECK(form.kind == "groups" || form.kind == "groups-where");
  return {.condition = form.kind == "groups" ? all_of({}) : days_of_all, .output = FormOutput::kSumByMany};
}

semantics::Condition comparison(const TicketTable& table, const Between& between, Operator op, uint32_t ordinal) {
  return {.kind = semantics::Condition::Kind::kLiteral,
          .literal = {.column = between.column,
                      .kind = Literal::Kind::kCompare,
                      .op = op,
                      .values = {table.value(between.column, ordinal)}},
          .children = {}};
}

semantics::Condition to_condition(const TicketTable& table, const FormCondition& condition) {
  if (condition.kind == FormCondition::Kind::kBetween) {
    const Between& between = condition.between;
    if (between.low == kNullOrdinal) {
      return {.kind = semantics::Condition::Kind::kLiteral,
              .literal = {.column = between.column, .kind = Literal::Kind::kIsNull, .values = {}},
              .children = {}};
    }
    if (between.is_equality()) {
      return comparison(table, between, Operator::kEqual, between.low);
    }
    return {.kind = semantics::Condition::Kind::kAnd,
            .literal = {},
            .children = {comparison(table, between, Operator::kGreaterOrEqual, between.low),
                         comparison(table, between, Operator::kLessOrEqual, between.high)}};
  }
  semantics::Condition joined{.kind = condition.kind == FormCondition::Kind::kAnd ? semantics::Condition::Kind::kAnd
                                                                                  : semantics::Condition::Kind::kOr,
                              .literal = {},
                              .children = {}};
  for (const FormCondition& child : condition.children) {
    joined.children.push_back(to_condition(table, child));
  }
  return joined.children.size() == 1 ? std::move(joined.children[0]) : joined;
}

/// The columns of an equality, or of several joined by AND; none for anything else.
std::vector<uint32_t> equality_columns(const FormCondition& condition) {
  std::vector<uint32_t> columns;
  const auto add = [&](const FormCondition& part) {
    const bool is_equality = part.kind == FormCondition::Kind::kBetween && part.between.is_equality();
    columns.push_back(is_equality && part.between.low != kNullOrdinal ? part.between.column : kNullOrdinal);
  };
  if (condition.kind == FormCondition::Kind::kBetween) {
    add(condition);
  } else if (condition.kind == FormCondition::Kind::kAnd) {
    std::for_each(condition.children.begin(), condition.children.end(), add);
  }
  const bool is_whole = std::find(columns.begin(), columns.end(), kNullOrdinal) == columns.end();
  return is_whole ? columns : std::vector<uint32_t>();
}

semantics::Selection selection_of(const TicketTable& table, FormOutput output) {
  const semantics::SelectItem count{.name = "count", .function = AggregateFunction::kCountRows, .column = 0};
  const semantics::SelectItem sum{
      .name = "sum", .function = AggregateFunction::kSum, .column = table.has_tickets() ? kCount : kSeats};
  switch (output) {
    case FormOutput::kCount:
      return *semantics::bind_items(table.schema(), {count});
    case FormOutput::kSum:
      return *semantics::bind_items(table.schema(), {sum, count});
    case FormOutput::kSumByMany:
      return *semantics::bind_items(table.schema(), {sum, count, {.name = "many", .column = kMany}}, {kMany});
    case FormOutput::kFetched:
    case FormOutput::kWhole:
      break;
  }
  std::vector<semantics::SelectItem> items;
  for (const uint32_t column : form_columns(table, output)) {
    items.push_back({.name = table.columns()[column].name, .column = column});
  }
  return *semantics::bind_items(table.schema(), std::move(items));
}

}  // namespace

std::vector<uint32_t> list_columns(const FormCondition& condition) {
  if (condition.kind != FormCondition::Kind::kOr || condition.children.empty()) {
    return {};
  }
  std::vector<uint32_t> columns = equality_columns(condition.children[0]);
  const bool is_list = std::all_of(condition.children.begin(), condition.children.end(),
                                   [&](const FormCondition& child) { return equality_columns(child) == columns; });
  return is_list ? columns : std::vector<uint32_t>();
}

std::vector<uint32_t> form_columns(const TicketTable& table, FormOutput output) {
  if (output == FormOutput::kFetched) {
    return fetched_columns();
  }
  std::vector<uint32_t> columns(table.column_count());
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

std::vector<FormQuery> make_form_queries(const TicketTable& table, const std::string& form, uint32_t count,
                                         Random& random) {
  const FormName name(form);
  const FormCondition days_of_all = table.has_tickets() ? FormCondition{} : some_days(table, kDay, random);
  std::vector<FormQuery> queries;
  while (queries.size() < count) {
    queries.push_back(table.has_tickets() ? ticket_query(table, name, random)
                                          : narrow_query(table, name, days_of_all, random));
  }
  return queries;
}

std::shared_ptr<const semantics::Selection> to_selection(const TicketTable& table, const FormQuery& query) {
  auto selection = std::make_shared<semantics::Selection>(selection_of(table, query.output));
  if (query.condition.kind != FormCondition::Kind::kAnd || !query.condition.children.empty()) {
    selection->predicate = semantics::normal_form(semantics::simplified(to_condition(table, query.condition)));
  }
  return selection;
}

Selections make_selections(const TicketTable& table, const std::string& mix_or_form, uint32_t count, Random& random) {
  if (is_mix(mix_or_form)) {
    return to_selections(table, make_queries(table, parse_mix(mix_or_form), count, random));
  }
  Selections selections;
  for (const FormQuery& query : make_form_queries(table, mix_or_form, count, random)) {
    selections.push_back({to_selection(table, query)});
  }
  return selections;
}

}  // namespace daedalus::engine::bench

#include "form_cells.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine::bench {
namespace {

using Rows = std::vector<uint32_t>;

/// Holds what a group holds, by the ordinal of its key; without keys there is one group.
struct Group {
  int64_t sum = 0;
  int64_t count = 0;

  friend bool operator==(const Group&, const Group&) = default;
};
using Groups = std::map<int64_t, Group>;

Rows every_row(const TicketTable& table) {
  Rows rows(table.row_count());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Returns what each alternative of a list names.
std::vector<std::vector<uint32_t>> members_of(const FormCondition& list) {
  std::vector<std::vector<uint32_t>> members;
  for (const FormCondition& alternative : list.children) {
    std::vector<uint32_t>& member = members.emplace_back();
    if (alternative.children.empty()) {
      member.push_back(alternative.between.low);
    }
    for (const FormCondition& part : alternative.children) {
      member.push_back(part.between.low);
    }
  }
  return members;
}

/// The rows for which the condition holds, ascending.
Rows rows_where(Bench& bench, const FormCondition& condition) {
  if (condition.kind == FormCondition::Kind::kBetween) {
    return bench.model().matching({condition.between});
  }
  if (const std::vector<uint32_t> columns = list_columns(condition); !columns.empty()) {
    return bench.model().holding(columns, members_of(condition));
  }
  const bool is_and = condition.kind == FormCondition::Kind::kAnd;
  TicketQuery
      comparisons;  // Holds the comparisons of an AND, together: the model passes over what is left of the first.
  std::vector<const FormCondition*> others;
  for (const FormCondition& child : condition.children) {
    if (is_and && child.kind == FormCondition::Kind::kBetween) {
      comparisons.push_back(child.between);
    } else {
      others.push_back(&child);
    }
  }
  Rows rows = !is_and ? Rows() : comparisons.empty() ? every_row(bench.table) : bench.model().matching(comparisons);
  for (const FormCondition* other : others) {
    const Rows more = rows_where(bench, *other);
    Rows joined;
    if (is_and) {
      std::set_intersection(rows.begin(), rows.end(), more.begin(), more.end(), std::back_inserter(joined));
    } else {
      std::set_union(rows.begin(), rows.end(), more.begin(), more.end(), std::back_inserter(joined));
    }
    rows = std::move(joined);
  }
  return rows;
}

Groups groups_of(Bench& bench, const FormQuery& query, const Rows& rows) {
  const uint32_t summed = bench.table.has_tickets() ? kSummed : uint32_t{kSeats};
  const bool is_grouped = query.output == FormOutput::kSumByMany;
  Groups groups;
  if (!is_grouped) {
    groups[0] = {};
  }
  for (const uint32_t row : rows) {
    Group& group = groups[is_grouped ? bench.model().ordinal(row, kMany) : 0];
    const uint32_t ordinal = bench.model().ordinal(row, summed);
    // A number's value is its ordinal.
    group.sum += query.output == FormOutput::kCount || ordinal == kNullOrdinal ? 0 : ordinal;
    group.count += 1;
  }
  return groups;
}

/// Sums of integers travel as numerics.
int64_t number_of(const semantics::Value& value) {
  if (const auto* decimal = std::get_if<semantics::Decimal>(&value)) {
    CHECK(decimal->scale == 0);
    return static_cast<int64_t>(decimal->unscaled);
  }
  return semantics::is_null(value) ? 0 : std::get<int64_t>(value);
}

/// Returns what an answer says: keys, sums and counts as the form puts them out.
Groups groups_in(const semantics::Selection& selection, FormOutput form, const QueryOutput& output) {
  const std::vector<semantics::Type> types = semantics::partial_row_types(selection);
  Groups groups;
  semantics::PackedRows rows(output.rows);
  while (const auto row = rows.next().value()) {
    const std::vector<semantics::Value> values = semantics::read_packed_row(types, *row).value();
    const bool is_grouped = form == FormOutput::kSumByMany;
    const size_t sum = is_grouped ? 1 : 0;
    groups[is_grouped ? number_of(values[0]) : 0] = form == FormOutput::kCount
                                                        ? Group{0, number_of(values[0])}
                                                        : Group{number_of(values[sum]), number_of(values[sum + 1])};
  }
  return groups;
}

bool puts_rows_out(FormOutput output) { return output == FormOutput::kFetched || output == FormOutput::kWhole; }

bool is_right(Bench& bench, const FormQuery& query, const semantics::Selection& selection, const QueryOutput& output) {
  const Rows rows = rows_where(bench, query.condition);
  if (puts_rows_out(query.output)) {
    const Content content = content_of(output.rows);
    return content.rows == output.row_count &&
           content == bench.model().content(rows, form_columns(bench.table, query.output));
  }
  return groups_in(selection, query.output, output) == groups_of(bench, query, rows);
}

void check_answers(Bench& bench, const std::vector<FormQuery>& asked, const Selections& selections,
                   const std::vector<QueryOutput>& outputs, uint32_t checked_max, FormResult& result) {
  for (size_t number = 0; number < outputs.size(); ++number) {
    result.rows += outputs[number].row_count;
    if (number < checked_max) {
      result.checked += 1;
      result.wrong += is_right(bench, asked[number], *selections[number].selection, outputs[number]) ? 0 : 1;
    }
  }
}

}  // namespace

FormResult run_form(Bench& bench, const FormRequest& request) {
  FormResult result;
  Random random(request.seed);
  EngineUnderTest& engine = bench.engine();
  for (uint32_t run = request.warm ? 0 : 1; run <= request.runs; ++run) {
    const std::vector<FormQuery> asked = make_form_queries(bench.table, request.form, request.queries, random);
    Selections selections;
    for (const FormQuery& query : asked) {
      selections.push_back({to_selection(bench.table, query)});
    }
    bench.caches.evict();
    std::vector<QueryOutput> outputs;
    const double before = processor_milliseconds();
    const double time = milliseconds([&] { outputs = engine.cycle(selections); });
    if (run > 0) {  // The first warms up.
      result.engine_ms.push_back(time);
      result.cpu_ms.push_back(processor_milliseconds() - before);
    }
    if (run == request.runs) {
      check_answers(bench, asked, selections, outputs, request.checked_max, result);
    }
  }
  return result;
}

FormTruth truth_of(Bench& bench, const FormQuery& query) {
  const Rows rows = rows_where(bench, query.condition);
  if (puts_rows_out(query.output)) {
    // The first value is a row's id, and that is its number.
    return {.rows = rows.size(), .first_sum = std::accumulate(rows.begin(), rows.end(), int64_t{0})};
  }
  FormTruth truth;
  for (const auto& [key, group] : groups_of(bench, query, rows)) {
    truth.rows += 1;
    truth.first_sum += query.output == FormOutput::kCount ? group.count : group.sum;
  }
  return truth;
}

}  // namespace daedalus::engine::bench

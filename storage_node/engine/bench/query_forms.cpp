#include "query_forms.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace daedalus::engine::bench {
namespace {

using semantics::Condition;
using semantics::Literal;
using semantics::Operator;

constexpr uint32_t kTicketNumber = 15;
constexpr uint32_t kFare = 12;
constexpr uint32_t kPassenger = 14;
constexpr uint32_t kCount = 38;  ///< 12,800 values.
constexpr uint32_t kWeight = 39;
constexpr uint32_t kAgent = 41;  ///< 5,000 values.
/// Answers compared with the model, in the last cycle.
constexpr size_t kCheckedMax = 4;

/// The values of a row that exists in these columns; none of them is NULL.
TicketQuery values_of_a_row(const TicketTable& table, const std::vector<uint32_t>& columns, Random& random) {
  while (true) {
    const auto row = table.ordinals(static_cast<uint32_t>(random() % table.row_count()));
    TicketQuery values;
    for (const uint32_t column : columns) {
      if (row[column] != kNullOrdinal) {
        values.push_back({column, row[column], row[column]});
      }
    }
    if (values.size() == columns.size()) {
      return values;
    }
  }
}

Condition condition_of(const TicketTable& table, const TicketQuery& query) {
  Condition all{.kind = Condition::Kind::kAnd, .literal = {}, .children = {}};
  for (const Between& between : query) {
    CHECK(between.is_equality());
    all.children.push_back({.kind = Condition::Kind::kLiteral,
                            .literal = {.column = between.column,
                                        .kind = Literal::Kind::kCompare,
                                        .op = Operator::kEqual,
                                        .values = {table.value(between.column, between.low)}},
                            .children = {}});
  }
  return all.children.size() == 1 ? std::move(all.children[0]) : all;
}

std::shared_ptr<const semantics::Selection> selection_of(const TicketTable& table, const FormQuery& query) {
  auto selection = std::make_shared<semantics::Selection>(
      query.is_counted
          ? *semantics::bind_items(
                table.schema(), {{.name = "count", .function = semantics::AggregateFunction::kCountRows, .column = 0}})
          : *to_selection(table, {}));
  Condition any{.kind = Condition::Kind::kOr, .literal = {}, .children = {}};
  for (const TicketQuery& alternative : query.alternatives) {
    any.children.push_back(condition_of(table, alternative));
  }
  selection->predicate = semantics::normal_form(semantics::simplified(std::move(any)));
  return selection;
}

std::vector<uint32_t> expected_rows(Bench& bench, const FormQuery& query) {
  std::vector<uint32_t> rows;
  for (const TicketQuery& alternative : query.alternatives) {
    const std::vector<uint32_t> more = bench.model().matching(alternative);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

bool is_right(Bench& bench, const FormQuery& query, const QueryOutput& output) {
  const std::vector<uint32_t> rows = expected_rows(bench, query);
  if (query.is_counted) {
    uint64_t count = 0;
    // The packed row of one number that is not NULL: a size, a byte of NULL bits, the number.
    CHECK(output.rows.size() >= sizeof count);
    std::memcpy(&count, output.rows.data() + output.rows.size() - sizeof count, sizeof count);
    return count == rows.size();
  }
  uint64_t id_sum = 0;
  for (const uint32_t row : rows) {
    id_sum += static_cast<uint64_t>(std::get<int64_t>(bench.table.value(kId, row)));
  }
  return answer_of(output) == Answer{.rows = rows.size(), .id_sum = id_sum};
}

/// Of the processor: forms are told apart where others work on the machine, too.
template <typename Work>
double thread_milliseconds(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double start = now();
  work();
  return now() - start;
}

}  // namespace

std::vector<FormQuery> make_form_queries(const TicketTable& table, const std::string& form, uint32_t count,
                                         Random& random) {
  const size_t dash = form.find('-');
  const std::string kind = form == "or-and" ? form : form.substr(0, dash);
  const uint32_t length = kind == form ? 1 : static_cast<uint32_t>(std::stoul(form.substr(dash + 1)));
  std::vector<FormQuery> queries(count);
  for (FormQuery& query : queries) {
    const auto add = [&](const std::vector<uint32_t>& columns) {
      query.alternatives.push_back(values_of_a_row(table, columns, random));
    };
    query.is_counted = kind == "floats" || kind == "codes";
    for (uint32_t number = 0; number < length; ++number) {
      if (kind == "list") {
        add({kId});
      } else if (kind == "floats") {
        add({kWeight});
      } else if (kind == "codes") {
        add({kAgent});
      } else if (kind == "pairs") {
        add({kCount, kAgent});
      } else if (kind == "keys") {
        add({kRloc, kArrival});
      } else if (kind == "or") {
        add({kRloc});
        add({kTicketNumber});
      } else {
        CHECK(kind == "or-and");
        add({kCount, kAgent});
        add({kFare, kPassenger});
      }
    }
  }
  return queries;
}

FormResult run_form(Bench& bench, const std::string& form, uint32_t queries, uint32_t runs) {
  FormResult result;
  Random random(1);
  for (uint32_t run = 0; run <= runs; ++run) {
    const std::vector<FormQuery> asked = make_form_queries(bench.table, form, queries, random);
    Selections selections;
    for (const FormQuery& query : asked) {
      selections.push_back(selection_of(bench.table, query));
    }
    EngineUnderTest& engine = bench.engine();
    bench.caches.evict();
    std::vector<QueryOutput> outputs;
    const double time = thread_milliseconds([&] { outputs = engine.cycle(selections); });
    if (run > 0) {  // The first warms up.
      result.engine_ms.push_back(time);
    }
    if (run == runs) {
      for (size_t number = 0; number < outputs.size(); ++number) {
        result.rows += outputs[number].row_count;
        result.wrong += number < kCheckedMax && !is_right(bench, asked[number], outputs[number]) ? 1 : 0;
      }
    }
  }
  return result;
}

}  // namespace daedalus::engine::bench

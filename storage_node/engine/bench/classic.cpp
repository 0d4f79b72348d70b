#include "classic.hpp"

#include <bit>
#include <map>

#include "key_table.hpp"

namespace daedalus::engine::bench {
namespace {

/// An equality that holds for more rows than this is no way to find them: the query is tried on every row.
constexpr double kAccessShareMax = 0.1;

/// One attribute, or two whose values fit into 8 bytes together.
struct KeyFields {
  Field first;
  Field second;  ///< Mask 0: none.
  uint32_t second_shift = 0;

  [[nodiscard]] uint64_t key(const uint8_t* row) const {
    const uint64_t first_part = load_word(row + first.offset) & first.mask;
    return first_part | (load_word(row + second.offset) & second.mask) << second_shift;
  }
};

/// The queries that wait for each value of a key.
struct QueryIndex {
  KeyFields fields;
  KeyTable queries;
};

/// A query that is tried on every row: its first condition stands here, so that most rows cost one comparison.
struct TriedAlways {
  WordCondition first;
  Conditions::Query rest;
  uint32_t query = 0;
};

struct Plan {
  Conditions conditions;
  std::vector<QueryIndex> indexes;
  std::vector<TriedAlways> tried_always;
};

const ReadyBetween* most_selective_equality(const RowStore& store, const ReadyQuery& query) {
  const ReadyBetween* best = nullptr;
  double best_share = kAccessShareMax;
  for (const ReadyBetween& between : query) {
    if (between.is_equality() && store.table().columns()[between.column].width <= sizeof(uint64_t) &&
        store.share(between) < best_share) {
      best = &between;
      best_share = store.share(between);
    }
  }
  return best;
}

Plan make_plan(const RowStore& store, const std::vector<ReadyQuery>& queries, Classic kind) {
  Plan plan;
  std::map<uint32_t, std::pair<KeyFields, std::vector<KeyTable::Entry>>> indexes;  // kTicketColumns: of both.
  const uint32_t flight_bits = 64 - static_cast<uint32_t>(std::countl_zero(store.field(kFlight).mask));
  for (uint32_t number = 0; number < queries.size(); ++number) {
    const ReadyQuery& query = queries[number];
    const ReadyBetween* flight = equality_on(query, kFlight);
    const ReadyBetween* day = equality_on(query, kDateIn);
    if (kind == Classic::kComposite && flight != nullptr && day != nullptr) {
      const KeyFields fields{store.field(kFlight), store.field(kDateIn), flight_bits};
      const uint64_t key = flight->low_word | day->low_word << flight_bits;
      auto& index = indexes[kTicketColumns];
      index.first = fields;
      index.second.emplace_back(key, number);
      store.compile(query, uint64_t{1} << kFlight | uint64_t{1} << kDateIn, plan.conditions);
    } else if (const ReadyBetween* path = most_selective_equality(store, query); path != nullptr) {
      auto& index = indexes[path->column];
      index.first = {store.field(path->column), {}, 0};
      index.second.emplace_back(path->low_word, number);
      store.compile(query, uint64_t{1} << path->column, plan.conditions);
    } else {
      store.compile(query, 0, plan.conditions);
      Conditions::Query rest = plan.conditions.queries[number];
      const WordCondition& first = plan.conditions.all[rest.first];
      if (first.tail_size == 0) {  // Otherwise a bound of it is not settled yet: it is tested again.
        ++rest.first;
        --rest.count;
      }
      plan.tried_always.push_back({first, rest, number});
    }
  }
  for (auto& [column, index] : indexes) {
    plan.indexes.push_back({index.first, KeyTable(std::move(index.second))});
  }
  return plan;
}

/// Holds what a sweep writes to.
struct Results {
  explicit Results(size_t query_count) : answers(query_count), rows(query_count) {}

  std::vector<Answer> answers;
  std::vector<std::string> rows;
};

/// Kept out of the loop over rows, whose registers are few.
[[gnu::noinline]] void try_query(const RowStore& store, const Conditions& conditions, const Conditions::Query& query,
                                 uint32_t number, const uint8_t* row, Results& results) {
  if (RowStore::matches(conditions, query, row)) {
    store.write_out(row, results.rows[number], results.answers[number]);
  }
}

}  // namespace

std::vector<Answer> classic_sweep(const RowStore& store, const std::vector<ReadyQuery>& queries, Classic kind) {
  constexpr uint32_t kRowsAhead = 16;  // Far enough to hide a miss; the rows behind the last are not read.
  const Plan plan = make_plan(store, queries, kind);
  Results results(queries.size());
  const uint8_t* row = store.row(0);
  const size_t row_size = store.row_size();
  for (const uint8_t* const end = store.row(store.row_count()); row != end; row += row_size) {
    __builtin_prefetch(row + kRowsAhead * row_size);
    for (const QueryIndex& index : plan.indexes) {
      for (const uint32_t number : index.queries.find(index.fields.key(row))) {
        try_query(store, plan.conditions, plan.conditions.queries[number], number, row, results);
      }
    }
    for (const TriedAlways& tried : plan.tried_always) {
      if (RowStore::holds(tried.first, row)) {
        try_query(store, plan.conditions, tried.rest, tried.query, row, results);
      }
    }
  }
  return std::move(results.answers);
}

}  // namespace daedalus::engine::bench

#include "query_plan.hpp"

#include <algorithm>
#include <map>

namespace daedalus::engine {
namespace {

/// Probing an index costs a few passes of a comparison over the column: fewer queries are cheaper one by one.
constexpr uint32_t kIndexQueriesMin = 4;
/// Longer IN lists are searched, not indexed.
constexpr uint32_t kIndexValuesMax = 64;
/// Rows looked at to guess how many different values a column has.
constexpr uint32_t kSampleRows = 64;

/// How rare a single value of a column is; kCommon is not worth an index.
enum class Rarity : uint8_t { kCommon, kUncommon, kRare };

struct Candidate {
  uint32_t query = 0;
  uint32_t clause = 0;
  uint32_t column = 0;
};

/// Which live row to look at, one out of each stride: at no fixed distance, because data often repeats at one.
uint64_t sampled_row(uint64_t sample, uint64_t stride) {
  constexpr uint64_t kOddRatio = 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio: its multiples spread evenly.
  return sample * stride + ((sample + 1) * kOddRatio >> 32) % stride;
}

/// Up to kSampleRows live slots from all over the segment.
std::vector<uint32_t> sample_slots(const ChunkStore& store) {
  uint64_t live_rows = 0;
  for (uint32_t chunk = 0; chunk < store.chunk_count(); ++chunk) {
    live_rows += store.live_rows(chunk);
  }
  std::vector<uint32_t> slots;
  const uint64_t stride = std::max<uint64_t>(1, live_rows / kSampleRows);
  uint64_t passed = 0;  // Live rows of earlier chunks.
  for (uint32_t chunk = 0; chunk < store.chunk_count() && slots.size() < kSampleRows; ++chunk) {
    uint64_t row_number = passed;
    passed += store.live_rows(chunk);
    if (sampled_row(slots.size(), stride) >= passed) {
      continue;
    }
    const ChunkView view = store.view(chunk);
    for_each_bit(view.live, view.word_count(), [&](uint32_t row) {
      if (row_number++ == sampled_row(slots.size(), stride) && slots.size() < kSampleRows) {
        slots.push_back(chunk * store.chunk_rows() + row);
      }
    });
  }
  return slots;
}

Rarity rarity_of(const TableLayout& layout, const ChunkStore& store, uint32_t column,
                 const std::vector<uint32_t>& slots) {
  const ColumnLayout& plane = layout.columns[column];
  std::vector<const uint8_t*> values;
  for (const uint32_t slot : slots) {
    values.push_back(store.planes(slot / store.chunk_rows())[column] + size_t{slot % store.chunk_rows()} * plane.width);
  }
  std::sort(values.begin(), values.end(),
            [&](const uint8_t* left, const uint8_t* right) { return compare_native(plane, left, right) < 0; });
  const auto end = std::unique(values.begin(), values.end(), [&](const uint8_t* left, const uint8_t* right) {
    return compare_native(plane, left, right) == 0;
  });
  const auto distinct = static_cast<uint64_t>(end - values.begin());
  if (distinct * 4 >= slots.size() * 3) {
    return Rarity::kRare;
  }
  return distinct * 8 >= slots.size() ? Rarity::kUncommon : Rarity::kCommon;
}

std::vector<Candidate> candidates_of(const std::vector<QueryRun>& queries) {
  std::vector<Candidate> candidates;
  for (uint32_t query = 0; query < queries.size(); ++query) {
    if (!queries[query].is_active()) {
      continue;
    }
    const std::vector<CompiledClause>& clauses = queries[query].predicate().clauses();
    for (uint32_t clause = 0; clause < clauses.size(); ++clause) {
      const CompiledLiteral& literal = clauses[clause][0];
      if (clauses[clause].size() == 1 && literal.is_equality() && literal.constant_count <= kIndexValuesMax) {
        candidates.push_back({query, clause, literal.column});
      }
    }
  }
  return candidates;
}

/// What is known of a column that queries could be found by.
struct ColumnUse {
  Rarity rarity = Rarity::kCommon;
  uint32_t queries = 0;

  [[nodiscard]] bool is_better_than(const ColumnUse& other) const {
    return rarity != other.rarity ? rarity > other.rarity : queries > other.queries;
  }
};

/// By query: the best candidate whose column is worth an index.
std::vector<std::optional<Candidate>> choose(const TableLayout& layout, const ChunkStore& store, size_t query_count,
                                             const std::vector<Candidate>& candidates) {
  std::vector<std::optional<Candidate>> chosen(query_count);
  std::map<uint32_t, ColumnUse> uses;
  for (const Candidate& candidate : candidates) {
    ++uses[candidate.column].queries;
  }
  std::erase_if(uses, [](const auto& use) { return use.second.queries < kIndexQueriesMin; });
  if (uses.empty()) {
    return chosen;
  }
  const std::vector<uint32_t> slots = sample_slots(store);
  for (auto& [column, use] : uses) {
    use.rarity = rarity_of(layout, store, column, slots);
  }
  std::erase_if(uses, [](const auto& use) { return use.second.rarity == Rarity::kCommon; });
  for (const Candidate& candidate : candidates) {
    const auto use = uses.find(candidate.column);
    std::optional<Candidate>& best = chosen[candidate.query];
    if (use != uses.end() && (!best.has_value() || use->second.is_better_than(uses.at(best->column)))) {
      best = candidate;
    }
  }
  return chosen;
}

}  // namespace

QueryPlan plan_queries(const TableLayout& layout, const ChunkStore& store, const std::vector<QueryRun>& queries) {
  QueryPlan plan;
  plan.indexed_clause.resize(queries.size());
  const std::vector<std::optional<Candidate>> chosen = choose(layout, store, queries.size(), candidates_of(queries));
  std::map<uint32_t, size_t> index_of_column;
  for (uint32_t query = 0; query < queries.size(); ++query) {
    if (!queries[query].is_active()) {
      continue;
    }
    if (!chosen[query].has_value()) {
      plan.scans.push_back(query);
      continue;
    }
    const uint32_t column = chosen[query]->column;
    const auto [entry, is_new] = index_of_column.try_emplace(column, plan.indexes.size());
    if (is_new) {
      plan.indexes.emplace_back(layout.columns[column], column);
    }
    const uint32_t clause = chosen[query]->clause;
    const CompiledLiteral& literal = queries[query].predicate().clauses()[clause][0];
    for (uint32_t constant = 0; constant < literal.constant_count; ++constant) {
      plan.indexes[entry->second].add(literal.constants.data() + size_t{constant} * layout.columns[column].width,
                                      query);
    }
    plan.indexed_clause[query] = clause;
  }
  for (AccessIndex& index : plan.indexes) {
    index.build();
  }
  return plan;
}

}  // namespace daedalus::engine

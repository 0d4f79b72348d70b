#include "hash_index.hpp"

namespace daedalus::engine::bench {
namespace {

constexpr uint32_t kFlightBits = 32;

uint64_t joined(uint64_t flight, uint64_t day) { return flight | day << kFlightBits; }

}  // namespace

HashIndex::HashIndex(const RowStore& store) : store_(&store) {
  const Field flight = store.field(kFlight);
  const Field day = store.field(kDateIn);
  std::vector<KeyTable::Entry> entries;
  entries.reserve(store.row_count());
  for (uint32_t number = 0; number < store.row_count(); ++number) {
    const uint8_t* row = store.row(number);
    entries.emplace_back(joined(load_word(row + flight.offset) & flight.mask, load_word(row + day.offset) & day.mask),
                         number);
  }
  rows_ = KeyTable(std::move(entries));
}

bool HashIndex::serves(const ReadyQuery& query) {
  return equality_on(query, kFlight) != nullptr && equality_on(query, kDateIn) != nullptr;
}

std::vector<HashIndex::Candidate> HashIndex::candidates(const std::vector<ReadyQuery>& queries) const {
  constexpr size_t kPlacesAhead = 24;
  constexpr size_t kItemsAhead = 12;
  std::vector<uint64_t> keys;
  for (const ReadyQuery& query : queries) {
    keys.push_back(joined(equality_on(query, kFlight)->low_word, equality_on(query, kDateIn)->low_word));
  }
  std::vector<Candidate> found;
  for (size_t number = 0; number < keys.size() + kPlacesAhead; ++number) {
    if (number < keys.size()) {
      rows_.fetch_place(keys[number]);
    }
    if (const size_t items = number - (kPlacesAhead - kItemsAhead); items < keys.size()) {
      __builtin_prefetch(rows_.find(keys[items]).data());
    }
    if (const size_t query = number - kPlacesAhead; query < keys.size()) {
      for (const uint32_t row : rows_.find(keys[query])) {
        found.push_back({static_cast<uint32_t>(query), row});
      }
    }
  }
  return found;
}

void HashIndex::fetch(const Conditions& conditions, Candidate candidate) const {
  constexpr uint32_t kConditions = 2;  // Most candidates fail one of them; few more are read.
  const uint8_t* row = store_->row(candidate.row);
  __builtin_prefetch(row);
  const Conditions::Query& query = conditions.queries[candidate.query];
  for (uint32_t number = 0; number < std::min(kConditions, query.count); ++number) {
    __builtin_prefetch(row + conditions.all[query.first + number].field.offset);
  }
}

std::vector<Answer> HashIndex::answer(const std::vector<ReadyQuery>& queries) const {
  constexpr size_t kRowsAhead = 12;
  std::vector<Answer> answers(queries.size());
  std::vector<std::string> results(queries.size());
  Conditions conditions;
  for (const ReadyQuery& query : queries) {
    store_->compile(query, uint64_t{1} << kFlight | uint64_t{1} << kDateIn, conditions);
  }
  const std::vector<Candidate> found = candidates(queries);
  for (size_t number = 0; number < found.size(); ++number) {
    if (number + kRowsAhead < found.size()) {
      fetch(conditions, found[number + kRowsAhead]);
    }
    const auto& [query, candidate] = found[number];
    const uint8_t* row = store_->row(candidate);
    if (RowStore::matches(conditions, conditions.queries[query], row)) {
      store_->write_out(row, results[query], answers[query]);
    }
  }
  return answers;
}

}  // namespace daedalus::engine::bench

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

bool HashIndex::serves(const TicketQuery& query) {
  return equality_on(query, kFlight) != nullptr && equality_on(query, kDateIn) != nullptr;
}

std::vector<Answer> HashIndex::answer(const std::vector<TicketQuery>& queries) const {
  std::vector<Answer> answers(queries.size());
  std::vector<std::string> results(queries.size());
  Conditions conditions;
  for (uint32_t number = 0; number < queries.size(); ++number) {
    const TicketQuery& query = queries[number];
    store_->compile(query, uint64_t{1} << kFlight | uint64_t{1} << kDateIn, conditions);
    const uint64_t key = joined(store_->key_of(kFlight, equality_on(query, kFlight)->low),
                                store_->key_of(kDateIn, equality_on(query, kDateIn)->low));
    for (const uint32_t candidate : rows_.find(key)) {
      const uint8_t* row = store_->row(candidate);
      if (RowStore::matches(conditions, conditions.queries[number], row)) {
        store_->write_out(row, results[number], answers[number]);
      }
    }
  }
  return answers;
}

}  // namespace daedalus::engine::bench

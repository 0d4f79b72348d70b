#include "cells.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace daedalus::engine::bench {
namespace {

std::vector<Answer> answers_of(const std::vector<QueryOutput>& outputs) {
  std::vector<Answer> answers;
  std::transform(outputs.begin(), outputs.end(), std::back_inserter(answers), answer_of);
  return answers;
}

void run_classic(Bench& bench, Classic kind, const std::vector<TicketQuery>& asked,
                 const std::vector<QueryOutput>& outputs, std::vector<double>& times) {
  const RowStore& store = bench.store();
  const std::vector<ReadyQuery> queries = store.make_ready(asked);
  bench.caches.evict();
  std::vector<Answer> answers;
  times.push_back(milliseconds([&] { answers = classic_sweep(store, queries, kind); }));
  CHECK(answers == answers_of(outputs));
}

void run_index(Bench& bench, const std::vector<TicketQuery>& asked, const std::vector<QueryOutput>& outputs,
               CellResult& result) {
  const std::vector<ReadyQuery> queries = bench.store().make_ready(asked);
  std::vector<ReadyQuery> served;
  std::vector<Answer> expected;
  for (size_t number = 0; number < queries.size(); ++number) {
    if (HashIndex::serves(queries[number])) {
      served.push_back(queries[number]);
      expected.push_back(answer_of(outputs[number]));
    }
  }
  const HashIndex& index = bench.index();
  bench.caches.evict();
  std::vector<Answer> answers;
  result.index_ms.push_back(milliseconds([&] { answers = index.answer(served); }));
  result.index_queries.push_back(static_cast<double>(served.size()));
  CHECK(answers == expected);
}

void run_keys(Bench& bench, CellResult& result) {
  const KeyColumns& keys = bench.keys();
  bench.caches.evict();
  uint64_t sum = 1;
  result.keys_ms.push_back(milliseconds([&] { sum = keys.read(); }));
  CHECK(sum == 0);  // The columns hold zeros; what is read must not be optimised away.
}

/// How many columns' sketches the sweep reads at least: of both keys where all but a few queries have them; else of
/// each column that some query compares.
uint32_t sketches_read(const std::vector<TicketQuery>& queries) {
  uint64_t columns = 0;
  size_t without_key = 0;
  for (const TicketQuery& query : queries) {
    without_key += equality_on(query, kFlight) == nullptr || equality_on(query, kDateIn) == nullptr ? 1 : 0;
    for (const Between& between : query) {
      columns |= uint64_t{1} << between.column;
    }
  }
  return without_key * 10 < queries.size() ? 2 : static_cast<uint32_t>(std::popcount(columns));
}

void run_floor(Bench& bench, const std::vector<TicketQuery>& queries, CellResult& result) {
  const std::span<const uint8_t> bytes = bench.sketches(sketches_read(queries));
  bench.caches.evict();
  uint64_t sum = 1;
  result.floor_ms.push_back(milliseconds([&] { sum = read_bytes(bytes); }));
  CHECK(sum == 0);  // The bytes are zeros; what is read must not be optimised away.
}

/// Compares a random choice of answers with the model's.
void check_contents(Bench& bench, const std::vector<TicketQuery>& queries, const std::vector<QueryOutput>& outputs,
                    uint32_t checked_max, Random& random, CellResult& result) {
  std::vector<uint32_t> chosen(queries.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  std::shuffle(chosen.begin(), chosen.end(), random);
  chosen.resize(std::min<size_t>(chosen.size(), checked_max));
  std::vector<TicketQuery> asked;
  for (const uint32_t number : chosen) {
    asked.push_back(queries[number]);
  }
  const std::vector<Content> expected = bench.model().contents(asked);
  for (size_t place = 0; place < chosen.size(); ++place) {
    const QueryOutput& output = outputs[chosen[place]];
    const Content content = content_of(output.rows);
    result.wrong += content == expected[place] && content.rows == output.row_count ? 0 : 1;
  }
  result.checked += chosen.size();
}

void run_once(Bench& bench, const CellRequest& request, Random& random, CellResult& result) {
  const std::vector<TicketQuery> queries = make_queries(bench.table, parse_mix(request.mix), request.queries, random);
  const Selections selections = to_selections(bench.table, queries);
  const std::vector<TicketUpdate> updates = make_updates(bench.table, request.updates, random);
  std::vector<UpdatePart> parts;
  for (const TicketUpdate& update : updates) {
    parts.push_back(to_part(bench.table, update));
  }
  EngineUnderTest& engine = bench.engine();
  if (request.without_updates) {
    bench.caches.evict();
    std::vector<QueryOutput> outputs;
    result.without_updates_ms.push_back(milliseconds([&] { outputs = engine.cycle(selections); }));
  }
  bench.caches.evict();
  std::vector<QueryOutput> outputs;
  result.engine_ms.push_back(milliseconds([&] { outputs = engine.cycle(selections, parts, request.moment); }));
  if (request.moment == Moment::kAfterUpdates) {
    bench.apply(updates);
  }
  result.rows = std::accumulate(outputs.begin(), outputs.end(), uint64_t{0},
                                [](uint64_t sum, const QueryOutput& output) { return sum + output.row_count; });
  if (request.keys) {
    run_keys(bench, result);
  }
  if (request.floor) {
    run_floor(bench, queries, result);
  }
  if (request.classic) {
    run_classic(bench, Classic::kOneAttribute, queries, outputs, result.classic_ms);
  }
  if (request.classic_plus) {
    run_classic(bench, Classic::kComposite, queries, outputs, result.classic_plus_ms);
  }
  if (request.index) {
    run_index(bench, queries, outputs, result);
  }
  const double so_far = std::accumulate(result.engine_ms.begin(), result.engine_ms.end(), 0.0);
  const bool is_last = result.engine_ms.size() == request.runs || so_far >= request.budget_ms;
  if (is_last && request.checked_max > 0) {
    check_contents(bench, queries, outputs, request.checked_max, random, result);
  }
  if (request.moment == Moment::kBeforeUpdates) {
    bench.apply(updates);
  }
}

}  // namespace

EngineUnderTest& Bench::engine() {
  if (engine_ == nullptr) {
    engine_ = std::make_unique<EngineUnderTest>(table);
    EngineUnderTest::load(table, {engine_.get()});
    engine_->settle();
  }
  return *engine_;
}

RowStore& Bench::store() {
  if (store_ == nullptr) {
    store_ = std::make_unique<RowStore>(table);
    for (const TicketUpdate& update : applied_) {
      for (const uint32_t row : model().rows_of(update)) {
        store_->set(row, kSeat, update.seat);
      }
    }
  }
  return *store_;
}

HashIndex& Bench::index() {
  if (index_ == nullptr) {
    index_ = std::make_unique<HashIndex>(store());
  }
  return *index_;
}

PlainModel& Bench::model() {
  if (model_ == nullptr) {
    model_ = std::make_unique<PlainModel>(table);
  }
  return *model_;
}

KeyColumns& Bench::keys() {
  if (keys_ == nullptr) {
    keys_ = std::make_unique<KeyColumns>(table);
  }
  return *keys_;
}

std::span<const uint8_t> Bench::sketches(uint32_t columns) {
  if (sketches_ == nullptr) {
    sketches_ = std::make_unique<HugeArray<uint8_t>>(size_t{table.row_count()} * table.column_count());
  }
  return sketches_->bytes().first(size_t{table.row_count()} * columns);
}

void Bench::apply(const std::vector<TicketUpdate>& updates) {
  for (const TicketUpdate& update : updates) {
    for (const uint32_t row : model().rows_of(update)) {
      model().set_seat(row, update.seat);
      if (store_ != nullptr) {
        store_->set(row, kSeat, update.seat);
      }
    }
  }
  if (store_ == nullptr) {
    applied_.insert(applied_.end(), updates.begin(), updates.end());
  }
}

CellResult run_cell(Bench& bench, const CellRequest& request) {
  CellResult result;
  Random random(request.seed);
  if (request.warm) {
    CellRequest warm_up{.mix = request.mix,
                        .queries = request.queries,
                        .updates = request.updates,
                        .checked_max = 0,
                        .moment = request.moment};
    run_once(bench, warm_up, random, result);
    result = {};
  }
  double so_far = 0;
  for (uint32_t run = 0; run < request.runs && so_far < request.budget_ms; ++run) {
    run_once(bench, request, random, result);
    so_far += result.engine_ms.back();
  }
  return result;
}

}  // namespace daedalus::engine::bench

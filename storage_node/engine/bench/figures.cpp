#include "figures.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <map>
#include <thread>

#include "query_forms.hpp"

namespace daedalus::engine::bench {
namespace {

/// Holds what one cycle is asked, ready to be enqueued.
struct Batch {
  Batch(const TicketTable& table, const Load& load, Random& random)
      : selections(make_selections(table, load.mix, load.queries, random)), moment(load.moment) {
    for (const TicketUpdate& update : make_updates(table, load.updates, random)) {
      updates.push_back(to_part(table, update));
    }
  }

  double run(EngineUnderTest& engine) const {
    std::vector<QueryOutput> outputs;
    return milliseconds([&] { outputs = engine.cycle(selections, updates, moment); });
  }

  Selections selections;
  std::vector<UpdatePart> updates;
  Moment moment;
};

/// Memory that grows with the load grows in its first cycles.
void warm_up(const TicketTable& table, EngineUnderTest& engine, const Load& load) {
  constexpr uint32_t kCycles = 3;
  Random random(load.seed + 1'000'000);
  for (uint32_t cycle = 0; cycle < kCycles; ++cycle) {
    Batch(table, load, random).run(engine);
  }
}

void pin_to(uint32_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  // If there is no such core the figure shows it.
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof cores, &cores));
}

}  // namespace

struct Sizes::Size {
  Size(uint32_t rows, uint32_t domain_rows) : table(rows, domain_rows), engine(table) {
    EngineUnderTest::load(table, {&engine});
    engine.settle();
  }

  TicketTable table;
  EngineUnderTest engine;
};

Sizes::Sizes(const std::vector<uint32_t>& row_counts) {
  const uint32_t domain_rows = *std::max_element(row_counts.begin(), row_counts.end());
  for (const uint32_t rows : row_counts) {
    sizes_.push_back(std::make_shared<Size>(rows, domain_rows));
  }
}

std::vector<std::vector<double>> Sizes::run(const Load& load) {
  std::vector<std::vector<double>> times(sizes_.size());
  Random random(load.seed);
  for (const auto& size : sizes_) {
    warm_up(size->table, size->engine, load);
  }
  for (uint32_t run = 0; run < load.runs; ++run) {
    for (size_t at = 0; at < sizes_.size(); ++at) {
      const Batch batch(sizes_[at]->table, load, random);
      caches_.evict();
      times[at].push_back(batch.run(sizes_[at]->engine));
    }
  }
  return times;
}

AccessPaths paths_of(const std::string& name) {
  static const std::map<std::string, AccessPaths> kNames = {{"by_cost", AccessPaths::kByCost},
                                                            {"keys", AccessPaths::kKeys},
                                                            {"sketches", AccessPaths::kSketches},
                                                            {"passes", AccessPaths::kPasses},
                                                            {"masks", AccessPaths::kMasks},
                                                            {"cells", AccessPaths::kCells},
                                                            {"without_keys", AccessPaths::kWithoutKeys},
                                                            {"without_pairs", AccessPaths::kWithoutPairs},
                                                            {"without_sketch_keys", AccessPaths::kWithoutSketchKeys},
                                                            {"without_value_keys", AccessPaths::kWithoutValueKeys},
                                                            {"without_alternatives", AccessPaths::kWithoutAlternatives},
                                                            {"without_masks", AccessPaths::kWithoutMasks},
                                                            {"without_bitmaps", AccessPaths::kWithoutBitmaps},
                                                            {"without_buckets", AccessPaths::kWithoutBuckets},
                                                            {"without_windows", AccessPaths::kWithoutWindows},
                                                            {"without_gathering", AccessPaths::kWithoutGathering},
                                                            {"without_bounds", AccessPaths::kWithoutBounds},
                                                            {"without_cells", AccessPaths::kWithoutCells}};
  const auto found = kNames.find(name);
  CHECK(found != kNames.end());
  return found->second;
}

Strategies::Strategies(uint32_t rows, std::vector<AccessPaths> ways) : table_(rows), ways_(std::move(ways)) {
  std::vector<EngineUnderTest*> engines;
  for (const AccessPaths paths : ways_) {
    engines_.push_back(std::make_unique<EngineUnderTest>(table_, paths));
    engines.push_back(engines_.back().get());
  }
  EngineUnderTest::load(table_, engines);
  for (EngineUnderTest* engine : engines) {
    engine->settle();
  }
}

std::vector<std::vector<double>> Strategies::run(const Load& load, const std::vector<AccessPaths>& asked,
                                                 double hopeless_ms) {
  std::vector<std::vector<double>> times(asked.size());
  std::vector<bool> is_hopeless(asked.size());
  Random random(load.seed);
  for (uint32_t run = 0; run <= load.runs; ++run) {
    const Batch batch(table_, load, random);
    std::vector<Content> first;
    double first_ms = 0;
    for (size_t at = 0; at < engines_.size(); ++at) {
      const auto place = static_cast<size_t>(std::find(asked.begin(), asked.end(), ways_[at]) - asked.begin());
      if (place == asked.size() || is_hopeless[place]) {
        engines_[at]->cycle({}, batch.updates);
        continue;
      }
      caches_.evict();
      std::vector<QueryOutput> outputs;
      const double time =
          processor_milliseconds([&] { outputs = engines_[at]->cycle(batch.selections, batch.updates); });
      first_ms = first.empty() ? time : first_ms;
      is_hopeless[place] = run == 0 && time > hopeless_ms && time > 3 * first_ms;
      if (run > 0 || is_hopeless[place]) {  // The first warms up.
        times[place].push_back(time);
      }
      std::vector<Content> contents;
      std::transform(outputs.begin(), outputs.end(), std::back_inserter(contents),
                     [](const QueryOutput& output) { return content_of(output.rows); });
      CHECK(first.empty() || contents == first);
      first = std::move(contents);
    }
  }
  return times;
}

TwoSegments run_two_segments(uint32_t rows, const Load& load) {
  const TicketTable table(rows);
  TwoSegments result;
  std::vector<double> alone(2);
  std::vector<double> together(2);
  std::barrier step(2);
  const auto work = [&](uint32_t core) {
    pin_to(core);
    EngineUnderTest engine(table);  // By its own core, which touches its memory first.
    EngineUnderTest::load(table, {&engine});
    engine.settle();
    warm_up(table, engine, load);
    Random random(load.seed + core);
    for (uint32_t run = 0; run < load.runs; ++run) {
      constexpr uint32_t kCyclesPerRun = 20;
      std::vector<Batch> batches;
      for (uint32_t cycle = 0; cycle < kCyclesPerRun; ++cycle) {
        batches.emplace_back(table, load, random);
      }
      const auto run_all = [&] {
        const double time = milliseconds([&] {
          for (const Batch& batch : batches) {
            batch.run(engine);
          }
        });
        return time / kCyclesPerRun;
      };
      for (uint32_t turn = 0; turn < 2; ++turn) {
        step.arrive_and_wait();
        if (turn == core) {
          alone[core] = run_all();
        }
      }
      step.arrive_and_wait();
      together[core] = run_all();
      step.arrive_and_wait();
      if (core == 0) {
        result.alone_ms.push_back((alone[0] + alone[1]) / 2);
        result.together_ms.push_back((together[0] + together[1]) / 2);
      }
    }
  };
  std::thread other(work, 1);
  std::thread one(work, 0);  // Not this thread: it shall stay free to run anywhere.
  one.join();
  other.join();
  return result;
}

Steady run_steady(uint32_t rows, uint32_t cycles, const Load& load) {
  constexpr uint32_t kBatches = 256;  // Asked again and again: making 10,000 would take longer than the cycles.
  constexpr uint32_t kWarmUpCycles = 64;
  const TicketTable table(rows);
  EngineUnderTest engine(table);
  EngineUnderTest::load(table, {&engine});
  engine.settle();
  Random random(load.seed);
  std::vector<Batch> batches;
  for (uint32_t batch = 0; batch < kBatches; ++batch) {
    batches.emplace_back(table, load, random);
  }
  std::vector<double> first;
  for (uint32_t cycle = 0; cycle < kWarmUpCycles; ++cycle) {
    first.push_back(batches[cycle % kBatches].run(engine));
  }
  // As much memory as takes about as long to read as a cycle lasts: both meet as many disturbances.
  constexpr double kBytesPerMillisecond = 16e6;
  const HugeArray<uint8_t> memory(static_cast<size_t>(kBytesPerMillisecond * median(first)) + 64);
  Steady result;
  uint64_t sum = 0;
  for (uint32_t cycle = 0; cycle < cycles; ++cycle) {
    result.cycle_ms.push_back(batches[cycle % kBatches].run(engine));
    result.read_ms.push_back(milliseconds([&] { sum += read_bytes(memory.bytes()); }));
  }
  CHECK(sum == 0);  // The memory holds zeros; what is read must not be optimised away.
  return result;
}

Bulk run_bulk(uint32_t rows, const Load& load) {
  constexpr uint32_t kWarmUpRuns = 2;
  const TicketTable table(rows);
  EngineUnderTest engine(table);
  EngineUnderTest::load(table, {&engine});
  engine.settle();
  Random random(load.seed);
  Bulk result;
  const auto run = [&](std::vector<double>& times, const std::vector<UpdatePart>& updates, Moment moment,
                       const Selections& selections) {
    times.push_back(processor_milliseconds([&] { engine.cycle(selections, updates, moment); }));
  };
  for (uint32_t number = 0; number < kWarmUpRuns + load.runs; ++number) {
    if (number == kWarmUpRuns) {
      result = {};
    }
    const Selections selections = make_selections(table, load.mix, load.queries, random);
    const std::vector<UpdatePart> updates = {third_part(table, random)};
    run(result.queries_ms, {}, Moment::kAfterUpdates, selections);
    run(result.update_ms, updates, Moment::kAfterUpdates, {});
    run(result.after_ms, updates, Moment::kAfterUpdates, selections);
    run(result.before_ms, updates, Moment::kBeforeUpdates, selections);
  }
  return result;
}

Aggregate run_aggregate(Bench& bench, uint32_t column, uint32_t runs) {
  const HugeArray<uint8_t> plain(size_t{bench.table.row_count()} * bench.table.columns()[column].width);
  const Selections selections = {{sum_of_column(bench.table.schema(), column)}};
  EngineUnderTest& engine = bench.engine();
  engine.cycle(selections);
  Aggregate result;
  uint64_t sum = 0;
  for (uint32_t run = 0; run < runs; ++run) {
    bench.caches.evict();
    result.engine_ms.push_back(milliseconds([&] { engine.cycle(selections); }));
    bench.caches.evict();
    result.read_ms.push_back(milliseconds([&] { sum += read_bytes(plain.bytes()); }));
  }
  CHECK(sum == 0);
  return result;
}

}  // namespace daedalus::engine::bench

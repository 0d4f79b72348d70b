// One cycle over a ticket table under the mixes of the workload, beside its baselines, in one process on one core.
//
// Everything a cycle costs is inside the measured time: enqueueing, compiling, planning, the sweep, encoding, handing
// over. Answers are compared with the baseline's, so that a fast wrong one shows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

#include "classic.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine::bench {
namespace {

struct Options {
  uint32_t rows = 1u << 20;
  uint32_t runs = 5;
  uint32_t classic_queries_max = 512;  // Beyond, the baselines take minutes.
  uint64_t seed = 1;
  std::vector<uint32_t> counts = {1, 16, 64, 256, 512, 1024, 4096};
  std::vector<uint32_t> updates;
  std::vector<std::string> mixes = {"booking", "any-0", "any-1", "any-2", "hard-0", "hard-1", "hard-2"};
};

class Machine {
 public:
  /// Empties the caches, as far as reading something else does.
  void evict() {
    for (size_t at = 0; at < dirt_.size(); at += 64) {
      dirt_[at] = static_cast<uint8_t>(dirt_[at] + 1);
    }
  }

 private:
  std::vector<uint8_t> dirt_ = std::vector<uint8_t>(160u << 20);
};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// The engine with the whole table in it.
class EngineUnderTest {
 public:
  explicit EngineUnderTest(const TicketTable& table)
      : table_(&table), codec_(table.schema()), segment_(table.schema(), codec_.codec(), options_for(table)) {
    constexpr uint32_t kRowsPerUpdate = 4096;
    for (uint32_t next = 0; next < table.row_count();) {
      auto bytes = std::make_shared<std::string>();
      const uint32_t end = std::min(table.row_count(), next + kRowsPerUpdate);
      for (; next < end; ++next) {
        table.append_packed(table.ordinals(next), *bytes);
      }
      InsertRows part{.owner = bytes};
      semantics::PackedRows rows(*bytes);
      while (const auto row = rows.next().value()) {
        part.rows.push_back(*row);
      }
      CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, {std::move(part)}}));
      CHECK(segment_.step({0}) && std::get<UpdateOutput>(*segment_.dequeue()).refused_no_room == 0);
    }
  }

  /// One cycle with these queries and updates; what the queries were answered.
  std::vector<Answer> cycle(const std::vector<std::shared_ptr<const semantics::Selection>>& queries,
                            const std::vector<UpdatePart>& updates) {
    for (const UpdatePart& part : updates) {
      CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, {part}}));
    }
    for (size_t number = 0; number < queries.size(); ++number) {
      CHECK(segment_.enqueue(Query{QueryHandle{number}, queries[number], kNever, nullptr}));
    }
    segment_.step({0});
    std::vector<Answer> answers(queries.size());
    while (const std::optional<Output> output = segment_.dequeue()) {
      if (const auto* answer = std::get_if<QueryOutput>(&*output)) {
        CHECK(!answer->error.has_value());
        answers[static_cast<size_t>(answer->handle)] = read(*answer);
      }
    }
    return answers;
  }

  /// One cycle with this aggregate alone.
  void sum(const std::shared_ptr<const semantics::Selection>& selection) {
    CHECK(segment_.enqueue(Query{QueryHandle{1}, selection, kNever, nullptr}));
    segment_.step({0});
    CHECK(!std::get<QueryOutput>(*segment_.dequeue()).error.has_value());
  }

  [[nodiscard]] SegmentStatistics statistics() const { return segment_.statistics(); }

 private:
  static SegmentOptions options_for(const TicketTable& table) {
    SegmentOptions options;
    options.memory_bytes = uint64_t{table.row_count()} * table.row_size() * 3 / 2 + (16u << 20);
    options.operations_in_flight_max = 131'072;
    options.share_factor_max = 65'536;
    options.updates_per_cycle_max = 65'536;
    return options;
  }

  static Answer read(const QueryOutput& output) {
    Answer answer{.rows = output.row_count};
    constexpr size_t kHead = (27 + 7) / 8;
    semantics::PackedRows rows(output.rows);
    while (const auto row = rows.next().value()) {
      int64_t id = 0;
      std::memcpy(&id, row->data() + kHead, sizeof id);
      answer.id_sum += static_cast<uint64_t>(id);
    }
    return answer;
  }

  const TicketTable* table_;
  semantics::GenericRowCodec codec_;
  Segment segment_;
  uint64_t timestamp_ = 0;
};

struct MixName {
  Mix mix = Mix::kBooking;
  double zipf = 0;
};

MixName parse_mix(const std::string& name) {
  if (name == "booking") {
    return {};
  }
  const size_t dash = name.find('-');
  CHECK(dash != std::string::npos);
  return {name.substr(0, dash) == "any" ? Mix::kAny : Mix::kHard, std::stod(name.substr(dash + 1))};
}

struct Bench {
  explicit Bench(const Options& given) : options(given), table(given.rows), rows(table), engine(table) {}

  void run(const std::string& name, uint32_t query_count, uint32_t update_count) {
    const MixName mix = parse_mix(name);
    std::vector<double> times;
    std::vector<double> classic_times;
    std::vector<double> plus_times;
    uint64_t found = 0;
    for (uint32_t run = 0; run <= options.runs; ++run) {
      Random random(options.seed + run);
      const std::vector<TicketQuery> queries = make_queries(table, mix.mix, mix.zipf, query_count, random);
      std::vector<std::shared_ptr<const semantics::Selection>> selections;
      for (const TicketQuery& query : queries) {
        selections.push_back(to_selection(table, query));
      }
      std::vector<UpdatePart> updates;
      for (uint32_t update = 0; update < update_count; ++update) {
        updates.push_back(make_update(table, random));
      }
      machine.evict();
      std::vector<Answer> answers;
      const double time = milliseconds([&] { answers = engine.cycle(selections, updates); });
      if (run == 0) {
        continue;  // Warms statistics up.
      }
      times.push_back(time);
      found = 0;
      for (const Answer& answer : answers) {
        found += answer.rows;
      }
      if (run == 1 && query_count <= options.classic_queries_max && update_count == 0) {
        std::vector<Answer> expected;
        classic_times.push_back(milliseconds([&] { expected = rows.sweep(queries, false); }));
        CHECK(expected == answers);
        plus_times.push_back(milliseconds([&] { expected = rows.sweep(queries, true); }));
        CHECK(expected == answers);
      }
    }
    const double time = median(times);
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    fmt::print("{:8} {:6} {:6} | {:9.2f} [{:.2f}, {:.2f}] | {:9.0f} | {:8} |", name, query_count, update_count, time,
               *least, *most, query_count / time * 1000, found);
    if (!classic_times.empty()) {
      fmt::print(" classic {:8.1f} ({:.1f}x) classic+ {:8.1f} ({:.1f}x)", classic_times[0], classic_times[0] / time,
                 plus_times[0], plus_times[0] / time);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  /// One sum over a whole column and nothing else, beside reading as many bytes.
  void run_aggregate() {
    auto selection = std::make_shared<semantics::Selection>();
    selection->outputs = {{.name = "sum", .is_aggregate = true, .function = semantics::AggregateFunction::kSum}};
    selection->outputs[0].column = kId;
    selection->visible_outputs = 1;
    selection->is_aggregated = true;
    const std::vector<int64_t> plain(table.row_count(), 1);
    std::vector<double> times;
    std::vector<double> reads;
    int64_t sum = 0;
    for (uint32_t run = 0; run < options.runs; ++run) {
      machine.evict();
      times.push_back(milliseconds([&] { engine.sum(selection); }));
      machine.evict();
      reads.push_back(milliseconds([&] { sum += std::accumulate(plain.begin(), plain.end(), int64_t{0}); }));
    }
    fmt::print("sum of a bigint column: {:.2f} ms, reading it {:.2f} ms (sum {})\n", median(times), median(reads), sum);
  }

  Options options;
  TicketTable table;
  RowStore rows;
  EngineUnderTest engine;
  Machine machine;
};

void run_all(const Options& options) {
  Bench bench(options);
  const SegmentStatistics statistics = bench.engine.statistics();
  fmt::print("{} rows of {} bytes, {} bytes a row reserved\n", options.rows, bench.table.row_size(),
             statistics.memory_bytes / statistics.rows_max);
  std::vector<double> times;
  uint64_t sum = 0;
  for (uint32_t run = 0; run < std::max(3u, options.runs); ++run) {
    bench.machine.evict();
    times.push_back(milliseconds([&] { sum += bench.rows.read_keys(); }));
  }
  fmt::print("reading the key columns: {:.2f} ms (sum {})\n", median(times), sum);
  bench.run_aggregate();
  fmt::print("mix     queries updates |  median ms [least, most] | queries/s |     rows | baselines, one run\n");
  for (const std::string& mix : options.mixes) {
    for (const uint32_t count : options.counts) {
      bench.run(mix, count, 0);
    }
  }
  for (const uint32_t update_count : options.updates) {
    for (const uint32_t query_count : {0u, 512u, 1024u}) {
      bench.run("booking", query_count, update_count);
    }
  }
}

}  // namespace
}  // namespace daedalus::engine::bench

int main(int argc, char** argv) {
  daedalus::engine::bench::Options options;
  CLI::App app("Cycles over a ticket table: engine and baselines");
  app.add_option("--rows", options.rows, "Rows of the table")->check(CLI::Range(1000u, 1u << 26));
  app.add_option("--runs", options.runs, "Cycles a figure is the median of, each with its own queries");
  app.add_option("--seed", options.seed, "Of queries and updates");
  app.add_option("--queries", options.counts, "Queries in a cycle, each figure measured in turn")->delimiter(',');
  app.add_option("--updates", options.updates, "Updates in a cycle beside 0, 512 and 1,024 booking queries")
      ->delimiter(',');
  app.add_option("--mixes", options.mixes, "booking, any-S, hard-S with the skew S")->delimiter(',');
  app.add_option("--classic-max", options.classic_queries_max, "Most queries that the baselines are run with");
  CLI11_PARSE(app, argc, argv);
  daedalus::engine::bench::run_all(options);
  return 0;
}

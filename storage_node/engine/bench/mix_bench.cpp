// Cycles over a ticket table under the mixes of the workload, beside their baselines: a table to read while the engine
// is worked on, or, with --serve, whatever a program asks for (experiments/clock_scan).
//
// Everything a cycle costs is inside the measured time: enqueueing, compiling, planning, the sweep, encoding, handing
// over. Answers are compared with the baselines' and a plain model's, so that a fast wrong one shows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>

#include "commands.hpp"
#include "figures.hpp"
#include "form_cells.hpp"

namespace daedalus::engine::bench {
namespace {

struct Options {
  bool serve = false;
  bool is_skewed = false;
  bool is_bulk = false;
  Width width = Width::kTicket;
  uint32_t rows = 1u << 20;
  uint32_t runs = 5;
  uint32_t classic_queries_max = 512;  // Beyond, the baselines take minutes.
  uint64_t seed = 1;
  std::vector<uint32_t> counts = {1, 16, 64, 256, 512, 1024, 4096};
  std::vector<uint32_t> updates;
  Moment moment = Moment::kAfterUpdates;
  uint64_t piece_bytes = 0;
  std::vector<std::string> forms;
  std::vector<std::string> mixes = {"booking", "any-0", "any-1", "any-2", "hard-0", "hard-1", "hard-2"};
};

void print_cell(Bench& bench, const Options& options, const std::string& mix, uint32_t queries, uint32_t updates) {
  CellRequest request{.mix = mix,
                      .queries = queries,
                      .updates = updates,
                      .runs = options.runs,
                      .seed = options.seed,
                      .moment = options.moment};
  const CellResult result = run_cell(bench, request);
  const double time = median(result.engine_ms);
  const auto [least, most] = std::minmax_element(result.engine_ms.begin(), result.engine_ms.end());
  fmt::print("{:8} {:6} {:6} | {:9.2f} [{:.2f}, {:.2f}] | {:9.0f} | {:8} | {}", mix, queries, updates, time, *least,
             *most, queries / time * 1000, result.rows, result.wrong == 0 ? "right" : "WRONG");
  if (queries <= options.classic_queries_max && updates == 0) {
    request.runs = 1;
    request.warm = false;
    request.checked_max = 0;
    request.classic = request.classic_plus = true;
    request.index = request.keys = mix == "booking";
    const CellResult beside = run_cell(bench, request);
    fmt::print(" | classic {:.1f} ({:.1f}x) classic+ {:.1f} ({:.1f}x)", beside.classic_ms[0],
               beside.classic_ms[0] / time, beside.classic_plus_ms[0], beside.classic_plus_ms[0] / time);
    if (request.index) {
      fmt::print(" index {:.2f} reading keys {:.2f}", beside.index_ms[0], beside.keys_ms[0]);
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_bulk(const Options& options) {
  const Bulk bulk =
      run_bulk(options.rows, {.queries = options.counts.front(), .runs = options.runs, .seed = options.seed});
  const auto print = [](const char* what, const std::vector<double>& times) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    fmt::print("{:40} {:9.2f} ms [{:.2f}, {:.2f}]\n", what, median(times), *least, *most);
  };
  print("booking queries", bulk.queries_ms);
  print("one update of a third of all rows", bulk.update_ms);
  print("both, queries after the update", bulk.after_ms);
  print("both, queries before the update", bulk.before_ms);
}

void print_forms(const Options& options) {
  Bench bench(options.rows, options.is_skewed ? Frequencies::kSkewed : Frequencies::kEqual, options.width);
  fmt::print("form         queries |  ms a query on the processor: median [least, most] |     rows\n");
  for (const std::string& form : options.forms) {
    for (const uint32_t count : options.counts) {
      const FormResult result =
          run_form(bench, {.form = form, .queries = count, .runs = options.runs, .seed = options.seed});
      const auto [least, most] = std::minmax_element(result.cpu_ms.begin(), result.cpu_ms.end());
      fmt::print("{:12} {:7} | {:9.3f} [{:.3f}, {:.3f}] | {:8} | {}\n", form, count, median(result.cpu_ms) / count,
                 *least / count, *most / count, result.rows, result.wrong == 0 ? "right" : "WRONG");
      std::fflush(stdout);
    }
  }
}

void print_all(const Options& options) {
  Bench bench(options.rows, options.is_skewed ? Frequencies::kSkewed : Frequencies::kEqual);
  bench.engine().ask_for_pieces(options.piece_bytes);
  const SegmentStatistics statistics = bench.engine().statistics();
  fmt::print("{} rows of {} bytes, {} bytes a row reserved\n", options.rows, bench.table.row_size(),
             statistics.memory_bytes / statistics.rows_max);
  for (const uint32_t column : {uint32_t{kId}, uint32_t{kFlight}}) {
    const Aggregate aggregate = run_aggregate(bench, column, std::max(3u, options.runs));
    fmt::print("sum of {}: {:.2f} ms, reading it {:.2f} ms\n", bench.table.columns()[column].name,
               median(aggregate.engine_ms), median(aggregate.read_ms));
  }
  fmt::print("mix     queries updates |  median ms [least, most] | queries/s |     rows | baselines, one run\n");
  for (const std::string& mix : options.mixes) {
    for (const uint32_t count : options.counts) {
      print_cell(bench, options, mix, count, 0);
    }
  }
  for (const uint32_t update_count : options.updates) {
    for (const uint32_t query_count : {0u, 512u, 1024u}) {
      print_cell(bench, options, "booking", query_count, update_count);
    }
  }
}

}  // namespace
}  // namespace daedalus::engine::bench

int main(int argc, char** argv) {
  using namespace daedalus::engine::bench;
  Options options;
  CLI::App app("Cycles over a ticket table: engine and baselines");
  app.add_flag("--serve", options.serve, "Read commands from stdin, answer in JSON; only --rows counts besides");
  app.add_flag("--bulk", options.is_bulk,
               "Instead of mixes: so many booking queries beside one update of a third of all rows");
  app.add_flag("--skewed", options.is_skewed, "Few values of a column are most of its rows");
  const std::map<std::string, Width> widths = {
      {"ticket", Width::kTicket}, {"narrow", Width::kNarrow}, {"wide", Width::kWide}};
  app.add_option("--table", options.width, "Of forms: ticket, 47 columns; narrow, 5; wide, 200")
      ->transform(CLI::CheckedTransformer(widths));
  app.add_option("--rows", options.rows, "Rows of the table")->check(CLI::Range(1000u, 1u << 26));
  app.add_option("--runs", options.runs, "Cycles a figure is the median of, each with its own queries");
  app.add_option("--seed", options.seed, "Of queries and updates");
  app.add_option("--queries", options.counts, "Queries in a cycle, each figure measured in turn")->delimiter(',');
  app.add_option("--updates", options.updates, "Updates in a cycle beside 0, 512 and 1,024 booking queries")
      ->delimiter(',');
  const std::map<std::string, Moment> moments = {{"after", Moment::kAfterUpdates}, {"before", Moment::kBeforeUpdates}};
  app.add_option("--moment", options.moment, "When queries see the table: after the updates of their cycle, or before")
      ->transform(CLI::CheckedTransformer(moments));
  app.add_option(
      "--piece-bytes", options.piece_bytes,
      "Of mixes: queries may end after so many bytes; 0: they may not. With fewer than an answer has it is wrong");
  app.add_option("--mixes", options.mixes, "booking, any-S, hard-S with the skew S")->delimiter(',');
  app.add_option("--forms", options.forms,
                 "Instead of mixes: list-K, codes-K, floats-K, or, pairs-K, keys-K, or-and, ranges-P, sums, flags, "
                 "recent-P, whole, "
                 "random-rows, random-counts, nested-K; of a narrow table: narrow, groups, groups-where")
      ->delimiter(',');
  app.add_option("--classic-max", options.classic_queries_max, "Most queries that the baselines are run with");
  CLI11_PARSE(app, argc, argv);
  if (options.serve) {
    serve(std::cin, options.rows);
  } else if (options.is_bulk) {
    print_bulk(options);
  } else if (!options.forms.empty()) {
    print_forms(options);
  } else {
    print_all(options);
  }
  return 0;
}

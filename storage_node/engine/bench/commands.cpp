#include "commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "figures.hpp"
#include "form_cells.hpp"
#include "form_text.hpp"
#include "ticket_text.hpp"

namespace daedalus::engine::bench {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

/// The words of a line after its name. Whoever asks for one names a default.
class Words {
 public:
  explicit Words(std::istringstream line) {
    for (std::string word; line >> word;) {
      const size_t equal = word.find('=');
      CHECK(equal != std::string::npos);
      values_[word.substr(0, equal)] = word.substr(equal + 1);
    }
  }

  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback) const {
    const auto found = values_.find(key);
    return found == values_.end() ? fallback : found->second;
  }
  [[nodiscard]] uint64_t number(const std::string& key, uint64_t fallback) const {
    const auto found = values_.find(key);
    return found == values_.end() ? fallback : std::stoull(found->second);
  }
  [[nodiscard]] uint32_t small(const std::string& key, uint32_t fallback) const {
    return static_cast<uint32_t>(number(key, fallback));
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Queries see the table before the updates of their cycle where the line says `moments=1`.
Moment asked_moment(const Words& words) {
  return words.number("moments", 0) != 0 ? Moment::kBeforeUpdates : Moment::kAfterUpdates;
}

/// Tells the asker that this program knows the word.
uint64_t moments_of(const Words& words) { return asked_moment(words) == Moment::kBeforeUpdates ? 1 : 0; }

Load load_of(const Words& words) {
  return {.mix = words.text("mix", "booking"),
          .queries = words.small("queries", 512),
          .updates = words.small("updates", 0),
          .moment = asked_moment(words),
          .runs = words.small("runs", 5),
          .seed = words.number("seed", 1)};
}

std::vector<AccessPaths> parse_paths(const std::vector<std::string>& names) {
  std::vector<AccessPaths> paths;
  std::transform(names.begin(), names.end(), std::back_inserter(paths), paths_of);
  return paths;
}

class Server {
 public:
  explicit Server(uint32_t rows) : rows_(rows) {}

  void answer(const std::string& name, const Words& words) {
    static const std::map<std::string, void (Server::*)(const Words&)> kCommands = {
        {"cell", &Server::cell},          {"size", &Server::size},         {"sizes", &Server::sizes},
        {"evict", &Server::evict},        {"segments", &Server::segments}, {"steady", &Server::steady},
        {"aggregate", &Server::sum},      {"dump", &Server::dump},         {"queries", &Server::queries},
        {"strategies", &Server::choices}, {"form", &Server::form},         {"form_queries", &Server::form_queries}};
    const auto found = kCommands.find(name);
    CHECK(found != kCommands.end());
    (this->*found->second)(words);
  }

 private:
  Bench& bench() { return bench(Words(std::istringstream())); }
  /// The table that the words name: made when it is asked for, and kept.
  Bench& bench(const Words& words) {
    static const std::map<std::string, std::pair<Frequencies, Width>> kTables = {
        {"ticket", {Frequencies::kEqual, Width::kTicket}},
        {"skewed", {Frequencies::kSkewed, Width::kTicket}},
        {"narrow", {Frequencies::kEqual, Width::kNarrow}},
        {"wide", {Frequencies::kEqual, Width::kWide}}};
    const std::string name = words.text("table", "ticket");
    const uint32_t rows = words.small("rows", rows_);
    std::unique_ptr<Bench>& made = benches_[{name, rows}];
    if (made == nullptr) {
      made = std::make_unique<Bench>(rows, kTables.at(name).first, kTables.at(name).second);
    }
    return *made;
  }

  void cell(const Words& words) {
    const std::vector<std::string> names = split(words.text("baselines", ""));
    const std::set<std::string> baselines(names.begin(), names.end());
    CellRequest request{.mix = words.text("mix", "booking"),
                        .queries = words.small("queries", 1),
                        .updates = words.small("updates", 0),
                        .runs = words.small("runs", 5),
                        .budget_ms = static_cast<double>(words.number("budget_ms", 1'000'000)),
                        .warm = words.number("warm", 1) != 0,
                        .seed = words.number("seed", 1),
                        .checked_max = words.small("checked_max", 64),
                        .classic = baselines.contains("classic"),
                        .classic_plus = baselines.contains("classic_plus"),
                        .index = baselines.contains("index"),
                        .keys = baselines.contains("keys"),
                        .floor = baselines.contains("floor"),
                        .without_updates = words.number("without_updates", 0) != 0,
                        .moment = asked_moment(words)};
    const CellResult result = run_cell(bench(words), request);
    JsonLine()
        .add("engine_ms", result.engine_ms)
        .add("without_updates_ms", result.without_updates_ms)
        .add("classic_ms", result.classic_ms)
        .add("classic_plus_ms", result.classic_plus_ms)
        .add("index_ms", result.index_ms)
        .add("index_queries", result.index_queries)
        .add("keys_ms", result.keys_ms)
        .add("floor_ms", result.floor_ms)
        .add("rows", result.rows)
        .add("checked", result.checked)
        .add("wrong", result.wrong)
        .add("moments", moments_of(words))
        .print();
  }

  void form(const Words& words) {
    const FormResult result = run_form(bench(words), {.form = words.text("form", "or"),
                                                      .queries = words.small("queries", 1),
                                                      .runs = words.small("runs", 5),
                                                      .warm = words.number("warm", 1) != 0,
                                                      .seed = words.number("seed", 1),
                                                      .checked_max = words.small("checked_max", 4)});
    JsonLine()
        .add("engine_ms", result.engine_ms)
        .add("rows", result.rows)
        .add("checked", result.checked)
        .add("wrong", result.wrong)
        .print();
  }

  void form_queries(const Words& words) {
    Random random(words.number("seed", 1));
    Bench& asked = bench(words);
    for (const FormQuery& query :
         make_form_queries(asked.table, words.text("form", "or"), words.small("queries", 1), random)) {
      const FormTruth truth = truth_of(asked, query);
      JsonLine()
          .add("sql", sql_text(asked.table, query))
          .add("rows", truth.rows)
          .add("first_sum", static_cast<uint64_t>(truth.first_sum))
          .print();
    }
  }

  void size(const Words& words) {
    const SegmentStatistics statistics = bench(words).engine().statistics();
    JsonLine()
        .add("rows", statistics.rows)
        .add("row_size", uint64_t{bench(words).table.row_size()})
        .add("memory_per_row", static_cast<double>(statistics.memory_bytes) / static_cast<double>(statistics.rows_max))
        .print();
  }

  void sizes(const Words& words) {
    const std::string asked = words.text("rows", "");
    if (asked != sizes_asked_) {
      row_counts_.clear();
      for (const std::string& count : split(asked)) {
        row_counts_.push_back(static_cast<uint32_t>(std::stoul(count)));
      }
      sizes_ = nullptr;
      sizes_ = std::make_unique<Sizes>(row_counts_);
      sizes_asked_ = asked;
    }
    const std::vector<std::vector<double>> times = sizes_->run(load_of(words));
    for (size_t at = 0; at < times.size(); ++at) {
      JsonLine()
          .add("rows", uint64_t{row_counts_[at]})
          .add("engine_ms", times[at])
          .add("moments", moments_of(words))
          .print();
    }
  }

  void choices(const Words& words) {
    const uint32_t rows = words.small("rows", rows_);
    const std::string ways = words.text("ways", "by_cost,keys,sketches,passes");
    if (strategies_ == nullptr || strategies_rows_ != rows || strategies_ways_ != ways) {
      strategies_ = nullptr;
      strategies_ = std::make_unique<Strategies>(rows, parse_paths(split(ways)));
      strategies_rows_ = rows;
      strategies_ways_ = ways;
    }
    const std::vector<std::string> names = split(words.text("asked", ways));
    const std::vector<AccessPaths> asked = parse_paths(names);
    const std::vector<std::vector<double>> times =
        strategies_->run(load_of(words), asked, static_cast<double>(words.number("hopeless_ms", UINT32_MAX)));
    for (size_t at = 0; at < times.size(); ++at) {
      JsonLine().add("strategy", names[at]).add("engine_ms", times[at]).print();
    }
  }

  void segments(const Words& words) {
    const TwoSegments result = run_two_segments(words.small("rows", rows_), load_of(words));
    JsonLine().add("alone_ms", result.alone_ms).add("together_ms", result.together_ms).print();
  }

  void steady(const Words& words) {
    const Steady result = run_steady(words.small("rows", rows_), words.small("cycles", 10'000), load_of(words));
    JsonLine().add("cycle_ms", result.cycle_ms).add("read_ms", result.read_ms).print();
  }

  void sum(const Words& words) {
    const std::string name = words.text("column", "id");
    uint32_t column = 0;
    while (bench().table.columns().at(column).name != name) {
      ++column;
    }
    const Aggregate result = run_aggregate(bench(), column, words.small("runs", 9));
    JsonLine().add("engine_ms", result.engine_ms).add("read_ms", result.read_ms).print();
  }

  void evict(const Words&) { bench().caches.evict(); }

  void dump(const Words& words) {
    const TicketTable& table = bench(words).table;
    write_csv(table, words.text("path", "tickets.csv"));
    for (const ColumnSpec& column : table.columns()) {
      JsonLine().add("column", column.name).add("type", sql_type(column)).print();
    }
    std::string fetched;
    for (const uint32_t column : form_columns(table, table.has_tickets() ? FormOutput::kFetched : FormOutput::kWhole)) {
      fetched += (fetched.empty() ? "" : ",") + table.columns()[column].name;
    }
    JsonLine().add("fetched", fetched).print();
  }

  void queries(const Words& words) {
    const Load load = load_of(words);
    Random random(load.seed);
    const TicketTable& table = bench().table;
    for (const TicketQuery& query : make_queries(table, parse_mix(load.mix), load.queries, random)) {
      const std::vector<uint32_t> rows = bench().model().matching(query);
      uint64_t id_sum = 0;
      for (const uint32_t row : rows) {
        id_sum += row;  // A row's id is its number.
      }
      JsonLine line;
      line.add("where", where_text(table, query)).add("rows", uint64_t{rows.size()}).add("id_sum", id_sum);
      for (const Between& between : query) {
        const std::string& column = table.columns()[between.column].name;
        line.add(column + "_low", literal_text(table, between.column, between.low));
        line.add(column + "_high", literal_text(table, between.column, between.high));
      }
      line.print();
    }
  }

  uint32_t rows_;
  std::map<std::pair<std::string, uint32_t>, std::unique_ptr<Bench>> benches_;  ///< By name and rows.
  std::string sizes_asked_;
  std::vector<uint32_t> row_counts_;
  std::unique_ptr<Sizes> sizes_;
  std::unique_ptr<Strategies> strategies_;
  uint32_t strategies_rows_ = 0;
  std::string strategies_ways_;
};

}  // namespace

void serve(std::istream& input, uint32_t rows) {
  Server server(rows);
  for (std::string text; std::getline(input, text);) {
    std::istringstream line(text);
    std::string name;
    line >> name;
    server.answer(name, Words(std::move(line)));
    JsonLine().add("done", name).print();
  }
}

}  // namespace daedalus::engine::bench

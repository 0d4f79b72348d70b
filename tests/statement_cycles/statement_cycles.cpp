// Statements in cycles of one segment, in one thread and without a network: what the engine makes of SQL
// (experiments/sql).
//
// Rows come once, as fields of a CSV file with a header. Then a command a line, and a line of JSON back:
//   ask SQL      one more statement of the next cycles
//   cycle N      runs a cycle of all statements asked N times, and forgets them
//   read N WIDTH reads memory of so many bytes a row N times, as fast as one core does
// Caches are emptied before whatever is measured. Times are of this thread.
#include <fmt/format.h>
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/schema_library.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::aggregator {
namespace {

using semantics::Value;

double thread_ms() {
  timespec time{};
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

std::string json_of(const std::vector<double>& times) {
  std::string text;
  for (const double time : times) {
    text += fmt::format("{}{:.4f}", text.empty() ? "" : ", ", time);
  }
  return "[" + text + "]";
}

/// Fields of a line of CSV; quotes around a field are left out, and two of them inside are one.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') {
      const bool is_doubled = is_quoted && at + 1 < line.size() && line[at + 1] == '"';
      if (is_doubled) {
        fields.back() += line[++at];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// One partition that is everything.
std::shared_ptr<const contract::PartitionMap> whole_map() {
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->distribution = semantics::Distribution::kRoundRobin;
  map->grid = {1};
  map->partitions = {{NodeId{0}}};
  map->segment_distribution = semantics::Distribution::kRoundRobin;
  return map;
}

class Cycles {
 public:
  Cycles(semantics::SchemaLibrary library, uint64_t rows)
      : library_(std::move(library)),
        compiler_(std::make_shared<const semantics::Schema>(library_.schema()), whole_map()),
        segment_(library_.schema(), library_.codec(), {.memory_bytes = memory_for(rows)}) {}

  /// Error: what is wrong with a field.
  Result<uint64_t> load(std::istream& csv) {
    constexpr uint32_t kRowsPerUpdate = 16'384;
    const std::vector<semantics::Type> types = semantics::column_types(library_.schema());
    std::string line;
    std::getline(csv, line);
    auto bytes = std::make_shared<std::string>();
    uint32_t waiting = 0;
    while (std::getline(csv, line)) {
      const std::vector<std::string> fields = fields_of(line);
      CHECK(fields.size() == types.size());
      std::vector<Value> row;
      for (size_t column = 0; column < types.size(); ++column) {
        const Result<Value> value =
            fields[column].empty() ? Result<Value>(Value()) : semantics::parse_text(types[column], fields[column]);
        if (!value) {
          return value.error();
        }
        row.push_back(*value);
      }
      semantics::append_packed_row(types, row, *bytes);
      if (++waiting == kRowsPerUpdate) {
        insert(std::exchange(bytes, std::make_shared<std::string>()));
        waiting = 0;
      }
    }
    insert(bytes);
    settle();
    return rows_;
  }

  /// Error: that of the compiler.
  Result<void> ask(const std::string& sql) {
    wire::v1::StatementBody statement;
    statement.set_sql(sql);
    Result<Compiled> compiled = compiler_.compile(statement, 0);
    if (!compiled) {
      return compiled.error();
    }
    asked_.push_back(std::get<CompiledSelect>(*compiled).selection);
    return {};
  }

  /// Error: that of a query, or of merging its answer.
  Result<std::string> cycle(uint32_t runs) {
    std::vector<double> times;
    std::vector<semantics::MergedRows> answers;
    for (uint32_t run = 0; run < runs; ++run) {
      answers.assign(asked_.size(), {});
      evict();
      const double start = thread_ms();
      const Result<void> swept = sweep(answers);
      times.push_back(thread_ms() - start);
      if (!swept) {
        return swept.error();
      }
    }
    std::string texts;
    for (size_t number = 0; number < asked_.size(); ++number) {
      const Result<std::string> text = text_of(*asked_[number], std::move(answers[number]));
      if (!text) {
        return text.error();
      }
      texts += fmt::format("{}\"{}\"", texts.empty() ? "" : ", ", *text);
    }
    asked_.clear();
    return fmt::format("{{\"ms\": {}, \"answers\": [{}]}}", json_of(times), texts);
  }

  std::string read(uint32_t runs, uint32_t width) {
    const size_t words = rows_ * width / sizeof(uint64_t);
    const size_t bytes = words * sizeof(uint64_t);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    std::fill_n(static_cast<uint64_t*>(memory), words, 1);
    std::vector<double> times;
    uint64_t sum = 0;
    for (uint32_t run = 0; run < runs; ++run) {
      evict();
      const double start = thread_ms();
      sum += sum_of(static_cast<const uint64_t*>(memory), words);
      times.push_back(thread_ms() - start);
    }
    CHECK(sum > 0 && munmap(memory, bytes) == 0);
    return fmt::format("{{\"ms\": {}}}", json_of(times));
  }

 private:
  [[nodiscard]] uint64_t memory_for(uint64_t rows) const {
    constexpr uint64_t kMuch = uint64_t{1} << 30;
    const engine::SegmentShape shape = engine::segment_shape(library_.schema(), kMuch).value();
    return (rows / shape.chunk_rows + 2) * (shape.memory_bytes / shape.chunk_count) + shape.chunk_count;
  }

  void insert(const std::shared_ptr<std::string>& bytes) {
    engine::InsertRows part{.owner = bytes};
    semantics::PackedRows rows(*bytes);
    while (const auto row = rows.next().value()) {
      part.rows.push_back(*row);
    }
    rows_ += part.rows.size();
    CHECK(segment_.enqueue(engine::Update{Timestamp{++timestamp_}, {std::move(part)}}));
    CHECK(segment_.step({0}) && std::get<engine::UpdateOutput>(*segment_.dequeue()).refused_no_room == 0);
  }

  /// Each cycle makes some sketches: those of the whole table, before anything is measured.
  void settle() {
    const uint64_t planes = (rows_ / engine::kChunkRowsUsual + 1) * library_.schema().columns.size();
    for (uint64_t made = 0; made < planes; made += engine::SegmentOptions().sketch_planes_per_cycle_max) {
      CHECK(ask("SELECT count(*) FROM " + library_.schema().table_name));
      CHECK(cycle(1));
    }
  }

  Result<void> sweep(std::vector<semantics::MergedRows>& answers) {
    for (size_t number = 0; number < asked_.size(); ++number) {
      CHECK(segment_.enqueue(engine::Query{engine::QueryHandle{number}, asked_[number], kNever, nullptr}));
    }
    segment_.step({0});
    while (std::optional<engine::Output> output = segment_.dequeue()) {
      auto& answer = std::get<engine::QueryOutput>(*output);
      if (answer.error) {
        return *answer.error;
      }
      semantics::MergedRows& rows = answers[static_cast<size_t>(answer.handle)];
      rows.rows += answer.rows;
      rows.row_count += answer.row_count;
    }
    return {};
  }

  static Result<std::string> text_of(const semantics::Selection& selection, semantics::MergedRows partial) {
    semantics::AnswerMerger merger(selection, semantics::AnswerForm::kFinal);
    if (const Result<void> added = merger.add(0, std::move(partial)); !added) {
      return added.error();
    }
    const auto merged = semantics::merge_all(merger);
    if (!merged) {
      return merged.error();
    }
    std::vector<semantics::Type> types;
    for (const semantics::Column& column : semantics::final_columns(selection)) {
      types.push_back(column.type);
    }
    constexpr uint64_t kRowsShown = 100;
    if (merged->row_count > kRowsShown) {
      return fmt::format("{} rows", merged->row_count);
    }
    std::string text;
    semantics::PackedRows rows(merged->rows);
    while (const auto row = rows.next().value()) {
      const std::vector<Value> values = *semantics::read_packed_row(types, *row);
      for (size_t column = 0; column < types.size(); ++column) {
        text += column > 0 ? "|" : text.empty() ? "" : ";";
        text += semantics::is_null(values[column]) ? "-" : semantics::format_text(types[column], values[column]);
      }
    }
    return text;
  }

  /// In eight places of every 128 KiB at a time: as fast as one core's memory answers.
  static uint64_t sum_of(const uint64_t* words, size_t count) {
    constexpr size_t kBlock = 16'384;
    constexpr size_t kPlaces = 8;
    constexpr size_t kStep = 64;
    using Words [[gnu::vector_size(64)]] = uint64_t;
    Words sums[2] = {};
    for (size_t block = 0; block + kBlock <= count; block += kBlock) {
      for (size_t step = 0; step < kBlock / kPlaces; step += kStep) {
        for (size_t place = 0; place < kPlaces; ++place) {
          const uint64_t* next = words + block + place * (kBlock / kPlaces) + step;
          for (size_t word = 0; word < kStep; word += 16) {
            sums[0] += *reinterpret_cast<const Words*>(next + word);
            sums[1] += *reinterpret_cast<const Words*>(next + word + 8);
          }
        }
      }
    }
    const Words both = sums[0] + sums[1];
    uint64_t sum = 0;
    for (size_t lane = 0; lane < 8; ++lane) {
      sum += both[lane];
    }
    return sum;
  }

  void evict() {
    for (size_t at = 0; at < dirt_.size(); at += 64) {
      dirt_[at] = static_cast<uint8_t>(dirt_[at] + 1);
    }
  }

  semantics::SchemaLibrary library_;
  Compiler compiler_;
  engine::Segment segment_;
  std::vector<std::shared_ptr<const semantics::Selection>> asked_;
  std::vector<uint8_t> dirt_ = std::vector<uint8_t>(160u << 20);
  uint64_t timestamp_ = 0;
  uint64_t rows_ = 0;
};

std::string error_json(const Error& error) {
  return fmt::format("{{\"error\": \"{} {}\"}}", error.sqlstate, error.message);
}

std::string answer_of(Cycles& cycles, const std::string& line) {
  uint32_t runs = 0;
  uint32_t width = 0;
  if (line.starts_with("ask ")) {
    const Result<void> asked = cycles.ask(line.substr(4));
    return asked ? "{}" : error_json(asked.error());
  }
  if (std::sscanf(line.c_str(), "cycle %u", &runs) == 1) {
    const Result<std::string> answer = cycles.cycle(runs);
    return answer ? *answer : error_json(answer.error());
  }
  if (std::sscanf(line.c_str(), "read %u %u", &runs, &width) == 2) {
    return cycles.read(runs, width);
  }
  return R"({"error": "08P01 no such command"})";
}

int serve(const std::string& schema, const std::string& csv, uint64_t rows) {
  Result<semantics::SchemaLibrary> library = semantics::SchemaLibrary::load(schema);
  std::ifstream file(csv);
  if (!library || !file) {
    std::cerr << (library ? csv + " cannot be read" : library.error().message) << '\n';
    return 1;
  }
  Cycles cycles(std::move(*library), rows);
  const Result<uint64_t> loaded = cycles.load(file);
  if (!loaded) {
    std::cerr << loaded.error().message << '\n';
    return 1;
  }
  std::cout << fmt::format("{{\"rows\": {}}}", *loaded) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer_of(cycles, line) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace daedalus::aggregator

int main(int argc, char** argv) {
  std::string schema;
  std::string csv;
  uint64_t rows = 0;
  CLI::App app("Statements in cycles of one segment");
  app.add_option("--schema", schema, "Shared library of the table")->required();
  app.add_option("--csv", csv, "Its rows, with a header")->required();
  app.add_option("--rows", rows, "How many there are, at most")->required();
  CLI11_PARSE(app, argc, argv);
  return daedalus::aggregator::serve(schema, csv, rows);
}

// Aggregating and ordering queries in a cycle, alone or several at once, beside reading the bytes of the columns that
// one touches.
//
// Everything a cycle costs is inside the measured time, and caches are emptied before. A hash of each answer is
// printed, so that a fast wrong one shows.
#include <fmt/format.h>
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine {
namespace {

using semantics::AggregateFunction;
using semantics::TypeKind;
using semantics::Value;

struct Options {
  uint32_t rows = 1u << 20;
  uint32_t runs = 5;
  uint32_t copies = 1;
  std::string only;
};

enum BenchColumn : uint32_t {
  kId,
  kFlag,
  kCarrier,
  kSmall,
  kDay,
  kFlight,
  kSeats,
  kPrice,
  kWide,
  kName,
  kMaybe,
  kMany
};

/// Days of the table, from the first on, and how many of them a filter lets through: 30 %.
constexpr int64_t kFirstDay = 20'000;
constexpr int64_t kDays = 730;
constexpr int64_t kFilteredDays = 219;

const semantics::Schema& schema() {
  static const semantics::Schema kSchema{
      .table_name = "bench",
      .fingerprint = std::string(64, '0'),
      .columns = {{"id", {.kind = TypeKind::kBigint}, false, {}},
                  {"flag", {.kind = TypeKind::kChar, .length = 1}, false, {}},
                  {"carrier", {.kind = TypeKind::kChar, .length = 2}, false, {}},
                  {"small", {.kind = TypeKind::kSmallint}, false, {}},
                  {"day", {.kind = TypeKind::kDate}, false, {}},
                  {"flight", {.kind = TypeKind::kInt}, false, {}},
                  {"seats", {.kind = TypeKind::kInt}, false, {}},
                  {"price", {.kind = TypeKind::kDouble}, false, {}},
                  {"wide", {.kind = TypeKind::kNumeric, .precision = 30, .scale = 2}, false, {}},
                  {"name", {.kind = TypeKind::kVarchar, .length = 20}, false, {}},
                  {"maybe", {.kind = TypeKind::kBigint}, true, {}},
                  {"many", {.kind = TypeKind::kInt}, false, {}}}};
  return kSchema;
}

std::vector<Value> random_row(std::mt19937_64& random, int64_t id) {
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  const auto letters = [&](int64_t count) {
    std::string text;
    for (; count > 0; --count) {
      text += static_cast<char>('A' + below(26));
    }
    return text;
  };
  return {id * 3,
          std::string(1, static_cast<char>('A' + below(4))),
          letters(2),
          below(500),
          kFirstDay + below(kDays),
          below(20'000),
          below(1'000'000),
          static_cast<double>(below(100'000)) / 16,
          semantics::Decimal{semantics::BigInt{below(INT64_MAX)} * 1000, 2},
          letters(12),
          below(3) == 0 ? Value{} : Value{below(1'000'000'000'000)},
          below(200'000)};
}

/// Which rows the queries of a case take.
enum class Filter : uint8_t { kNone, kSame, kEachItsOwn };

struct Case {
  std::string name;
  semantics::Selection selection;
  uint32_t bytes_per_row = 0;  ///< Counts the bytes of the columns it touches.
  Filter filter = Filter::kNone;
};

/// Days of the width of a filter, other ones for each of a few hundred numbers.
semantics::Predicate some_days(uint32_t number) {
  const int64_t first = kFirstDay + (200 + int64_t{number} * 7) % (kDays - kFilteredDays);
  using Kind = semantics::Literal::Kind;
  semantics::Predicate predicate;
  predicate.clauses = {{{kDay, Kind::kCompare, semantics::Operator::kGreaterOrEqual, {Value{first}}}},
                       {{kDay, Kind::kCompare, semantics::Operator::kLess, {Value{first + kFilteredDays}}}}};
  return predicate;
}

Case aggregates(std::string name, std::vector<semantics::SelectItem> items, const std::vector<uint32_t>& group_by) {
  Case made{.name = std::move(name)};
  for (const uint32_t key : group_by) {
    made.bytes_per_row += semantics::plane_width(schema().columns[key].type);
  }
  for (const semantics::SelectItem& item : items) {
    if (item.function != AggregateFunction::kCountRows) {
      made.bytes_per_row += semantics::plane_width(schema().columns[item.column].type);
    }
  }
  made.selection = *semantics::bind_items(schema(), std::move(items), group_by);
  return made;
}

Case aggregate(std::string name, AggregateFunction function, uint32_t column,
               const std::vector<uint32_t>& group_by = {}) {
  return aggregates(std::move(name), {{.name = "aggregate", .function = function, .column = column}}, group_by);
}

/// The sum and the number of seats, by one column or of all rows.
Case sum_and_count(std::string name, const std::vector<uint32_t>& group_by, Filter filter) {
  Case made = aggregates(std::move(name),
                         {{.name = "sum", .function = AggregateFunction::kSum, .column = kSeats},
                          {.name = "count", .function = AggregateFunction::kCountRows}},
                         group_by);
  made.bytes_per_row += filter == Filter::kNone ? 0 : semantics::plane_width(schema().columns[kDay].type);
  made.filter = filter;
  return made;
}

Case top(std::string name, const std::vector<uint32_t>& columns, uint64_t limit, bool descending,
         Filter filter = Filter::kNone) {
  Case made{.name = std::move(name)};
  std::vector<semantics::SelectItem> items;
  for (const uint32_t column : columns) {
    items.push_back({.name = "key", .column = column});
  }
  made.selection = *semantics::bind_items(schema(), std::move(items));
  for (uint32_t output = 0; output < columns.size(); ++output) {
    made.selection.order_by.push_back({output, {.descending = descending, .nulls_first = descending}});
  }
  made.bytes_per_row = semantics::plane_width(schema().columns[columns[0]].type);
  made.selection.limit = limit;
  made.filter = filter;
  return made;
}

std::vector<Case> all_cases() {
  using enum AggregateFunction;
  return {aggregate("count(*)", kCountRows, 0),
          aggregate("sum(bigint)", kSum, kId),
          aggregate("sum(int)", kSum, kSeats),
          aggregate("sum(smallint)", kSum, kSmall),
          aggregate("sum(bigint null)", kSum, kMaybe),
          aggregate("sum(double)", kSum, kPrice),
          aggregate("stddev(double)", kStddevSamp, kPrice),
          aggregate("sum(numeric 30)", kSum, kWide),
          aggregate("max(bigint)", kMax, kId),
          aggregate("max(double)", kMax, kPrice),
          aggregate("max(char 2)", kMax, kCarrier),
          aggregate("max(varchar 20)", kMax, kName),
          aggregate("sum by char 1", kSum, kSeats, {kFlag}),
          aggregate("count by char 1", kCountRows, 0, {kFlag}),
          aggregate("sum by char 2", kSum, kSeats, {kCarrier}),
          aggregate("sum by smallint", kSum, kId, {kSmall}),
          aggregate("sum double by flight", kSum, kPrice, {kFlight}),
          aggregate("sum double by many", kSum, kPrice, {kMany}),
          aggregate("stddev double by many", kStddevSamp, kPrice, {kMany}),
          aggregate("sum by day, flag", kSum, kSeats, {kDay, kFlag}),
          aggregate("sum by day, carrier", kSum, kSeats, {kDay, kCarrier}),
          aggregate("max name by day", kMax, kName, {kDay}),
          sum_and_count("sum, count", {}, Filter::kNone),
          sum_and_count("sum, count where", {}, Filter::kSame),
          sum_and_count("sum, count where each", {}, Filter::kEachItsOwn),
          sum_and_count("sum by flag where", {kFlag}, Filter::kSame),
          sum_and_count("sum by flag where each", {kFlag}, Filter::kEachItsOwn),
          sum_and_count("sum by many", {kMany}, Filter::kNone),
          sum_and_count("sum by many where", {kMany}, Filter::kSame),
          sum_and_count("sum by many where each", {kMany}, Filter::kEachItsOwn),
          sum_and_count("sum by id where", {kId}, Filter::kSame),
          top("top 10 by bigint desc", {kId}, 10, true),
          top("top 10 by seats", {kSeats}, 10, false),
          top("top 1000 by seats, id", {kSeats, kId}, 1000, true),
          top("top 10 by flag, id", {kFlag, kId}, 10, true),
          top("top 10 by double", {kPrice}, 10, true),
          top("top 10 by name", {kName}, 10, false),
          top("top 10 by seats where", {kSeats}, 10, false, Filter::kSame),
          top("top 10 by seats where each", {kSeats}, 10, false, Filter::kEachItsOwn)};
}

/// Measures this thread's processor time: nothing here sleeps, and what else runs on the machine counts less.
double milliseconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Memory like that of a segment: in huge pages where the kernel grants them.
class HugeWords {
 public:
  explicit HugeWords(size_t count) : count_(count) {
    const size_t bytes = (count * sizeof(uint64_t) / kHugePage + 1) * kHugePage;
    words_.reset(static_cast<uint64_t*>(std::aligned_alloc(kHugePage, bytes)));
    CHECK(words_ != nullptr);
    static_cast<void>(madvise(words_.get(), bytes, MADV_HUGEPAGE));
    std::fill_n(words_.get(), count, 1);
  }
  [[nodiscard]] const uint64_t* words() const { return words_.get(); }
  [[nodiscard]] size_t count() const { return count_; }

 private:
  static constexpr size_t kHugePage = 2u << 20;
  struct Free {
    void operator()(uint64_t* words) const { std::free(words); }
  };
  std::unique_ptr<uint64_t, Free> words_;
  size_t count_;
};

/// Reads all words, in eight places of every 128 KiB at a time: as fast as one core's memory answers.
uint64_t read_words(const uint64_t* words, size_t count) {
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

/// Memory of a segment that has room for so many rows.
uint64_t memory_for(uint32_t rows) {
  constexpr uint64_t kMuch = uint64_t{1} << 30;
  const SegmentShape shape = segment_shape(schema(), kMuch).value();
  const uint64_t chunk_bytes = shape.memory_bytes / shape.chunk_count;
  return (rows / shape.chunk_rows + 1) * chunk_bytes + shape.chunk_count;
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        codec_(schema()),
        segment_(schema(), codec_.codec(), {.memory_bytes = memory_for(options.rows)}),
        plain_(size_t{options.rows} * 4) {  // A row has up to 32 bytes.
    const std::vector<semantics::Type> types = semantics::column_types(schema());
    std::mt19937_64 random(1);
    constexpr uint32_t kRowsPerUpdate = 16'384;
    for (uint32_t next = 0; next < options.rows;) {
      auto bytes = std::make_shared<std::string>();
      const uint32_t end = std::min(options.rows, next + kRowsPerUpdate);
      for (; next < end; ++next) {
        semantics::append_packed_row(types, random_row(random, next), *bytes);
      }
      InsertRows part{.owner = bytes};
      semantics::PackedRows rows(*bytes);
      while (const auto row = rows.next().value()) {
        part.rows.push_back(*row);
      }
      CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, {std::move(part)}}));
      CHECK(segment_.step({0}) && std::get<UpdateOutput>(*segment_.dequeue()).refused_no_room == 0);
    }
    make_sketches();
  }

  void run(const Case& what) {
    const auto selection = std::make_shared<semantics::Selection>(what.selection);
    std::vector<std::shared_ptr<const semantics::Predicate>> predicates;
    for (uint32_t copy = 0; what.filter != Filter::kNone && copy < options_.copies; ++copy) {
      predicates.push_back(
          std::make_shared<semantics::Predicate>(some_days(what.filter == Filter::kEachItsOwn ? copy : 0)));
    }
    std::vector<double> times;
    std::vector<double> reads;
    uint64_t sum = 0;
    std::vector<std::string> answers(options_.copies);
    for (uint32_t run = 0; run < options_.runs; ++run) {
      answers.assign(options_.copies, {});
      evict();
      times.push_back(milliseconds([&] {
        for (uint32_t copy = 0; copy < options_.copies; ++copy) {
          CHECK(segment_.enqueue(
              Query{QueryHandle{copy}, selection, kNever, nullptr, predicates.empty() ? nullptr : predicates[copy]}));
        }
        segment_.step({0});
        while (std::optional<Output> output = segment_.dequeue()) {
          auto& answer = std::get<QueryOutput>(*output);
          CHECK(!answer.error.has_value());
          answers[static_cast<size_t>(answer.handle)] = std::move(answer.rows);
        }
      }));
      evict();
      const size_t words = size_t{options_.rows} * what.bytes_per_row / 8;
      reads.push_back(milliseconds([&] { sum += read_words(plain_.words(), std::min(words, plain_.count())); }));
    }
    const double time = median(times);
    size_t rows = 0;
    for (const std::string& answer : answers) {
      rows = rows * 31 + std::hash<std::string>()(answer);
    }
    const double query = time / options_.copies;
    fmt::print(
        "{:24} | {:8.3f} ms a query [{:.3f}] | read {:7.3f} ms [{:.3f}] | {:6.2f} | {:6.2f} ns/row | {:016x} {}\n",
        what.name, query, *std::min_element(times.begin(), times.end()) / options_.copies, median(reads),
        *std::min_element(reads.begin(), reads.end()), time / median(reads), query * 1e6 / options_.rows, rows,
        sum == 0 ? "" : "|");
    std::fflush(stdout);
  }

 private:
  /// Each cycle makes some: those of the whole table before the first one that is measured.
  void make_sketches() {
    const auto selection = std::make_shared<semantics::Selection>(all_cases().front().selection);
    const uint64_t planes = (uint64_t{options_.rows} / kChunkRowsUsual + 1) * schema().columns.size();
    for (uint64_t made = 0; made < planes; made += SegmentOptions().sketch_planes_per_cycle_max) {
      CHECK(segment_.enqueue(Query{QueryHandle{0}, selection, kNever, nullptr}));
      CHECK(segment_.step({0}));
      CHECK(segment_.dequeue().has_value());
    }
  }

  void evict() {
    for (size_t at = 0; at < dirt_.size(); at += 64) {
      dirt_[at] = static_cast<uint8_t>(dirt_[at] + 1);
    }
  }

  Options options_;
  semantics::GenericRowCodec codec_;
  Segment segment_;
  HugeWords plain_;
  std::vector<uint8_t> dirt_ = std::vector<uint8_t>(160u << 20);
  uint64_t timestamp_ = 0;
};

}  // namespace
}  // namespace daedalus::engine

int main(int argc, char** argv) {
  daedalus::engine::Options options;
  CLI::App app("Aggregates, groups and orders: one query in a cycle, or several at once");
  app.add_option("--rows", options.rows, "Rows of the table")->check(CLI::Range(1000u, 1u << 26));
  app.add_option("--runs", options.runs, "Cycles a figure is the median of");
  app.add_option("--copies", options.copies, "Queries at once in a cycle: equal ones, or of filters of their own")
      ->check(CLI::Range(1u, 1000u));
  app.add_option("--only", options.only, "Only the queries whose name contains this");
  CLI11_PARSE(app, argc, argv);
  daedalus::engine::Bench bench(options);
  fmt::print("{} rows\n", options.rows);
  for (const auto& what : daedalus::engine::all_cases()) {
    if (what.name.find(options.only) != std::string::npos) {
      bench.run(what);
    }
  }
  return 0;
}

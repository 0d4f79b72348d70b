// Rows per second of one sweep by share factor and kind of query. Every result carries a count, so that a fast wrong
// answer shows. The one-query runs are the plain baseline of the many-query runs.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/packed.hpp"
#include "kernels_bitmap.hpp"
#include "kernels_range.hpp"

namespace daedalus::engine {
namespace {

using semantics::TypeKind;

constexpr int64_t kRows = 1 << 17;
constexpr int64_t kKeys = 4'096;

const semantics::Schema& schema() {
  static const semantics::Schema kSchema{.table_name = "bench",
                                         .fingerprint = std::string(64, '0'),
                                         .columns = {{"key", {.kind = TypeKind::kInt}, false, {}},
                                                     {"day", {.kind = TypeKind::kDate}, false, {}},
                                                     {"code", {.kind = TypeKind::kChar, .length = 3}, true, {}},
                                                     {"amount", {.kind = TypeKind::kBigint}, true, {}}}};
  return kSchema;
}

std::unique_ptr<Segment> filled_segment() {
  static const semantics::GenericRowCodec kCodec(schema());
  auto segment = std::make_unique<Segment>(schema(), kCodec.codec(), SegmentOptions{.memory_bytes = 4u << 20});
  const std::vector<semantics::Type> types = semantics::column_types(schema());
  auto bytes = std::make_shared<std::string>();
  for (int64_t row = 0; row < kRows; ++row) {
    const std::vector<semantics::Value> values = {row * 2'654'435'761 % kKeys, row % 365,
                                                  std::string(1, static_cast<char>('a' + row % 26)), row};
    semantics::append_packed_row(types, values, *bytes);
  }
  InsertRows part{.owner = bytes};
  semantics::PackedRows rows(*bytes);
  for (int64_t row = 0; row < kRows; ++row) {
    part.rows.push_back(*rows.next().value());
  }
  Update update{Timestamp{1}, {}};
  update.parts.emplace_back(std::move(part));
  if (!segment->enqueue(std::move(update)) || !segment->step({0}) || !segment->dequeue().has_value()) {
    return nullptr;
  }
  return segment->statistics().rows == kRows ? std::move(segment) : nullptr;
}

/// SELECT amount WHERE column op value AND day < 300.
std::shared_ptr<const semantics::Selection> selection(uint32_t column, semantics::Operator op, int64_t value) {
  using semantics::Literal;
  const Literal first{.column = column, .kind = Literal::Kind::kCompare, .op = op, .values = {value}};
  const Literal second{
      .column = 1, .kind = Literal::Kind::kCompare, .op = semantics::Operator::kLess, .values = {int64_t{300}}};
  auto made =
      std::make_shared<semantics::Selection>(*semantics::bind_items(schema(), {{.name = "amount", .column = 3}}));
  made->predicate = {{{first}, {second}}};
  return made;
}

void sweep(benchmark::State& state, uint32_t column, semantics::Operator op) {
  const std::unique_ptr<Segment> segment = filled_segment();
  if (segment == nullptr) {
    state.SkipWithError("the segment could not be filled");
    return;
  }
  uint64_t rows_found = 0;
  for (auto _ : state) {
    for (int64_t number = 0; number < state.range(0); ++number) {
      const int64_t value = column == 0 ? number * 37 % kKeys : number % 365;
      if (!segment->enqueue(Query{QueryHandle{static_cast<uint64_t>(number)}, selection(column, op, value)})) {
        state.SkipWithError("the segment refused a query");
      }
    }
    segment->step({0});
    rows_found = 0;
    while (const std::optional<Output> output = segment->dequeue()) {
      rows_found += std::get<QueryOutput>(*output).row_count;
    }
  }
  state.counters["rows_found"] = static_cast<double>(rows_found);
  state.counters["queries/s"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
  state.SetItemsProcessed(state.iterations() * kRows);
}

/// A range of codes over strings of sixty bytes whose first eight lie `state.range(0)` bytes apart: 8 is a plane of
/// prefixes, 60 the strings as a whole. More rows than any cache holds, in the chunks of a segment.
void codes_of_strings(benchmark::State& state) {
  constexpr uint32_t kWidth = 60;
  constexpr uint32_t kChunkRows = 16'384;
  constexpr uint32_t kStringRows = 1 << 22;
  const auto stride = static_cast<uint32_t>(state.range(0));
  std::vector<uint8_t> plane(size_t{kStringRows} * stride + 8);
  uint64_t number = 1;
  for (uint32_t row = 0; row < kStringRows; ++row) {
    number = number * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    for (uint32_t byte = 0; byte < 8; ++byte) {
      plane[size_t{row} * stride + byte] = static_cast<uint8_t>('A' + (number >> (20 + 5 * byte)) % 26);
    }
  }
  const CodeRule rule = code_rule(Native::kBytes, kWidth);
  const auto code = [&](const char* eight) { return code_of(rule, reinterpret_cast<const uint8_t*>(eight)); };
  const CodeRange codes = {code("CAAAAAAA"), code("CZZZZZZZ")};
  std::vector<uint64_t> matches(bitmap_words(kChunkRows));
  uint64_t rows_found = 0;
  for (auto _ : state) {
    rows_found = 0;
    for (uint32_t first = 0; first < kStringRows; first += kChunkRows) {
      mark_code_range({plane.data() + size_t{first} * stride, stride}, kChunkRows, rule, codes, matches.data());
      rows_found += count_bits(matches.data(), bitmap_words(kChunkRows));
    }
  }
  state.counters["rows_found"] = static_cast<double>(rows_found);
  state.SetItemsProcessed(state.iterations() * kStringRows);
}

BENCHMARK(codes_of_strings)->Arg(8)->Arg(12)->Arg(20)->Arg(60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, key_equality, 0, semantics::Operator::kEqual)->Arg(1)->Arg(64)->Arg(1024);
BENCHMARK_CAPTURE(sweep, day_range, 1, semantics::Operator::kLess)->Arg(1)->Arg(16);

}  // namespace
}  // namespace daedalus::engine

BENCHMARK_MAIN();

// Rows per second of one sweep by share factor and kind of query. Every result carries a count, so that a fast wrong
// answer shows. The one-query runs are the plain baseline of the many-query runs.
#include <benchmark/benchmark.h>

#include <memory>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/packed.hpp"

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
  auto made = std::make_shared<semantics::Selection>();
  made->outputs = {{.name = "amount", .column = 3}};
  made->visible_outputs = 1;
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

BENCHMARK_CAPTURE(sweep, key_equality, 0, semantics::Operator::kEqual)->Arg(1)->Arg(64)->Arg(1024);
BENCHMARK_CAPTURE(sweep, day_range, 1, semantics::Operator::kLess)->Arg(1)->Arg(16);

}  // namespace
}  // namespace daedalus::engine

BENCHMARK_MAIN();

// What a statement costs the aggregator, by whether its text was seen before: parsing alone, parsing and compiling, and
// compiling alone (the baseline: the text is in the cache). The statement asks for 27 columns by 9 conditions.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/base/check.hpp"
#include "parsed_statement.hpp"

namespace daedalus::aggregator::sql {
namespace {

using semantics::Column;
using semantics::Type;
using semantics::TypeKind;

constexpr size_t kOutputs = 27;
/// More than the cache keeps, so that a text that comes again was forgotten.
constexpr size_t kTexts = 4 * Compiler::kCachedStatementsMax;
constexpr int64_t kNowUs = 1'371'299'696'789'000;

/// A table as wide as one row per passenger and flight is.
std::shared_ptr<const semantics::Schema> wide_schema() {
  const auto text = [](TypeKind kind, uint32_t length) { return Type{kind, 0, 0, length}; };
  const auto code = [&](uint32_t length) { return text(TypeKind::kChar, length); };
  const Type flag{TypeKind::kBool};
  const Type number{TypeKind::kSmallint};
  const Type day{TypeKind::kDate};
  const Type time{TypeKind::kTimestamp};
  const Type money{TypeKind::kNumeric, 10, 2};
  const std::vector<std::pair<const char*, Type>> columns{
      {"rloc", code(6)},
      {"provider", code(2)},
      {"product_id", number},
      {"date_in", day},
      {"sgt_qualifier", code(1)},
      {"cancel_flag", flag},
      {"segment_number", number},
      {"passenger_number", number},
      {"origin", code(3)},
      {"destination", code(3)},
      {"departure", time},
      {"arrival", time},
      {"delay_minutes", number},
      {"cabin", code(1)},
      {"booking_class", code(1)},
      {"fare_basis", text(TypeKind::kVarchar, 8)},
      {"status", code(2)},
      {"seat", text(TypeKind::kVarchar, 4)},
      {"meal", code(4)},
      {"special_service", code(4)},
      {"frequent_flyer", text(TypeKind::kVarchar, 12)},
      {"tier", code(1)},
      {"infant", flag},
      {"last_name", text(TypeKind::kVarchar, 20)},
      {"first_name", text(TypeKind::kVarchar, 16)},
      {"gender", code(1)},
      {"birth_date", day},
      {"document_number", text(TypeKind::kVarchar, 9)},
      {"document_country", code(2)},
      {"document_expiry", day},
      {"ticket_number", Type{TypeKind::kBigint}},
      {"coupon_status", code(1)},
      {"fare", money},
      {"tax", money},
      {"currency", code(3)},
      {"bag_count", number},
      {"booked_at", time},
      {"checked_in_at", time},
      {"office", text(TypeKind::kVarchar, 9)},
  };
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "tickets";
  schema->fingerprint = "bench";
  for (const auto& [name, type] : columns) {
    schema->columns.push_back({name, type, true, std::nullopt});
  }
  return schema;
}

std::shared_ptr<const contract::PartitionMap> one_node() {
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->distribution = semantics::Distribution::kHash;
  map->columns = {0};
  map->grid = {1};
  map->partitions = {{NodeId{0}}};
  return map;
}

/// Statement `index`: as long as every other, with values of its own.
std::string text_of(const semantics::Schema& schema, size_t index) {
  std::string list;
  for (size_t i = 0; i < kOutputs; ++i) {
    list += (i == 0 ? "" : ", ") + schema.columns[i].name;
  }
  return fmt::format(
      "SELECT {} FROM tickets WHERE provider = 'LX' AND product_id = {} AND date_in >= '2013-06-{:02}' "
      "AND origin IN ('EWR', 'JFK', 'LGA') AND cabin <> 'F' AND last_name LIKE 'A{}%' AND fare < {}.50 "
      "AND frequent_flyer IS NOT NULL AND departure < TIMESTAMP '2013-07-01 12:00:00'",
      list, 1000 + index, 1 + index % 28, index % 10, 100 + index % 800);
}

std::vector<std::string> texts() {
  const auto schema = wide_schema();
  std::vector<std::string> made;
  for (size_t i = 0; i < kTexts; ++i) {
    made.push_back(text_of(*schema, i));
  }
  return made;
}

void BM_ParseNew(benchmark::State& state) {
  const std::vector<std::string> all = texts();
  size_t next = 0;
  for (auto _ : state) {
    CHECK(ParsedStatement::parse(all[next]).has_value());
    next = (next + 1) % all.size();
  }
}
BENCHMARK(BM_ParseNew);

/// Argument: different texts, in turns.
void BM_Compile(benchmark::State& state) {
  std::vector<wire::v1::StatementBody> all;
  for (const std::string& text : texts()) {
    all.emplace_back().set_sql(text);
  }
  all.resize(static_cast<size_t>(state.range(0)));
  Compiler compiler(wide_schema(), one_node());
  size_t next = 0;
  for (auto _ : state) {
    const auto compiled = compiler.compile(all[next], kNowUs);
    CHECK(compiled.has_value());
    const auto& select = std::get<CompiledSelect>(*compiled);
    CHECK(select.columns->size() == kOutputs && !select.selection->predicate.clauses.empty());
    next = (next + 1) % all.size();
  }
}
BENCHMARK(BM_Compile)->ArgName("texts")->Arg(1)->Arg(kTexts);

}  // namespace
}  // namespace daedalus::aggregator::sql

BENCHMARK_MAIN();

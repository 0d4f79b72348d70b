// Measures what a statement costs the aggregator, by whether its text was seen before: parsing alone, parsing and
// compiling, and compiling alone (the baseline: the text is in the cache). The statement asks for 27 columns by 9
// conditions. Of those that were never seen, no two ask for the same columns by the same conditions.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/allocator/allocator.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/text.hpp"
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

// ---- statements of which each is another ----

constexpr size_t kConditions = 9;
constexpr std::array<const char*, 4> kComparisons{"=", "<=", ">", "<>"};

wire::v1::Constant constant_for(const Type& type, std::mt19937& random) {
  const auto number = static_cast<int64_t>(1 + random() % 500);
  switch (type.kind) {
    case TypeKind::kBool:
      return contract::from_value(type, semantics::Value(number % 2 == 0));
    case TypeKind::kNumeric:
      return contract::from_value(type, semantics::Value(semantics::Decimal{number, 2}));
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
    case TypeKind::kUuid:
      return contract::from_value(Type{TypeKind::kVarchar}, semantics::Value(std::string(type.length, 'A')));
    default:
      return contract::from_value(type, semantics::Value(number));
  }
}

/// The value as a parameter of the statement, or as the text that says the same.
std::string written(wire::v1::StatementBody& body, wire::v1::Constant value, bool as_parameter) {
  if (!as_parameter) {
    Type type;
    const auto read = contract::to_value(value, &type);
    return fmt::format("'{}'", semantics::format_text(type, *read));
  }
  *body.add_parameters() = std::move(value);
  return fmt::format("${}", body.parameters_size());
}

wire::v1::StatementBody another(const semantics::Schema& schema, std::mt19937& random, bool with_parameters) {
  std::vector<size_t> columns(schema.columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::shuffle(columns.begin(), columns.end(), random);
  std::string text = "SELECT ";
  for (size_t i = 0; i < kOutputs; ++i) {
    text += (i == 0 ? "" : ", ") + schema.columns[columns[i]].name;
  }
  text += " FROM tickets WHERE ";
  std::shuffle(columns.begin(), columns.end(), random);
  wire::v1::StatementBody body;
  for (size_t i = 0; i < kConditions; ++i) {
    const semantics::Column& column = schema.columns[columns[i]];
    const auto value = [&] { return written(body, constant_for(column.type, random), with_parameters); };
    text += (i == 0 ? "" : " AND ") + column.name;
    if (column.type.kind == TypeKind::kDate || column.type.kind == TypeKind::kTimestamp) {
      const std::string low = value();
      text += fmt::format(" BETWEEN {} AND {}", low, value());
    } else {
      const size_t comparison = column.type.kind == TypeKind::kBool ? 0 : random() % kComparisons.size();
      text += fmt::format(" {} {}", kComparisons[comparison], value());
    }
  }
  body.set_sql(std::move(text));
  return body;
}

/// Argument: whether values are parameters, not literals.
void BM_CompileNeverSeen(benchmark::State& state) {
  const auto schema = wide_schema();
  std::mt19937 random(2013);
  std::vector<wire::v1::StatementBody> all;
  for (size_t i = 0; i < kTexts; ++i) {
    all.push_back(another(*schema, random, state.range(0) != 0));
  }
  auto compiler = std::make_unique<Compiler>(schema, one_node());
  size_t next = 0;
  for (auto _ : state) {
    CompiledSelect bound;
    CHECK(!compiler->bind(all[next], bound));  // As whoever asks does first.
    const auto compiled = compiler->compile(all[next], kNowUs);
    CHECK(compiled.has_value());
    if (++next == all.size()) {
      state.PauseTiming();
      compiler = std::make_unique<Compiler>(schema, one_node());
      next = 0;
      state.ResumeTiming();
    }
  }
}
BENCHMARK(BM_CompileNeverSeen)->ArgName("parameters")->Arg(0)->Arg(1);

}  // namespace
}  // namespace daedalus::aggregator::sql

int main(int argc, char** argv) {
  if (!daedalus::keeps_freed_memory()) {
    return 1;  // MALLOC_CONF says otherwise: figures would be others.
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

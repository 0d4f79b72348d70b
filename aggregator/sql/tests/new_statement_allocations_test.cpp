// Bounds what the compiler allocates for a statement that it has never seen: 27 columns by 9 conditions with
// parameters. A bound that holds keeps what was cut from growing back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "counted_allocations.hpp"
#include "daedalus/aggregator/compile.hpp"

namespace daedalus::aggregator {
namespace {

using semantics::Type;
using semantics::TypeKind;

constexpr uint32_t kColumns = 40;
constexpr uint32_t kOutputs = 27;
constexpr uint32_t kConditions = 9;
/// Names of columns fit into their strings. Some are for each condition, none for each output.
constexpr uint64_t kAllocationsMax = 66;

std::shared_ptr<const semantics::Schema> schema() {
  auto made = std::make_shared<semantics::Schema>();
  made->table_name = "t";
  made->fingerprint = "test";
  for (uint32_t column = 0; column < kColumns; ++column) {
    made->columns.push_back({fmt::format("c{}", column), Type{TypeKind::kInt}, true, std::nullopt});
  }
  return made;
}

std::shared_ptr<const contract::PartitionMap> map() {
  auto made = std::make_shared<contract::PartitionMap>();
  made->version = 1;
  made->grid = {1};
  made->partitions = {{NodeId{0}}};
  return made;
}

/// Each `number` below kColumns asks for other columns.
wire::v1::StatementBody statement(uint32_t number) {
  wire::v1::StatementBody body;
  std::string list;
  std::string where;
  for (uint32_t i = 0; i < kOutputs; ++i) {
    list += fmt::format("{}c{}", i == 0 ? "" : ", ", (number + i) % kColumns);
  }
  for (uint32_t i = 0; i < kConditions; ++i) {
    where +=
        fmt::format("{}c{} {} ${}", i == 0 ? "" : " AND ", (number + 2 * i) % kColumns, i % 2 == 0 ? "=" : ">=", i + 1);
    *body.add_parameters() = contract::from_value(Type{TypeKind::kInt}, semantics::Value(int64_t{i}));
  }
  body.set_sql(fmt::format("SELECT {} FROM t WHERE {}", list, where));
  return body;
}

TEST(NewStatementTest, AllocatesNothingForEachOutput) {
  Compiler compiler(schema(), map());
  uint64_t spent = 0;
  for (uint32_t number = 0; number < kColumns; ++number) {
    const wire::v1::StatementBody body = statement(number);
    const uint64_t before = test::allocations;
    const auto compiled = compiler.compile(body, 0);
    spent = test::allocations - before;
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  }
  RecordProperty("allocations", std::to_string(spent));
  EXPECT_LE(spent, kAllocationsMax);
  EXPECT_GT(spent, kConditions) << "nothing was counted";
}

}  // namespace
}  // namespace daedalus::aggregator

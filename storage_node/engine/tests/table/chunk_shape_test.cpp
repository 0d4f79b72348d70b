// How many rows a chunk has, from the narrowest table to the widest that is legal: memory is bounded by what is given.

#include "chunk_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "daedalus/engine/segment_shape.hpp"
#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Type;
using semantics::TypeKind;

constexpr uint64_t kMib = 1u << 20;
constexpr Type kLongest = {.kind = TypeKind::kVarchar, .length = semantics::kStringLengthMax};

semantics::Schema table_of(uint32_t columns, const Type& type) {
  semantics::Schema schema{.table_name = "wide", .fingerprint = std::string(64, '0'), .columns = {}, .primary_key = {}};
  for (uint32_t column = 0; column < columns; ++column) {
    schema.columns.push_back({"c" + std::to_string(column), type, true, {}});
  }
  return schema;
}

/// 47 columns of 304 bytes: as wide as an airline's ticket.
semantics::Schema ticket_like() {
  semantics::Schema schema = table_of(46, {.kind = TypeKind::kChar, .length = 6});
  schema.columns.push_back({"name", {.kind = TypeKind::kVarchar, .length = 28}, true, {}});
  return schema;
}

std::vector<semantics::Schema> tables() {
  return {table_of(1, {.kind = TypeKind::kBool}),
          table_of(1, kLongest),
          ticket_like(),
          table_of(semantics::kColumnsMax, {.kind = TypeKind::kBool}),
          table_of(semantics::kColumnsMax, {.kind = TypeKind::kBigint}),
          table_of(semantics::kColumnsMax, {.kind = TypeKind::kVarchar, .length = 653}),
          table_of(255, kLongest)};
}

TEST(SegmentShapeTest, ATableOfTicketsHasChunksOfTheUsualSize) {
  for (const uint64_t mib : {64u, 128u, 256u, 4096u}) {
    EXPECT_EQ(segment_shape(ticket_like(), mib * kMib)->chunk_rows, kChunkRowsUsual) << mib;
  }
}

TEST(SegmentShapeTest, MemoryIsBoundedByWhatIsGivenHoweverWideRowsAre) {
  for (const semantics::Schema& schema : tables()) {
    for (uint64_t bytes = kMib; bytes <= uint64_t{1} << 40; bytes *= 2) {
      const Result<SegmentShape> shape = segment_shape(schema, bytes);
      if (!shape) {
        EXPECT_LE(bytes, 64 * kMib) << schema.columns.size() << " columns";
        continue;
      }
      EXPECT_LE(shape->memory_bytes, bytes);
      EXPECT_GE(shape->chunk_rows, kChunkRowsMin);
      EXPECT_LE(shape->chunk_rows, kChunkRowsUsual);
      EXPECT_EQ(shape->chunk_rows & (shape->chunk_rows - 1), 0u);
      EXPECT_LE(shape->rows_max(), UINT32_MAX);
      const uint64_t slots_with_one_more = shape->rows_max() + uint64_t{shape->chunk_rows} * (1 + kRecentChunksMax);
      if (shape->chunk_rows > kChunkRowsMin && slots_with_one_more <= UINT32_MAX) {
        EXPECT_GE(shape->memory_bytes, bytes / 9 * 8) << "more than a ninth is left over";
      }
    }
  }
}

TEST(SegmentShapeTest, RefusesARowThatFitsNoChunkWithItsSize) {
  const Result<SegmentShape> refused = segment_shape(table_of(255, kLongest), 32 * kMib);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "53200");
  EXPECT_EQ(refused.error().category, ErrorCategory::kRejected);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("32 MiB has no room for 64 rows of table \"wide\""));
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("64 MiB or more"));
  EXPECT_EQ(segment_shape(table_of(255, kLongest), 64 * kMib)->rows_max(), 64u);
}

TEST(SegmentShapeTest, ASegmentHasTheShapeThatWasForetold) {
  for (const semantics::Schema& schema : tables()) {
    const semantics::GenericRowCodec codec(schema);
    const SegmentShape shape = *segment_shape(schema, 128 * kMib);
    const Segment segment(schema, codec.codec(), {.memory_bytes = 128 * kMib});
    EXPECT_EQ(segment.statistics().chunk_rows, shape.chunk_rows);
    EXPECT_EQ(segment.statistics().rows_max, shape.rows_max());
    EXPECT_LE(segment.statistics().memory_bytes, 128 * kMib);
  }
}

/// Constants take their column's width once they are compiled: those of one cycle are bounded, whoever asks.
TEST(WideConstantsTest, OperationsThatTakeMuchMemoryRideSeveralCycles) {
  const semantics::Schema schema = table_of(1, kLongest);
  const semantics::GenericRowCodec codec(schema);
  Segment segment(schema, codec.codec(), {.memory_bytes = kMib});
  semantics::Literal list{.column = 0, .kind = semantics::Literal::Kind::kIn};
  for (uint32_t member = 10'000; member < 14'000; ++member) {
    list.values.emplace_back(std::to_string(member));
  }
  semantics::Selection bound = *semantics::bind_items(schema, {{.name = "c", .column = 0}});
  bound.predicate = {{{list}}};
  const auto selection = std::make_shared<const semantics::Selection>(std::move(bound));
  constexpr uint64_t kQueries = 20;  // Each takes 16 MB, and as much again for growing.
  ASSERT_TRUE(segment.enqueue(Update{Timestamp{1}, {insert_rows(schema, {{std::string("10007")}})}}));
  for (uint64_t query = 0; query < kQueries; ++query) {
    ASSERT_TRUE(segment.enqueue(Query{QueryHandle{query}, selection}));
  }
  while (segment.step({0})) {
  }
  EXPECT_GT(segment.statistics().cycles, 1u);
  EXPECT_LT(segment.statistics().cycles, kQueries);
  uint64_t rows = 0;
  while (const std::optional<Output> output = segment.dequeue()) {
    if (const auto* answer = std::get_if<QueryOutput>(&*output)) {
      rows += answer->row_count;
    }
  }
  EXPECT_EQ(rows, kQueries);
}

/// Columns, and how long the strings in them may be: rows of 1 MiB and as many columns as there may be. Every slot is
/// filled, asked for and changed.
class WidestRows : public testing::TestWithParam<std::pair<uint32_t, uint32_t>> {};

TEST_P(WidestRows, FillTheirSegmentAndAreFoundAgain) {
  const auto [columns, length] = GetParam();
  const semantics::Schema schema = table_of(columns, {.kind = TypeKind::kVarchar, .length = length});
  const semantics::GenericRowCodec codec(schema);
  const auto last = static_cast<uint32_t>(schema.columns.size() - 1);
  const uint64_t slots = segment_shape(schema, 128 * kMib)->rows_max();
  TwinSegment twin(schema, codec.codec(), {.memory_bytes = 128 * kMib}, slots);
  constexpr uint64_t kRowsMax = 130;
  std::vector<Row> rows(std::min(slots + 1, kRowsMax), Row(schema.columns.size()));
  for (size_t row = 0; row < rows.size(); ++row) {
    rows[row][0] = std::string(1 + row % 5, 'a');
    rows[row][last] = std::string(schema.columns[last].type.length, static_cast<char>('a' + row % 26));
  }
  twin.update({insert_rows(schema, rows)});
  const std::string wanted(schema.columns[last].type.length, 'c');
  const semantics::Predicate third = where(last, semantics::Operator::kEqual, wanted);
  semantics::Selection selection =
      *semantics::bind_items(schema, {{.name = "first", .column = 0}, {.name = "last", .column = last}});
  selection.predicate = third;
  twin.ask_together({selection, selection});
  twin.update({modify({{last, {}, std::string("changed")}}, third)});
  twin.ask_together({selection, selection});
  twin.update({remove(where(0, semantics::Operator::kEqual, std::string("aaa")))});
  twin.ask(selection);
}

INSTANTIATE_TEST_SUITE_P(OfEveryShape, WidestRows,
                         testing::Values(std::pair(1u, semantics::kStringLengthMax),
                                         std::pair(255u, semantics::kStringLengthMax),
                                         std::pair(semantics::kColumnsMax, 653u)));

}  // namespace
}  // namespace daedalus::engine::test

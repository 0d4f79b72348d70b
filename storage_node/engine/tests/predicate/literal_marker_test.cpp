// Comparisons decided by sketches against the same over values, every row: many different values of each type, so that
// buckets hold ranges of them.
#include "literal_marker.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "branches.hpp"
#include "filled_store.hpp"

namespace daedalus::engine {
namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::TypeKind;
using test::below;
using test::FilledStore;
using test::one_in;
using test::Random;
using test::Row;
using test::Value;

constexpr uint32_t kMarkedChunkRows = 3'008;  // Ends within a block of sketches.
constexpr uint32_t kMarkedChunks = 2;

constexpr Operator kComparisons[] = {Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                     Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};

std::string some_text(Random& random, const semantics::Type& type) {
  const uint64_t length_max = type.length == 0 ? 20 : type.length;
  std::string text;
  for (uint64_t size = below(random, length_max + 1); text.size() < size;) {
    text.push_back(static_cast<char>('a' + below(random, text.size() < 3 ? 26 : 3)));
  }
  return text;
}

Value spread_value(Random& random, uint32_t column) {
  const semantics::Type& type = test::test_schema().columns[column].type;
  switch (type.kind) {
    case TypeKind::kSmallint:
      return static_cast<int64_t>(below(random, 4'000)) - 2'000;
    case TypeKind::kInt:
    case TypeKind::kBigint:
    case TypeKind::kDate:
      return static_cast<int64_t>(below(random, 200'000)) - 100'000;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTime:
      return static_cast<int64_t>(below(random, 80'000'000'000));
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return one_in(random, 100) ? std::numeric_limits<double>::quiet_NaN()
                                 : static_cast<double>(static_cast<int64_t>(below(random, 1u << 20)) - (1 << 19)) / 64;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return some_text(random, type);
    case TypeKind::kUuid: {
      std::string bytes(16, '\0');
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(below(random, 256)); });
      std::fill_n(bytes.begin(), one_in(random, 9) ? 8 : 0, '\xff');
      return bytes;
    }
    default:
      return test::random_value(random, column);
  }
}

Row spread_row(Random& random, int64_t id) {
  Row row;
  for (uint32_t column = 0; column < test::test_schema().columns.size(); ++column) {
    const bool is_null = test::test_schema().columns[column].nullable && one_in(random, 10);
    row.push_back(is_null ? Value{} : spread_value(random, column));
  }
  row[test::kId] = id;
  return row;
}

Literal some_literal(Random& random, uint32_t column, const std::vector<Row>& rows) {
  const auto value = [&] {
    const Value& stored = rows[below(random, rows.size())][column];
    const Value other = one_in(random, 2) ? spread_value(random, column) : test::random_value(random, column);
    return one_in(random, 3) || semantics::is_null(stored) ? other : stored;
  };
  if (one_in(random, 3)) {
    Literal list{
        .column = column, .kind = one_in(random, 3) ? Literal::Kind::kNotIn : Literal::Kind::kIn, .values = {}};
    for (uint64_t members = 1 + below(random, 20); members > 0; --members) {
      list.values.push_back(value());
    }
    return list;
  }
  const auto op = kComparisons[below(random, std::size(kComparisons))];
  return test::compare_literal(column, op, value());
}

TEST(LiteralMarkerTest, SketchesSayWhatValuesSay) {
  Random random(test::test_seed());
  FilledStore filled(random, kMarkedChunkRows, kMarkedChunks, 90, spread_row);
  Sketches sketches(filled.layout, filled.store, 4'096);
  sketches.on_load(filled.store.slot_count());
  for (size_t column = 0; column < filled.layout.columns.size(); ++column) {
    sketches.begin_cycle();  // Each draws some.
  }
  for (int round = 0; round < 2'000; ++round) {
    const auto column = static_cast<uint32_t>(below(random, filled.layout.columns.size()));
    const Literal literal = some_literal(random, column, filled.rows);
    CompiledLiteral compiled;
    NativeBytes constants;
    if (compile_literal(filled.layout.columns[column], literal, compiled, constants) != Verdict::kDepends) {
      continue;
    }
    constants.resize(constants.size() + 24);  // Whoever reads a constant may read on.
    for (uint32_t chunk = 0; chunk < kMarkedChunks; ++chunk) {
      const ChunkView view = filled.store.view(chunk);
      std::vector<uint64_t> by_value(view.word_count() + 1, 0x5555);
      std::vector<uint64_t> by_sketch(view.word_count() + 1, 0x5555);
      mark_rows(filled.layout.columns[column], compiled, constants.data(), view, by_value.data());
      LiteralMarker(filled.layout, constants.data(), view, {&sketches, chunk})
          .mark(compiled, view.live, by_sketch.data());
      for (uint32_t row = 0; row < view.row_count; ++row) {
        if (test_bit(view.live, row)) {
          ASSERT_EQ(test_bit(by_sketch.data(), row), test_bit(by_value.data(), row))
              << "column " << column << " row " << row;
        }
      }
      ASSERT_EQ(by_sketch.back(), 0x5555u);
    }
  }
#ifdef DAEDALUS_DCHECK
  EXPECT_TRUE(branches_taken[static_cast<size_t>(Branch::kMarkedBySketch)]);
#endif
}

}  // namespace
}  // namespace daedalus::engine

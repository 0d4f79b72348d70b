// Conditions over one column that are decided by the buckets of its sketch: rows in buckets that leave them open are
// computed one by one, whatever was written since the buckets were drawn.
#include <gtest/gtest.h>

#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "operation_mix.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;

BoundExpression small_column() { return semantics::column_of(test_schema(), TestColumn::kSmall); }

BoundExpression whole_number(int64_t value) { return semantics::make_constant(Type{TypeKind::kInt}, value); }

BoundExpression named(std::string_view name, bool is_operator, std::vector<BoundExpression> arguments) {
  std::vector<semantics::ArgumentKind> kinds;
  for (const BoundExpression& argument : arguments) {
    kinds.push_back({argument.type.kind, false});
  }
  return *semantics::make_call((*semantics::resolve_function(name, is_operator, kinds))->id, std::move(arguments), {});
}

BoundExpression cast(BoundExpression argument, TypeKind kind) {
  return *semantics::make_call(FunctionId::kCast, {std::move(argument)}, Type{kind});
}

/// md5 of the small number as text below a letter: has no kernel.
BoundExpression by_digest() {
  return named("<", true,
               {named("md5", false, {cast(small_column(), TypeKind::kText)}),
                semantics::make_constant(Type{TypeKind::kText}, std::string("9"))});
}

/// Fails where the small number is 7.
BoundExpression by_quotient() {
  BoundExpression difference = named("-", true, {cast(small_column(), TypeKind::kInt), whole_number(7)});
  return named(
      ">", true,
      {named("/", true, {cast(whole_number(100), TypeKind::kNumeric), cast(std::move(difference), TypeKind::kNumeric)}),
       cast(whole_number(0), TypeKind::kNumeric)});
}

class BucketTruthsTest : public ::testing::Test {
 protected:
  void insert(const std::vector<Value>& numbers) {
    std::vector<Row> rows = rows_of(static_cast<int64_t>(numbers.size()));
    for (size_t row = 0; row < rows.size(); ++row) {
      rows[row][kId] = Value{next_id_++};
      rows[row][TestColumn::kSmall] = numbers[row];
      rows_.push_back(rows[row]);
    }
    ASSERT_TRUE(segment_.enqueue(Update{Timestamp{++updates_}, {insert_rows(test_schema(), rows)}}));
    ASSERT_TRUE(segment_.step({0}));
    ASSERT_TRUE(segment_.dequeue().has_value());
  }

  QueryOutput ask(const BoundExpression& condition) {
    semantics::Selection selection = select({kId}, {});
    selection.residuals.push_back(condition);
    EXPECT_TRUE(
        segment_.enqueue(Query{QueryHandle{1}, std::make_shared<const semantics::Selection>(std::move(selection))}));
    while (segment_.step({0})) {
    }
    return std::get<QueryOutput>(*segment_.dequeue());
  }

  void expect_plain_answer(const BoundExpression& condition) {
    std::vector<Row> expected;
    for (const Row& row : rows_) {
      if (*semantics::evaluate(condition, row) == Value(true)) {
        expected.push_back({row[kId]});
      }
    }
    const QueryOutput answer = ask(condition);
    ASSERT_FALSE(answer.error.has_value());
    EXPECT_EQ(decode({test_schema().columns[kId].type}, answer.rows), expected);
  }

  Segment segment_{
      test_schema(), test_codec(), {.memory_bytes = 4u << 20, .chunk_rows = 512, .sketch_planes_per_cycle_max = 4096}};
  std::vector<Row> rows_;
  int64_t next_id_ = 1;
  uint64_t updates_ = 0;
};

std::vector<Value> repeated(const std::vector<Value>& values, size_t count) {
  std::vector<Value> made;
  while (made.size() < count) {
    made.push_back(values[made.size() % values.size()]);
  }
  return made;
}

TEST_F(BucketTruthsTest, DecideFewValuesAndNull) {
  insert(repeated({int64_t{1}, int64_t{2}, Value{}, int64_t{-5}, int64_t{300}}, 2'000));
  expect_plain_answer(by_digest());
  expect_plain_answer(by_digest());  // By now sketches have been made.
}

TEST_F(BucketTruthsTest, LeaveValuesOpenThatCameLater) {
  insert(repeated({int64_t{1}, int64_t{2}, int64_t{300}}, 2'000));
  expect_plain_answer(by_digest());
  insert({int64_t{17}, int64_t{18}, Value{}, int64_t{-32'768}, int64_t{32'767}});
  expect_plain_answer(by_digest());
}

TEST_F(BucketTruthsTest, FailOnlyWhereARowDoes) {
  insert(repeated({int64_t{1}, int64_t{9}, Value{}}, 2'000));
  expect_plain_answer(by_quotient());
  expect_plain_answer(by_quotient());
  insert({int64_t{7}});
  const QueryOutput answer = ask(by_quotient());
  ASSERT_TRUE(answer.error.has_value());
  EXPECT_EQ(answer.error->sqlstate, "22012");
}

}  // namespace
}  // namespace daedalus::engine::test

// Whatever computes vectors says of each row what the plain evaluation says: values, NULLs, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "expression_column.hpp"
#include "filled_store.hpp"
#include "on_every_instruction_set.hpp"
#include "random_expressions.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using test::below;
using test::FilledStore;
using test::one_in;
using test::Random;

constexpr uint32_t kChunkRows = 2048;

bool is_same(const Value& left, const Value& right) {
  const auto* floating = std::get_if<double>(&left);
  const auto* other = std::get_if<double>(&right);
  if (floating == nullptr || other == nullptr) {
    return left == right;
  }
  return (std::isnan(*floating) && std::isnan(*other)) || std::memcmp(floating, other, sizeof *floating) == 0;
}

/// Returns whether it is no NaN other than the one that rows have.
bool has_one_nan(const Value& value) {
  const auto* floating = std::get_if<double>(&value);
  return floating == nullptr || !std::isnan(*floating) || !std::signbit(*floating);
}

/// How an expression reads: for whoever looks at a fault.
std::string told(const BoundExpression& expression) {
  if (expression.is_input()) {
    return test::test_schema().columns[expression.input].name;
  }
  if (expression.is_constant()) {
    return semantics::is_null(expression.value) ? "NULL" : semantics::format_text(expression.type, expression.value);
  }
  const semantics::ScalarFunction* function = semantics::find_function(expression.function);
  std::string text = function != nullptr ? std::string(function->name)
                                         : "form" + std::to_string(static_cast<int>(expression.function));
  text += "(";
  for (const BoundExpression& argument : expression.arguments) {
    text += told(argument) + ", ";
  }
  return text + ")::" + to_string(expression.type);
}

class VectorExpressions : public testing::Test {
 protected:
  VectorExpressions()
      : random_(test::test_seed()), filled_(random_, kChunkRows, 1, 100), view_(filled_.store.view(0)) {}

  std::vector<Result<Value>> plain(const BoundExpression& expression) {
    std::vector<Result<Value>> values;
    for (const test::Row& row : filled_.rows) {
      values.push_back(semantics::evaluate(expression, row));
    }
    return values;
  }

  /// Consecutive rows or a list; without those that have errors where there is no wish for one.
  RowBatch some_batch(const std::vector<Result<Value>>& expected, uint32_t count_max) {
    const auto first = static_cast<uint32_t>(below(random_, kChunkRows / 64)) * 64;
    const auto count = static_cast<uint32_t>(below(random_, std::min(kChunkRows - first, count_max) + 1));
    if (one_in(random_, 3)) {
      return {.chunk = &view_, .first = first, .count = count};
    }
    const bool with_errors = one_in(random_, 3);
    rows_.clear();
    for (uint32_t row = 0; row < kChunkRows && rows_.size() < count; ++row) {
      if (one_in(random_, 2) && (with_errors || expected[row])) {
        rows_.push_back(row);
      }
    }
    return {.chunk = &view_, .rows = rows_.data(), .count = static_cast<uint32_t>(rows_.size())};
  }

  /// The first error there should be; nothing where there is none.
  static std::optional<Error> error_of(const std::vector<Result<Value>>& expected, const RowBatch& batch,
                                       const uint64_t* asked = nullptr) {
    for (uint32_t position = 0; position < batch.count; ++position) {
      if ((asked == nullptr || test_bit(asked, position)) && !expected[batch.row(position)]) {
        return expected[batch.row(position)].error();
      }
    }
    return std::nullopt;
  }

  static void expect_error(const std::optional<Error>& wanted, const Error& error) {
    ASSERT_TRUE(wanted.has_value()) << error.message;
    EXPECT_EQ(error.sqlstate, wanted->sqlstate);
    EXPECT_EQ(error.message, wanted->message);
  }

  void check_values(const ExpressionColumn& column, const std::vector<Result<Value>>& expected, const RowBatch& batch) {
    const std::optional<Error> wanted = error_of(expected, batch);
    const Result<ColumnVector> made = column.compute(batch, room_);
    if (!made) {
      return expect_error(wanted, made.error());
    }
    ASSERT_FALSE(wanted.has_value()) << wanted->message;
    std::vector<uint8_t> bytes;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const Value value = value_at(column.layout(), *made, position, bytes);
      ASSERT_TRUE(is_same(value, *expected[batch.row(position)])) << "row " << batch.row(position);
      ASSERT_TRUE(has_one_nan(value)) << "row " << batch.row(position);
    }
    if (made->nulls != nullptr && batch.count % 64 != 0) {
      ASSERT_EQ(made->nulls[batch.count / 64] >> (batch.count % 64), 0u);
    }
  }

  void check_truths(const ExpressionColumn& column, const std::vector<Result<Value>>& expected, const RowBatch& batch) {
    VectorBits truths{};
    for (uint32_t position = 0; position < batch.count; ++position) {
      if (!one_in(random_, 4)) {
        set_bit(truths.data(), position);
      }
    }
    const VectorBits asked = truths;
    const std::optional<Error> wanted = error_of(expected, batch, asked.data());
    if (const Result<void> kept = column.keep_true(batch, truths); !kept) {
      return expect_error(wanted, kept.error());
    }
    ASSERT_FALSE(wanted.has_value()) << wanted->message;
    for (uint32_t position = 0; position < batch.count; ++position) {
      if (!test_bit(asked.data(), position)) {
        ASSERT_FALSE(test_bit(truths.data(), position));
        continue;
      }
      const Value& value = *expected[batch.row(position)];
      ASSERT_EQ(test_bit(truths.data(), position), !semantics::is_null(value) && std::get<bool>(value));
    }
    ASSERT_TRUE(batch.count % 64 == 0 || truths[batch.count / 64] >> (batch.count % 64) == 0);
  }

  void check_exact(const ExpressionColumn& column, const std::vector<Result<Value>>& expected, const RowBatch& batch) {
    const std::optional<Error> wanted = error_of(expected, batch);
    const Result<ExactVector> made = column.compute_exact(batch);
    if (!made) {
      return expect_error(wanted, made.error());
    }
    ASSERT_FALSE(wanted.has_value()) << wanted->message;
    std::vector<Value> values(batch.count);
    for (uint32_t position = 0; position < batch.count; ++position) {
      if (made->nulls == nullptr || !test_bit(made->nulls, position)) {
        const uint32_t at = made->is_constant ? 0 : position;
        values[position] = semantics::Decimal{to_big(made->wides != nullptr ? made->wides[at] : made->words[at]),
                                              *column.exact_scale()};
      }
    }
    for (const ExactVector::Beyond& beyond : made->beyond) {
      ASSERT_TRUE(semantics::is_null(values[beyond.position]));
      values[beyond.position] = beyond.value;
    }
    for (uint32_t position = 0; position < batch.count; ++position) {
      ASSERT_TRUE(is_same(values[position], *expected[batch.row(position)])) << "row " << batch.row(position);
    }
  }

  void check(const BoundExpression& expression, ExpressionPool* pool) {
    SCOPED_TRACE(told(expression));
    const ExpressionColumn column(filled_.layout, expression, pool);
    const std::vector<Result<Value>> expected = plain(expression);
    check_values(column, expected, some_batch(expected, kChunkRows));
    const RowBatch batch = some_batch(expected, kVectorRows);
    if (expression.type.kind == TypeKind::kBool) {
      check_truths(column, expected, batch);
    }
    if (column.exact_scale().has_value()) {
      check_exact(column, expected, batch);
    }
  }

  Random random_;
  FilledStore filled_;
  ChunkView view_;
  std::vector<uint32_t> rows_;
  VectorRoom room_;
};

TEST_F(VectorExpressions, AgreeWithThePlainEvaluationForEveryFunctionTypeAndError) {
  const auto draws = static_cast<int>(test::from_environment("DAEDALUS_EXPRESSIONS", 600));
  test::on_every_instruction_set([&] {
    for (int draw = 0; draw < draws && !HasFatalFailure(); ++draw) {
      check(test::random_expression(random_, static_cast<uint32_t>(below(random_, 4))), nullptr);
    }
  });
}

/// Every overload is called on columns and constants, so that none is left to chance.
TEST_F(VectorExpressions, AgreeForEveryOverload) {
  for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
    for (int draw = 0; draw < 3 && function.evaluate != nullptr; ++draw) {
      const Result<BoundExpression> call = test::random_call(random_, function, 0);
      ASSERT_TRUE(call) << function.name << ": " << call.error().message;
      check(*call, nullptr);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

/// Makes a part of a kind: a column, or for intervals the difference of two moments.
BoundExpression part_of_kind(TypeKind kind, Random& random) {
  if (kind == TypeKind::kInterval) {
    constexpr TypeKind kMoments[] = {TypeKind::kTimestamp, TypeKind::kTimestampTz, TypeKind::kTime};
    const TypeKind of = kMoments[below(random, std::size(kMoments))];
    const BoundExpression from = part_of_kind(of, random);
    for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
      if (function.name == "-" && function.arguments == std::vector<TypeKind>(2, of)) {
        return *semantics::make_call(function.id, {from, test::random_expression(random, of, 0)});
      }
    }
  }
  const auto& columns = test::test_schema().columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [kind](const semantics::Column& column) { return column.type.kind == kind; });
  return semantics::column_of(test::test_schema(), static_cast<uint32_t>(found - columns.begin()));
}

/// Each operator on an interval, with constants that are within all bounds and at them.
TEST_F(VectorExpressions, AgreeForSpansAndMomentsThatTheyMove) {
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();
  const semantics::Interval spans[] = {
      {0, 0, 0},    {0, 0, 1},     {0, 1, -1},        {0, -5, 7},        {0, 3, 10'800'000}, {1, 0, 0},
      {0, kLow, 0}, {0, kHigh, 0}, {0, 0, INT64_MIN}, {0, 0, INT64_MAX}, {kHigh, kHigh, 0},  {kLow, kLow, INT64_MIN}};
  int kernels = 0;
  for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
    const auto place = std::find(function.arguments.begin(), function.arguments.end(), TypeKind::kInterval);
    if (!function.is_operator || function.arguments.size() != 2 || place == function.arguments.end()) {
      continue;
    }
    for (const semantics::Interval& span : spans) {
      std::vector<BoundExpression> arguments;
      for (const TypeKind kind : function.arguments) {
        arguments.push_back(part_of_kind(kind, random_));
      }
      arguments[static_cast<size_t>(place - function.arguments.begin())] =
          semantics::make_constant(Type{TypeKind::kInterval}, span);
      const BoundExpression call = *semantics::make_call(function.id, arguments);
      kernels += ExpressionColumn(filled_.layout, call).is_by_row() ? 0 : 1;
      check(call, nullptr);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  EXPECT_GT(kernels, 80);
}

TEST_F(VectorExpressions, AgreeForTheEpochsOfDifferences) {
  const BoundExpression unit = semantics::make_constant(Type{TypeKind::kText}, std::string("epoch"));
  for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
    const bool has_fields = function.name == "extract" || function.name == "date_part";
    for (int draw = 0; draw < 20 && has_fields && function.arguments[1] == TypeKind::kInterval; ++draw) {
      const BoundExpression call =
          *semantics::make_call(function.id, {unit, part_of_kind(TypeKind::kInterval, random_)});
      ASSERT_FALSE(ExpressionColumn(filled_.layout, call).is_by_row());
      check(call, nullptr);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

/// Every kind, in full and cut.
TEST_F(VectorExpressions, AgreeForCastsToText) {
  for (const semantics::Column& column : test::test_schema().columns) {
    const auto place = static_cast<uint32_t>(&column - test::test_schema().columns.data());
    for (const TypeKind to : {TypeKind::kText, TypeKind::kVarchar, TypeKind::kChar}) {
      for (const uint32_t length : {1u, 3u, 11u, 12u, 40u}) {
        check(*semantics::make_call(FunctionId::kCast, {semantics::column_of(test::test_schema(), place)},
                                    Type{.kind = to, .length = length}),
              nullptr);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST_F(VectorExpressions, HaveOneNaNWhateverTheProcessorMakesOfInfinities) {
  const BoundExpression infinity =
      semantics::make_constant(Type{TypeKind::kDouble}, std::numeric_limits<double>::infinity());
  const BoundExpression column = semantics::column_of(test::test_schema(), test::kDouble);
  const BoundExpression infinite = *semantics::make_call(FunctionId::kGreatest, {infinity, column});
  for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
    if (function.name == "-" && function.arguments == std::vector<TypeKind>(2, TypeKind::kDouble)) {
      check(*semantics::make_call(function.id, {infinite, infinity}), nullptr);
    }
  }
}

TEST_F(VectorExpressions, AgreeWhereEqualPartsAreComputedOnce) {
  ExpressionPool pool;
  for (int draw = 0; draw < 300 && !HasFatalFailure(); ++draw) {
    const BoundExpression part = test::random_expression(random_, TypeKind::kInt, 2);
    const BoundExpression other = test::random_expression(random_, TypeKind::kInt, 1);
    for (const FunctionId function : {FunctionId::kGreatest, FunctionId::kCoalesce, FunctionId::kNullIf}) {
      check(*semantics::make_call(function, {part, other}), &pool);
    }
  }
}

/// NULLIF hands on what its first part has: that must not be taken for this batch's after another was computed.
TEST_F(VectorExpressions, DoesNotTakeAnEarlierBatchesValuesForThoseOfALaterOne) {
  ExpressionPool pool;
  const BoundExpression big = semantics::column_of(test::test_schema(), test::kBig);
  const BoundExpression none = semantics::make_constant(Type{TypeKind::kBigint}, INT64_MIN + 1);
  const BoundExpression passed = *semantics::make_call(FunctionId::kNullIf, {big, none});
  const BoundExpression tested = *semantics::make_call(FunctionId::kCoalesce, {big, none});
  const ExpressionColumn first(filled_.layout, passed, &pool);
  const ExpressionColumn second(filled_.layout, tested, &pool);
  const std::vector<Result<Value>> expected = plain(passed);
  const std::vector<uint32_t> even = {0, 2, 4, 6, 8, 10, 12};
  const std::vector<uint32_t> odd = {1, 3, 5, 7, 9, 11, 13};
  RowBatch batch = {.chunk = &view_, .rows = even.data(), .count = 7, .number = 1};
  check_values(first, expected, batch);
  VectorRoom room;
  ASSERT_TRUE(second.compute({.chunk = &view_, .rows = odd.data(), .count = 7}, room));
  check_values(first, expected, batch);
}

/// A second chunk, because only then it is known that rows of the first were asked for again.
TEST(KeptChunks, HaveTheValuesOfEachOfTheirRows) {
  Random random(test::test_seed());
  const FilledStore filled(random, kChunkRows, 6, 90);
  int kept = 0;
  for (int draw = 0; draw < 60; ++draw) {
    const BoundExpression expression = test::random_expression(random, 2);
    if (expression.kind != BoundExpression::Kind::kCall) {
      continue;
    }
    ++kept;
    ExpressionPool pool;
    const ExpressionColumn column(filled.layout, expression, &pool);
    VectorRoom room;
    std::vector<uint8_t> bytes;
    for (uint32_t chunk = 0; chunk < filled.store.chunk_count(); ++chunk) {
      const ChunkView view = filled.store.view(chunk);
      for (int look = 0; look < 5; ++look) {
        std::vector<uint32_t> rows;
        for (uint32_t row = 0; row < kChunkRows; ++row) {
          const bool is_fine = semantics::evaluate(expression, filled.rows[chunk * kChunkRows + row]).has_value();
          if (is_fine && !one_in(random, 4)) {
            rows.push_back(row);
          }
        }
        const RowBatch batch = {.chunk = &view, .rows = rows.data(), .count = static_cast<uint32_t>(rows.size())};
        const Result<ColumnVector> made = column.compute(batch, room);
        ASSERT_TRUE(made) << made.error().message;
        for (uint32_t position = 0; position < batch.count; ++position) {
          const Value expected = *semantics::evaluate(expression, filled.rows[chunk * kChunkRows + rows[position]]);
          ASSERT_TRUE(is_same(value_at(column.layout(), *made, position, bytes), expected)) << told(expression);
        }
      }
    }
  }
  ASSERT_GT(kept, 0);
}

}  // namespace
}  // namespace daedalus::engine

#include "daedalus/semantics/aggregate.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/order.hpp"
#include "plain_types.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;
using Function = AggregateFunction;

std::string aggregate(Function function, const Type& type, const std::vector<std::string>& texts) {
  AggregateState state(function, type);
  for (const std::string& text : texts) {
    state.add(text == "NULL" ? Value() : *parse_text(type, text));
  }
  const Result<Value> value = state.finish();
  if (!value) {
    return value.error().message;
  }
  return is_null(*value) ? "NULL" : format_text(*aggregate_type(function, type), *value);
}

TEST(Aggregate, AveragesHaveTheScaleThatPostgresChooses) {
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"1", "2"}), "1.5000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"1", "1", "2"}), "1.3333333333333333");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"10000", "10001"}), "10000.5000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"20000", "30001"}), "25000.500000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"100000", "100000", "100001"}), "100000.333333333333");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"0", "0"}), "0.00000000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"0", "0", "1"}), "0.33333333333333333333");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"-1", "-2"}), "-1.5000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"2147483647", "2147483647"}), "2147483647.00000000");
  EXPECT_EQ(aggregate(Function::kAvg, kBigint, {"9223372036854775807", "9223372036854775807"}), "9223372036854775807");
  EXPECT_EQ(aggregate(Function::kAvg, {TypeKind::kNumeric, 10, 2}, {"0.01", "0.02"}), "0.01500000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, {TypeKind::kNumeric, 38, 30}, {"1", "2"}), "1.500000000000000000000000000000");
  EXPECT_EQ(aggregate(Function::kAvg, kDouble, {"1", "2"}), "1.5");
  EXPECT_EQ(aggregate(Function::kAvg, kInt, {"NULL"}), "NULL");
}

TEST(Aggregate, SumsWidenAndOverflowAsPostgresDoes) {
  EXPECT_EQ(aggregate(Function::kSum, kInt, {"2147483647", "1", "NULL"}), "2147483648");
  EXPECT_EQ(aggregate(Function::kSum, kBigint, {"9223372036854775807", "1"}), "9223372036854775808");
  EXPECT_EQ(aggregate(Function::kSum, {TypeKind::kNumeric, 5, 2}, {"999.99", "999.99"}), "1999.98");
  EXPECT_EQ(aggregate(Function::kSum, kReal, {"0.1", "0.2"}), "0.3");
  EXPECT_EQ(aggregate(Function::kSum, kDouble, {"0.1", "0.2", "0.3"}), "0.6");  // Rounded once.
  EXPECT_EQ(aggregate(Function::kSum, kReal, {"3e38", "3e38"}), "value out of range: overflow");
  EXPECT_EQ(aggregate(Function::kSum, kDouble, {"NaN", "1"}), "NaN");
  EXPECT_EQ(aggregate(Function::kSum, kInt, {}), "NULL");
  AggregateState huge(Function::kSum, kInt);
  huge.merge(std::vector<Value>{Decimal{BigInt(INT64_MAX), 0}});
  huge.merge(std::vector<Value>{Decimal{1, 0}});
  EXPECT_EQ(huge.finish().error().message, "bigint out of range");
  EXPECT_EQ(huge.finish().error().sqlstate, "22003");
}

TEST(Aggregate, IntervalsAddUpFieldByField) {
  EXPECT_EQ(aggregate(Function::kSum, kInterval, {"1 mon -3 days", "NULL", "2 days 01:00", "-00:00:01"}),
            "1 mon -1 days +00:59:59");
  EXPECT_EQ(aggregate(Function::kAvg, kInterval, {"1 mon", "00:00:03"}), "15 days 00:00:01.5");
  EXPECT_EQ(aggregate(Function::kAvg, kInterval, {"-1 year", "1 day"}), "-6 mons +12:00:00");
  EXPECT_EQ(aggregate(Function::kAvg, kInterval, {"NULL"}), "NULL");
  EXPECT_EQ(aggregate(Function::kSum, kInterval, {"2147483647 mons", "1 mon"}), "interval out of range");
  EXPECT_EQ(aggregate(Function::kSum, kInterval, {"-2147483648 days", "-1 day"}), "interval out of range");
  EXPECT_EQ(aggregate(Function::kAvg, kInterval, {"2147483647 mons", "1 mon"}), "interval out of range");
  EXPECT_EQ(aggregate(Function::kSum, kInterval, {"2147483647 mons", "1 mon", "-1 mon"}),
            "178956970 years 7 mons");  // Only the whole sum decides.
  // The last of equal extremes counts.
  EXPECT_EQ(aggregate(Function::kMin, kInterval, {"1 mon", "30 days", "1 year"}), "30 days");
  EXPECT_EQ(aggregate(Function::kMax, kInterval, {"30 days", "720:00:00", "NULL", "1 day"}), "720:00:00");
  EXPECT_EQ(aggregate_type(Function::kStddevPop, kInterval).error().sqlstate, "42883");
}

TEST(Aggregate, PartsOfIntervalsMergeExactly) {
  const Type type{TypeKind::kInterval};
  Random random(17);
  for (int turn = 0; turn < 1'000; ++turn) {
    AggregateState whole(Function::kAvg, type);
    AggregateState merged(Function::kAvg, type);
    for (int64_t parts = random.between(0, 4); parts > 0; --parts) {
      AggregateState part(Function::kAvg, type);
      for (int64_t rows = random.between(0, 5); rows > 0; --rows) {
        const Value value = random.nullable_value(type);
        whole.add(value);
        part.add(value);
      }
      merged.merge(part.partial());
    }
    const Result<Value> expected = whole.finish();
    const Result<Value> actual = merged.finish();
    ASSERT_EQ(expected.has_value(), actual.has_value());
    ASSERT_EQ(expected ? *expected : Value(), actual ? *actual : Value());
  }
  // A peer's number that is no sum of intervals is one that is out of range.
  AggregateState peer(Function::kSum, type);
  peer.merge(std::vector<Value>{Decimal{BigInt(1) << 600, 0}});
  EXPECT_EQ(peer.finish().error().sqlstate, "22008");
}

TEST(Aggregate, FiniteValuesNeverSumToInfinity) {
  const std::string overflow = "value out of range: overflow";
  for (const Function function : {Function::kSum, Function::kAvg}) {
    EXPECT_EQ(aggregate(function, kDouble, {"1e308", "1e308"}), overflow);
    EXPECT_EQ(aggregate(function, kDouble, {"-1e308", "-1e308", "NULL", "-1"}), overflow);
    EXPECT_EQ(aggregate(function, kDouble, {"1e308", "1e308", "Infinity"}), "Infinity");
    EXPECT_EQ(aggregate(function, kDouble, {"1e308", "1e308", "-Infinity"}), "-Infinity");
    EXPECT_EQ(aggregate(function, kDouble, {"Infinity", "-1e308", "-Infinity"}), "NaN");
    EXPECT_EQ(aggregate(function, kDouble, {"1e308", "NaN", "1e308"}), "NaN");
    EXPECT_EQ(aggregate(function, kReal, {"Infinity", "3e38", "3e38"}), "Infinity");
  }
  // Only the whole sum decides: parts of it are added in an order that is nobody's business.
  EXPECT_EQ(aggregate(Function::kSum, kDouble, {"1e308", "1e308", "-1e308"}), "1e+308");
  EXPECT_EQ(aggregate(Function::kAvg, kDouble, {"1e308", "1e308", "-1e308", "-1e308"}), "0");
  EXPECT_EQ(aggregate(Function::kSum, kReal, {"3e38", "3e38", "-3e38"}), "3e+38");
  EXPECT_EQ(aggregate(Function::kAvg, kReal, {"3e38", "3e38"}), "3.0000000054977558e+38");
}

TEST(Aggregate, PartsBeyondTheRangeOfDoublesMerge) {
  const auto state_of = [](const std::vector<double>& values) {
    AggregateState state(Function::kSum, kDouble);
    for (const double value : values) {
      state.add(value);
    }
    return state.partial();
  };
  AggregateState whole(Function::kSum, kDouble);
  whole.merge(state_of({1e308, 1e308, 1e308}));
  EXPECT_EQ(whole.finish().error().sqlstate, "22003");
  AggregateState between(Function::kSum, kDouble);  // A node passes it on.
  between.merge(whole.partial());
  between.merge(state_of({-1e308, -1e308}));
  EXPECT_EQ(std::get<double>(*between.finish()), 1e308);
  between.merge(std::vector<Value>(FloatingSum::kColumns));
  between.merge(state_of({-std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(std::get<double>(*between.finish()), -std::numeric_limits<double>::infinity());
}

TEST(Aggregate, ZerosKeepTheirSignAsInPostgres) {
  EXPECT_EQ(aggregate(Function::kSum, kDouble, {"-0", "-0"}), "-0");
  EXPECT_EQ(aggregate(Function::kSum, kReal, {"-0"}), "-0");
  EXPECT_EQ(aggregate(Function::kSum, kDouble, {"-0", "0"}), "0");
  EXPECT_EQ(aggregate(Function::kAvg, kDouble, {"-0", "-0"}), "0");
  // The last of equal extremes counts.
  for (const Function function : {Function::kMin, Function::kMax}) {
    EXPECT_EQ(aggregate(function, kDouble, {"0", "-0"}), "-0");
    EXPECT_EQ(aggregate(function, kDouble, {"-0", "NULL", "0"}), "0");
  }
}

TEST(Aggregate, CountsAndExtremesSkipNulls) {
  EXPECT_EQ(aggregate(Function::kCount, kInt, {"1", "NULL"}), "1");
  EXPECT_EQ(aggregate(Function::kCountRows, kBigint, {"1", "NULL"}), "2");
  EXPECT_EQ(aggregate(Function::kCount, {TypeKind::kBool}, {}), "0");
  EXPECT_EQ(aggregate(Function::kMin, kDouble, {"NaN", "NULL", "-Infinity"}), "-Infinity");
  EXPECT_EQ(aggregate(Function::kMax, kDouble, {"NaN", "NULL", "Infinity"}), "NaN");
  EXPECT_EQ(aggregate(Function::kMax, {TypeKind::kChar, 0, 0, 3}, {"a", "b", "NULL"}), "b  ");
  EXPECT_EQ(aggregate(Function::kMin, {TypeKind::kDate}, {}), "NULL");
}

TEST(Aggregate, TruthsAndBitsComeTogetherAsInPostgres) {
  const Type kBool{TypeKind::kBool};
  EXPECT_EQ(aggregate(Function::kBoolAnd, kBool, {"true", "NULL", "false"}), "f");
  EXPECT_EQ(aggregate(Function::kBoolAnd, kBool, {"true", "NULL"}), "t");
  EXPECT_EQ(aggregate(Function::kBoolOr, kBool, {"false", "true"}), "t");
  EXPECT_EQ(aggregate(Function::kBoolOr, kBool, {"NULL"}), "NULL");
  EXPECT_EQ(aggregate(Function::kBitAnd, kInt, {"7", "-2", "NULL"}), "6");
  EXPECT_EQ(aggregate(Function::kBitOr, kBigint, {"4", "-9223372036854775808"}), "-9223372036854775804");
  EXPECT_EQ(aggregate(Function::kBitOr, kInt, {}), "NULL");
  EXPECT_EQ(aggregate(Function::kBitXor, kBigint, {"5", "-9223372036854775808", "1", "5"}), "-9223372036854775807");
  EXPECT_EQ(aggregate(Function::kBitXor, kInt, {}), "NULL");
}

TEST(Aggregate, SpreadsHaveTheDigitsThatPostgresChooses) {
  const Type kNumeric{TypeKind::kNumeric, 10, 2};
  EXPECT_EQ(aggregate(Function::kVarSamp, kInt, {"1", "2", "4"}), "2.3333333333333333");
  EXPECT_EQ(aggregate(Function::kVarPop, kInt, {"1", "2", "4"}), "1.5555555555555556");
  EXPECT_EQ(aggregate(Function::kStddevSamp, kInt, {"1", "2", "4"}), "1.5275252316519467");
  EXPECT_EQ(aggregate(Function::kStddevPop, kInt, {"1", "2", "NULL", "4"}), "1.2472191289246471");
  EXPECT_EQ(aggregate(Function::kVarPop, kInt, {"5", "5"}), "0");
  EXPECT_EQ(aggregate(Function::kVarSamp, kInt, {"5"}), "NULL");
  EXPECT_EQ(aggregate(Function::kVarPop, kInt, {"5"}), "0");
  EXPECT_EQ(aggregate(Function::kStddevPop, kInt, {}), "NULL");
  EXPECT_EQ(aggregate(Function::kVarSamp, kNumeric, {"1.50", "2.25"}), "0.28125000000000000000");
  EXPECT_EQ(aggregate(Function::kVarSamp, kBigint, {"9223372036854775807", "-9223372036854775808"}),
            "170141183460469231713240559642174554113");
}

TEST(Aggregate, SpreadsOfFloatsLoseNothingWhereValuesAreClose) {
  EXPECT_EQ(aggregate(Function::kVarPop, kDouble, {"1e9", "1000000001", "1000000002"}), "0.6666666666666666");
  EXPECT_EQ(aggregate(Function::kStddevSamp, kReal, {"1", "2", "4"}), "1.5275252316519468");
  EXPECT_EQ(aggregate(Function::kVarPop, kDouble, {"Infinity"}), "NaN");
  EXPECT_EQ(aggregate(Function::kVarPop, kDouble, {"1", "NaN", "2"}), "NaN");
  EXPECT_EQ(aggregate(Function::kVarPop, kDouble, {"1e200", "-1e200"}), "value out of range: overflow");
  EXPECT_EQ(aggregate(Function::kVarSamp, kDouble, {"1e200"}), "NULL");
}

TEST(Aggregate, SquaresWithTooManyDigitsAreRefusedWhereverTheyAreMade) {
  const Type kUnbounded{TypeKind::kNumeric};
  const std::string huge(310, '9');
  EXPECT_EQ(aggregate(Function::kVarPop, kUnbounded, {huge}), "0");
  AggregateState part(Function::kVarPop, kUnbounded);
  part.add(Value(Decimal{BigInt(huge), 0}));
  AggregateState whole(Function::kVarPop, kUnbounded);
  whole.merge(part.partial());
  whole.add(Value(Decimal{1, 0}));
  EXPECT_EQ(whole.finish().error().sqlstate, "22003");
}

TEST(Aggregate, TextsThatAreTooLongAreRefused) {
  AggregateState state(Function::kStringAgg, {TypeKind::kText});
  state.append(Value(), Value());
  EXPECT_TRUE(is_null(*state.finish()));
  state.append(Value(std::string("a")), Value(std::string("-")));
  state.append(Value(std::string("b")), Value());
  state.append(Value(std::string("c")), Value(std::string("-")));
  EXPECT_EQ(std::get<std::string>(*state.finish()), "ab-c");
  state.append(Value(std::string(kStringAggBytesMax - 4, 'x')), Value());
  EXPECT_TRUE(state.finish().has_value());
  state.append(Value(std::string("y")), Value());
  EXPECT_EQ(state.finish().error().sqlstate, "54000");
}

/// Aggregates values that come in order, each of so many rows.
Result<Value> of_ordered(Function function, double fraction, const std::vector<std::pair<double, int64_t>>& values) {
  AggregateState state(function, {TypeKind::kDouble});
  if (function != Function::kMode) {
    for (const auto& [value, rows] : values) {
      state.expect(Value(value), rows);
    }
    state.expect(Value(), 7);
  }
  for (const auto& [value, rows] : values) {
    if (auto taken = state.take_in_order(Value(value), Value(fraction), rows); !taken) {
      return taken.error();
    }
  }
  EXPECT_TRUE(state.take_in_order(Value(), Value(fraction), 7));
  return state.finish();
}

TEST(Aggregate, PercentilesAreFoundByThePlacesOfRows) {
  for (const auto& [function, fraction, expected] : std::initializer_list<std::tuple<Function, double, double>>{
           {Function::kPercentileDisc, 0, 1},
           {Function::kPercentileDisc, 0.25, 1},
           {Function::kPercentileDisc, 0.26, 2},
           {Function::kPercentileDisc, 0.75, 2},
           {Function::kPercentileDisc, 1, 10},
           {Function::kPercentileCont, 0, 1},
           {Function::kPercentileCont, 0.5, 2},
           {Function::kPercentileCont, 0.25, 1.75},
           {Function::kPercentileCont, 0.875, 7},
           {Function::kPercentileCont, 1, 10},
       }) {
    const Result<Value> found = of_ordered(function, fraction, {{1, 1}, {2, 2}, {10, 1}});
    ASSERT_TRUE(found);
    EXPECT_EQ(std::get<double>(*found), expected) << entry_of(function).name << " " << fraction;
  }
  EXPECT_TRUE(is_null(*of_ordered(Function::kPercentileCont, 0.5, {})));
  EXPECT_EQ(of_ordered(Function::kPercentileDisc, 1.5, {{1, 1}}).error().sqlstate, "22003");
}

TEST(Aggregate, TakesTheFirstOfTheMostFrequentValues) {
  EXPECT_EQ(std::get<double>(*of_ordered(Function::kMode, 0, {{1, 1}, {2, 3}, {3, 3}})), 2);
  EXPECT_EQ(std::get<double>(*of_ordered(Function::kMode, 0, {{1, 2}, {1, 2}, {2, 3}})), 1);
  EXPECT_TRUE(is_null(*of_ordered(Function::kMode, 0, {})));
}

TEST(AggregateType, RefusesWhatPostgresDoesNotHave) {
  const auto refusal = [](Function function, TypeKind kind) { return aggregate_type(function, {kind}).error(); };
  EXPECT_EQ(refusal(Function::kMin, TypeKind::kBool).message, "function min(boolean) does not exist");
  EXPECT_EQ(refusal(Function::kMin, TypeKind::kBool).sqlstate, "42883");
  EXPECT_EQ(refusal(Function::kSum, TypeKind::kDate).message, "function sum(date) does not exist");
  EXPECT_EQ(refusal(Function::kAvg, TypeKind::kVarchar).message, "function avg(character varying) does not exist");
  EXPECT_EQ(refusal(Function::kSum, TypeKind::kTimestamp).message,
            "function sum(timestamp without time zone) does not exist");
  EXPECT_EQ(*aggregate_type(Function::kSum, {TypeKind::kSmallint}), Type{TypeKind::kBigint});
  EXPECT_EQ(*aggregate_type(Function::kSum, {TypeKind::kReal}), Type{TypeKind::kReal});
  EXPECT_EQ(*aggregate_type(Function::kAvg, {TypeKind::kReal}), Type{TypeKind::kDouble});
  EXPECT_EQ(*aggregate_type(Function::kMax, {TypeKind::kChar, 0, 0, 7}), (Type{TypeKind::kChar, 0, 0, 7}));
}

/// Columns of a state, doubles by their bits.
std::vector<Value> bits_of(std::vector<Value> state) {
  for (Value& value : state) {
    if (const auto* number = std::get_if<double>(&value)) {
      value = std::bit_cast<int64_t>(*number);
    }
  }
  return state;
}

TEST(Aggregate, PartsMergeToTheWhole) {
  Random random(41);
  for (int i = 0; i < 5'000; ++i) {
    const Type type = random.type();
    const auto function = static_cast<Function>(random.between(1, static_cast<int64_t>(kAggregates.size())));
    if (entry_of(function).state == AggregateStateKind::kNone || !aggregate_type(function, type)) {
      continue;
    }
    AggregateState whole(function, type);
    AggregateState merged(function, type);
    for (int64_t part = random.between(0, 4); part > 0; --part) {
      AggregateState state(function, type);
      for (int64_t row = random.between(0, 5); row > 0; --row) {
        const Value value = random.nullable_value(type);
        whole.add(value);
        state.add(value);
      }
      const std::vector<Value> partial = state.partial();
      ASSERT_EQ(partial.size(), partial_types(function, type).size());
      merged.merge(partial);
    }
    const Result<Value> expected = whole.finish();
    const Result<Value> actual = merged.finish();
    ASSERT_EQ(actual.has_value(), expected.has_value());
    if (is_floating(type.kind)) {
      ASSERT_EQ(bits_of(merged.partial()), bits_of(whole.partial()));
    }
    if (expected) {
      ASSERT_EQ(is_null(*actual), is_null(*expected));
      ASSERT_TRUE(is_null(*expected) || compare(*actual, *expected) == 0);
    }
  }
}

}  // namespace
}  // namespace daedalus::semantics

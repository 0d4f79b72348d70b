#include "daedalus/semantics/predicate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/semantics/text.hpp"

namespace daedalus::semantics {
namespace {

constexpr Type kBool{TypeKind::kBool};
constexpr Type kSmallint{TypeKind::kSmallint};
constexpr Type kInt{TypeKind::kInt};
constexpr Type kBigint{TypeKind::kBigint};
constexpr Type kReal{TypeKind::kReal};
constexpr Type kDouble{TypeKind::kDouble};
constexpr Type kNumeric{TypeKind::kNumeric};
constexpr Type kDate{TypeKind::kDate};
constexpr Type kTimestamp{TypeKind::kTimestamp};
constexpr Type kLiteral{TypeKind::kVarchar};
constexpr Type kVarchar9{TypeKind::kVarchar, 0, 0, 9};

enum : uint32_t { kB, kS, kI, kL, kR, kF, kN, kD, kT, kC, kV };

Schema make_schema() {
  Schema schema;
  schema.table_name = "t";
  schema.columns = {{"b", kBool, true, {}},
                    {"s", kSmallint, true, {}},
                    {"i", kInt, true, {}},
                    {"l", kBigint, true, {}},
                    {"r", kReal, true, {}},
                    {"f", kDouble, true, {}},
                    {"n", {TypeKind::kNumeric, 5, 2}, true, {}},
                    {"d", kDate, true, {}},
                    {"t", kTimestamp, true, {}},
                    {"c", {TypeKind::kChar, 0, 0, 3}, true, {}},
                    {"v", {TypeKind::kVarchar, 0, 0, 3}, true, {}}};
  return schema;
}

Expression column(uint32_t position) { return Expression::make_column(position); }

Expression constant(const Type& type, std::string_view text) {
  const Result<Value> value = parse_text(type, text);
  EXPECT_TRUE(value.has_value()) << text;
  return Expression::make_constant(type, *value);
}

Expression null(const Type& type) { return Expression::make_constant(type, Value()); }

template <typename... Arguments>
Expression call(Operator op, Arguments... arguments) {
  return Expression::make_call(op, {arguments...});
}

std::string_view sign(Operator op) {
  constexpr std::string_view kSigns[] = {"", "=", "<>", "<", "<=", ">", ">="};
  return kSigns[static_cast<size_t>(op)];
}

std::string show(const Schema& schema, const Literal& literal) {
  const Column& it = schema.columns[literal.column];
  std::string text = it.name;
  const auto values = [&] {
    for (const Value& value : literal.values) {
      text.append(" ").append(is_string(it.type.kind) ? std::get<std::string>(value) : format_text(it.type, value));
    }
    return text;
  };
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      text.append(" ").append(sign(literal.op));
      return values();
    case Literal::Kind::kIn:
      text.append(" in");
      return values();
    case Literal::Kind::kNotIn:
      text.append(" not in");
      return values();
    case Literal::Kind::kStartsWith:
      text.append(" starts");
      return values();
    case Literal::Kind::kNotStartsWith:
      text.append(" not starts");
      return values();
    case Literal::Kind::kIsNull:
      return text.append(" null");
    case Literal::Kind::kIsNotNull:
      return text.append(" not null");
    case Literal::Kind::kNever:
      return "never";
  }
  return text;
}

/// Clauses between " & ", literals between " | "; "always" for none; the error's code.
std::string normal(const Expression& expression) {
  const Schema schema = make_schema();
  const Result<Predicate> predicate = normalise(schema, expression);
  if (!predicate) {
    return predicate.error().sqlstate;
  }
  std::string text;
  for (const Clause& clause : predicate->clauses) {
    text.append(text.empty() ? "" : " & ");
    for (size_t i = 0; i < clause.size(); ++i) {
      text.append(i == 0 ? "" : " | ").append(show(schema, clause[i]));
    }
  }
  return text.empty() ? "always" : text;
}

std::string compare(uint32_t position, Operator op, const Type& type, std::string_view text) {
  return normal(call(op, column(position), constant(type, text)));
}

TEST(Normalise, MovesNumbersIntoIntegerDomains) {
  EXPECT_EQ(compare(kI, Operator::kLess, kNumeric, "1.5"), "i <= 1");
  EXPECT_EQ(compare(kI, Operator::kGreater, kNumeric, "-1.5"), "i >= -1");
  EXPECT_EQ(compare(kI, Operator::kEqual, kNumeric, "1.5"), "never");
  EXPECT_EQ(compare(kI, Operator::kNotEqual, kNumeric, "1.5"), "i not null");
  EXPECT_EQ(compare(kI, Operator::kEqual, kNumeric, "1.0"), "i = 1");
  EXPECT_EQ(compare(kI, Operator::kEqual, kDouble, "7"), "i = 7");
  EXPECT_EQ(compare(kI, Operator::kLess, kDouble, "NaN"), "i not null");
  EXPECT_EQ(compare(kI, Operator::kGreater, kDouble, "Infinity"), "never");
  EXPECT_EQ(compare(kI, Operator::kGreaterOrEqual, kDouble, "-Infinity"), "i not null");
  EXPECT_EQ(compare(kS, Operator::kLess, kInt, "100000"), "s not null");
  EXPECT_EQ(compare(kS, Operator::kGreater, kInt, "100000"), "never");
  EXPECT_EQ(compare(kS, Operator::kGreaterOrEqual, kInt, "-32768"), "s not null");
  EXPECT_EQ(compare(kS, Operator::kLess, kInt, "32767"), "s < 32767");
  EXPECT_EQ(compare(kI, Operator::kEqual, kLiteral, " 42 "), "i = 42");
  EXPECT_EQ(compare(kI, Operator::kEqual, kLiteral, "x"), "22P02");
  EXPECT_EQ(compare(kS, Operator::kEqual, kLiteral, "100000"), "22003");
}

TEST(Normalise, ComparesLargeIntegersWithDoublesAsTheirCasts) {
  // 2^53 + 1 casts to 2^53, so both equal the double 2^53.
  EXPECT_EQ(compare(kL, Operator::kEqual, kDouble, "9007199254740992"), "l in 9007199254740992 9007199254740993");
  EXPECT_EQ(compare(kL, Operator::kNotEqual, kDouble, "9007199254740992"),
            "l not in 9007199254740992 9007199254740993");
  EXPECT_EQ(compare(kL, Operator::kGreater, kDouble, "9007199254740992"), "l >= 9007199254740994");
  EXPECT_EQ(compare(kL, Operator::kLessOrEqual, kDouble, "9007199254740992"), "l <= 9007199254740993");
  EXPECT_EQ(compare(kL, Operator::kLess, kDouble, "9223372036854775808"), "l <= 9223372036854775295");
  EXPECT_EQ(compare(kL, Operator::kGreaterOrEqual, kDouble, "9223372036854775808"), "l >= 9223372036854775296");
  EXPECT_EQ(compare(kL, Operator::kEqual, kDouble, "9223372036854775808"), "l >= 9223372036854775296");
  EXPECT_EQ(compare(kL, Operator::kEqual, kDouble, "4611686018427387904"),
            "l >= 4611686018427387648 & l <= 4611686018427388416");
  EXPECT_EQ(compare(kL, Operator::kNotEqual, kDouble, "4611686018427387904"),
            "l < 4611686018427387648 | l > 4611686018427388416");
}

TEST(Normalise, ComparesNumericWithNumericExactlyAndWithDoubleAsItsCast) {
  EXPECT_EQ(compare(kN, Operator::kEqual, kNumeric, "1.5"), "n = 1.50");
  EXPECT_EQ(compare(kN, Operator::kEqual, kNumeric, "1.005"), "never");
  EXPECT_EQ(compare(kN, Operator::kLess, kNumeric, "1.005"), "n <= 1.00");
  EXPECT_EQ(compare(kN, Operator::kLess, kInt, "1000"), "n not null");
  EXPECT_EQ(compare(kN, Operator::kEqual, kDouble, "0.1"), "n = 0.10");
  EXPECT_EQ(compare(kN, Operator::kEqual, kReal, "0.1"), "never");
  EXPECT_EQ(compare(kN, Operator::kEqual, kLiteral, "1.005"), "never");
}

TEST(Normalise, ComparesRealInDoublePrecision) {
  EXPECT_EQ(compare(kR, Operator::kEqual, kNumeric, "0.1"), "never");
  EXPECT_EQ(compare(kR, Operator::kEqual, kLiteral, "0.1"), "r = 0.1");
  EXPECT_EQ(compare(kR, Operator::kEqual, kReal, "0.1"), "r = 0.1");
  EXPECT_EQ(compare(kR, Operator::kEqual, kDouble, "0.5"), "r = 0.5");
  EXPECT_EQ(compare(kR, Operator::kGreater, kDouble, "0.1"), "r >= 0.1");
  EXPECT_EQ(compare(kR, Operator::kLess, kDouble, "1e300"), "r < Infinity");
  EXPECT_EQ(compare(kR, Operator::kGreater, kDouble, "-1e300"), "r >= -3.4028235e+38");
  EXPECT_EQ(compare(kR, Operator::kEqual, kInt, "16777217"), "never");
  EXPECT_EQ(compare(kF, Operator::kEqual, kDouble, "NaN"), "f = NaN");
  EXPECT_EQ(compare(kF, Operator::kEqual, kDouble, "-0"), "f = 0");
  EXPECT_EQ(compare(kF, Operator::kLess, kNumeric, "1e400"), "22003");
}

TEST(Normalise, ComparesDatesWithTimestamps) {
  EXPECT_EQ(compare(kD, Operator::kLess, kTimestamp, "2013-01-01 12:00:00"), "d <= 2013-01-01");
  EXPECT_EQ(compare(kD, Operator::kEqual, kTimestamp, "2013-01-01"), "d = 2013-01-01");
  EXPECT_EQ(compare(kD, Operator::kEqual, kTimestamp, "2013-01-01 00:00:01"), "never");
  EXPECT_EQ(compare(kT, Operator::kGreater, kDate, "2013-01-01"), "t > 2013-01-01 00:00:00");
  EXPECT_EQ(compare(kT, Operator::kLess, kDate, "5874897-12-31"), "t not null");
  EXPECT_EQ(compare(kD, Operator::kEqual, kLiteral, "2013-01-01 05:00:00"), "d = 2013-01-01");
}

TEST(Normalise, NeverCutsStrings) {
  EXPECT_EQ(compare(kC, Operator::kEqual, kLiteral, "ab  "), "c = ab");
  EXPECT_EQ(compare(kC, Operator::kLess, kLiteral, "ab  "), "c < ab");
  EXPECT_EQ(compare(kC, Operator::kEqual, kVarchar9, "abcdef"), "never");
  EXPECT_EQ(compare(kC, Operator::kNotEqual, kVarchar9, "abcdef"), "c not null");
  EXPECT_EQ(compare(kC, Operator::kLess, kVarchar9, "abcdef"), "c < abcdef");
  EXPECT_EQ(compare(kV, Operator::kEqual, kVarchar9, "ab "), "v = ab ");
  EXPECT_EQ(compare(kV, Operator::kEqual, {TypeKind::kChar, 0, 0, 3}, "ab"), "0A000");
  EXPECT_EQ(compare(kC, Operator::kStartsWith, kLiteral, "ab "), "c starts ab ");
  EXPECT_EQ(compare(kC, Operator::kNotStartsWith, kLiteral, "abcd"), "c not null");
  EXPECT_EQ(compare(kV, Operator::kStartsWith, kLiteral, ""), "v not null");
  EXPECT_EQ(compare(kI, Operator::kStartsWith, kLiteral, "1"), "42883");
}

TEST(Normalise, CountsTheBlanksOfTextBesideChar) {
  EXPECT_EQ(compare(kC, Operator::kEqual, kVarchar9, "ab"), "c = ab");
  EXPECT_EQ(compare(kC, Operator::kEqual, kVarchar9, "ab "), "never");
  EXPECT_EQ(compare(kC, Operator::kEqual, kVarchar9, " "), "never");
  EXPECT_EQ(compare(kC, Operator::kNotEqual, kVarchar9, "ab "), "c not null");
  EXPECT_EQ(compare(kC, Operator::kLess, kVarchar9, "ab "), "c < ab ");
  EXPECT_EQ(compare(kC, Operator::kGreaterOrEqual, kVarchar9, "ab "), "c >= ab ");
}

TEST(Normalise, GivesNullItsPlace) {
  EXPECT_EQ(normal(call(Operator::kEqual, column(kI), null(kInt))), "never");
  EXPECT_EQ(normal(call(Operator::kNot, call(Operator::kEqual, column(kI), null(kInt)))), "never");
  EXPECT_EQ(normal(call(Operator::kIn, column(kI), constant(kInt, "1"), null(kLiteral))), "i = 1");
  EXPECT_EQ(normal(call(Operator::kNotIn, column(kI), constant(kInt, "1"), null(kInt))), "never");
  EXPECT_EQ(normal(call(Operator::kNot, call(Operator::kIn, column(kI), constant(kInt, "1"), null(kInt)))), "never");
  EXPECT_EQ(normal(call(Operator::kNot, call(Operator::kNotIn, column(kI), constant(kInt, "1"), null(kInt)))), "i = 1");
  EXPECT_EQ(normal(call(Operator::kNot, call(Operator::kIsNull, column(kI)))), "i not null");
  EXPECT_EQ(normal(null(kBool)), "never");
}

TEST(Normalise, SortsListsAndDropsWhatNoRowHas) {
  EXPECT_EQ(normal(call(Operator::kIn, column(kI), constant(kInt, "3"), constant(kNumeric, "1.0"),
                        constant(kNumeric, "1.5"), constant(kInt, "3"))),
            "i in 1 3");
  EXPECT_EQ(normal(call(Operator::kNotIn, column(kI), constant(kNumeric, "1.5"))), "i not null");
  EXPECT_EQ(normal(call(Operator::kIn, column(kI), constant(kNumeric, "1.5"))), "never");
  // Many constants that no row can equal are one clause, not one each.
  EXPECT_EQ(normal(call(Operator::kNotIn, column(kI), constant(kNumeric, "1.5"), constant(kNumeric, "2.5"))),
            "i not null");
  EXPECT_EQ(normal(call(Operator::kNotIn, column(kI), constant(kNumeric, "1.5"), constant(kInt, "2"))), "i <> 2");
  EXPECT_EQ(normal(call(Operator::kOr, call(Operator::kEqual, column(kI), constant(kInt, "2")),
                        call(Operator::kIn, column(kI), constant(kInt, "1"), constant(kInt, "2")))),
            "i in 1 2");
}

TEST(Normalise, PushesNegationToTheLeavesAndDistributes) {
  const Expression a = call(Operator::kEqual, column(kI), constant(kInt, "1"));
  const Expression b = call(Operator::kLess, column(kS), constant(kInt, "2"));
  const Expression c = column(kB);
  EXPECT_EQ(normal(call(Operator::kNot, call(Operator::kOr, a, call(Operator::kAnd, b, c)))),
            "i <> 1 & s >= 2 | b = f");
  EXPECT_EQ(normal(call(Operator::kOr, call(Operator::kAnd, a, b), c)), "i = 1 | b = t & s < 2 | b = t");
  EXPECT_EQ(normal(call(Operator::kAnd, a, constant(kBool, "t"))), "i = 1");
  EXPECT_EQ(normal(call(Operator::kOr, a, constant(kLiteral, "yes"))), "always");
  EXPECT_EQ(normal(call(Operator::kLess, constant(kInt, "5"), column(kI))), "i > 5");
  EXPECT_EQ(normal(call(Operator::kLess, constant(kInt, "1"), constant(kNumeric, "1.5"))), "always");
  EXPECT_EQ(normal(call(Operator::kEqual, constant(kInt, "1"), null(kInt))), "never");
}

TEST(Normalise, RefusesWhatItCannotSay) {
  EXPECT_EQ(normal(call(Operator::kEqual, column(kI), column(kS))), "0A000");
  EXPECT_EQ(normal(call(Operator::kEqual, column(kI), constant(kBool, "t"))), "42883");
  EXPECT_EQ(normal(call(Operator::kEqual, column(kD), constant(kInt, "1"))), "42883");
  EXPECT_EQ(normal(call(Operator::kEqual, column(kI), null(kBool))), "42883");
  EXPECT_EQ(normal(call(Operator::kEqual, column(99), constant(kInt, "1"))), "42703");
  EXPECT_EQ(normal(column(kI)), "42804");
  EXPECT_EQ(normal(constant(kInt, "1")), "42804");
  EXPECT_EQ(normal(call(Operator::kNot, column(kI))), "42804");
  EXPECT_EQ(normal(call(Operator::kAdd, column(kI), constant(kInt, "1"))), "0A000");
  EXPECT_EQ(normal(call(Operator::kEqual, call(Operator::kNot, column(kB)), constant(kBool, "t"))), "0A000");
  EXPECT_EQ(normal(call(Operator::kEqual, column(kI))), "08P01");
  EXPECT_EQ(normal(Expression::make_call(Operator::kAnd, {})), "08P01");
  EXPECT_EQ(normalise(make_schema(), call(Operator::kEqual, column(kI), constant(kBool, "t"))).error().message,
            "operator does not exist: integer = boolean");
}

TEST(Normalise, RefusesWhatIsTooComplexBeforeBuildingIt) {
  // Each disjunct of two: 2^n clauses.
  std::vector<Expression> pairs;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back(call(Operator::kAnd, call(Operator::kLess, column(kI), constant(kInt, std::to_string(i))),
                         call(Operator::kGreater, column(kS), constant(kInt, std::to_string(i)))));
  }
  const Result<Predicate> refused = normalise(make_schema(), Expression::make_call(Operator::kOr, pairs));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().sqlstate, "54001");
  EXPECT_NE(refused.error().message.find("256 clauses"), std::string::npos) << refused.error().message;
  pairs.resize(7);  // 2^7 clauses of 7 literals each are fine.
  EXPECT_TRUE(normalise(make_schema(), Expression::make_call(Operator::kOr, pairs)).has_value());

  Expression deep = column(kB);
  for (uint32_t i = 1; i < kExpressionDepthMax; ++i) {
    deep = call(Operator::kNot, deep);
  }
  EXPECT_EQ(normal(deep), "b = f");
  EXPECT_EQ(normal(call(Operator::kNot, deep)), "54001");

  std::vector<Expression> list = {column(kI)};
  for (uint32_t i = 0; i <= kLiteralsMax; ++i) {
    list.push_back(constant(kInt, std::to_string(i)));
  }
  EXPECT_EQ(normal(Expression::make_call(Operator::kIn, list)), "54001");
}

TEST(PinnedValues, TakesTheShortestList) {
  const Schema schema = make_schema();
  const Expression list = call(Operator::kIn, column(kI), constant(kInt, "1"), constant(kInt, "2"));
  const Expression one = call(Operator::kEqual, column(kI), constant(kInt, "2"));
  const Expression range = call(Operator::kLess, column(kI), constant(kInt, "2"));
  const Predicate both = *normalise(schema, call(Operator::kAnd, list, one, range));
  EXPECT_EQ(pinned_values(both, kI), std::vector<Value>{int64_t{2}});
  EXPECT_EQ(pinned_values(*normalise(schema, list), kI), (std::vector<Value>{int64_t{1}, int64_t{2}}));
  EXPECT_EQ(pinned_values(*normalise(schema, range), kI), std::nullopt);
  EXPECT_EQ(pinned_values(both, kS), std::nullopt);
  EXPECT_EQ(pinned_values(*normalise(schema, call(Operator::kOr, one, column(kB))), kI), std::nullopt);
}

TEST(Evaluate, CharCountsItsPaddingForPrefixesOnly) {
  const Schema schema = make_schema();
  std::vector<Value> row(schema.columns.size());
  row[kC] = std::string("a");
  row[kV] = std::string("a");
  const auto holds = [&](const Expression& expression) { return evaluate(schema, expression, row); };
  EXPECT_TRUE(holds(call(Operator::kStartsWith, column(kC), constant(kLiteral, "a  "))));
  EXPECT_FALSE(holds(call(Operator::kStartsWith, column(kC), constant(kLiteral, "a   "))));
  EXPECT_FALSE(holds(call(Operator::kStartsWith, column(kV), constant(kLiteral, "a "))));
  EXPECT_TRUE(holds(call(Operator::kEqual, column(kC), constant(kLiteral, "a     "))));
  EXPECT_FALSE(holds(call(Operator::kEqual, column(kC), constant(kVarchar9, "a     "))));
  EXPECT_TRUE(holds(call(Operator::kLess, column(kC), constant(kVarchar9, "a     "))));
  EXPECT_TRUE(holds(call(Operator::kEqual, column(kC), constant(kVarchar9, "a"))));
  EXPECT_FALSE(holds(call(Operator::kEqual, column(kV), constant(kVarchar9, "a "))));
}

}  // namespace
}  // namespace daedalus::semantics

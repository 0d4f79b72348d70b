#include "daedalus/semantics/predicate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "daedalus/base/testing/cpu_time.hpp"
#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

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
  EXPECT_TRUE(value) << text;
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

/// A tree with its parts in parentheses.
std::string show(const Schema& schema, const Condition& condition) {
  if (condition.kind == Condition::Kind::kLiteral) {
    return show(schema, condition.literal);
  }
  std::string text;
  for (const Condition& child : condition.children) {
    text.append(text.empty() ? "(" : condition.kind == Condition::Kind::kAnd ? " & " : " | ");
    text.append(show(schema, child));
  }
  return text.append(")");
}

/// Clauses between " & ", literals between " | ", the tree last; "always" for none; the error's code.
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
  if (predicate->has_tree()) {
    text.append(text.empty() ? "tree " : " & tree ").append(show(schema, predicate->tree));
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
  EXPECT_EQ(compare(kT, Operator::kLess, kDate, "5874897-12-31"), "t <= 294247-01-10 04:00:54.775806");
  EXPECT_EQ(compare(kT, Operator::kGreater, kDate, "5874897-12-31"), "t >= infinity");
  EXPECT_EQ(compare(kD, Operator::kLess, kTimestamp, "infinity"), "d < infinity");
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

Expression compared(uint32_t position, Operator op, int64_t number) {
  return call(op, column(position), constant(kInt, std::to_string(number)));
}

Expression is(uint32_t position, int64_t number) { return compared(position, Operator::kEqual, number); }

TEST(Normalise, TakesOutWhatDisjunctsHaveInCommon) {
  const Expression a = is(kI, 1);
  const Expression b = compared(kS, Operator::kLess, 2);
  const Expression c = compared(kS, Operator::kGreater, 7);
  const auto both = [](const Expression& left, const Expression& right) { return call(Operator::kAnd, left, right); };
  EXPECT_EQ(normal(call(Operator::kOr, both(a, b), both(a, c))), "i = 1 & s < 2 | s > 7");
  EXPECT_EQ(normal(call(Operator::kOr, both(a, b), both(b, a), both(a, b))), "i = 1 & s < 2");
  EXPECT_EQ(normal(call(Operator::kOr, a, both(a, b))), "i = 1");
  EXPECT_EQ(normal(call(Operator::kAnd, a, call(Operator::kOr, a, b))), "i = 1");
  EXPECT_EQ(normal(call(Operator::kAnd, a, a, b, a)), "i = 1 & s < 2");
  EXPECT_EQ(normal(call(Operator::kOr, is(kI, 3), is(kI, 1), b, is(kI, 3))), "i in 1 3 | s < 2");
  EXPECT_EQ(normal(call(Operator::kOr, both(both(a, b), c), both(both(c, a), is(kS, 9)))),
            "i = 1 & s > 7 & s < 2 | s = 9");
}

TEST(Normalise, KeepsSmallProductsAsClauses) {
  const Expression pair = call(Operator::kAnd, compared(kI, Operator::kGreater, 1), compared(kI, Operator::kLess, 5));
  const Expression other = call(Operator::kAnd, compared(kS, Operator::kGreater, 1), compared(kS, Operator::kLess, 5));
  EXPECT_EQ(normal(call(Operator::kOr, pair, other)), "i > 1 | s > 1 & i > 1 | s < 5 & i < 5 | s > 1 & i < 5 | s < 5");
}

TEST(Normalise, MakesATreeOfWhatDoesNotMultiplyOutAndSaysWhatFollowsFromIt) {
  std::vector<Expression> pairs;
  for (int64_t i = 0; i < 5; ++i) {
    pairs.push_back(call(Operator::kAnd, is(kI, i), compared(kS, Operator::kLess, 10 * i)));
  }
  EXPECT_EQ(normal(Expression::make_call(Operator::kOr, pairs)),
            "i in 0 1 2 3 4 & s < 0 | s < 10 | s < 20 | s < 30 | s < 40 & "
            "tree ((i = 0 & s < 0) | (i = 1 & s < 10) | (i = 2 & s < 20) | (i = 3 & s < 30) | (i = 4 & s < 40))");
  // Nothing follows about a column that one of the disjuncts leaves open.
  pairs.push_back(call(Operator::kAnd, is(kI, 9), column(kB)));
  EXPECT_EQ(normal(Expression::make_call(Operator::kOr, pairs)).find("s < 0 |"), std::string::npos);
  EXPECT_EQ(normal(Expression::make_call(Operator::kOr, pairs)).find("i in 0 1 2 3 4 9 & tree"), 0u);
}

TEST(Normalise, BoundsClausesNotConditions) {
  // Each clause takes one of two of each disjunct: 2^n clauses.
  std::vector<Expression> pairs;
  for (int i = 0; i < 4'000; ++i) {
    pairs.push_back(call(Operator::kAnd, compared(kI, Operator::kLess, i), compared(kS, Operator::kGreater, i)));
  }
  const Result<Predicate> large = normalise(make_schema(), Expression::make_call(Operator::kOr, pairs));
  ASSERT_TRUE(large);
  EXPECT_LE(large->clauses.size(), 1u);
  EXPECT_EQ(large->tree.children.size(), pairs.size());

  std::vector<Expression> many;
  for (int64_t i = 0; i < 1'000; ++i) {
    many.push_back(compared(kI, Operator::kNotEqual, i));
  }
  many.push_back(is(kS, 5));
  const Predicate flat = *normalise(make_schema(), Expression::make_call(Operator::kAnd, many));
  EXPECT_EQ(flat.clauses.size(), kClausesMax);
  EXPECT_EQ(flat.tree.children.size(), many.size() - kClausesMax);
  EXPECT_EQ(pinned_values(flat, kS), std::vector<Value>{int64_t{5}});  // The best ones are clauses.
}

TEST(Normalise, RefusesWhatIsTooComplex) {
  Expression deep = column(kB);
  for (uint32_t i = 1; i < kExpressionDepthMax; ++i) {
    deep = call(Operator::kNot, deep);
  }
  EXPECT_EQ(normal(deep), "b = f");
  EXPECT_EQ(normal(call(Operator::kNot, deep)), "54001");

  std::vector<Expression> list = {column(kI)};
  for (uint32_t i = 0; i < kLiteralsMax; ++i) {
    list.push_back(constant(kInt, std::to_string(i)));
  }
  EXPECT_EQ(normalise(make_schema(), Expression::make_call(Operator::kIn, list))->clauses[0][0].values.size(),
            kLiteralsMax);
  list.push_back(constant(kInt, "0"));
  EXPECT_EQ(normal(Expression::make_call(Operator::kIn, list)), "54001");
  // A comparison in double precision that is a list of 64 in the column's domain.
  const Expression rounded = call(Operator::kEqual, column(kL), constant(kDouble, "1e17"));
  const size_t listed = normalise(make_schema(), rounded)->clauses[0][0].values.size();
  ASSERT_GT(listed, 1u);
  const std::vector<Expression> lists(kLiteralsMax / listed + 1, call(Operator::kAnd, rounded, column(kB)));
  EXPECT_EQ(normal(Expression::make_call(Operator::kOr, lists)), "54001");
}

TEST(Normalise, TakesTimeThatGrowsWithTheConditionAlone) {
  constexpr int64_t kCount = kLiteralsMax / 2;
  const auto junction = [](Operator op, auto&& make) {
    std::vector<Expression> parts;
    for (int64_t i = 0; i < kCount; ++i) {
      parts.push_back(make(i));
    }
    return Expression::make_call(op, std::move(parts));
  };
  const auto pair = [](int64_t i) { return call(Operator::kAnd, is(kI, i), is(kS, i % 100)); };
  const auto nested = [&](int64_t count) {
    Expression made = is(kI, 0);
    for (int64_t i = 1; i < count; ++i) {
      made = call(i % 2 == 0 ? Operator::kAnd : Operator::kOr, is(kI, i), is(kS, i), made);
    }
    return made;
  };
  std::vector<std::pair<const char*, Expression>> shapes;
  shapes.emplace_back("equalities", junction(Operator::kOr, [](int64_t i) { return is(kI, i); }));
  shapes.emplace_back("the same", junction(Operator::kOr, [](int64_t) { return is(kI, 1); }));
  shapes.emplace_back("unequal",
                      junction(Operator::kAnd, [](int64_t i) { return compared(kI, Operator::kNotEqual, i); }));
  shapes.emplace_back("pairs", junction(Operator::kOr, pair));
  shapes.emplace_back("factored", junction(Operator::kOr, [&](int64_t i) {
                        return call(Operator::kAnd, is(kI, 1), is(kS, i % 1000));
                      }));
  shapes.emplace_back("nearly factored", junction(Operator::kOr, [&](int64_t i) {
                        return i == kCount - 1 ? column(kB) : call(Operator::kAnd, is(kI, 1), is(kS, i % 1000));
                      }));
  shapes.emplace_back("ranges", junction(Operator::kAnd, [&](int64_t i) {
                        return call(Operator::kOr, compared(kI, Operator::kLess, i), compared(kS, Operator::kLess, i));
                      }));
  shapes.emplace_back("deep", nested(kExpressionDepthMax - 2));
  for (const auto& [name, expression] : shapes) {
    std::optional<Error> error;
    const double seconds = daedalus::testing::cpu_seconds_of([&, &expression = expression] {
      const Result<Predicate> predicate = normalise(make_schema(), expression);
      error = predicate ? std::nullopt : std::optional(predicate.error());
    });
    ASSERT_FALSE(error.has_value()) << name << " " << error->message;
    EXPECT_LT(seconds, 0.25) << name;
    RecordProperty(name, std::to_string(seconds * 1e3) + " ms");
  }
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

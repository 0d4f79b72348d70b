// Conditions as the compiler of SQL reads them where they are plain, and as it finds them in what is bound, against the
// simplest way: one expression of the whole. All have to come to the very same form.
#include <fmt/format.h>

#include <random>

#include "daedalus/semantics/predicate.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// A condition as text and as an expression.
struct Both {
  std::string text;
  Expression expression;
};

class RandomConditions {
 public:
  RandomConditions(const semantics::Schema& schema, uint32_t seed) : schema_(schema), random_(seed) {}

  Both grow(int depth) {
    const uint32_t kind = draw(10);
    if (depth == 0 || kind == 0) {
      return leaf();
    }
    if (kind < 4) {
      Both negated = grow(depth - 1);
      return {fmt::format("NOT ({})", negated.text), call(Operator::kNot, {std::move(negated.expression)})};
    }
    const bool is_and = kind < 7;
    Both all{"", {}};
    std::vector<Expression> parts;
    for (uint32_t count = 2 + draw(3); count > 0; --count) {
      Both part = grow(depth - 1);
      all.text += fmt::format("{}({})", all.text.empty() ? "" : is_and ? " AND " : " OR ", part.text);
      parts.push_back(std::move(part.expression));
    }
    all.expression = call(is_and ? Operator::kAnd : Operator::kOr, std::move(parts));
    return all;
  }

 private:
  uint32_t draw(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  static Expression call(Operator op, std::vector<Expression> arguments) {
    return Expression::make_call(op, std::move(arguments));
  }
  Expression column(std::string_view name) const { return Expression::make_column(*schema_.find(name)); }
  static Expression number(int64_t value) { return Expression::make_constant({TypeKind::kInt}, Value(value)); }
  static Expression text(std::string value) {
    return Expression::make_constant({TypeKind::kVarchar}, Value(std::move(value)));
  }

  Both leaf() {
    const int64_t value = draw(4);
    switch (draw(10)) {
      case 0:
        return {fmt::format("i IN ({}, {}, 7)", value, value + 1),
                call(Operator::kIn, {column("i"), number(value), number(value + 1), number(7)})};
      case 1:
        return {fmt::format("l NOT IN ({}, 7)", value),
                call(Operator::kNotIn, {column("l"), number(value), number(7)})};
      case 2:
        return {"l IS NULL", call(Operator::kIsNull, {column("l")})};
      case 3:
        return {"v IS NOT NULL", call(Operator::kIsNotNull, {column("v")})};
      case 4:
        return {fmt::format("v LIKE 'a{}%'", value),
                call(Operator::kStartsWith, {column("v"), text(fmt::format("a{}", value))})};
      case 5:
        return {fmt::format("l NOT BETWEEN {} AND 5", value),
                call(Operator::kOr, {call(Operator::kLess, {column("l"), number(value)}),
                                     call(Operator::kGreater, {column("l"), number(5)})})};
      case 6:
        return {"b", call(Operator::kEqual, {column("b"), Expression::make_constant({TypeKind::kBool}, Value(true))})};
      case 7:
        return {"b IS NOT TRUE",
                call(Operator::kOr,
                     {call(Operator::kEqual, {column("b"), Expression::make_constant({TypeKind::kBool}, Value(false))}),
                      call(Operator::kIsNull, {column("b")})})};
      case 8:  // Beyond its column: true but for NULL, or never.
        return {fmt::format("{} {} s", 100'000 + value, value == 0 ? ">" : "="),
                call(value == 0 ? Operator::kGreater : Operator::kEqual, {number(100'000 + value), column("s")})};
      default:
        return comparison(value);
    }
  }

  Both comparison(int64_t value) {
    const auto op = static_cast<Operator>(static_cast<uint32_t>(Operator::kEqual) + draw(6));
    const char* const name = draw(2) == 0 ? "i" : "r";
    if (draw(8) == 0) {
      return {fmt::format("l {} NULL", semantics::operator_sign(op)),
              call(op, {column("l"), Expression::make_constant({TypeKind::kBigint}, Value())})};
    }
    return draw(2) == 0 ? Both{fmt::format("{} {} {}", value, semantics::operator_sign(op), name),
                               call(op, {number(value), column(name)})}
                        : Both{fmt::format("{} {} {}", name, semantics::operator_sign(op), value),
                               call(op, {column(name), number(value)})};
  }

  const semantics::Schema& schema_;
  std::mt19937 random_;
};

class ConditionTwinTest : public SqlTest {};

TEST_F(ConditionTwinTest, ReadsLeafByLeafWhatTheWholeComesTo) {
  constexpr uint32_t kSeed = 11;
  RandomConditions conditions(*schema_, kSeed);
  uint32_t with_tree = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Both both = conditions.grow(round % 5);
    const auto whole = semantics::to_condition(*schema_, both.expression);
    ASSERT_TRUE(whole.has_value()) << both.text;
    const auto compiled = compile("SELECT i FROM t WHERE " + both.text);
    ASSERT_TRUE(compiled.has_value()) << both.text << ": " << compiled.error().message;
    const semantics::Predicate& predicate = std::get<CompiledSelect>(*compiled).selection->predicate;
    ASSERT_EQ(predicate, semantics::normal_form(semantics::simplified(*whole))) << both.text << " with seed " << kSeed;
    const auto bound = compile(fmt::format("SELECT i FROM t WHERE NOT (NOT ({}))", both.text));
    ASSERT_TRUE(bound.has_value()) << both.text << ": " << bound.error().message;
    ASSERT_EQ(std::get<CompiledSelect>(*bound).selection->predicate, predicate) << both.text << " with seed " << kSeed;
    with_tree += predicate.has_tree() ? 1 : 0;
  }
  EXPECT_GT(with_tree, 100u);
}

TEST_F(ConditionTwinTest, BoundsWhatItReadsLeafByLeaf) {
  const auto nested = [](int levels) {
    std::string text = "i = 1";
    for (int level = 1; level < levels; ++level) {
      text = fmt::format("{} = {} {} ({})", level % 2 == 0 ? "l" : "s", level, level % 2 == 0 ? "AND" : "OR", text);
    }
    return "SELECT i FROM t WHERE " + text;
  };
  const auto depth_max = static_cast<int>(semantics::kExpressionDepthMax);
  EXPECT_EQ(failure(nested(depth_max + 1)),
            fmt::format("54001@23 the condition is too complex: more than {} levels of nesting", depth_max));
  EXPECT_EQ(failure(nested(depth_max)).find("64 levels"), std::string::npos);
  const auto listed = [](uint32_t members) {
    std::string text = "SELECT i FROM t WHERE l = 0 OR i IN (0";
    for (uint32_t member = 1; member < members; ++member) {
      text += fmt::format(",{}", member);
    }
    return text + ")";
  };
  EXPECT_EQ(failure(listed(semantics::kLiteralsMax)),
            fmt::format("54001@23 the condition is too complex: more than {} comparisons", semantics::kLiteralsMax));
  EXPECT_EQ(failure(listed(semantics::kLiteralsMax - 1)), "accepted");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

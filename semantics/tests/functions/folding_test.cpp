// Folding makes of an expression what PostgreSQL's planner does before any row is looked at. PostgreSQL 15 answers what
// is expected here; tests/oracle compares random expressions.
#include <gtest/gtest.h>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

BoundExpression constant(const Type& type, std::string_view text) {
  return make_constant(type, *parse_text(type, text));
}

BoundExpression call(std::string_view name, std::vector<BoundExpression> arguments) {
  const bool is_operator = name == "+" || name == "/";
  std::vector<ArgumentKind> kinds;
  for (const BoundExpression& argument : arguments) {
    kinds.push_back({argument.type.kind, false});
  }
  return *make_call((*resolve_function(name, is_operator, kinds))->id, std::move(arguments));
}

/// The value of the folded expression, or its error.
std::string folded(BoundExpression expression, const std::vector<Value>& row) {
  const auto planned = fold(std::move(expression));
  const auto value = planned ? evaluate(*planned, row) : planned.error();
  return value ? format_text(planned->type, *value) : value.error().sqlstate;
}

TEST(Folding, ComputesAnIntervalFirstThatIsAddedToATimestamptz) {
  const auto quotient = [] { return call("/", {constant(kInt, "1"), make_input(0, kInt, true)}); };
  const auto date = [] {
    return call("make_date", {constant(kInt, "2000"), make_input(1, kInt, true), constant(kInt, "1")});
  };
  const auto interval = [&] {
    return call("make_interval", {constant(kInt, "0"), constant(kInt, "0"), constant(kInt, "0"), quotient(),
                                  constant(kInt, "0"), constant(kInt, "0"), constant({TypeKind::kDouble}, "0")});
  };
  const std::vector<Value> wrong{Value(int64_t{0}), Value(int64_t{13})};
  const std::vector<Value> right{Value(int64_t{1}), Value(int64_t{12})};
  EXPECT_EQ(folded(call("+", {quotient(), date()}), wrong), "22008");
  EXPECT_EQ(folded(call("+", {date(), quotient()}), wrong), "22008");
  EXPECT_EQ(folded(call("+", {interval(), date()}), wrong), "22008");
  EXPECT_EQ(folded(call("+", {quotient(), date()}), right), "2000-12-02");
  EXPECT_EQ(folded(call("+", {interval(), date()}), right), "2000-12-02 00:00:00");
}

TEST(Folding, ASumOfConstantsBehindAMomentIsComputedFromLeftToRight) {
  const auto quotient = call("/", {constant(kInt, "1"), constant(kInt, "0")});
  const auto date = call("make_date", {constant(kInt, "2000"), constant(kInt, "13"), constant(kInt, "1")});
  EXPECT_EQ(folded(call("+", {quotient, date}), {}), "22012");
}

TEST(Folding, APrecisionBelowZeroIsNoneBesideWhatThePlannerDoesNotKnow) {
  const auto clock = call("timestamptz", {constant(kDate, "2000-01-01"), constant(kTime, "01:00")});
  const auto rounded = [](BoundExpression moment) {
    return call("timestamptz", {std::move(moment), constant(kInt, "-5")});
  };
  EXPECT_EQ(folded(rounded(clock), {}), "2000-01-01 01:00:00+00") << "a stable function's result is not known";
  EXPECT_EQ(folded(rounded(make_input(0, kTimestampTz, true)), {Value(int64_t{0})}), "1970-01-01 00:00:00+00");
  EXPECT_EQ(folded(rounded(make_constant(kTimestampTz, Value(int64_t{0}))), {}), "22023");
}

TEST(Folding, ANullifOfNullIsKnownWhateverItIsComparedWith) {
  const auto moment = call("timestamptz", {make_input(0, kDate, true), constant(kTime, "01:00")});
  auto null = *make_call(FunctionId::kNullIf, {make_constant(kTimestampTz, Value()), moment});
  auto interval = call("make_interval", {constant(kInt, "0"), constant(kInt, "0"), constant(kInt, "0"),
                                         call("/", {constant(kInt, "1"), make_input(1, kInt, true)}),
                                         constant(kInt, "0"), constant(kInt, "0"), constant({TypeKind::kDouble}, "0")});
  const auto folded = fold(call("+", {std::move(null), std::move(interval)}));
  ASSERT_TRUE(folded);
  EXPECT_TRUE(folded->is_constant()) << "what is beside it is not computed";
}

}  // namespace
}  // namespace daedalus::semantics

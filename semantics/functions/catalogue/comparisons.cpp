// = <> < <= > >= of two values of one kind. What compares with another kind is cast before.
#include "adder.hpp"
#include "daedalus/semantics/expression.hpp"
#include "daedalus/semantics/order.hpp"

namespace daedalus::semantics::scalar {
namespace {

constexpr Operator kOperators[] = {Operator::kEqual,       Operator::kNotEqual, Operator::kLess,
                                   Operator::kLessOrEqual, Operator::kGreater,  Operator::kGreaterOrEqual};

template <Operator kOperator>
Result<Value> compared(Arguments arguments, const BoundExpression&) {
  return Value(holds(kOperator, compare(arguments[0], arguments[1])));
}

constexpr ScalarFunction::Evaluate kEvaluations[] = {
    compared<Operator::kEqual>,       compared<Operator::kNotEqual>, compared<Operator::kLess>,
    compared<Operator::kLessOrEqual>, compared<Operator::kGreater>,  compared<Operator::kGreaterOrEqual>,
};

/// The first of the numbers of a pair's operators, which follow each other in the order of kOperators.
struct Pair {
  uint16_t first;
  TypeKind left;
  TypeKind right;
};

/// Pairs of kinds whose values lie in the same alternative, as PostgreSQL has operators for them. Strings of all kinds
/// but char(n) compare as text.
constexpr Pair kPairs[] = {
    {300, TypeKind::kBool, TypeKind::kBool},
    {310, TypeKind::kSmallint, TypeKind::kSmallint},
    {320, TypeKind::kInt, TypeKind::kInt},
    {330, TypeKind::kBigint, TypeKind::kBigint},
    {340, TypeKind::kReal, TypeKind::kReal},
    {350, TypeKind::kDouble, TypeKind::kDouble},
    {360, TypeKind::kReal, TypeKind::kDouble},
    {370, TypeKind::kDouble, TypeKind::kReal},
    {380, TypeKind::kNumeric, TypeKind::kNumeric},
    {390, TypeKind::kDate, TypeKind::kDate},
    {400, TypeKind::kTimestamp, TypeKind::kTimestamp},
    {410, TypeKind::kChar, TypeKind::kChar},
    {420, TypeKind::kText, TypeKind::kText},
    {430, TypeKind::kInterval, TypeKind::kInterval},
    {440, TypeKind::kTimestampTz, TypeKind::kTimestampTz},
    {450, TypeKind::kTime, TypeKind::kTime},
    {460, TypeKind::kUuid, TypeKind::kUuid},
};

}  // namespace

void add_comparisons(Functions& functions) {
  Adder adder(functions);
  for (const auto& [first, left, right] : kPairs) {
    for (size_t place = 0; place < std::size(kOperators); ++place) {
      adder.add_operator(first + place, operator_sign(kOperators[place]), {left, right}, TypeKind::kBool,
                         kEvaluations[place], nullptr, false);
    }
  }
}

}  // namespace daedalus::semantics::scalar

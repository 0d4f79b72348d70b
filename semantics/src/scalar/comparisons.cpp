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

/// Pairs of kinds whose values lie in the same alternative, as PostgreSQL has operators for them. Strings of all kinds
/// but char(n) compare as text.
constexpr std::pair<TypeKind, TypeKind> kPairs[] = {
    {TypeKind::kBool, TypeKind::kBool},
    {TypeKind::kSmallint, TypeKind::kSmallint},
    {TypeKind::kInt, TypeKind::kInt},
    {TypeKind::kBigint, TypeKind::kBigint},
    {TypeKind::kReal, TypeKind::kReal},
    {TypeKind::kDouble, TypeKind::kDouble},
    {TypeKind::kReal, TypeKind::kDouble},
    {TypeKind::kDouble, TypeKind::kReal},
    {TypeKind::kNumeric, TypeKind::kNumeric},
    {TypeKind::kDate, TypeKind::kDate},
    {TypeKind::kTimestamp, TypeKind::kTimestamp},
    {TypeKind::kChar, TypeKind::kChar},
    {TypeKind::kText, TypeKind::kText},
    {TypeKind::kInterval, TypeKind::kInterval},
    {TypeKind::kTimestampTz, TypeKind::kTimestampTz},
    {TypeKind::kTime, TypeKind::kTime},
    {TypeKind::kUuid, TypeKind::kUuid},
};

}  // namespace

void add_comparisons(Functions& functions) {
  Adder adder(functions);
  uint16_t first = 300;
  for (const auto& [left, right] : kPairs) {
    adder.start(first);
    for (size_t number = 0; number < std::size(kOperators); ++number) {
      adder.add_operator(operator_sign(kOperators[number]), {left, right}, TypeKind::kBool, kEvaluations[number],
                         nullptr, false);
    }
    first += 10;
  }
}

}  // namespace daedalus::semantics::scalar

// Functions of strings. Lengths and positions are counted in characters.
#include "families.hpp"

namespace daedalus::semantics::scalar {
namespace {

uint64_t length_of(const BoundExpression& expression) {
  return expression.type.length == 0 ? kStringLengthMax : expression.type.length;
}

Result<Value> joined(Arguments arguments, const BoundExpression&) {
  return Value(text(arguments[0]) + text(arguments[1]));
}

Type type_of_joined(Expressions arguments) { return text_of(length_of(arguments[0]) + length_of(arguments[1])); }

}  // namespace

void add_text(Functions& functions) {
  constexpr TypeKind kText = TypeKind::kText;
  functions.push_back({FunctionId{500}, "||", true, {kText, kText}, kText, joined, true, type_of_joined});
}

}  // namespace daedalus::semantics::scalar

// (SELECT expression) that reads no table: that expression, where its query has a row, and else NULL.
#include "bounds.hpp"
#include "expression_binder.hpp"
#include "value_query.hpp"

namespace daedalus::aggregator::sql {

using semantics::BoundExpression;

ExpressionBinder::Bound ExpressionBinder::value_query(const grammar::Node& node) {
  const grammar::ResultTarget* const target = lone_value(node);
  if (target == nullptr) {
    return scope_.refuse(node);
  }
  const grammar::SelectStatement& query = node.sub_link().query.select();
  auto typed = bind(target->value);
  if (!typed) {
    return typed;
  }
  Typed made{{}, false, node.location()};
  made.modifier = typed->modifier;
  auto value = settled(std::move(*typed));  // An array is refused there.
  if (!value) {
    return value.error();
  }
  made.expression = std::move(*value);
  if (is_bare(query)) {
    return made;
  }
  auto shown = BoundExpression(semantics::make_constant({semantics::TypeKind::kBool}, true));
  if (query.where_clause.is_present()) {
    auto where = ExpressionBinder(scope_, {"WHERE"}).condition(query.where_clause);
    if (!where) {
      return where.error();
    }
    shown = std::move(*where);
  }
  semantics::Selection bounds;
  if (auto read = compile_bounds(scope_, query, 0, bounds); !read) {
    return read.error();
  }
  if (bounds.offset > 0 || bounds.limit.value_or(1) == 0) {
    shown = semantics::make_constant({semantics::TypeKind::kBool}, false);
  }
  const semantics::Type type = made.expression.type;
  std::vector<BoundExpression> arms;
  arms.push_back(std::move(shown));
  arms.push_back(std::move(made.expression));
  arms.push_back(semantics::make_constant(type, semantics::Value()));
  auto chosen = call(semantics::FunctionId::kCase, std::move(arms), node.location());
  if (chosen) {
    chosen->modifier = made.modifier;
  }
  return chosen;
}

}  // namespace daedalus::aggregator::sql

#include "value_query.hpp"

#include "aggregates.hpp"
#include "bounds.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::SelectStatement;
using semantics::BoundExpression;

/// Says whether it is of one row, or none: constants, and whether they are shown.
bool is_of_constants(const SelectStatement& query) {
  const bool has_others = query.with_clause.is_present() || !query.values_lists.empty() ||
                          !query.group_clause.empty() || query.having_clause.is_present() ||
                          !query.sort_clause.empty() || query.has_distinct_on || query.has_into || query.has_window ||
                          query.has_ties || query.has_locking;
  return query.set_operation == grammar::SetOperation::kNone && query.from_clause.empty() && !has_others &&
         !mentions_column(query.where_clause);
}

}  // namespace

bool is_without_table(const grammar::SubLink& link) {
  return link.kind == grammar::SubLink::Kind::kValue && link.query.select().from_clause.empty();
}

const grammar::ResultTarget* lone_value(const grammar::Node& node) {
  const grammar::SubLink& link = node.sub_link();
  const SelectStatement& query = link.query.select();
  const bool is_value = link.kind == grammar::SubLink::Kind::kValue && query.target_list.size() == 1;
  if (!is_value || !is_of_constants(query)) {
    return nullptr;
  }
  const grammar::ResultTarget& target = query.target_list[0].target();
  return mentions_column(target.value) || mentions_aggregate(target.value) ? nullptr : &target;
}

bool is_bare(const SelectStatement& query) {
  return !query.where_clause.is_present() && !query.limit_count.is_present() && !query.limit_offset.is_present();
}

bool has_several_columns(const grammar::Node& node) {
  const grammar::SubLink& link = node.sub_link();
  return link.kind == grammar::SubLink::Kind::kValue && link.query.select().target_list.size() > 1;
}

ExpressionBinder::Bound ExpressionBinder::value_query(const grammar::Node& node) {
  const grammar::ResultTarget* const target = lone_value(node);
  if (target == nullptr) {
    return scope_.refuse(node);
  }
  const SelectStatement& query = node.sub_link().query.select();
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

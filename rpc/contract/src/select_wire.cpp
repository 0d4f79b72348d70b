#include "select_wire.hpp"

#include "daedalus/contract/normal_form.hpp"
#include "daedalus/contract/shape.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {

namespace {

using semantics::Condition;
using semantics::Selection;

void write_source(const semantics::BoundExpression& expression, wire::v1::Output* written) {
  if (expression.kind == semantics::BoundExpression::Kind::kAggregate) {
    write_aggregate(expression, written->mutable_aggregate());
  } else {
    write_bound(expression, written->mutable_expression());
  }
}

/// An output as whoever binds it again writes it: over columns, and aggregates of such expressions.
void write_output(const Selection& selection, const semantics::OutputColumn& output, wire::v1::Output* written) {
  written->set_name(output.name);
  if (selection.grouping) {
    write_source(semantics::unbound(output.expression, *selection.grouping), written);
  } else {
    write_source(output.expression, written);
  }
}

Condition condition_of(const semantics::Clause& clause) {
  std::vector<Condition> literals;
  for (const semantics::Literal& literal : clause) {
    literals.push_back({.kind = Condition::Kind::kLiteral, .literal = literal, .children = {}});
  }
  return literals.size() == 1 ? literals[0]
                              : Condition{.kind = Condition::Kind::kOr, .literal = {}, .children = std::move(literals)};
}

Condition condition_of(const std::vector<semantics::Clause>& clauses) {
  Condition all{.kind = Condition::Kind::kAnd, .literal = {}, .children = {}};
  for (const semantics::Clause& clause : clauses) {
    all.children.push_back(condition_of(clause));
  }
  if (all.children.empty()) {
    all.kind = Condition::Kind::kAlways;
  }
  return all.children.size() == 1 ? all.children[0] : all;
}

}  // namespace

void write_selection(const Selection& selection, wire::v1::ResultForm form, wire::v1::SelectBody* body) {
  body->set_form(form);
  for (const semantics::OutputColumn& output : selection.outputs) {
    write_output(selection, output, body->add_outputs());
  }
  body->set_visible_outputs(selection.visible_outputs);
  if (selection.grouping) {
    for (const semantics::BoundExpression& key : selection.grouping->keys) {
      write_bound(key, body->add_group_by());
    }
    for (const std::vector<uint32_t>& set : selection.grouping->sets) {
      wire::v1::GroupingSet* written = body->add_grouping_sets();
      written->mutable_keys()->Add(set.begin(), set.end());
    }
    if (selection.having) {
      write_bound(semantics::unbound(*selection.having, *selection.grouping), body->mutable_having());
    }
  }
  for (const semantics::BoundExpression& residual : selection.residuals) {
    write_bound(residual, body->add_residuals());
  }
  for (const semantics::OrderKey& key : selection.order_by) {
    wire::v1::OrderKey* written = body->add_order_by();
    written->set_output(key.output);
    written->set_descending(key.order.descending);
    written->set_nulls_first(key.order.nulls_first);
  }
  body->set_has_limit(selection.limit.has_value());
  body->set_limit(selection.limit.value_or(0));
  body->set_offset(selection.offset);
  body->set_ties_by(selection.ties_by);
  body->set_distinct_by(selection.distinct_by);
}

wire::v1::SelectBody from_selection(const semantics::Schema& schema, const Selection& selection,
                                    const Condition* condition, wire::v1::ResultForm form) {
  wire::v1::SelectBody body;
  write_selection(selection, form, &body);
  const auto filter =
      to_expression(schema, condition != nullptr ? *condition : condition_of(selection.predicate.clauses));
  if (filter) {
    *body.mutable_filter() = from_expression(*filter);
  }
  if (selection.slice) {
    wire::v1::Slice* slice = body.mutable_slice();
    slice->set_partition(selection.slice->partition);
    slice->set_segment(selection.slice->segment);
    slice->set_first_slot(selection.slice->first_slot);
    slice->set_answer_bytes(selection.slice->answer_bytes);
  }
  return body;
}

}  // namespace daedalus::contract

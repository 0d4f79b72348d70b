#include "bodies.hpp"

#include <string_view>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::testing {

using semantics::Expression;
using semantics::Operator;

namespace {

/// Adds the arguments of an aggregate that takes more than one column.
void add_arguments(const Question& question, const PlainOutput& asked, wire::v1::Aggregate& aggregate) {
  if (*asked.function == semantics::AggregateFunction::kGrouping) {
    aggregate.mutable_argument()->set_column(question.group_by.front());
    for (size_t key = 1; key < question.group_by.size(); ++key) {
      aggregate.add_more()->set_column(question.group_by[key]);
    }
  } else if (*asked.function == semantics::AggregateFunction::kStringAgg) {
    wire::v1::Call& text = *aggregate.mutable_argument()->mutable_call();
    text.set_function(static_cast<uint32_t>(semantics::FunctionId::kCast));
    *text.mutable_type() = contract::from_type({.kind = semantics::TypeKind::kText, .length = kNoteLength});
    text.add_arguments()->set_column(asked.column);
    *aggregate.add_more()->mutable_constant() = contract::from_value({.kind = semantics::TypeKind::kText, .length = 1},
                                                                     semantics::Value{std::string(kBetween)});
    aggregate.add_more()->set_column(kId);
    aggregate.add_order();
  }
}

void add_output(wire::v1::SelectBody& body, const semantics::Schema& schema, const Question& question,
                const PlainOutput& asked) {
  wire::v1::Output& output = *body.add_outputs();
  output.set_name(output_name(schema, asked));
  if (!asked.function) {
    output.mutable_expression()->set_column(asked.column);
    return;
  }
  wire::v1::Aggregate& aggregate = *output.mutable_aggregate();
  aggregate.set_function(static_cast<wire::v1::AggregateFunction>(*asked.function));
  aggregate.set_distinct(asked.is_distinct);
  if (*asked.function != semantics::AggregateFunction::kCountRows) {
    aggregate.mutable_argument()->set_column(asked.column);
  }
  add_arguments(question, asked, aggregate);
}

void add_part(const semantics::Schema& schema, const PlainInsert& insert, uint32_t& ordinal,
              wire::v1::UpdatePart& out) {
  wire::v1::InsertPart& part = *out.mutable_insert();
  part.set_first_ordinal(ordinal);
  part.set_row_count(static_cast<uint32_t>(insert.rows.size()));
  ordinal += part.row_count();
  const auto types = semantics::column_types(schema);
  for (const Row& row : insert.rows) {
    semantics::append_packed_row(types, row, *part.mutable_rows());
  }
}

/// An operator of two values of a type.
wire::v1::Expression of_two(std::string_view sign, semantics::TypeKind kind, wire::v1::Expression left,
                            wire::v1::Expression right) {
  const semantics::ArgumentKind kinds[] = {{kind}, {kind}};
  const auto function = semantics::resolve_function(sign, /*is_operator=*/true, kinds);
  CHECK(function.has_value());
  wire::v1::Expression made;
  made.mutable_call()->set_function(static_cast<uint32_t>((*function)->id));
  *made.mutable_call()->add_arguments() = std::move(left);
  *made.mutable_call()->add_arguments() = std::move(right);
  return made;
}

wire::v1::Expression of_ints(std::string_view sign, wire::v1::Expression left, wire::v1::Expression right) {
  return of_two(sign, semantics::TypeKind::kInt, std::move(left), std::move(right));
}

wire::v1::Expression of_bigints(std::string_view sign, wire::v1::Expression left, wire::v1::Expression right) {
  return of_two(sign, semantics::TypeKind::kBigint, std::move(left), std::move(right));
}

wire::v1::Expression constant(semantics::TypeKind kind, int64_t value) {
  return contract::from_expression(Expression::make_constant({kind}, semantics::Value{value}));
}

wire::v1::Expression int_constant(int64_t value) { return constant(semantics::TypeKind::kInt, value); }

wire::v1::Expression bigint_constant(int64_t value) { return constant(semantics::TypeKind::kBigint, value); }

wire::v1::Expression has_remainder(const PlainRemainder& asked) {
  return of_bigints("=",
                    of_bigints("%", contract::from_expression(Expression::make_column(kId)),
                               bigint_constant(PlainRemainder::kDivisor)),
                    bigint_constant(asked.remainder));
}

wire::v1::Expression has_more_than(int64_t rows) {
  wire::v1::Expression count;
  count.mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS);
  return of_bigints(">", std::move(count), bigint_constant(rows));
}

wire::v1::Expression quotient(uint32_t column, int64_t dividend) {
  return of_ints("/", int_constant(dividend), contract::from_expression(Expression::make_column(column)));
}

wire::v1::Expression asked_quotient() { return of_ints(">=", quotient(kAmount, kDividend), int_constant(0)); }

void add_part(const semantics::Schema& schema, const PlainModify& modify, wire::v1::UpdatePart& out) {
  wire::v1::ModifyPart& part = *out.mutable_modify();
  wire::v1::Assignment& assignment = *part.add_assignments();
  assignment.set_column(modify.column);
  Expression value = Expression::make_constant(schema.columns[modify.column].type, modify.value);
  if (modify.form == PlainModify::Form::kQuotient) {
    *assignment.mutable_value() = quotient(modify.column, std::get<int64_t>(modify.value));
  } else if (modify.form == PlainModify::Form::kSum) {
    value = Expression::make_call(Operator::kAdd, {Expression::make_column(modify.column), std::move(value)});
  }
  if (modify.form != PlainModify::Form::kQuotient) {
    *assignment.mutable_value() = contract::from_expression(value);
  }
  *part.mutable_filter() = contract::from_expression(modify.filter);
  if (modify.asks_quotient) {
    *part.add_residuals() = asked_quotient();
  }
}

void add_part(const PlainDelete& removal, wire::v1::UpdatePart& out) {
  wire::v1::DeletePart& part = *out.mutable_delete_();
  *part.mutable_filter() = contract::from_expression(removal.filter);
  if (removal.asks_quotient) {
    *part.add_residuals() = asked_quotient();
  }
}

void add_groups(const Question& question, wire::v1::SelectBody& body) {
  for (const uint32_t column : question.group_by) {
    body.add_group_by()->set_column(column);
  }
  for (const std::vector<uint32_t>& set : question.grouping_sets) {
    body.add_grouping_sets()->mutable_keys()->Add(set.begin(), set.end());
  }
  if (question.having_more_than) {
    *body.mutable_having() = has_more_than(*question.having_more_than);
  }
}

void add_order(const Question& question, wire::v1::SelectBody& body) {
  for (const PlainOrder& order : question.order_by) {
    wire::v1::OrderKey& key = *body.add_order_by();
    key.set_output(order.output);
    key.set_descending(order.descending);
    key.set_nulls_first(order.nulls_first);
  }
  body.set_has_limit(question.limit.has_value());
  body.set_limit(question.limit.value_or(0));
  body.set_offset(question.offset);
  body.set_ties_by(question.has_ties ? static_cast<uint32_t>(question.order_by.size()) : 0);
  body.set_distinct_by(question.distinct_on);
}

}  // namespace

std::string output_name(const semantics::Schema& schema, const PlainOutput& output) {
  return output.function ? std::string(semantics::entry_of(*output.function).name) : schema.columns[output.column].name;
}

std::string select_body(const semantics::Schema& schema, const Question& question) {
  wire::v1::SelectBody body;
  for (const PlainOutput& output : question.outputs) {
    add_output(body, schema, question, output);
  }
  body.set_visible_outputs(question.visible_outputs);
  add_groups(question, body);
  add_order(question, body);
  if (question.filter) {
    *body.mutable_filter() = contract::from_expression(*question.filter);
  }
  if (question.remainder) {
    *body.add_residuals() = has_remainder(*question.remainder);
  }
  body.set_form(wire::v1::RESULT_FORM_FINAL);
  return body.SerializeAsString();
}

std::string update_body(const semantics::Schema& schema, const std::vector<PlainPart>& parts) {
  wire::v1::UpdateBody body;
  uint32_t ordinal = 0;
  for (const PlainPart& part : parts) {
    wire::v1::UpdatePart& out = *body.add_parts();
    if (const auto* insert = std::get_if<PlainInsert>(&part)) {
      add_part(schema, *insert, ordinal, out);
    } else if (const auto* modify = std::get_if<PlainModify>(&part)) {
      add_part(schema, *modify, out);
    } else {
      add_part(std::get<PlainDelete>(part), out);
    }
  }
  return body.SerializeAsString();
}

}  // namespace daedalus::testing

#include "bodies.hpp"

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "workload.hpp"

namespace daedalus::testing {

using semantics::Expression;
using semantics::Operator;

namespace {

void add_aggregate(wire::v1::SelectBody& body, const char* name, wire::v1::AggregateFunction function,
                   std::optional<uint32_t> column) {
  wire::v1::Output& output = *body.add_outputs();
  output.set_name(name);
  output.mutable_aggregate()->set_function(function);
  if (column) {
    output.mutable_aggregate()->mutable_argument()->set_column(*column);
  }
}

void add_column(wire::v1::SelectBody& body, const semantics::Schema& schema, uint32_t column) {
  wire::v1::Output& output = *body.add_outputs();
  output.set_name(schema.columns[column].name);
  output.mutable_expression()->set_column(column);
}

void add_groups(wire::v1::SelectBody& body, const semantics::Schema& schema) {
  add_column(body, schema, kPlace);
  add_aggregate(body, "count", wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS, {});
  add_aggregate(body, "sum", wire::v1::AGGREGATE_FUNCTION_SUM, kAmount);
  add_aggregate(body, "min", wire::v1::AGGREGATE_FUNCTION_MIN, kAmount);
  add_aggregate(body, "max", wire::v1::AGGREGATE_FUNCTION_MAX, kId);
  body.add_group_by()->set_column(kPlace);
}

void add_order(wire::v1::SelectBody& body, const Question& question) {
  wire::v1::OrderKey& amount = *body.add_order_by();
  amount.set_output(kAmount);
  amount.set_descending(true);
  amount.set_nulls_first(true);
  body.add_order_by()->set_output(kId);
  body.set_has_limit(true);
  body.set_limit(question.limit);
  body.set_offset(question.offset);
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

void add_part(const semantics::Schema& schema, const PlainModify& modify, wire::v1::UpdatePart& out) {
  wire::v1::ModifyPart& part = *out.mutable_modify();
  wire::v1::Assignment& assignment = *part.add_assignments();
  assignment.set_column(modify.column);
  Expression value = Expression::make_constant(schema.columns[modify.column].type, modify.value);
  if (modify.is_sum) {
    value = Expression::make_call(Operator::kAdd, {Expression::make_column(modify.column), std::move(value)});
  }
  *assignment.mutable_value() = contract::from_expression(value);
  *part.mutable_filter() = contract::from_expression(modify.filter);
}

}  // namespace

std::string select_body(const semantics::Schema& schema, const Question& question) {
  wire::v1::SelectBody body;
  if (question.kind == Question::Kind::kGrouped) {
    add_groups(body, schema);
  } else if (question.kind == Question::Kind::kTooWide) {
    const uint32_t wide = kNote + 1;
    for (uint64_t size = 0; size <= semantics::kRowSizeMax; size += schema.columns.at(wide).type.length) {
      add_column(body, schema, wide);
    }
  } else {
    for (uint32_t column = 0; column < schema.columns.size(); ++column) {
      add_column(body, schema, column);
    }
  }
  body.set_visible_outputs(static_cast<uint32_t>(body.outputs_size()));
  if (question.kind == Question::Kind::kOrdered) {
    add_order(body, question);
  }
  if (question.filter) {
    *body.mutable_filter() = contract::from_expression(*question.filter);
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
      *out.mutable_delete_()->mutable_filter() = contract::from_expression(std::get<PlainDelete>(part).filter);
    }
  }
  return body.SerializeAsString();
}

}  // namespace daedalus::testing

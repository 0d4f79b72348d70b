// Everything about an update that operation, schema and map alone decide: a bad one is refused here and never gets a
// number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"
#include "update_wire.hpp"

namespace daedalus::contract {
namespace {

using semantics::Assignment;
using semantics::BoundExpression;
using semantics::Column;
using semantics::Decimal;
using semantics::Schema;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// Returns the place in an update where something is wrong, as the head of a message; nothing when there is only one
/// place.
std::string where(size_t part, size_t part_count) {
  return part_count > 1 ? fmt::format("part {}: ", part + 1) : std::string();
}

Error at(std::string place, Error error) {
  error.message.insert(0, place);
  return error;
}

Result<void> check_rows(const Schema& schema, const InsertPart& part) {
  semantics::PackedRows rows(part.rows);
  uint32_t count = 0;
  while (true) {
    const auto row = rows.next();
    if (!row) {
      return row.error();
    }
    if (!row->has_value()) {
      break;
    }
    ++count;
    if (count > part.row_count) {
      continue;
    }
    if (const Result<void> checked = semantics::check_packed_row(schema, **row); !checked) {
      const std::string place = part.row_count > 1 ? fmt::format("row {}: ", count) : std::string();
      return at(place, checked.error());
    }
  }
  if (count != part.row_count || count == 0) {
    return rejected("08P01", fmt::format("an insert of {} rows says it has {}", count, part.row_count));
  }
  return {};
}

/// Constant and operator of `column ± constant`.
struct Addition {
  bool is_subtraction = false;
  Type type;
  Value value;
};

Error unsupported_addition(const Column& column, const Addition& addition) {
  const std::string_view sign = addition.is_subtraction ? "-" : "+";
  const TypeKind kind = column.type.kind;
  const bool is_number = semantics::is_numeric(kind) || kind == TypeKind::kDate;
  const bool is_constant_number = semantics::is_numeric(addition.type.kind);
  const bool exists = is_number && is_constant_number && kind != TypeKind::kDate;
  return rejected(
      exists ? "0A000" : "42883",
      exists ? fmt::format("{} {} {} is not supported in an assignment to column \"{}\"", semantics::kind_name(kind),
                           sign, semantics::kind_name(addition.type.kind), column.name)
             : fmt::format("operator does not exist: {} {} {}", semantics::kind_name(kind), sign,
                           semantics::kind_name(addition.type.kind)),
      exists ? fmt::format("write the constant as {}", semantics::to_string(column.type)) : std::string());
}

Decimal to_decimal(const Value& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? Decimal{*integer, 0} : std::get<Decimal>(value);
}

/// Integers and dates: an integer that the column's own type (for dates: int) can hold.
Result<Value> integer_delta(const Column& column, const Addition& addition) {
  if (!semantics::is_integer(addition.type.kind)) {
    return unsupported_addition(column, addition);
  }
  const Type target{column.type.kind == TypeKind::kDate ? TypeKind::kInt : column.type.kind};
  const semantics::BigInt delta = std::get<int64_t>(addition.value);
  const Decimal directed{addition.is_subtraction ? semantics::BigInt(-delta) : delta, 0};
  Result<Value> fitted = semantics::assign({TypeKind::kNumeric}, directed, target);
  if (!fitted) {
    return rejected("22003", fmt::format("the constant added to column \"{}\" is out of range for type {}", column.name,
                                         semantics::kind_name(target.kind)));
  }
  return fitted;
}

Result<Value> decimal_delta(const Column& column, const Addition& addition) {
  if (!semantics::is_integer(addition.type.kind) && addition.type.kind != TypeKind::kNumeric) {
    return unsupported_addition(column, addition);
  }
  const Decimal constant = to_decimal(addition.value);
  Decimal delta = semantics::rescale(constant, static_cast<int32_t>(column.type.scale));
  if (semantics::compare_decimals(delta, constant) != 0) {
    return rejected("0A000",
                    fmt::format("{} has more fractional digits than column \"{}\" of type {}",
                                semantics::format_decimal(constant), column.name, semantics::to_string(column.type)),
                    fmt::format("round the constant to {} digits", column.type.scale));
  }
  if (!semantics::fits_precision(delta, column.type.precision)) {
    return rejected("22003", fmt::format("numeric field overflow: the constant added to column \"{}\" of type {}",
                                         column.name, semantics::to_string(column.type)));
  }
  if (addition.is_subtraction) {
    delta.unscaled = -delta.unscaled;
  }
  return Value(std::move(delta));
}

/// PostgreSQL adds anything but a real to a real in double precision: the constant stays as precise as it came.
Result<Value> floating_delta(const Column& column, const Addition& addition) {
  if (!semantics::is_numeric(addition.type.kind)) {
    return unsupported_addition(column, addition);
  }
  Result<Value> number = semantics::assign(addition.type, addition.value, {TypeKind::kDouble});
  if (number && addition.is_subtraction) {
    return Value(-std::get<double>(*number));
  }
  return number;
}

Result<Value> delta_of(const Column& column, const Addition& addition) {
  if (semantics::is_integer(column.type.kind) || column.type.kind == TypeKind::kDate) {
    return integer_delta(column, addition);
  }
  if (column.type.kind == TypeKind::kNumeric) {
    return decimal_delta(column, addition);
  }
  if (semantics::is_floating(column.type.kind)) {
    return floating_delta(column, addition);
  }
  return unsupported_addition(column, addition);
}

Error not_null(const Column& column) {
  return rejected("23502", fmt::format("null value in column \"{}\" violates not-null constraint", column.name));
}

Result<Assignment> to_set(const Column& column, uint32_t position, const Type& type, const Value& value) {
  Result<Value> assigned = semantics::assign(type, value, column.type);
  if (!assigned) {
    return at(fmt::format("column \"{}\": ", column.name), std::move(assigned).error());
  }
  if (semantics::is_null(*assigned) && !column.nullable) {
    return not_null(column);
  }
  return Assignment{position, Assignment::Kind::kSet, std::move(*assigned)};
}

/// `column + constant`, `constant + column` or `column - constant`; an untyped literal takes the column's type (for
/// dates: int).
Result<Addition> to_addition(const Column& column, uint32_t position, const semantics::Expression& call) {
  const bool is_subtraction = call.op == semantics::Operator::kSubtract;
  if ((!is_subtraction && call.op != semantics::Operator::kAdd) || call.arguments.size() != 2) {
    return rejected("0A000", fmt::format("column \"{}\" can be assigned a constant, or itself plus or minus a constant",
                                         column.name));
  }
  using Kind = semantics::Expression::Kind;
  const bool is_turned = !is_subtraction && call.arguments[0].kind == Kind::kConstant;
  const semantics::Expression& target = call.arguments[is_turned ? 1 : 0];
  const semantics::Expression& constant = call.arguments[is_turned ? 0 : 1];
  if (target.kind != Kind::kColumn || target.column != position || constant.kind != Kind::kConstant) {
    return rejected("0A000", fmt::format("column \"{}\" can be assigned a constant, or itself plus or minus a constant",
                                         column.name));
  }
  if (!semantics::is_untyped_literal(constant.type)) {
    return Addition{is_subtraction, constant.type, constant.value};
  }
  Type type = column.type.kind == TypeKind::kDate ? Type{TypeKind::kInt} : column.type;
  if (type.kind == TypeKind::kNumeric) {
    type = Type{TypeKind::kNumeric};
  }
  Result<Value> value = semantics::assign(constant.type, constant.value, type);
  if (!value) {
    return std::move(value).error();
  }
  return Addition{is_subtraction, type, std::move(*value)};
}

/// Refused: what could come out otherwise on another machine, and what no row has.
Result<BoundExpression> to_computed(const Schema& schema, const wire::v1::Expression& expression) {
  Result<BoundExpression> computed = to_bound(schema, expression);
  if (!computed) {
    return computed;
  }
  if (semantics::has_aggregate(*computed)) {
    return rejected("42803", "aggregate functions are not allowed in UPDATE");
  }
  if (const semantics::ScalarFunction* function = semantics::find_inexact(*computed)) {
    return rejected(
        "0A000", fmt::format("{} in UPDATE and DELETE is not supported: its last digits may differ from node to node",
                             function->name));
  }
  return computed;
}

Result<Assignment> to_computation(const Schema& schema, uint32_t position, const wire::v1::Expression& value) {
  const Column& column = schema.columns[position];
  Result<BoundExpression> computed = to_computed(schema, value);
  if (!computed) {
    return at(fmt::format("column \"{}\": ", column.name), std::move(computed).error());
  }
  if (!semantics::can_assign(computed->type.kind, column.type.kind)) {
    return rejected("42804",
                    fmt::format("column \"{}\" is of type {} but expression is of type {}", column.name,
                                semantics::kind_name(column.type.kind), semantics::kind_name(computed->type.kind)));
  }
  return Assignment{position, Assignment::Kind::kCompute, Value(),
                    std::make_shared<const BoundExpression>(std::move(*computed))};
}

/// Returns whether the value is computed of the row, unlike a constant and what is added to the column itself.
bool is_computation(const wire::v1::Expression& value) {
  return value.has_column() || (value.has_call() && value.call().function() != 0) || value.has_aggregate();
}

Result<Assignment> to_assignment(const Schema& schema, const PlacementColumns& placement,
                                 const wire::v1::Assignment& assignment) {
  const uint32_t position = assignment.column();
  if (position >= schema.columns.size()) {
    return rejected("42703",
                    fmt::format("there is no column at position {} in table \"{}\"", position, schema.table_name));
  }
  const Column& column = schema.columns[position];
  const auto decides = [&](const std::vector<uint32_t>& columns) {
    return std::find(columns.begin(), columns.end(), position) != columns.end();
  };
  if (decides(placement.partition) || decides(placement.segment)) {
    return rejected("0A000",
                    fmt::format("column \"{}\" decides where a row is stored and cannot be updated", column.name),
                    "delete the row and insert it again with the new value");
  }
  if (is_computation(assignment.value())) {
    return to_computation(schema, position, assignment.value());
  }
  const Result<semantics::Expression> value = to_expression(assignment.value());
  if (!value) {
    return value.error();
  }
  if (value->kind == semantics::Expression::Kind::kConstant) {
    return to_set(column, position, value->type, value->value);
  }
  Result<Addition> addition = to_addition(column, position, *value);
  if (!addition) {
    return std::move(addition).error();
  }
  if (semantics::is_null(addition->value)) {
    return to_set(column, position, column.type, Value());
  }
  Result<Value> delta = delta_of(column, *addition);
  if (!delta) {
    return std::move(delta).error();
  }
  return Assignment{position, Assignment::Kind::kAdd, std::move(*delta)};
}

Result<semantics::Predicate> to_predicate(const Schema& schema, bool has_filter, const wire::v1::Expression& filter) {
  if (!has_filter) {
    return semantics::Predicate{};
  }
  const Result<semantics::Expression> expression = to_expression(filter);
  if (!expression) {
    return expression.error();
  }
  return semantics::normalise(schema, *expression);
}

Result<semantics::Residuals> to_residuals(const Schema& schema,
                                          const google::protobuf::RepeatedPtrField<wire::v1::Expression>& expressions) {
  if (expressions.empty()) {
    return semantics::Residuals();
  }
  if (static_cast<uint32_t>(expressions.size()) > semantics::kClausesMax) {
    return rejected("54001", fmt::format("the condition is too complex: more than {} parts that are computed",
                                         semantics::kClausesMax));
  }
  std::vector<BoundExpression> residuals;
  for (const wire::v1::Expression& expression : expressions) {
    Result<BoundExpression> residual = to_computed(schema, expression);
    if (!residual) {
      return residual.error();
    }
    if (residual->type.kind != TypeKind::kBool) {
      return rejected("08P01", "a condition that is no boolean of its rows");
    }
    residuals.push_back(std::move(*residual));
  }
  return semantics::Residuals(std::make_shared<const std::vector<BoundExpression>>(std::move(residuals)));
}

Result<UpdatePart> to_modify(const Schema& schema, const PlacementColumns& placement,
                             const wire::v1::ModifyPart& part) {
  ModifyPart made;
  if (part.assignments_size() == 0) {
    return rejected("08P01", "an update without assignments");
  }
  for (const wire::v1::Assignment& assignment : part.assignments()) {
    Result<Assignment> one = to_assignment(schema, placement, assignment);
    if (!one) {
      return std::move(one).error();
    }
    const bool is_repeated = std::any_of(made.assignments.begin(), made.assignments.end(),
                                         [&](const Assignment& other) { return other.column == one->column; });
    if (is_repeated) {
      return rejected("42601",
                      fmt::format("multiple assignments to same column \"{}\"", schema.columns[one->column].name));
    }
    made.assignments.push_back(std::move(*one));
  }
  Result<semantics::Predicate> predicate = to_predicate(schema, part.has_filter(), part.filter());
  if (!predicate) {
    return std::move(predicate).error();
  }
  made.predicate = std::move(*predicate);
  Result<semantics::Residuals> residuals = to_residuals(schema, part.residuals());
  if (!residuals) {
    return std::move(residuals).error();
  }
  made.residuals = std::move(*residuals);
  return UpdatePart(std::move(made));
}

Result<UpdatePart> to_part(const Schema& schema, const PlacementColumns& placement, const RawPart& raw) {
  if (const auto* insert = std::get_if<InsertPart>(&raw)) {
    if (const Result<void> checked = check_rows(schema, *insert); !checked) {
      return checked.error();
    }
    return UpdatePart(*insert);
  }
  if (const auto* modify = std::get_if<wire::v1::ModifyPart>(&raw)) {
    return to_modify(schema, placement, *modify);
  }
  const auto& part = std::get<wire::v1::DeletePart>(raw);
  Result<semantics::Predicate> predicate = to_predicate(schema, part.has_filter(), part.filter());
  if (!predicate) {
    return std::move(predicate).error();
  }
  Result<semantics::Residuals> residuals = to_residuals(schema, part.residuals());
  if (!residuals) {
    return std::move(residuals).error();
  }
  return UpdatePart(DeletePart{std::move(*predicate), std::move(*residuals)});
}

}  // namespace

Result<std::vector<UpdatePart>> to_update(const Schema& schema, const PlacementColumns& placement,
                                          std::string_view body) {
  if (body.size() > kUpdateBytesMax) {
    return rejected("54000", fmt::format("an update of {} bytes, at most {} are allowed", body.size(), kUpdateBytesMax),
                    "split it into several updates");
  }
  const Result<std::vector<RawPart>> raw = split_update(body);
  if (!raw) {
    return raw.error();
  }
  if (raw->empty()) {
    return rejected("08P01", "an update without parts");
  }
  std::vector<UpdatePart> parts;
  uint64_t row_count = 0;
  for (size_t i = 0; i < raw->size(); ++i) {
    if (const auto* insert = std::get_if<InsertPart>(&(*raw)[i])) {
      if (insert->first_ordinal != row_count) {
        return rejected("08P01", fmt::format("{}rows are numbered from {} instead of {}", where(i, raw->size()),
                                             insert->first_ordinal, row_count));
      }
      row_count += insert->row_count;
      if (row_count > kUpdateRowsMax) {
        return rejected("54000", fmt::format("an update inserts more than {} rows", kUpdateRowsMax),
                        "split it into several updates");
      }
    }
    Result<UpdatePart> part = to_part(schema, placement, (*raw)[i]);
    if (!part) {
      return at(where(i, raw->size()), std::move(part).error());
    }
    parts.push_back(std::move(*part));
  }
  return parts;
}

}  // namespace daedalus::contract

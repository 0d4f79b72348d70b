// Expressions over rows on the wire.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {
namespace {

using semantics::AggregateFunction;
using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Schema;
using semantics::Type;

Result<BoundExpression> read(const Schema& schema, const wire::v1::Expression& expression, uint32_t depth);

Result<BoundExpression> read_column(const Schema& schema, uint32_t column) {
  if (column >= schema.columns.size()) {
    return rejected("42703",
                    fmt::format("there is no column at position {} in table \"{}\"", column, schema.table_name));
  }
  return semantics::column_of(schema, column);
}

Result<BoundExpression> read_constant(const wire::v1::Constant& constant) {
  Type type;
  Result<semantics::Value> value = to_value(constant, &type);
  if (!value) {
    return std::move(value).error();
  }
  const bool is_null = semantics::is_null(*value);
  BoundExpression made = semantics::make_constant(type, std::move(*value));
  if (is_null) {
    made.type = type;
  }
  return made;
}

Result<BoundExpression> read_call(const Schema& schema, const wire::v1::Call& call, uint32_t depth) {
  if (call.function() == 0 || call.function() > UINT16_MAX) {
    return rejected("08P01", fmt::format("there is no function number {}", call.function()));
  }
  std::vector<BoundExpression> arguments;
  arguments.reserve(static_cast<size_t>(call.arguments_size()));
  for (const wire::v1::Expression& argument : call.arguments()) {
    Result<BoundExpression> made = read(schema, argument, depth + 1);
    if (!made) {
      return made;
    }
    arguments.push_back(std::move(*made));
  }
  Type target;
  if (call.has_type()) {
    const Result<Type> type = to_type(call.type());
    if (!type) {
      return type.error();
    }
    target = *type;
  }
  return semantics::make_call(static_cast<FunctionId>(call.function()), std::move(arguments), target);
}

Result<BoundExpression> read_aggregate(const Schema& schema, const wire::v1::Aggregate& aggregate, uint32_t depth) {
  if (!semantics::is_aggregate_number(static_cast<uint32_t>(aggregate.function()))) {
    return rejected("08P01",
                    fmt::format("there is no aggregate function number {}", static_cast<int>(aggregate.function())));
  }
  std::vector<BoundExpression> arguments;
  const auto read_argument = [&](const wire::v1::Expression& expression) -> Result<void> {
    Result<BoundExpression> made = read(schema, expression, depth + 1);
    if (!made) {
      return made.error();
    }
    if (semantics::has_aggregate(*made)) {
      return rejected("42803", "aggregate function calls cannot be nested");
    }
    arguments.push_back(std::move(*made));
    return {};
  };
  Result<void> taken = aggregate.has_argument() ? read_argument(aggregate.argument()) : Result<void>();
  for (int number = 0; taken && number < aggregate.more_size(); ++number) {
    taken = read_argument(aggregate.more(number));
  }
  if (!taken) {
    return taken.error();
  }
  semantics::AggregateInput input{.is_distinct = aggregate.distinct()};
  for (const wire::v1::SortOrder& order : aggregate.order()) {
    input.order.push_back({order.descending(), order.nulls_first()});
  }
  return semantics::make_aggregate(static_cast<AggregateFunction>(aggregate.function()), std::move(arguments),
                                   std::move(input));
}

Result<BoundExpression> read(const Schema& schema, const wire::v1::Expression& expression, uint32_t depth) {
  if (depth > semantics::kCallDepthMax) {
    return rejected("54001", fmt::format("the expression is too complex: more than {} levels of nesting",
                                         semantics::kCallDepthMax));
  }
  switch (expression.node_case()) {
    case wire::v1::Expression::kColumn:
      return read_column(schema, expression.column());
    case wire::v1::Expression::kConstant:
      return read_constant(expression.constant());
    case wire::v1::Expression::kCall:
      return read_call(schema, expression.call(), depth);
    case wire::v1::Expression::kAggregate:
      return read_aggregate(schema, expression.aggregate(), depth);
    case wire::v1::Expression::NODE_NOT_SET:
      break;
  }
  return rejected("08P01", "an empty expression");
}

}  // namespace

Result<BoundExpression> to_bound(const Schema& schema, const wire::v1::Expression& expression) {
  return read(schema, expression, 1);
}

void write_bound(const BoundExpression& expression, wire::v1::Expression* written) {
  switch (expression.kind) {
    case BoundExpression::Kind::kInput:
      written->set_column(expression.input);
      return;
    case BoundExpression::Kind::kConstant:
      *written->mutable_constant() = from_value(expression.type, expression.value);
      return;
    case BoundExpression::Kind::kAggregate:
      write_aggregate(expression, written->mutable_aggregate());
      return;
    case BoundExpression::Kind::kCall:
      break;
  }
  wire::v1::Call& call = *written->mutable_call();
  call.set_function(static_cast<uint32_t>(expression.function));
  if (expression.function == FunctionId::kCast) {
    *call.mutable_type() = from_type(expression.type);
  }
  for (const BoundExpression& argument : expression.arguments) {
    write_bound(argument, call.add_arguments());
  }
}

void write_aggregate(const BoundExpression& expression, wire::v1::Aggregate* written) {
  written->set_function(static_cast<wire::v1::AggregateFunction>(expression.aggregate));
  for (size_t number = 0; number < expression.arguments.size(); ++number) {
    write_bound(expression.arguments[number], number == 0 ? written->mutable_argument() : written->add_more());
  }
  written->set_distinct(expression.is_distinct);
  for (const semantics::SortOrder& order : expression.order) {
    wire::v1::SortOrder* added = written->add_order();
    added->set_descending(order.descending);
    added->set_nulls_first(order.nulls_first);
  }
}

}  // namespace daedalus::contract

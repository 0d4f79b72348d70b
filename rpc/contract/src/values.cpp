#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::contract {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

Result<Type> to_type(const wire::v1::Type& type) {
  if (type.kind() < wire::v1::TYPE_KIND_BOOL || !wire::v1::TypeKind_IsValid(type.kind())) {
    return rejected("08P01", fmt::format("there is no type number {}", static_cast<int>(type.kind())));
  }
  Type made;
  made.kind = static_cast<TypeKind>(type.kind());
  if (made.kind == TypeKind::kNumeric) {
    made.precision = type.precision();
    made.scale = made.precision == 0 ? 0 : type.scale();
  }
  if (semantics::is_string(made.kind)) {
    made.length = type.length();
  }
  if (const std::optional<std::string> fault = semantics::type_fault(made)) {
    return rejected("08P01", *fault);
  }
  return made;
}

namespace {

void write_type(const Type& type, wire::v1::Type* written) {
  written->set_kind(static_cast<wire::v1::TypeKind>(type.kind));
  written->set_precision(type.precision);
  written->set_scale(type.scale);
  written->set_length(type.length);
}

}  // namespace

wire::v1::Type from_type(const Type& type) {
  wire::v1::Type made;
  write_type(type, &made);
  return made;
}

Result<Value> to_value(const wire::v1::Constant& constant, Type* type_out) {
  Result<Type> type = to_type(constant.type());
  if (!type) {
    return std::move(type).error();
  }
  if (type_out != nullptr) {
    *type_out = *type;
  }
  if (constant.has_text() || constant.is_array()) {
    return rejected("08P01", "a constant that is a text or an array stands where none may be");
  }
  if (constant.is_null()) {
    if (!constant.packed().empty()) {
      return rejected("08P01", "a NULL constant with a value");
    }
    return Value();
  }
  return semantics::read_packed(*type, constant.packed());
}

wire::v1::Constant from_value(const Type& type, const Value& value) {
  wire::v1::Constant constant;
  write_type(type, constant.mutable_type());
  if (semantics::is_null(value)) {
    constant.set_is_null(true);
  } else {
    semantics::append_packed(type, value, *constant.mutable_packed());
  }
  return constant;
}

namespace {

Result<Expression> to_expression_at(const wire::v1::Expression& expression, uint32_t depth) {
  if (depth > semantics::kExpressionDepthMax) {
    return rejected("54001", fmt::format("the condition is too complex: more than {} levels of nesting",
                                         semantics::kExpressionDepthMax));
  }
  switch (expression.node_case()) {
    case wire::v1::Expression::kColumn:
      return Expression::make_column(expression.column());
    case wire::v1::Expression::kConstant: {
      Type type;
      Result<Value> value = to_value(expression.constant(), &type);
      if (!value) {
        return std::move(value).error();
      }
      return Expression::make_constant(type, std::move(*value));
    }
    case wire::v1::Expression::kCall: {
      const wire::v1::Call& call = expression.call();
      if (call.operator_() < wire::v1::OPERATOR_EQUAL || call.operator_() > wire::v1::OPERATOR_SUBTRACT) {
        return rejected("08P01", fmt::format("there is no operator number {}", static_cast<int>(call.operator_())));
      }
      std::vector<Expression> arguments;
      arguments.reserve(static_cast<size_t>(call.arguments_size()));
      for (const wire::v1::Expression& argument : call.arguments()) {
        Result<Expression> made = to_expression_at(argument, depth + 1);
        if (!made) {
          return made;
        }
        arguments.push_back(std::move(*made));
      }
      return Expression::make_call(static_cast<Operator>(call.operator_()), std::move(arguments));
    }
    case wire::v1::Expression::kAggregate:
      return rejected("08P01", "an aggregate in a condition");
    case wire::v1::Expression::NODE_NOT_SET:
      break;
  }
  return rejected("08P01", "an empty expression");
}

}  // namespace

Result<Expression> to_expression(const wire::v1::Expression& expression) { return to_expression_at(expression, 1); }

wire::v1::Expression from_expression(const Expression& expression) {
  wire::v1::Expression made;
  switch (expression.kind) {
    case Expression::Kind::kColumn:
      made.set_column(expression.column);
      break;
    case Expression::Kind::kConstant:
      *made.mutable_constant() = from_value(expression.type, expression.value);
      break;
    case Expression::Kind::kCall:
      made.mutable_call()->set_operator_(static_cast<wire::v1::Operator>(expression.op));
      for (const Expression& argument : expression.arguments) {
        *made.mutable_call()->add_arguments() = from_expression(argument);
      }
      break;
  }
  return made;
}

void write_column(const semantics::Column& column, wire::v1::Column* written) {
  written->set_name(column.name);
  write_type(column.type, written->mutable_type());
  written->set_nullable(column.nullable);
  if (column.default_value) {
    *written->mutable_default_value() = from_value(column.type, *column.default_value);
  }
  if (column.modifier) {
    written->set_modifier(*column.modifier);
  }
}

wire::v1::Column from_column(const semantics::Column& column) {
  wire::v1::Column made;
  write_column(column, &made);
  return made;
}

wire::v1::Error from_error(const Error& error) {
  wire::v1::Error made;
  made.set_category(static_cast<wire::v1::ErrorCategory>(error.category));
  made.set_sqlstate(error.sqlstate);
  made.set_message(error.message);
  made.set_hint(error.hint);
  made.set_position(error.position);
  return made;
}

Error to_error(const wire::v1::Error& error) {
  const bool is_known =
      error.category() >= wire::v1::ERROR_CATEGORY_RETRY && error.category() <= wire::v1::ERROR_CATEGORY_FATAL;
  // An outcome that cannot be read is not known.
  const ErrorCategory category = is_known ? static_cast<ErrorCategory>(error.category()) : ErrorCategory::kUnknown;
  return Error{category, error.sqlstate(), error.message(), error.hint(), error.position()};
}

}  // namespace daedalus::contract

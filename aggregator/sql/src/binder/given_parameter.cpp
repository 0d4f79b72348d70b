#include "given_parameter.hpp"

#include <utility>

#include "beyond.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// A text of the kind, or an array of such.
Result<Constant> read_as(const Scope& scope, ParameterKind kind, Value text) {
  Constant constant = constant_without_value(kind);
  if (kind.is_array || semantics::is_null(text)) {
    constant.value = std::move(text);
    return constant;
  }
  if (auto beyond = value_beyond(Type{kind.kind}, std::get<std::string>(text))) {
    return std::move(*beyond);
  }
  auto value = read_text(scope, Type{kind.kind}, std::get<std::string>(text));
  if (!value) {
    return value.error();
  }
  constant.value = std::move(*value);
  return constant;
}

}  // namespace

Constant constant_without_value(ParameterKind kind) {
  Constant constant;
  constant.is_array = kind.is_array;
  constant.is_text = kind.kind == TypeKind::kText;
  const bool is_varchar = constant.is_text || kind.kind == TypeKind::kVarchar;
  constant.type =
      is_varchar ? Type{.kind = TypeKind::kVarchar, .length = semantics::kStringLengthMax} : Type{kind.kind};
  return constant;
}

bool is_untyped(const wire::v1::Constant& given) {
  const bool is_literal = given.type().kind() == wire::v1::TYPE_KIND_VARCHAR && given.type().length() == 0;
  return is_literal && !given.has_text() && !given.is_array();
}

std::optional<ParameterKind> declared_by(const wire::v1::Constant& given) {
  const auto type = contract::to_type(given.type());
  return !type || is_untyped(given) ? std::nullopt : std::optional(ParameterKind{type->kind, given.is_array()});
}

Result<Constant> given_constant(const Scope& scope, const wire::v1::Constant& given,
                                std::optional<ParameterKind> kind) {
  if (given.has_text() || given.is_array()) {
    auto type = contract::to_type(given.type());
    if (!type) {
      return type.error();
    }
    return read_as(scope, {type->kind, given.is_array()}, given.has_text() ? Value(given.text()) : Value());
  }
  Type type;
  auto value = contract::to_value(given, &type);
  if (!value) {
    return value.error();
  }
  if (semantics::is_untyped_literal(type)) {
    if (kind) {
      return read_as(scope, *kind, std::move(*value));
    }
    Constant untyped{type, std::move(*value), true};
    return untyped;
  }
  Constant constant = type.kind == TypeKind::kText ? constant_without_value({TypeKind::kText}) : Constant{type};
  constant.value = std::move(*value);
  return constant;
}

}  // namespace daedalus::aggregator::sql

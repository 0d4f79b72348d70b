// ANY and ALL of an array: comparisons with each of its elements, joined.
#include <fmt/format.h>

#include <algorithm>

#include "beyond.hpp"
#include "bound_lists.hpp"
#include "cast.hpp"
#include "daedalus/aggregator/array_list.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

/// The type of one element.
grammar::TypeName element_type(grammar::TypeName type) {
  type.is_array = false;
  return type;
}

/// True when all tests call the same function, and compare the same value with values of its type.
bool are_alike(const std::vector<BoundExpression>& tests) {
  const BoundExpression& first = tests[0];
  return std::all_of(tests.begin(), tests.end(), [&](const BoundExpression& test) {
    return test.function == first.function && test.arguments[0] == first.arguments[0] &&
           test.arguments[1].type.kind == first.arguments[0].type.kind;
  });
}

Typed unknown_text(std::optional<std::string> text, int32_t location) {
  Typed made;
  made.is_unknown = true;
  made.location = location;
  made.expression = semantics::make_constant(Type{TypeKind::kText}, text ? Value(std::move(*text)) : Value());
  return made;
}

}  // namespace

bool ExpressionBinder::is_beyond(const Typed& value, TypeKind kind) {
  const auto* text = std::get_if<std::string>(&value.expression.value);
  return value.is_unknown && text != nullptr && value_beyond(Type{kind}, *text).has_value();
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::array_elements(const grammar::Node& node) {
  using Elements = std::optional<std::vector<Typed>>;
  if (node.kind() == grammar::Node::kArray) {
    if (node.array().items.empty()) {
      return scope_.error("42P18", "cannot determine type of empty array", node.location());
    }
    auto bound = bind_all(node.array().items);
    auto together = bound ? brought_together(std::move(*bound), "ARRAY") : bound.error();
    if (!together) {
      return together.error();
    }
    std::vector<Typed> elements;
    for (BoundExpression& element : together->values) {
      elements.push_back(Typed{std::move(element), false, node.location()});
    }
    return Elements(std::move(elements));
  }
  if (node.kind() == grammar::Node::kCast && node.cast().type_name.is_array) {
    return cast_elements(node);
  }
  if (node.kind() == grammar::Node::kParameter) {
    return parameter_elements(node.parameter());
  }
  if (node.has_constant() && node.constant().kind == grammar::ConstantNode::Kind::kString) {
    // It is no value itself, so it may be longer than one.
    return elements_of_text(unknown_text(std::string(node.constant().text), node.location()));
  }
  auto text = bind(node);
  if (!text) {
    return text.error();
  }
  if (!text->is_unknown) {
    return rejected("42809", "op ANY/ALL (array) requires array on right side");
  }
  return elements_of_text(*text);
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::array_elements_for(const Type& column,
                                                                               const grammar::Node& node) {
  beyond_ = column.kind;
  auto elements = array_elements(node);
  beyond_ = std::nullopt;
  return elements;
}

bool ExpressionBinder::is_left_beyond(const Typed& element, TypeKind kind) const {
  return beyond_ && *beyond_ == kind && is_beyond(element, kind);
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::elements_of_text(const Typed& text) {
  using Elements = std::optional<std::vector<Typed>>;
  if (semantics::is_null(text.expression.value)) {
    return Elements();
  }
  auto parsed = parse_array(std::get<std::string>(text.expression.value));
  if (!parsed) {
    return scope_.located(parsed.error(), text.location);
  }
  std::vector<Typed> elements;
  for (std::optional<std::string>& element : *parsed) {
    elements.push_back(unknown_text(std::move(element), text.location));
  }
  return Elements(std::move(elements));
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::parameter_elements(
    const grammar::ParameterReference& node) {
  using Elements = std::optional<std::vector<Typed>>;
  auto folded = fold(scope_, grammar::Node(&node, node.location));
  if (!folded) {
    return folded.error();
  }
  const Constant& constant = **folded;
  if (!constant.is_array && !constant.is_untyped) {
    return rejected("42809", "op ANY/ALL (array) requires array on right side");
  }
  const TypeKind kind = constant.is_text || constant.is_untyped ? TypeKind::kText : constant.type.kind;
  if (scope_.is_described()) {
    Typed any{semantics::make_constant(Type{kind}, Value()), constant.is_untyped, constant.location,
              constant.parameter};
    any.is_array = constant.is_untyped;
    return Elements(std::vector<Typed>{std::move(any)});
  }
  auto elements =
      elements_of_text(Typed{semantics::make_constant(Type{TypeKind::kText}, constant.value), true, constant.location});
  if (!elements || !elements->has_value() || constant.is_untyped) {
    return elements;
  }
  for (Typed& element : **elements) {
    if (is_left_beyond(element, kind)) {
      continue;
    }
    auto read = coerced(std::move(element), kind);
    if (!read) {
      return read.error();
    }
    element = Typed{std::move(*read), false, constant.location};
  }
  return elements;
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::cast_elements(const grammar::Node& node) {
  auto type = resolve_type(scope_, element_type(node.cast().type_name));
  if (!type) {
    return type.error();
  }
  if (type->kind == TypeKind::kInterval && !modifier_of_interval(node.cast().type_name).is_none()) {
    return scope_.refuse("an array of intervals of some fields", node.location(), "cast each of them");
  }
  if (precision_of_datetime(*type, node.cast().type_name)) {
    return scope_.refuse("an array of SQL timestamps of fewer digits", node.location(), "cast each of them");
  }
  type->kind = plain_name(node.cast().type_name.names) == "text" ? TypeKind::kText : type->kind;
  auto elements = elements_to_cast(node, *type);
  if (!elements || !elements->has_value()) {
    return elements;
  }
  for (Typed& element : **elements) {
    if (is_left_beyond(element, type->kind)) {
      continue;
    }
    const int32_t location = element.location;
    const TypeKind kind = element.is_unknown ? type->kind : element.expression.type.kind;
    auto read = coerced(std::move(element), kind);
    if (!read) {
      return read.error();
    }
    if (!semantics::can_cast_explicitly(read->type.kind, type->kind) && read->type.kind != type->kind) {
      return scope_.error("42846",
                          fmt::format("cannot cast type {}[] to {}[]", semantics::kind_name(read->type.kind),
                                      semantics::kind_name(type->kind)),
                          node.location());
    }
    auto made =
        read->type == *type ? Bound(Typed{std::move(*read), false, location}) : cast(std::move(*read), *type, location);
    if (!made) {
      return made.error();
    }
    element = std::move(*made);
  }
  return elements;
}

Result<std::optional<std::vector<Typed>>> ExpressionBinder::elements_to_cast(const grammar::Node& node,
                                                                             const Type& type) {
  using Elements = std::optional<std::vector<Typed>>;
  const grammar::Node& argument = node.cast().argument;
  if (argument.kind() == grammar::Node::kArray && argument.array().items.empty()) {
    return Elements(std::vector<Typed>());
  }
  if (argument.kind() != grammar::Node::kParameter) {
    return array_elements(argument);
  }
  auto folded = fold(scope_, argument);
  if (!folded) {
    return folded.error();
  }
  const Constant& constant = **folded;
  if (constant.is_array || constant.is_untyped) {
    return parameter_elements(argument.parameter());
  }
  if (!semantics::is_string(constant.type.kind)) {
    return scope_.error(
        "42846", fmt::format("cannot cast type {} to {}[]", type_name(constant), semantics::kind_name(type.kind)),
        node.location());
  }
  if (scope_.is_described()) {
    return Elements(std::vector<Typed>{Typed{semantics::make_constant(Type{TypeKind::kText}, Value())}});
  }
  return elements_of_text(
      Typed{semantics::make_constant(Type{TypeKind::kText}, constant.value), true, constant.location});
}

ExpressionBinder::Bound ExpressionBinder::array_test(const grammar::OperatorExpression& node) {
  const bool is_any = node.kind == grammar::OperatorKind::kAny;
  std::string_view sign = plain_name(node.name);
  sign = sign == "!=" ? "<>" : sign;
  auto left = bind(node.left);
  if (!left) {
    return left;
  }
  const TypeKind kind = left->expression.type.kind;
  // An element may be beyond the type of the column that it is compared with. A described
  // statement allows such elements everywhere: its types do not depend on values.
  auto elements = scope_.is_described() || place_.compares_beyond
                      ? array_elements_for(left->expression.type, node.right)
                      : array_elements(node.right);
  if (!elements) {
    return scope_.located(elements.error(), node.location);
  }
  const bool wants_arrays =
      left->is_array && elements->has_value() && !(*elements)->empty() && (**elements)[0].is_array;
  if (wants_arrays) {
    return scope_.error("42704", "could not find an array type for an array", node.location);
  }
  if (!elements->has_value() || (*elements)->empty()) {
    return test_of_nothing(std::move(left->expression), elements->has_value(), !is_any, node.location);
  }
  std::vector<BoundExpression> tests;
  for (Typed& element : **elements) {
    if (auto checked = check_text_length(scope_, element.expression.value, node.location); !checked) {
      return checked.error();
    }
    if (scope_.is_described() && is_beyond(element, kind)) {
      element = Typed{semantics::make_constant(Type{kind}, Value()), false, element.location};
    }
    auto test = compared(sign, *left, std::move(element), node.location);
    if (!test) {
      return test;
    }
    if (!scope_.is_described() && may_fail(test->expression.arguments[1])) {
      return scope_.refuse("an array of what is computed and may fail", node.location, "use several conditions");
    }
    if (fails_always(test->expression.arguments[1])) {
      // All elements are computed before any is compared: none that is found hides this one. What they are
      // compared with comes before them.
      const size_t first = fails_always(test->expression.arguments[0]) ? 0 : 1;
      return computed_first(std::move(test->expression.arguments[first]), !is_any, node.location);
    }
    auto truth = as_boolean(std::move(*test), "ANY/ALL");
    if (!truth) {
      return truth.error();
    }
    tests.push_back(std::move(*truth));
  }
  const bool is_list = tests.size() > 1 && are_alike(tests) && sign == (is_any ? "=" : "<>");
  if (is_list) {
    return as_list(std::move(tests), is_any, node.location);
  }
  if (!left->expression.is_constant() && std::any_of(tests.begin(), tests.end(), is_null_for_all)) {
    // A NULL among the elements hides no mistake of what they are compared with, nor is it known before there are rows.
    auto met = computed_first(std::move(left->expression), !is_any, node.location);
    if (!met) {
      return met;
    }
    tests.insert(tests.begin(), std::move(met->expression));
  }
  if (tests.size() == 1) {
    return Typed{std::move(tests[0]), false, node.location};
  }
  return call(is_any ? FunctionId::kOr : FunctionId::kAnd, std::move(tests), node.location);
}

/// NULL, or what an array without elements decides. What would have been compared is computed all the same: its
/// mistakes are met, and a planner does not know the result beforehand.
ExpressionBinder::Bound ExpressionBinder::test_of_nothing(BoundExpression left, bool has_array, bool truth,
                                                          int32_t location) {
  const Type boolean{TypeKind::kBool};
  if (left.is_constant()) {
    return Typed{semantics::make_constant(boolean, has_array ? Value(truth) : Value()), false, location};
  }
  auto met = computed_first(std::move(left), has_array && truth, location);
  if (!met || has_array) {
    return met;
  }
  std::vector<BoundExpression> either = list_of(std::move(met->expression));
  either.push_back(semantics::make_constant(boolean, Value()));
  return call(FunctionId::kOr, std::move(either), location);
}

ExpressionBinder::Bound ExpressionBinder::computed_first(BoundExpression expression, bool truth, int32_t location) {
  auto test = call(FunctionId::kIsNull, list_of(std::move(expression)), location);
  return test ? call(truth ? FunctionId::kIsNotNull : FunctionId::kIsNull, list_of(std::move(test->expression)),
                     location)
              : test;
}

/// One list of values. Precondition: are_alike(tests).
ExpressionBinder::Bound ExpressionBinder::as_list(std::vector<BoundExpression> tests, bool is_any, int32_t location) {
  std::vector<BoundExpression> list = list_of(std::move(tests[0].arguments[0]));
  for (BoundExpression& test : tests) {
    list.push_back(std::move(test.arguments[1]));
  }
  return call(is_any ? FunctionId::kIn : FunctionId::kNotIn, std::move(list), location);
}

}  // namespace daedalus::aggregator::sql

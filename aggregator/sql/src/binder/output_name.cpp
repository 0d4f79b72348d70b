// Names of outputs that have none: parse_target.c, FigureColname.
#include <algorithm>
#include <cctype>
#include <string>

#include "expression_binder.hpp"
#include "refusals.hpp"
#include "value_query.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// A name, and whether it is one that a cast or a CASE around it leaves alone.
struct Figured {
  std::string name;
  bool is_strong = false;
};

constexpr const char* kNoName = "?column?";

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

Figured figure(const grammar::Node& node);

/// A query has the name of its column, whatever is around it.
Figured figure_query(const grammar::Node& node) {
  if (node.sub_link().kind == grammar::SubLink::Kind::kExists) {
    return {"exists", true};
  }
  const grammar::ResultTarget* const value = lone_value(node);
  if (value == nullptr) {
    return {kNoName, false};
  }
  return {value->name.empty() ? figure(value->value).name : std::string(value->name), true};
}

Figured figure(const grammar::Node& node) {
  using grammar::Node;
  switch (node.kind()) {
    case Node::kColumn:
      return {std::string(node.column().names.empty() ? kNoName : node.column().names.back()), true};
    case Node::kFunctionCall:
      return {std::string(node.function_call().name.back()), true};
    case Node::kCast: {
      Figured inner = figure(node.cast().argument);
      return inner.is_strong ? inner : Figured{std::string(node.cast().type_name.names.back()), false};
    }
    case Node::kCaseExpression: {
      Figured inner = figure(node.case_expression().otherwise);
      return inner.is_strong ? inner : Figured{"case", false};
    }
    case Node::kGroupingFunction:
      return {"grouping", true};
    case Node::kCoalesce:
      return {"coalesce", true};
    case Node::kMinMax:
      return {node.min_max().is_least ? "least" : "greatest", true};
    case Node::kOperatorExpression:
      return node.operator_expression().kind == grammar::OperatorKind::kNullIf ? Figured{"nullif", true}
                                                                               : Figured{kNoName, false};
    case Node::kSubLink:
      return figure_query(node);
    case Node::kCollate:
      return figure(node.collate().argument);
    case Node::kValueFunction:
      return {lower(value_function_name(node.value_function().kind)), true};
    default:
      return {kNoName, false};
  }
}

}  // namespace

std::string name_of(const grammar::Node& node) { return figure(node).name; }

}  // namespace daedalus::aggregator::sql

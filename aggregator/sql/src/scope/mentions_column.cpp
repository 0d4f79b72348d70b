// A walk over a whole expression.
#include <algorithm>
#include <vector>

#include "aggregates.hpp"
#include "refusals.hpp"
#include "value_query.hpp"

namespace daedalus::aggregator::sql {

using grammar::Node;

std::vector<Node> children_of(const Node& node) {
  std::vector<Node> children;
  const auto add = [&](const grammar::Nodes& nodes) { children.insert(children.end(), nodes.begin(), nodes.end()); };
  const auto add_query = [&](const grammar::SelectStatement& query) {
    children.push_back(query.where_clause);
    for (const Node& target : query.target_list) {
      children.push_back(target.target().value);
    }
  };
  switch (node.kind()) {
    case Node::kList:
      add(node.list().items);
      break;
    case Node::kArray:
      add(node.array().items);
      break;
    case Node::kRow:
      add(node.row().items);
      break;
    case Node::kOperatorExpression:
      children = {node.operator_expression().left, node.operator_expression().right};
      break;
    case Node::kBooleanExpression:
      add(node.boolean_expression().arguments);
      break;
    case Node::kNullTest:
      children = {node.null_test().argument};
      break;
    case Node::kBooleanTest:
      children = {node.boolean_test().argument};
      break;
    case Node::kFunctionCall:
      add(node.function_call().arguments);
      break;
    case Node::kGroupingFunction:
      add(node.grouping_function().arguments);
      break;
    case Node::kCast:
      children = {node.cast().argument};
      break;
    case Node::kCoalesce:
      add(node.coalesce().arguments);
      break;
    case Node::kMinMax:
      add(node.min_max().arguments);
      break;
    case Node::kNamedArgument:
      children = {node.named_argument().argument};
      break;
    case Node::kCollate:
      children = {node.collate().argument};
      break;
    case Node::kSubLink:
      if (is_without_table(node.sub_link())) {
        add_query(node.sub_link().query.select());
      }
      break;
    case Node::kCaseExpression:
      children = {node.case_expression().argument, node.case_expression().otherwise};
      for (const grammar::CaseArm& arm : node.case_expression().arms) {
        children.push_back(arm.condition);
        children.push_back(arm.value);
      }
      break;
    default:
      break;
  }
  return children;
}

bool mentions_aggregate(const Node& node) {
  if (node.kind() == Node::kGroupingFunction || (node.has_function_call() && is_aggregate(node.function_call()))) {
    return true;
  }
  const std::vector<Node> children = children_of(node);
  return std::any_of(children.begin(), children.end(), mentions_aggregate);
}

bool mentions_column(const Node& node) {
  if (node.has_column()) {
    return true;
  }
  const std::vector<Node> children = children_of(node);
  return std::any_of(children.begin(), children.end(), mentions_column);
}

}  // namespace daedalus::aggregator::sql

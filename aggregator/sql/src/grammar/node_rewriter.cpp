#include "node_rewriter.hpp"

#include <algorithm>
#include <cstring>

namespace daedalus::aggregator::sql {

using grammar::Node;

std::string_view arena_text(Arena& arena, std::string_view text) {
  auto* bytes = static_cast<char*>(arena.allocate(text.size() + 1, 1));
  std::memcpy(bytes, text.data(), text.size());
  return {bytes, text.size()};
}

Result<Node> NodeRewriter::rewrite(const Node& node) {
  Node made = node;
  set(made);
  if (error_) {
    return *std::exchange(error_, std::nullopt);
  }
  return made;
}

grammar::Nodes NodeRewriter::list(std::span<const Node> nodes) {
  const auto made = arena_list<Node>(arena_, nodes.size());
  std::copy(nodes.begin(), nodes.end(), made.begin());
  return made;
}

void NodeRewriter::set(Node& node) {
  if (!error_) {
    node = rewritten(node);
  }
}

void NodeRewriter::set(grammar::Nodes& nodes) {
  const auto made = arena_list<Node>(arena_, nodes.size());
  std::copy(nodes.begin(), nodes.end(), made.begin());
  for (Node& node : made) {
    set(node);
  }
  nodes = made;
}

Node NodeRewriter::rewritten(const Node& node) {
  if (replacement_ != nullptr) {
    if (const Node instead = replacement_(node); instead.is_present()) {
      return instead;
    }
  }
  switch (node.kind()) {
    case Node::kColumn: {
      if (value_of_ == nullptr) {
        return node;
      }
      Result<Node> value = value_of_(node.column());
      if (!value) {
        error_ = value.error();
        return node;
      }
      return *value;
    }
    case Node::kOperatorExpression: {
      auto* made = copy_of(node.operator_expression());
      set(made->left);
      set(made->right);
      return {made, node.location()};
    }
    case Node::kBooleanExpression: {
      auto* made = copy_of(node.boolean_expression());
      set(made->arguments);
      return {made, node.location()};
    }
    case Node::kNullTest: {
      auto* made = copy_of(node.null_test());
      set(made->argument);
      return {made, node.location()};
    }
    case Node::kBooleanTest: {
      auto* made = copy_of(node.boolean_test());
      set(made->argument);
      return {made, node.location()};
    }
    case Node::kFunctionCall: {
      auto* made = copy_of(node.function_call());
      set(made->arguments);
      set(made->filter);
      set(made->order);
      if (made->order.empty() && !made->distinct && !made->name.empty() && made->name.back() == "string_agg") {
        made->order = order_;
      }
      return {made, node.location()};
    }
    case Node::kCast: {
      auto* made = copy_of(node.cast());
      set(made->argument);
      return {made, node.location()};
    }
    case Node::kCoalesce: {
      auto* made = copy_of(node.coalesce());
      set(made->arguments);
      return {made, node.location()};
    }
    case Node::kMinMax: {
      auto* made = copy_of(node.min_max());
      set(made->arguments);
      return {made, node.location()};
    }
    case Node::kNamedArgument: {
      auto* made = copy_of(node.named_argument());
      set(made->argument);
      return {made, node.location()};
    }
    case Node::kCollate: {
      auto* made = copy_of(node.collate());
      set(made->argument);
      return {made, node.location()};
    }
    case Node::kGroupingFunction: {
      auto* made = copy_of(node.grouping_function());
      set(made->arguments);
      return {made, node.location()};
    }
    case Node::kGroupingSet: {
      auto* made = copy_of(node.grouping_set());
      set(made->content);
      return {made, node.location()};
    }
    case Node::kArray: {
      auto* made = copy_of(node.array());
      set(made->items);
      return {made, node.location()};
    }
    case Node::kRow: {
      auto* made = copy_of(node.row());
      set(made->items);
      return {made, node.location()};
    }
    case Node::kList: {
      auto* made = copy_of(node.list());
      set(made->items);
      return {made, node.location()};
    }
    case Node::kSort: {
      auto* made = copy_of(node.sort());
      set(made->expression);
      return {made, node.location()};
    }
    case Node::kCaseExpression:
      return rewritten_case(node);
    default:
      return node;
  }
}

Node NodeRewriter::rewritten_case(const Node& node) {
  auto* made = copy_of(node.case_expression());
  set(made->argument);
  const auto arms = arena_list<grammar::CaseArm>(arena_, made->arms.size());
  std::copy(made->arms.begin(), made->arms.end(), arms.begin());
  for (grammar::CaseArm& arm : arms) {
    set(arm.condition);
    set(arm.value);
  }
  made->arms = arms;
  set(made->otherwise);
  return {made, node.location()};
}

}  // namespace daedalus::aggregator::sql

#include "exists.hpp"

#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using grammar::Node;
using grammar::SelectStatement;

namespace {

void add_queries(const Node& node, std::vector<const SelectStatement*>& found) {
  if (is_exists(node)) {
    found.push_back(&node.sub_link().query.select());
  }
  for (const Node& child : children_of(node)) {
    add_queries(child, found);
  }
}

}  // namespace

bool is_exists(const Node& node) { return node.sub_link().kind == grammar::SubLink::Kind::kExists; }

std::vector<const SelectStatement*> queries_of_exists(const SelectStatement& select) {
  std::vector<const SelectStatement*> found;
  for (const Node& target : select.target_list) {
    add_queries(target.target().value, found);
  }
  add_queries(select.where_clause, found);
  add_queries(select.having_clause, found);
  for (const Node& key : select.sort_clause) {
    add_queries(key.sort().expression, found);
  }
  return found;
}

const SelectStatement& with_list(const SelectStatement& query, Arena& arena) {
  if (!query.target_list.empty()) {
    return query;
  }
  auto* truth = arena_make<grammar::ConstantNode>(arena);
  truth->kind = grammar::ConstantNode::Kind::kBoolean;
  auto* target = arena_make<grammar::ResultTarget>(arena);
  target->value = Node(truth, -1);
  auto list = arena_list<Node>(arena, 1);
  list[0] = Node(target, -1);
  auto* made = arena_make<SelectStatement>(arena, query);
  made->target_list = list;
  return *made;
}

Node is_more_than_none(Arena& arena, const Node& number, int32_t location) {
  auto* zero = arena_make<grammar::ConstantNode>(arena);
  zero->kind = grammar::ConstantNode::Kind::kInteger;
  zero->location = location;
  auto* more = arena_make<grammar::OperatorExpression>(arena);
  auto names = arena_list<std::string_view>(arena, 1);
  names[0] = ">";
  more->name = names;
  more->left = number;
  more->right = Node(zero, location);
  more->location = location;
  return {more, location};
}

Result<SelectStatement> replaced(const SelectStatement& select, Arena& arena,
                                 const NodeRewriter::Replacement& instead) {
  NodeRewriter rewriter(arena, instead);
  SelectStatement made = select;
  std::vector<Node> targets;
  for (const Node& node : select.target_list) {
    auto* target = arena_make<grammar::ResultTarget>(arena, node.target());
    auto value = rewriter.rewrite(target->value);
    if (!value) {
      return value.error();
    }
    target->name = target->name.empty() ? arena_text(arena, name_of(target->value)) : target->name;
    target->value = *value;
    targets.emplace_back(target, node.location());
  }
  made.target_list = rewriter.list(targets);
  std::vector<Node> keys;
  for (const Node& node : select.sort_clause) {
    auto key = rewriter.rewrite(node);
    if (!key) {
      return key.error();
    }
    keys.push_back(*key);
  }
  made.sort_clause = rewriter.list(keys);
  for (Node* const clause : {&made.where_clause, &made.having_clause}) {
    auto condition = rewriter.rewrite(*clause);
    if (!condition) {
      return condition.error();
    }
    *clause = *condition;
  }
  return made;
}

}  // namespace daedalus::aggregator::sql

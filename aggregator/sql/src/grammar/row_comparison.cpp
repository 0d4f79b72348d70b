#include "row_comparison.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace daedalus::aggregator::sql {
namespace {

using grammar::BooleanOperator;
using grammar::Node;
using grammar::OperatorKind;

constexpr std::array<std::string_view, 1> kEqual{"="};
constexpr std::array<std::string_view, 1> kLess{"<"};
constexpr std::array<std::string_view, 1> kGreater{">"};

class Writer {
 public:
  Writer(Arena& arena, const grammar::OperatorExpression& expression) : arena_(arena), expression_(expression) {}

  /// Compares two rows of one length value by value; absent where the operator compares no rows.
  Node rows(grammar::Nodes left, grammar::Nodes right) {
    const std::string_view sign = expression_.name.back();
    const bool is_distinct = expression_.kind == OperatorKind::kDistinct;
    if (is_distinct || expression_.kind == OperatorKind::kNotDistinct || sign == "=" || sign == "<>" || sign == "!=") {
      const bool is_any = is_distinct || sign == "<>" || sign == "!=";
      std::span<Node> parts = list(left.size());
      for (size_t at = 0; at < left.size(); ++at) {
        parts[at] = values(expression_.name, left[at], right[at]);
      }
      return joined(
          is_any && expression_.kind != OperatorKind::kNotDistinct ? BooleanOperator::kOr : BooleanOperator::kAnd,
          parts);
    }
    const bool is_order = sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
    return is_order ? ordered(left, right) : Node();
  }

  /// The first values decide, or those behind them where they are equal.
  Node ordered(grammar::Nodes left, grammar::Nodes right) {
    if (left.size() == 1) {
      return values(expression_.name, left[0], right[0]);
    }
    std::span<Node> equal = list(2);
    equal[0] = values(kEqual, left[0], right[0]);
    equal[1] = ordered(left.subspan(1), right.subspan(1));
    std::span<Node> either = list(2);
    either[0] =
        values(expression_.name.back()[0] == '<' ? grammar::Names(kLess) : grammar::Names(kGreater), left[0], right[0]);
    either[1] = joined(BooleanOperator::kAnd, equal);
    auto* made = make<grammar::BooleanExpression>();
    made->arguments = either;
    made->op = BooleanOperator::kOr;
    made->is_of_rows = true;
    made->is_row_order = true;
    return {made, expression_.location};
  }

  Node joined(BooleanOperator op, std::span<Node> parts) {
    if (parts.size() == 1) {
      return parts[0];
    }
    auto* made = make<grammar::BooleanExpression>();
    made->arguments = parts;
    made->op = op;
    made->is_of_rows = true;
    return {made, expression_.location};
  }

  std::span<Node> list(size_t size) {
    auto* nodes = static_cast<Node*>(arena_.allocate(size * sizeof(Node), alignof(Node)));
    std::uninitialized_default_construct_n(nodes, size);
    return {nodes, size};
  }

  template <typename Details>
  Details* make() {
    return new (arena_.allocate(sizeof(Details), alignof(Details))) Details();
  }

 private:
  Node values(grammar::Names sign, const Node& left, const Node& right) {
    auto* made = make<grammar::OperatorExpression>();
    const bool is_distinct =
        expression_.kind == OperatorKind::kDistinct || expression_.kind == OperatorKind::kNotDistinct;
    made->kind = is_distinct ? expression_.kind : OperatorKind::kPlain;
    made->name = sign;
    made->left = left;
    made->right = right;
    made->location = expression_.location;
    return {made, expression_.location};
  }

  Arena& arena_;
  const grammar::OperatorExpression& expression_;
};

bool are_comparable(const Node& left, const Node& right) {
  return left.kind() == Node::kRow && right.kind() == Node::kRow && !left.row().items.empty() &&
         left.row().items.size() == right.row().items.size();
}

}  // namespace

Node compared_by_value(Arena& arena, const grammar::OperatorExpression& expression) {
  Writer writer(arena, expression);
  switch (expression.kind) {
    case OperatorKind::kPlain:
    case OperatorKind::kDistinct:
    case OperatorKind::kNotDistinct:
      return expression.name.size() == 1 && are_comparable(expression.left, expression.right)
                 ? writer.rows(expression.left.row().items, expression.right.row().items)
                 : Node();
    case OperatorKind::kIn:
      break;
    default:
      return {};
  }
  const grammar::Nodes members = expression.right.list().items;
  const bool are_rows = std::all_of(members.begin(), members.end(),
                                    [&](const Node& member) { return are_comparable(expression.left, member); });
  if (members.empty() || !are_rows) {
    return {};
  }
  std::span<Node> parts = writer.list(members.size());
  for (size_t at = 0; at < parts.size(); ++at) {
    parts[at] = writer.rows(expression.left.row().items, members[at].row().items);
  }
  return writer.joined(expression.name.back() == "<>" ? BooleanOperator::kAnd : BooleanOperator::kOr, parts);
}

Node tested_by_value(Arena& arena, const grammar::NullTest& test) {
  const grammar::Nodes items = test.argument.row().items;
  if (items.empty()) {
    return {};
  }
  grammar::OperatorExpression place;
  place.location = test.argument.location();
  Writer writer(arena, place);
  std::span<Node> parts = writer.list(items.size());
  for (size_t at = 0; at < parts.size(); ++at) {
    auto* made = writer.make<grammar::NullTest>();
    made->argument = items[at];
    made->is_negated = test.is_negated;
    parts[at] = {made, test.argument.location()};
  }
  return writer.joined(BooleanOperator::kAnd, parts);
}

}  // namespace daedalus::aggregator::sql

#include "group_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "expression_binder.hpp"
#include "lexer.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

std::optional<std::string_view> bare_name(const grammar::Node& node) {
  if (node.column().names.size() != 1 || node.column().is_star) {
    return std::nullopt;
  }
  return node.column().names[0];
}

Result<uint32_t> resolve_ordinal(const Scope& scope, const Outputs& outputs, const grammar::ConstantNode& constant,
                                 const char* clause) {
  if (constant.kind != grammar::ConstantNode::Kind::kInteger) {
    return scope.error("42601", fmt::format("non-integer constant in {}", clause), constant.location);
  }
  const int64_t ordinal = constant.integer;
  if (ordinal < 1 || ordinal > outputs.visible_count()) {
    return scope.error("42P10", fmt::format("{} position {} is not in select list", clause, ordinal),
                       constant.location);
  }
  return static_cast<uint32_t>(ordinal - 1);
}

Result<std::optional<uint32_t>> resolve_output_name(const Scope& scope, const Outputs& outputs, std::string_view name,
                                                    const char* clause, int32_t location) {
  const std::vector<uint32_t> found = outputs.named(name);
  if (found.size() > 1) {
    return scope.error("42702", fmt::format("{} \"{}\" is ambiguous", clause, name), location);
  }
  return found.empty() ? std::optional<uint32_t>() : std::optional<uint32_t>(found.front());
}

namespace {

using semantics::BoundExpression;

/// By places among keys.
using Set = std::vector<uint32_t>;
using Sets = std::vector<Set>;

/// Returns the expression of an output that a GROUP BY item names. Errors: 42803 an aggregate.
Result<BoundExpression> grouped_output(const Scope& scope, const OutputItem& item) {
  if (semantics::has_aggregate(item.expression)) {
    return scope.error("42803", "aggregate functions are not allowed in GROUP BY", item.places.aggregate);
  }
  return item.expression;
}

Result<BoundExpression> group_item(Scope& scope, const Outputs& outputs, const grammar::Node& node) {
  static constexpr const char* kClause = "GROUP BY";
  const int32_t location = location_of(node);
  if (const auto name = bare_name(node); name && !scope.find_column(*name)) {
    auto output = resolve_output_name(scope, outputs, *name, kClause, location);
    if (!output) {
      return output.error();
    }
    if (output->has_value()) {
      return grouped_output(scope, outputs.items()[**output]);
    }
  }
  if (node.has_constant()) {
    auto output = resolve_ordinal(scope, outputs, node.constant(), kClause);
    if (!output) {
      return output.error();
    }
    return grouped_output(scope, outputs.items()[*output]);
  }
  return ExpressionBinder(scope, {kClause}).value(node);
}

class GroupByCompiler {
 public:
  GroupByCompiler(Scope& scope, const Outputs& outputs) : scope_(scope), outputs_(outputs) {}

  /// The sets of one item: a key is the set of itself.
  Result<Sets> sets_of(const grammar::Node& node, uint32_t depth) {
    if (depth > kDepthMax) {
      return scope_.error("54001", "grouping sets are nested too deeply", location_of(node));
    }
    if (node.has_grouping_set()) {
      return sets_of(node.grouping_set(), location_of(node), depth);
    }
    auto set = keys_of(node);
    return set ? Result<Sets>(Sets{std::move(*set)}) : set.error();
  }

  /// Each set of `left` together with each of `right`.
  Result<Sets> crossed(const Sets& left, const Sets& right, int32_t location) const {
    if (left.size() * right.size() > semantics::kGroupSetsMax) {
      return too_many(location);
    }
    Sets made;
    for (const Set& one : left) {
      for (const Set& other : right) {
        made.push_back(joined(one, other));
      }
    }
    return made;
  }

  std::vector<BoundExpression> take_keys() && { return std::move(keys_); }

 private:
  static constexpr uint32_t kDepthMax = 16;

  static Set joined(Set one, const Set& other) {
    one.insert(one.end(), other.begin(), other.end());
    std::sort(one.begin(), one.end());
    one.erase(std::unique(one.begin(), one.end()), one.end());
    return one;
  }

  [[nodiscard]] Error too_many(int32_t location) const {
    return scope_.refuse(fmt::format("more than {} grouping sets", semantics::kGroupSetsMax), location,
                         "ask for fewer at a time");
  }

  /// The keys of an expression, or of several in parentheses.
  Result<Set> keys_of(const grammar::Node& node) {
    if (node.kind() != grammar::Node::kRow || node.row().has_keyword) {
      auto key = key_of(node);
      return key ? Result<Set>(Set{*key}) : key.error();
    }
    Set set;
    for (const grammar::Node& item : node.row().items) {
      auto key = key_of(item);
      if (!key) {
        return key.error();
      }
      set = joined(std::move(set), {*key});
    }
    return set;
  }

  Result<uint32_t> key_of(const grammar::Node& node) {
    auto key = group_item(scope_, outputs_, node);
    if (!key) {
      return key.error();
    }
    const auto found = std::find(keys_.begin(), keys_.end(), *key);
    const auto place = static_cast<uint32_t>(found - keys_.begin());
    if (found == keys_.end()) {
      keys_.push_back(std::move(*key));
    }
    return place;
  }

  Result<Sets> sets_of(const grammar::GroupingSet& node, int32_t location, uint32_t depth) {
    using Kind = grammar::GroupingSet::Kind;
    if (node.kind == Kind::kEmpty) {
      return Sets{Set{}};
    }
    Sets parts;  // All sets of all items; each item of ROLLUP and CUBE is one set.
    for (const grammar::Node& item : node.content) {
      auto sets = sets_of(item, depth + 1);
      if (!sets) {
        return sets.error();
      }
      parts.insert(parts.end(), sets->begin(), sets->end());
      if (parts.size() > semantics::kGroupSetsMax) {
        return too_many(location);
      }
    }
    switch (node.kind) {
      case Kind::kRollup:
        return rolled_up(parts);
      case Kind::kCube:
        return cubed(parts, location);
      default:
        return parts;
    }
  }

  static Sets rolled_up(const Sets& parts) {
    Sets sets{Set{}};
    for (const Set& part : parts) {
      sets.push_back(joined(sets.back(), part));
    }
    return sets;
  }

  Result<Sets> cubed(const Sets& parts, int32_t location) const {
    Sets sets{Set{}};
    for (const Set& part : parts) {
      if (2 * sets.size() > semantics::kGroupSetsMax) {
        return too_many(location);
      }
      const size_t count = sets.size();
      for (size_t number = 0; number < count; ++number) {
        sets.push_back(joined(sets[number], part));
      }
    }
    return sets;
  }

  Scope& scope_;
  const Outputs& outputs_;
  std::vector<BoundExpression> keys_;
};

}  // namespace

Result<GroupBy> compile_group_by(Scope& scope, const grammar::SelectStatement& select, const Outputs& outputs) {
  if (select.group_clause.empty()) {
    return GroupBy{};
  }
  GroupByCompiler compiler(scope, outputs);
  Sets sets{Set{}};
  bool has_sets = false;
  for (const grammar::Node& node : select.group_clause) {
    has_sets = has_sets || node.has_grouping_set();
    auto of_item = compiler.sets_of(node, 0);
    auto crossed = of_item ? compiler.crossed(sets, *of_item, location_of(node)) : of_item;
    if (!crossed) {
      return crossed.error();
    }
    sets = std::move(*crossed);
  }
  if (select.has_group_distinct) {
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  }
  GroupBy made{std::move(compiler).take_keys(), {}};
  if (has_sets) {
    made.sets = std::move(sets);
  }
  return made;
}

}  // namespace daedalus::aggregator::sql

#include "several_exists.hpp"

#include <algorithm>

#include "aggregates.hpp"
#include "exists.hpp"
#include "flatten.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using grammar::SelectStatement;
using Queries = std::vector<const SelectStatement*>;

bool lists_aggregate(const SelectStatement& select) {
  return std::any_of(select.target_list.begin(), select.target_list.end(),
                     [](const Node& node) { return mentions_aggregate(node.target().value); });
}

/// Returns whether it is a SELECT without anything that makes other rows of the table's.
bool is_of_plain_rows(const SelectStatement& select) {
  return select.set_operation == grammar::SetOperation::kNone && select.values_lists.empty() &&
         select.group_clause.empty() && !select.with_clause.is_present() && !select.has_into && !select.has_window &&
         !select.has_locking && !select.has_ties;
}

bool reads_table(const SelectStatement& select) {
  return select.from_clause.size() == 1 && select.from_clause[0].has_range_variable();
}

/// Returns whether the query has rows exactly if a row of the table meets its condition.
bool is_condition(const SelectStatement& query) {
  const grammar::ConstantNode& limit = query.limit_count.constant();
  const bool has_limit =
      query.limit_count.is_present() && (limit.kind != grammar::ConstantNode::Kind::kInteger || limit.integer <= 0);
  return is_of_plain_rows(query) && reads_table(query) && !query.having_clause.is_present() && !is_grouped(query) &&
         !has_limit && !query.limit_offset.is_present();
}

/// Returns whether all that the statement asks of its table is one row of aggregates.
bool is_of_one_group(const SelectStatement& select) {
  SelectStatement where;
  where.where_clause = select.where_clause;
  return reads_table(select) && (lists_aggregate(select) || select.having_clause.is_present()) &&
         queries_of_exists(where).empty();
}

Node combined(Arena& arena, grammar::BooleanOperator op, grammar::Nodes conditions) {
  if (conditions.size() == 1) {
    return conditions[0];
  }
  auto* made = arena_make<grammar::BooleanExpression>(arena);
  made->arguments = conditions;
  made->op = op;
  return {made, conditions[0].location()};
}

/// The condition of a query, whose columns are named without the query's table.
Result<Node> bare_condition_of(const SelectStatement& query, Arena& arena) {
  if (!query.where_clause.is_present()) {
    return Node();
  }
  NodeRewriter rewriter(arena, [&](const grammar::ColumnReference& reference) -> Result<Node> {
    auto* made = arena_make<grammar::ColumnReference>(arena, reference);
    made->names = reference.names.last(std::min<size_t>(reference.names.size(), 1));
    return Node(made, reference.location);
  });
  return rewriter.rewrite(query.where_clause);
}

/// `count(*) FILTER (WHERE condition)`, or count(*) without a condition.
Node number_where(Arena& arena, const Node& condition, int32_t location) {
  auto* call = arena_make<grammar::FunctionCall>(arena);
  auto names = arena_list<std::string_view>(arena, 1);
  names[0] = "count";
  call->name = names;
  call->star = true;
  call->filter = condition;
  call->location = location;
  return {call, location};
}

/// The aggregate of those of its rows that meet the condition.
Node with_filter(Arena& arena, const Node& aggregate, const Node& condition) {
  auto* call = arena_make<grammar::FunctionCall>(arena, aggregate.function_call());
  auto both = arena_list<Node>(arena, call->filter.is_present() ? 2 : 1);
  both[0] = condition;
  both.back() = call->filter.is_present() ? call->filter : condition;
  call->filter = combined(arena, grammar::BooleanOperator::kAnd, both);
  return {call, aggregate.location()};
}

}  // namespace

bool is_of_several_exists(const SelectStatement& select) {
  const Queries queries = queries_of_exists(select);
  const auto is_one = [](const SelectStatement* query) { return is_condition(*query); };
  if (!is_of_plain_rows(select) || select.has_distinct || !std::all_of(queries.begin(), queries.end(), is_one)) {
    return false;
  }
  return select.from_clause.empty() ? queries.size() > 1 && !lists_aggregate(select)
                                    : !queries.empty() && is_of_one_group(select);
}

Result<SelectStatement> with_filters(const SelectStatement& select, Arena& arena) {
  const Queries queries = queries_of_exists(select);
  const bool has_table = !select.from_clause.empty();
  std::vector<Node> conditions;  // One of each query, and behind them that of the statement's own table.
  for (const SelectStatement* const query : queries) {
    auto condition = bare_condition_of(*query, arena);
    if (!condition) {
      return condition.error();
    }
    conditions.push_back(*condition);
  }
  if (has_table) {
    conditions.push_back(select.where_clause);
  }
  auto made = replaced(select, arena, [&](const Node& node) {
    if (is_exists(node)) {
      const auto found = std::find(queries.begin(), queries.end(), &node.sub_link().query.select());
      const Node& condition = conditions[static_cast<size_t>(found - queries.begin())];
      return is_more_than_none(arena, number_where(arena, condition, node.location()), node.location());
    }
    const bool has_condition = has_table && select.where_clause.is_present();
    const bool is_call = node.has_function_call() && is_aggregate(node.function_call());
    return has_condition && is_call ? with_filter(arena, node, select.where_clause) : Node();
  });
  if (!made) {
    return made;
  }
  if (!has_table) {
    made->from_clause = queries[0]->from_clause;
    made->having_clause = made->where_clause;
  }
  const bool are_all =
      std::any_of(conditions.begin(), conditions.end(), [](const Node& each) { return !each.is_present(); });
  auto listed = arena_list<Node>(arena, conditions.size());
  std::copy(conditions.begin(), conditions.end(), listed.begin());
  made->where_clause = are_all ? Node() : combined(arena, grammar::BooleanOperator::kOr, listed);
  return made;
}

Result<ReadSelect> read_several_exists(Scope& scope, const SelectStatement& select) {
  if (select.from_clause.empty()) {
    if (auto checked = check_without_from(scope, select); !checked) {
      return checked.error();
    }
  }
  constexpr size_t kArenaBytes = 16u << 10;
  Arena arena(kArenaBytes);
  for (const SelectStatement* const query : queries_of_exists(select)) {
    if (auto read = read_select(scope, with_list(*query, arena)); !read) {
      return read.error();
    }
  }
  scope.places().give_up();  // Each condition is read several times.
  auto made = with_filters(select, arena);
  return made ? read_select(scope, *made) : made.error();
}

}  // namespace daedalus::aggregator::sql

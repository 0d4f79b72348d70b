#include "counted.hpp"

#include <algorithm>
#include <vector>

#include "exists.hpp"
#include "expression_binder.hpp"
#include "flatten.hpp"
#include "node_rewriter.hpp"
#include "query_in_from.hpp"
#include "refusals.hpp"
#include "select_parts.hpp"
#include "values.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using grammar::SelectStatement;
using semantics::TypeKind;

/// The name of the column that the number is.
constexpr const char* kNumber = "count";

/// A query of which the number is wanted. Null: there is none, or several.
struct Counted {
  const SelectStatement* query = nullptr;
  bool is_exists = false;  ///< Only whether there is a row.
};

/// The query of the one EXISTS in the list or in WHERE.
Counted counted_by_exists(const SelectStatement& select) {
  const std::vector<const SelectStatement*> found = queries_of_exists(select);
  const bool is_one = found.size() == 1 && !select.with_clause.is_present() && !is_of_values(*found[0]);
  return is_one ? Counted{found[0], true} : Counted{};
}

/// count(*), or count() of a literal.
bool counts_rows(const Node& node) {
  const grammar::FunctionCall& call = node.function_call();
  const bool is_plain = !call.distinct && !call.filter.is_present() && call.order.empty() && !call.has_over &&
                        !call.variadic && !call.is_within_group;
  const bool takes_literal = call.arguments.size() == 1 && call.arguments[0].has_constant() &&
                             call.arguments[0].constant().kind != grammar::ConstantNode::Kind::kNull;
  return is_plain && plain_name(call.name) == kNumber && (call.star || takes_literal);
}

/// Says whether the number of rows is all that it asks of them.
bool asks_number_only(const Node& node) {
  if (counts_rows(node)) {
    return true;
  }
  if (node.has_column() || mentions_aggregate(node)) {
    const std::vector<Node> children = children_of(node);
    const bool is_call = node.has_function_call() || node.has_column() || node.kind() == Node::kGroupingFunction;
    return !is_call && std::all_of(children.begin(), children.end(), asks_number_only);
  }
  return !mentions_column(node);
}

/// The query in FROM that only count(*) is asked of. One without DISTINCT, groups and LIMIT is put into one with the
/// statement instead.
Counted counted_in_from(const SelectStatement& select) {
  const QueryInFrom in_from = query_in_from(select);
  const bool has_others = select.where_clause.is_present() || !select.group_clause.empty() ||
                          select.having_clause.is_present() || select.has_distinct;
  if (in_from.query == nullptr || has_others || is_of_values(*in_from.query)) {
    return {};
  }
  const SelectStatement& query = *in_from.query;
  const bool is_apart =
      query.has_distinct || query.limit_count.is_present() || query.limit_offset.is_present() || is_grouped(query);
  const auto value_of = [](const Node& target) -> const Node& { return target.target().value; };
  const grammar::Nodes list = select.target_list;
  const bool asks_it =
      std::all_of(list.begin(), list.end(), [&](const Node& target) { return asks_number_only(value_of(target)); }) &&
      std::any_of(list.begin(), list.end(), [&](const Node& target) { return mentions_aggregate(value_of(target)); });
  return is_apart && asks_it ? Counted{&query, false} : Counted{};
}

Counted counted_in(const SelectStatement& select) {
  return select.from_clause.empty() ? counted_by_exists(select) : counted_in_from(select);
}

/// The statement without its query in FROM, and with other nodes in the place of what counts.
Result<SelectStatement> without_from(const SelectStatement& select, Arena& arena,
                                     const NodeRewriter::Replacement& instead) {
  auto made = replaced(select, arena, instead);
  if (made) {
    made->from_clause = {};
    made->with_clause = {};
  }
  return made;
}

Node number_at(Arena& arena, int32_t location) {
  auto* column = arena_make<grammar::ColumnReference>(arena);
  auto names = arena_list<std::string_view>(arena, 1);
  names[0] = kNumber;
  column->names = names;
  column->location = location;
  return {column, location};
}

/// The statement over the number.
Result<SelectStatement> over_number(const SelectStatement& select, Arena& arena) {
  return without_from(select, arena, [&](const Node& node) {
    if (is_exists(node)) {
      return is_more_than_none(arena, number_at(arena, node.location()), node.location());
    }
    return !select.from_clause.empty() && counts_rows(node) ? number_at(arena, node.location()) : Node();
  });
}

std::shared_ptr<const semantics::Schema> schema_of_number() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = kNumber;
  schema->columns.push_back({kNumber, {TypeKind::kBigint}, false, {}, {}});
  return schema;
}

/// Rows of as many groups, of which nothing is put out.
Result<void> drop_outputs(const semantics::Schema& schema, semantics::Selection& selection) {
  semantics::SelectList list;
  list.outputs.push_back({kNumber, semantics::make_constant({TypeKind::kBool}, true)});
  if (const auto& grouping = selection.grouping) {
    list.group_by = grouping->keys;
    list.grouping_sets = grouping->sets;
    list.having = selection.having ? std::optional(semantics::unbound(*selection.having, *grouping)) : std::nullopt;
  }
  auto bound = semantics::bind_select(schema, std::move(list));
  if (!bound) {
    return bound.error();
  }
  selection.grouping = std::move(bound->grouping);
  selection.having = std::move(bound->having);
  selection.outputs = std::move(bound->outputs);
  selection.visible_outputs = 1;
  selection.order_by.clear();
  return {};
}

/// Drops outputs and order, which do not change how many rows there are unless the order says which of them are equal;
/// the first row says whether there is one. One group of all rows is there because of what it puts out.
Result<void> keep_number(const semantics::Schema& schema, bool is_exists, semantics::Selection& selection) {
  if (is_exists && selection.limit.value_or(1) > 0) {
    selection.limit = 1;
    selection.ties_by = 0;
  }
  const bool is_one_group = selection.grouping && selection.grouping->keys.empty();
  const bool needs_outputs = selection.distinct_by > 0 || selection.ties_by > 0 || is_one_group;
  return needs_outputs ? Result<void>() : drop_outputs(schema, selection);
}

}  // namespace

bool is_of_number(const SelectStatement& select) { return counted_in(select).query != nullptr; }

const SelectStatement& counted_query(const SelectStatement& select) { return *counted_in(select).query; }

Result<SelectStatement> without_query(const SelectStatement& select, Arena& arena) {
  return without_from(select, arena, [&](const Node& node) {
    auto* truth = arena_make<grammar::ConstantNode>(arena);
    truth->kind = grammar::ConstantNode::Kind::kBoolean;
    return is_exists(node) ? Node(truth, node.location()) : Node();
  });
}

Result<CompiledSelect> compile_number(Scope& scope, const contract::PartitionMap& map, const SelectStatement& select) {
  const Counted counted = counted_in(select);
  if (counted.is_exists) {
    if (auto checked = check_without_from(scope, select); !checked) {
      return checked.error();
    }
    const grammar::Nodes list = select.target_list;
    if (std::any_of(list.begin(), list.end(),
                    [](const Node& node) { return mentions_aggregate(node.target().value); })) {
      return scope.refuse("an aggregate without FROM", scope.statement_location());
    }
  }
  constexpr size_t kArenaBytes = 16u << 10;
  Arena arena(kArenaBytes);
  auto read = read_select(scope, with_list(*counted.query, arena));
  if (!read) {
    return read.error();
  }
  if (auto kept = keep_number(scope.schema(), counted.is_exists, read->selection); !kept) {
    return kept.error();
  }
  const ColumnNames names(schema_of_number());
  Scope over = scope.over(names);
  auto around = over_number(select, arena);
  auto answer = around ? select_over(over, *around) : around.error();
  scope.take_back(over);
  if (!answer) {
    return answer.error();
  }
  CompiledSelect made = make_select(scope.schema(), map, std::move(read->selection), std::move(read->condition));
  made.columns = std::make_shared<const std::vector<semantics::Column>>(semantics::final_columns(*answer));
  made.counted = std::make_shared<const semantics::Selection>(std::move(*answer));
  return made;
}

}  // namespace daedalus::aggregator::sql

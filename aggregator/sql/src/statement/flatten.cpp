#include "flatten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregates.hpp"
#include "expression_binder.hpp"
#include "lexer.hpp"
#include "node_rewriter.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using grammar::SelectStatement;

constexpr const char* kInFrom = "run the inner query first and pass its result on";
constexpr uint32_t kDepthMax = 16;

/// A column of the inner query, and what it is there.
struct InnerColumn {
  std::string_view name;
  Node value;
};

struct InnerQuery {
  const SelectStatement* select = nullptr;
  std::string_view alias;
  std::vector<InnerColumn> columns;
};

class Flattener {
 public:
  Flattener(const Scope& scope, Arena& arena) : scope_(scope), arena_(arena) {}

  Result<const SelectStatement*> flatten(const SelectStatement& select, std::vector<const grammar::CommonTable*> known,
                                         uint32_t depth) {
    if (depth > kDepthMax) {
      return scope_.error("54001", "queries are nested too deeply", scope_.statement_location());
    }
    auto* made = copy(select);
    made->with_clause = {};
    const size_t outer_tables = known.size();
    if (auto added = add_tables(select.with_clause, known); !added) {
      return added.error();
    }
    if (select.from_clause.size() != 1) {
      return check_used(known, outer_tables, nullptr, made);
    }
    const Node& from = select.from_clause[0];
    std::optional<size_t> table;
    InnerQuery inner;
    grammar::Names columns;
    Node query;
    if (from.kind() == Node::kRangeSubselect) {
      inner.alias = from.range_subselect().alias;
      columns = from.range_subselect().columns;
      query = from.range_subselect().query;
    } else if ((table = table_of(from, known))) {
      const grammar::RangeVariable& variable = from.range_variable();
      if (variable.has_column_aliases) {
        return scope_.refuse("renaming columns in FROM", variable.location, "use AS in the SELECT list");
      }
      inner.alias = variable.has_alias ? variable.alias : variable.relation_name;
      columns = known[*table]->columns;
      query = known[*table]->query;
    }
    auto used = check_used(known, outer_tables, table ? known[*table] : nullptr, made);
    if (!used || !query.is_present()) {
      return used;
    }
    if (query.kind() != Node::kSelect) {
      return scope_.refuse("WITH of a statement that writes", table ? known[*table]->location : location_of(query),
                           "send it on its own");
    }
    if (table) {
      known.resize(*table);  // The query of a common table sees only the tables before it.
    }
    auto flat = flatten(query.select(), std::move(known), depth + 1);
    if (!flat) {
      return flat;
    }
    inner.select = *flat;
    if (auto checked = check_inner(*inner.select); !checked) {
      return checked.error();
    }
    if (auto listed = list_columns(inner, columns); !listed) {
      return listed.error();
    }
    return merged(*made, inner);
  }

 private:
  SelectStatement* copy(const SelectStatement& select) {
    return new (arena_.allocate(sizeof select, alignof(SelectStatement))) SelectStatement(select);
  }

  Result<void> add_tables(const Node& with, std::vector<const grammar::CommonTable*>& known) const {
    if (with.with().is_recursive) {
      return scope_.refuse("WITH RECURSIVE", with.location());
    }
    for (const Node& table : with.with().tables) {
      known.push_back(&table.common_table());
    }
    return {};
  }

  /// Which table of WITH the item of FROM names, the innermost of its name.
  static std::optional<size_t> table_of(const Node& from, const std::vector<const grammar::CommonTable*>& known) {
    const grammar::RangeVariable& variable = from.range_variable();
    for (size_t number = known.size(); number > 0 && from.has_range_variable() && variable.schema_name.empty();
         --number) {
      if (known[number - 1]->name == variable.relation_name) {
        return number - 1;
      }
    }
    return std::nullopt;
  }

  /// One SELECT has one item in FROM, so of this level's tables the last is used, or those behind it are by nobody.
  Result<const SelectStatement*> check_used(const std::vector<const grammar::CommonTable*>& known, size_t outer_tables,
                                            const grammar::CommonTable* used, const SelectStatement* made) const {
    if (known.size() > outer_tables && known.back() != used) {
      return scope_.refuse(fmt::format("WITH query \"{}\" that FROM does not name", known.back()->name),
                           known.back()->location, "leave it out, or send each query on its own");
    }
    return made;
  }

  Result<void> check_inner(const SelectStatement& inner) const {
    const auto refuse = [&](const char* what) {
      return scope_.refuse(fmt::format("sub-query in FROM with {}", what), first_location(inner), kInFrom);
    };
    if (inner.set_operation != grammar::SetOperation::kNone) {
      return refuse("UNION, INTERSECT or EXCEPT");
    }
    if (!inner.values_lists.empty()) {
      return refuse("VALUES");
    }
    if (inner.from_clause.size() != 1 || !inner.from_clause[0].has_range_variable()) {
      return refuse("anything but one table in FROM");
    }
    if (inner.limit_count.is_present() || inner.limit_offset.is_present()) {
      return refuse("LIMIT or OFFSET");
    }
    if (inner.has_distinct) {
      return refuse("DISTINCT");
    }
    if (inner.has_window || inner.has_into || inner.has_locking) {
      return refuse("WINDOW, INTO or FOR UPDATE");
    }
    return {};
  }

  [[nodiscard]] int32_t first_location(const SelectStatement& select) const {
    return select.target_list.empty() ? scope_.statement_location() : select.target_list[0].location();
  }

  Result<void> list_columns(InnerQuery& inner, grammar::Names names) {
    for (const Node& node : inner.select->target_list) {
      const grammar::ResultTarget& target = node.target();
      if (target.value.has_column() && target.value.column().is_star) {
        add_all_columns(inner, target.location);
        continue;
      }
      const std::string_view name = target.name.empty() ? arena_text(arena_, name_of(target.value)) : target.name;
      inner.columns.push_back({name, settled(target.value)});
    }
    if (names.size() > inner.columns.size()) {
      return scope_.error("42P10",
                          fmt::format("table \"{}\" has {} columns available but {} columns specified", inner.alias,
                                      inner.columns.size(), names.size()),
                          -1);
    }
    for (size_t number = 0; number < names.size(); ++number) {
      inner.columns[number].name = names[number];
    }
    return {};
  }

  void add_all_columns(InnerQuery& inner, int32_t location) {
    for (const semantics::Column& column : scope_.schema().columns) {
      auto* reference = arena_make<grammar::ColumnReference>(arena_);
      auto names = arena_list<std::string_view>(arena_, 1);
      names[0] = column.name;
      reference->names = names;
      reference->location = location;
      inner.columns.push_back({column.name, Node(reference, location)});
    }
  }

  /// A literal or a parameter has the type in the inner query that it would have as its output, and is no ordinal in
  /// the outer one.
  Node settled(const Node& value) {
    using Kind = grammar::ConstantNode::Kind;
    const Kind kind = value.constant().kind;
    if (value.has_constant() && (kind == Kind::kInteger || kind == Kind::kNumber)) {
      auto* signed_value = arena_make<grammar::OperatorExpression>(arena_);
      auto name = arena_list<std::string_view>(arena_, 1);
      name[0] = "+";
      signed_value->name = name;
      signed_value->right = value;
      signed_value->location = value.location();
      return {signed_value, value.location()};
    }
    if (!value.has_constant() && value.kind() != Node::kParameter) {
      return value;
    }
    auto* cast = arena_make<grammar::TypeCast>(arena_);
    auto names = arena_list<std::string_view>(arena_, 2);
    names[0] = "pg_catalog";
    names[1] = value.has_constant() && kind == Kind::kBoolean ? "bool" : "text";
    cast->argument = value;
    cast->type_name.names = names;
    cast->type_name.location = value.location();
    return {cast, value.location()};
  }

  // ---- the outer query over the inner one's expressions ----

  Result<const SelectStatement*> merged(SelectStatement& outer, const InnerQuery& inner) {
    const bool inner_groups = is_grouped(*inner.select);
    const bool outer_groups = is_grouped(outer);
    if (inner_groups && (outer_groups || outer.has_distinct)) {
      return scope_.refuse("grouping a sub-query in FROM that has groups", first_location(outer), kInFrom);
    }
    const auto inner_order = resolved_sorts(inner);
    if (!inner_order) {
      return inner_order.error();
    }
    NodeRewriter rewriter(
        arena_, [&](const grammar::ColumnReference& column) { return value_of(column, inner); },
        inner_groups ? grammar::Nodes() : *inner_order);
    auto targets = rewritten_targets(outer, inner, rewriter);
    if (!targets) {
      return targets.error();
    }
    auto groups = rewritten_groups(outer, inner, rewriter, *targets);
    auto where = rewriter.rewrite(outer.where_clause);
    auto having = rewriter.rewrite(outer.having_clause);
    auto sorts = rewritten_sorts(outer.sort_clause, *targets, rewriter);
    auto distinct_on = rewritten_sorts(outer.distinct_on, *targets, rewriter);
    for (const std::optional<Error>& error :
         {error_of(groups), error_of(where), error_of(having), error_of(sorts), error_of(distinct_on)}) {
      if (error) {
        return *error;
      }
    }
    outer.target_list = *targets;
    outer.from_clause = inner.select->from_clause;
    outer.distinct_on = outer.has_distinct_on ? *distinct_on : outer.distinct_on;
    outer.sort_clause = sorts->empty() && !outer_groups ? kept_order(outer, *inner_order) : *sorts;
    if (!inner_groups) {
      outer.where_clause = both(inner.select->where_clause, *where);
      outer.group_clause = *groups;
      outer.having_clause = *having;
      return &outer;
    }
    outer.where_clause = inner.select->where_clause;
    auto inner_groups_by = resolved_groups(inner.select->group_clause, inner);
    if (!inner_groups_by) {
      return inner_groups_by.error();
    }
    outer.group_clause = *inner_groups_by;
    outer.having_clause = both(inner.select->having_clause, *where);
    if (!is_grouped(outer)) {
      auto all = arena_list<Node>(arena_, 1);  // One group, although nothing of it is shown.
      all[0] = Node(arena_make<grammar::GroupingSet>(arena_), -1);
      outer.group_clause = all;
    }
    return &outer;
  }

  template <typename T>
  static std::optional<Error> error_of(const Result<T>& result) {
    return result ? std::nullopt : std::optional<Error>(result.error());
  }

  Result<Node> value_of(const grammar::ColumnReference& column, const InnerQuery& inner) const {
    const size_t count = column.names.size();
    if (count == 0 || column.is_star) {
      return scope_.refuse("* in this place", column.location);
    }
    if (count > 2 || (count == 2 && column.names[0] != inner.alias)) {
      return scope_.error("42P01", fmt::format("missing FROM-clause entry for table \"{}\"", column.names[count - 2]),
                          column.location);
    }
    const InnerColumn* found = nullptr;
    for (const InnerColumn& candidate : inner.columns) {
      if (candidate.name != column.names.back()) {
        continue;
      }
      if (found != nullptr) {
        return scope_.error("42702", fmt::format("column reference \"{}\" is ambiguous", candidate.name),
                            column.location);
      }
      found = &candidate;
    }
    if (found == nullptr) {
      const std::string spelled =
          count == 1 ? fmt::format("\"{}\"", column.names[0]) : fmt::format("{}.{}", column.names[0], column.names[1]);
      return scope_.error("42703", fmt::format("column {} does not exist", spelled), column.location);
    }
    return found->value;
  }

  Result<grammar::Nodes> rewritten_targets(const SelectStatement& outer, const InnerQuery& inner,
                                           NodeRewriter& rewriter) {
    std::vector<Node> made;
    for (const Node& node : outer.target_list) {
      const grammar::ResultTarget& target = node.target();
      if (target.value.has_column() && target.value.column().is_star) {
        const grammar::Names names = target.value.column().names;
        if (!names.empty() && (names.size() > 1 || names[0] != inner.alias)) {
          return scope_.error("42P01", fmt::format("missing FROM-clause entry for table \"{}\"", names.back()),
                              target.location);
        }
        for (const InnerColumn& column : inner.columns) {
          made.push_back(target_of(column.name, column.value, target.location));
        }
        continue;
      }
      auto value = rewriter.rewrite(target.value);
      if (!value) {
        return value.error();
      }
      made.push_back(target_of(target.name.empty() ? arena_text(arena_, name_of(target.value)) : target.name, *value,
                               target.location));
    }
    return rewriter.list(made);
  }

  Node target_of(std::string_view name, const Node& value, int32_t location) {
    auto* target = arena_make<grammar::ResultTarget>(arena_);
    target->name = name;
    target->value = value;
    target->location = location;
    return {target, location};
  }

  /// The output of this bare name, if the node is one.
  static const grammar::ResultTarget* output_named(const Node& node, grammar::Nodes targets) {
    if (node.column().names.size() != 1 || node.column().is_star) {
      return nullptr;
    }
    for (const Node& target : targets) {
      if (target.target().name == node.column().names[0]) {
        return &target.target();
      }
    }
    return nullptr;
  }

  /// A name is that of a column before that of an output.
  Result<grammar::Nodes> rewritten_groups(const SelectStatement& outer, const InnerQuery& inner, NodeRewriter& rewriter,
                                          grammar::Nodes targets) {
    std::vector<Node> made;
    for (const Node& node : outer.group_clause) {
      const auto* output = output_named(node, targets);
      const bool is_column = std::any_of(inner.columns.begin(), inner.columns.end(), [&](const InnerColumn& column) {
        return output != nullptr && column.name == output->name;
      });
      auto item = output != nullptr && !is_column ? Result<Node>(output->value) : rewriter.rewrite(node);
      if (!item) {
        return item.error();
      }
      made.push_back(*item);
    }
    return rewriter.list(made);
  }

  /// A bare name is that of an output before that of a column.
  /// Items of ORDER BY or DISTINCT ON.
  Result<grammar::Nodes> rewritten_sorts(grammar::Nodes items, grammar::Nodes targets, NodeRewriter& rewriter) {
    std::vector<Node> made;
    for (const Node& node : items) {
      const Node& value = node.kind() == Node::kSort ? node.sort().expression : node;
      if (output_named(value, targets) != nullptr) {
        made.push_back(node);
        continue;
      }
      auto item = rewriter.rewrite(node);
      if (!item) {
        return item.error();
      }
      made.push_back(*item);
    }
    return rewriter.list(made);
  }

  /// An outer query that says no order and groups nothing is ordered as the inner one.
  grammar::Nodes kept_order(const SelectStatement& outer, grammar::Nodes inner_order) {
    if (inner_order.empty() || (outer.has_distinct && !outer.has_distinct_on)) {
      return {};
    }
    std::vector<Node> made;
    for (const Node& node : outer.has_distinct_on ? outer.distinct_on : grammar::Nodes()) {
      auto* item = arena_make<grammar::SortBy>(arena_);
      item->expression = node;
      made.emplace_back(item, node.location());
    }
    made.insert(made.end(), inner_order.begin(), inner_order.end());
    const auto order = arena_list<Node>(arena_, made.size());
    std::copy(made.begin(), made.end(), order.begin());
    return order;
  }

  /// ORDER BY of the inner query without ordinals and names of its outputs; columns of the table are named with it, so
  /// that no output of the outer query is taken for them.
  Result<grammar::Nodes> resolved_sorts(const InnerQuery& inner) {
    const auto made = arena_list<Node>(arena_, inner.select->sort_clause.size());
    for (size_t number = 0; number < made.size(); ++number) {
      const Node& node = inner.select->sort_clause[number];
      auto* item = arena_make<grammar::SortBy>(arena_, node.sort());
      auto value = resolved_sort(item->expression, inner);
      if (!value) {
        return value.error();
      }
      item->expression = qualified(*value, inner.select->from_clause[0].range_variable());
      made[number] = Node(item, node.location());
    }
    return grammar::Nodes(made);
  }

  Result<Node> resolved_sort(const Node& node, const InnerQuery& inner) const {
    if (node.has_constant() && node.constant().kind == grammar::ConstantNode::Kind::kInteger) {
      return column_at(node, "ORDER BY", inner);
    }
    const auto* output = output_named(node, inner.select->target_list);
    return output != nullptr ? output->value : node;
  }

  /// The column that an ordinal means.
  Result<Node> column_at(const Node& ordinal, const char* clause, const InnerQuery& inner) const {
    const int64_t number = ordinal.constant().integer;
    if (number < 1 || number > static_cast<int64_t>(inner.columns.size())) {
      return scope_.error("42P10", fmt::format("{} position {} is not in select list", clause, number),
                          ordinal.location());
    }
    return inner.columns[static_cast<size_t>(number - 1)].value;
  }

  Node qualified(const Node& value, const grammar::RangeVariable& table) {
    if (!value.has_column() || value.column().is_star || value.column().names.size() != 1 ||
        !scope_.find_column(value.column().names[0])) {
      return value;
    }
    auto* column = arena_make<grammar::ColumnReference>(arena_, value.column());
    auto names = arena_list<std::string_view>(arena_, 2);
    names[0] = table.has_alias ? table.alias : table.relation_name;
    names[1] = value.column().names[0];
    column->names = names;
    return {column, value.location()};
  }

  /// GROUP BY of the inner query without ordinals and names of its outputs, which mean nothing in the outer one's list.
  Result<grammar::Nodes> resolved_groups(grammar::Nodes nodes, const InnerQuery& inner) {
    const auto made = arena_list<Node>(arena_, nodes.size());
    for (size_t number = 0; number < nodes.size(); ++number) {
      auto item = resolved_group(nodes[number], inner);
      if (!item) {
        return item.error();
      }
      made[number] = *item;
    }
    return grammar::Nodes(made);
  }

  Result<Node> resolved_group(const Node& node, const InnerQuery& inner) {
    if (node.has_grouping_set() || node.kind() == Node::kRow) {
      auto items = resolved_groups(node.has_grouping_set() ? node.grouping_set().content : node.row().items, inner);
      if (!items) {
        return items.error();
      }
      if (node.has_grouping_set()) {
        auto* set = arena_make<grammar::GroupingSet>(arena_, node.grouping_set());
        set->content = *items;
        return Node(set, node.location());
      }
      auto* row = arena_make<grammar::RowExpression>(arena_, node.row());
      row->items = *items;
      return Node(row, node.location());
    }
    if (node.has_constant() && node.constant().kind == grammar::ConstantNode::Kind::kInteger) {
      return column_at(node, "GROUP BY", inner);
    }
    const bool is_bare = node.column().names.size() == 1 && !node.column().is_star;
    if (is_bare && !scope_.find_column(node.column().names[0])) {
      const auto* output = output_named(node, inner.select->target_list);
      return output != nullptr ? output->value : node;
    }
    return node;
  }

  Node both(const Node& inner, const Node& outer) {
    if (!inner.is_present() || !outer.is_present()) {
      return inner.is_present() ? inner : outer;
    }
    auto* joined = arena_make<grammar::BooleanExpression>(arena_);
    auto arguments = arena_list<Node>(arena_, 2);
    arguments[0] = inner;
    arguments[1] = outer;
    joined->arguments = arguments;
    return {joined, location_of(inner)};
  }

  const Scope& scope_;
  Arena& arena_;
};

}  // namespace

bool is_grouped(const SelectStatement& select) {
  return !select.group_clause.empty() || select.having_clause.is_present() ||
         std::any_of(select.target_list.begin(), select.target_list.end(),
                     [](const Node& node) { return mentions_aggregate(node.target().value); });
}

bool has_inner_query(const SelectStatement& select) {
  return select.with_clause.is_present() ||
         (select.from_clause.size() == 1 && select.from_clause[0].kind() == Node::kRangeSubselect);
}

Result<const SelectStatement*> flattened(const Scope& scope, const SelectStatement& select, Arena& arena) {
  return Flattener(scope, arena).flatten(select, {}, 0);
}

}  // namespace daedalus::aggregator::sql

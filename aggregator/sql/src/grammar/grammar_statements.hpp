// Nodes that are clauses or whole statements.
#pragma once

#include "grammar_node.hpp"

namespace daedalus::aggregator::grammar {

/// A table, under its alias if it has one.
struct RangeVariable {
  static constexpr Node::Kind kKind = Node::kRangeVariable;
  std::string_view catalog_name;
  std::string_view schema_name;
  std::string_view relation_name;
  std::string_view alias;
  int32_t location = -1;
  bool has_alias = false;
  bool has_column_aliases = false;
};

/// An output of a SELECT, or a column that is written with what is assigned to it.
struct ResultTarget {
  static constexpr Node::Kind kKind = Node::kTarget;
  std::string_view name;  ///< Behind AS; empty without.
  Node value;
  int32_t location = -1;
  bool has_indirection = false;  ///< Only a part of the column is meant.
};

/// A query in FROM.
struct RangeSubselect {
  static constexpr Node::Kind kKind = Node::kRangeSubselect;
  Node query;
  std::string_view alias;
  Names columns;  ///< Names for its first ones.
  bool is_lateral = false;
};

/// Functions in FROM: one, or several side by side behind ROWS FROM.
struct RangeFunction {
  static constexpr Node::Kind kKind = Node::kRangeFunction;
  Nodes functions;
  std::string_view alias;
  Names columns;                 ///< Names for its first ones.
  bool has_ordinality = false;   ///< WITH ORDINALITY.
  bool has_definitions = false;  ///< Columns are named with their types.
};

/// `name (columns) AS (query)` of WITH.
struct CommonTable {
  static constexpr Node::Kind kKind = Node::kCommonTable;
  std::string_view name;
  Names columns;
  Node query;
  int32_t location = -1;
};

struct WithClause {
  static constexpr Node::Kind kKind = Node::kWith;
  Nodes tables;
  bool is_recursive = false;
};

enum class SortDirection : uint8_t { kDefault, kAscending, kDescending, kUsing };
enum class SortNulls : uint8_t { kDefault, kFirst, kLast };

struct SortBy {
  static constexpr Node::Kind kKind = Node::kSort;
  Node expression;
  int32_t location = -1;
  SortDirection direction = SortDirection::kDefault;
  SortNulls nulls = SortNulls::kDefault;
};

struct GroupingSet {
  enum class Kind : uint8_t { kEmpty, kSimple, kRollup, kCube, kSets };
  static constexpr Node::Kind kKind = Node::kGroupingSet;
  Nodes content;
  Kind kind = Kind::kEmpty;
};

/// GROUPING(…).
struct GroupingFunction {
  static constexpr Node::Kind kKind = Node::kGroupingFunction;
  Nodes arguments;
  int32_t location = -1;
};

enum class SetOperation : uint8_t { kNone, kUnion, kIntersect, kExcept };

struct SelectStatement {
  static constexpr Node::Kind kKind = Node::kSelect;
  Nodes target_list;
  Nodes from_clause;
  Node where_clause;
  Nodes group_clause;
  Nodes distinct_on;
  Nodes values_lists;
  Nodes sort_clause;
  Node limit_offset;
  Node limit_count;
  Node having_clause;
  Node with_clause;
  SetOperation set_operation = SetOperation::kNone;
  bool has_distinct = false;
  bool has_distinct_on = false;
  bool has_into = false;
  bool has_group_distinct = false;
  bool has_window = false;
  bool has_ties = false;  ///< FETCH … WITH TIES.
  bool has_locking = false;
};

struct InsertStatement {
  static constexpr Node::Kind kKind = Node::kInsert;
  RangeVariable relation;
  Nodes columns;
  Node source;  ///< A SELECT or VALUES; absent for DEFAULT VALUES.
  Node on_conflict;
  Node with_clause;
  Nodes returning;
  bool has_overriding = false;
};

struct UpdateStatement {
  static constexpr Node::Kind kKind = Node::kUpdate;
  RangeVariable relation;
  Nodes target_list;
  Node where_clause;
  Node with_clause;
  bool has_from = false;
  bool has_returning = false;
};

struct DeleteStatement {
  static constexpr Node::Kind kKind = Node::kDelete;
  RangeVariable relation;
  Node where_clause;
  Node with_clause;
  bool has_using = false;
  bool has_returning = false;
};

}  // namespace daedalus::aggregator::grammar

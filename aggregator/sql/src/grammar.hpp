// The part of PostgreSQL 15's parse tree that Daedalus reads, as plain values in a statement's arena.
//
// Decides the words for what the grammar knows. Refuses to know PostgreSQL's own structures (postgres_tree.cpp reads
// them) and what anything means. A kind of node that is not named here is still there, as Node::kOther, so that it is
// refused and never ignored. Of nodes that are only ever refused, nothing but their place in the text is kept.
//
// Every `location` is a byte offset in the text, −1 where the tree keeps none. Nothing here owns anything.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace daedalus::aggregator::grammar {

struct ArrayExpression;
struct BooleanExpression;
struct BooleanTest;
struct CaseExpression;
struct Coalesce;
struct CommonTable;
struct Collate;
struct ColumnReference;
struct ConstantNode;
struct DeleteStatement;
struct FunctionCall;
struct GroupingFunction;
struct GroupingSet;
struct Indirection;
struct InsertStatement;
struct MinMax;
struct NodeList;
struct NullTest;
struct OperatorExpression;
struct ParameterReference;
struct RangeSubselect;
struct RangeVariable;
struct ResultTarget;
struct RowExpression;
struct SelectStatement;
struct SortBy;
struct SubLink;
struct TypeCast;
struct UpdateStatement;
struct ValueFunction;
struct WithClause;

/// A name of several parts, as "pg_catalog"."int4" is.
using Names = std::span<const std::string_view>;

/// One node: its kind, its place, and what else is kept of its kind. Cheap to copy.
///
/// What a node of another kind is asked for is empty, never an error.
class Node {
 public:
  enum Kind : uint8_t {
    kAbsent,  ///< There is no node.
    kOther,   ///< There is one, of a kind that has no name here.
    kArray,
    kBooleanExpression,
    kBooleanTest,
    kCaseExpression,
    kCast,
    kCoalesce,
    kCollate,
    kColumn,
    kConstant,
    kCommonTable,
    kCurrentOf,
    kDelete,
    kFunctionCall,
    kGroupingFunction,
    kGroupingSet,
    kIndirection,
    kInsert,
    kJoin,
    kList,
    kMinMax,
    kMultipleAssignment,
    kNamedArgument,
    kNullTest,
    kOperatorExpression,
    kParameter,
    kRangeFunction,
    kRangeSample,
    kRangeSubselect,
    kRangeTableFunction,
    kRangeVariable,
    kRow,
    kSelect,
    kSetToDefault,
    kSort,
    kSubLink,
    kTarget,
    kUpdate,
    kValueFunction,
    kWith,
    kXml,
  };

  Node() = default;
  /// A node of which only the place is kept.
  explicit Node(Kind kind, int32_t location = -1) : location_(location), kind_(kind) {}
  /// A node with details, which outlive it.
  template <typename Details>
  Node(const Details* details, int32_t location) : details_(details), location_(location), kind_(Details::kKind) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_present() const { return kind_ != kAbsent; }
  [[nodiscard]] int32_t location() const { return location_; }

  [[nodiscard]] bool has_column() const { return kind_ == kColumn; }
  [[nodiscard]] bool has_constant() const { return kind_ == kConstant; }
  [[nodiscard]] bool has_current_of() const { return kind_ == kCurrentOf; }
  [[nodiscard]] bool has_function_call() const { return kind_ == kFunctionCall; }
  [[nodiscard]] bool has_grouping_set() const { return kind_ == kGroupingSet; }
  [[nodiscard]] bool has_join() const { return kind_ == kJoin; }
  [[nodiscard]] bool has_multiple_assignment() const { return kind_ == kMultipleAssignment; }
  [[nodiscard]] bool has_operator_expression() const { return kind_ == kOperatorExpression; }
  [[nodiscard]] bool has_range_sample() const { return kind_ == kRangeSample; }
  [[nodiscard]] bool has_range_variable() const { return kind_ == kRangeVariable; }
  [[nodiscard]] bool has_set_to_default() const { return kind_ == kSetToDefault; }

  [[nodiscard]] const ArrayExpression& array() const;
  [[nodiscard]] const BooleanExpression& boolean_expression() const;
  [[nodiscard]] const BooleanTest& boolean_test() const;
  [[nodiscard]] const CaseExpression& case_expression() const;
  [[nodiscard]] const TypeCast& cast() const;
  [[nodiscard]] const CommonTable& common_table() const;
  [[nodiscard]] const Coalesce& coalesce() const;
  [[nodiscard]] const Collate& collate() const;
  [[nodiscard]] const ColumnReference& column() const;
  [[nodiscard]] const ConstantNode& constant() const;
  [[nodiscard]] const DeleteStatement& delete_() const;
  [[nodiscard]] const FunctionCall& function_call() const;
  [[nodiscard]] const GroupingFunction& grouping_function() const;
  [[nodiscard]] const GroupingSet& grouping_set() const;
  [[nodiscard]] const Indirection& indirection() const;
  [[nodiscard]] const InsertStatement& insert() const;
  [[nodiscard]] const NodeList& list() const;
  [[nodiscard]] const MinMax& min_max() const;
  [[nodiscard]] const NullTest& null_test() const;
  [[nodiscard]] const OperatorExpression& operator_expression() const;
  [[nodiscard]] const ParameterReference& parameter() const;
  [[nodiscard]] const RangeSubselect& range_subselect() const;
  [[nodiscard]] const RangeVariable& range_variable() const;
  [[nodiscard]] const RowExpression& row() const;
  [[nodiscard]] const SelectStatement& select() const;
  [[nodiscard]] const SortBy& sort() const;
  [[nodiscard]] const SubLink& sub_link() const;
  [[nodiscard]] const ResultTarget& target() const;
  [[nodiscard]] const UpdateStatement& update() const;
  [[nodiscard]] const WithClause& with() const;
  [[nodiscard]] const ValueFunction& value_function() const;

 private:
  template <typename Details>
  [[nodiscard]] const Details& as() const {
    static const Details kEmpty;
    return kind_ == Details::kKind ? *static_cast<const Details*>(details_) : kEmpty;
  }

  const void* details_ = nullptr;
  int32_t location_ = -1;
  Kind kind_ = kAbsent;
};

using Nodes = std::span<const Node>;

struct NodeList {
  static constexpr Node::Kind kKind = Node::kList;
  Nodes items;
};

// ---- expressions ----

/// `name`, `table.name`, `table.*`.
struct ColumnReference {
  static constexpr Node::Kind kKind = Node::kColumn;
  Names names;  ///< Without the star.
  bool is_star = false;
  int32_t location = -1;
};

/// `$number`.
struct ParameterReference {
  static constexpr Node::Kind kKind = Node::kParameter;
  int32_t number = 0;
  int32_t location = -1;
};

/// A literal. Numbers beyond int are text, as are those with a point or an exponent.
struct ConstantNode {
  enum class Kind : uint8_t { kNull, kInteger, kNumber, kBoolean, kString, kBitString };
  static constexpr Node::Kind kKind = Node::kConstant;
  std::string_view text;  ///< Of a number, a string or a bit string.
  int32_t integer = 0;
  int32_t location = -1;
  Kind kind = Kind::kNull;
  bool boolean = false;
};

enum class OperatorKind : uint8_t {
  kPlain,
  kAny,
  kAll,
  kDistinct,
  kNotDistinct,
  kNullIf,
  kIn,
  kLike,
  kILike,
  kSimilar,
  kBetween,
  kNotBetween,
  kBetweenSymmetric,
  kNotBetweenSymmetric,
};

struct OperatorExpression {
  static constexpr Node::Kind kKind = Node::kOperatorExpression;
  Names name;
  Node left;  ///< Absent for a sign.
  Node right;
  int32_t location = -1;
  OperatorKind kind = OperatorKind::kPlain;
};

enum class BooleanOperator : uint8_t { kAnd, kOr, kNot };

struct BooleanExpression {
  static constexpr Node::Kind kKind = Node::kBooleanExpression;
  Nodes arguments;
  BooleanOperator op = BooleanOperator::kAnd;
};

struct NullTest {
  static constexpr Node::Kind kKind = Node::kNullTest;
  Node argument;
  bool is_negated = false;  ///< IS NOT NULL.
};

enum class BooleanTestKind : uint8_t { kTrue, kNotTrue, kFalse, kNotFalse, kUnknown, kNotUnknown };

/// IS TRUE and the like.
struct BooleanTest {
  static constexpr Node::Kind kKind = Node::kBooleanTest;
  Node argument;
  int32_t location = -1;
  BooleanTestKind kind = BooleanTestKind::kTrue;
};

struct FunctionCall {
  static constexpr Node::Kind kKind = Node::kFunctionCall;
  Names name;
  Nodes arguments;
  Node filter;  ///< FILTER (WHERE …).
  Nodes order;  ///< ORDER BY in the parentheses.
  int32_t location = -1;
  bool is_within_group = false;  ///< ORDER BY behind them.
  bool has_over = false;
  bool star = false;
  bool distinct = false;
  bool variadic = false;
};

enum class ValueFunctionKind : uint8_t {
  kCurrentDate,
  kCurrentTime,
  kCurrentTimeN,
  kCurrentTimestamp,
  kCurrentTimestampN,
  kLocalTime,
  kLocalTimeN,
  kLocalTimestamp,
  kLocalTimestampN,
  kCurrentRole,
  kCurrentUser,
  kUser,
  kSessionUser,
  kCurrentCatalog,
  kCurrentSchema,
};

/// CURRENT_DATE and the like. N: with a precision.
struct ValueFunction {
  static constexpr Node::Kind kKind = Node::kValueFunction;
  int32_t location = -1;
  ValueFunctionKind kind = ValueFunctionKind::kCurrentDate;
};

struct TypeName {
  Names names;
  Nodes modifiers;
  int32_t location = -1;
  bool is_array = false;
  bool is_set = false;
  bool is_of_column = false;  ///< `column%TYPE`.
};

struct TypeCast {
  static constexpr Node::Kind kKind = Node::kCast;
  Node argument;
  TypeName type_name;
};

struct Collate {
  static constexpr Node::Kind kKind = Node::kCollate;
  Node argument;
};

/// A subscript or a field of `argument`.
struct Indirection {
  static constexpr Node::Kind kKind = Node::kIndirection;
  Node argument;
};

struct SubLink {
  enum class Kind : uint8_t { kExists, kAll, kAny, kOther };
  static constexpr Node::Kind kKind = Node::kSubLink;
  Kind kind = Kind::kOther;
};

/// One WHEN … THEN ….
struct CaseArm {
  Node condition;
  Node value;
  int32_t location = -1;
};

struct CaseExpression {
  static constexpr Node::Kind kKind = Node::kCaseExpression;
  Node argument;  ///< What conditions are compared with; absent where they are conditions.
  std::span<const CaseArm> arms;
  Node otherwise;
};

struct Coalesce {
  static constexpr Node::Kind kKind = Node::kCoalesce;
  Nodes arguments;
};

/// ARRAY[…].
struct ArrayExpression {
  static constexpr Node::Kind kKind = Node::kArray;
  Nodes items;
};

/// (…, …) or ROW(…).
struct RowExpression {
  static constexpr Node::Kind kKind = Node::kRow;
  Nodes items;
  bool has_keyword = false;  ///< ROW(…).
};

struct MinMax {
  static constexpr Node::Kind kKind = Node::kMinMax;
  Nodes arguments;
  bool is_least = false;
};

// ---- clauses ----

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

// ---- statements ----

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
  bool has_overriding = false;
  bool has_returning = false;
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

inline const ArrayExpression& Node::array() const { return as<ArrayExpression>(); }
inline const BooleanExpression& Node::boolean_expression() const { return as<BooleanExpression>(); }
inline const BooleanTest& Node::boolean_test() const { return as<BooleanTest>(); }
inline const CaseExpression& Node::case_expression() const { return as<CaseExpression>(); }
inline const TypeCast& Node::cast() const { return as<TypeCast>(); }
inline const CommonTable& Node::common_table() const { return as<CommonTable>(); }
inline const Coalesce& Node::coalesce() const { return as<Coalesce>(); }
inline const Collate& Node::collate() const { return as<Collate>(); }
inline const ColumnReference& Node::column() const { return as<ColumnReference>(); }
inline const ConstantNode& Node::constant() const { return as<ConstantNode>(); }
inline const DeleteStatement& Node::delete_() const { return as<DeleteStatement>(); }
inline const FunctionCall& Node::function_call() const { return as<FunctionCall>(); }
inline const GroupingFunction& Node::grouping_function() const { return as<GroupingFunction>(); }
inline const GroupingSet& Node::grouping_set() const { return as<GroupingSet>(); }
inline const Indirection& Node::indirection() const { return as<Indirection>(); }
inline const InsertStatement& Node::insert() const { return as<InsertStatement>(); }
inline const NodeList& Node::list() const { return as<NodeList>(); }
inline const MinMax& Node::min_max() const { return as<MinMax>(); }
inline const NullTest& Node::null_test() const { return as<NullTest>(); }
inline const OperatorExpression& Node::operator_expression() const { return as<OperatorExpression>(); }
inline const ParameterReference& Node::parameter() const { return as<ParameterReference>(); }
inline const RangeSubselect& Node::range_subselect() const { return as<RangeSubselect>(); }
inline const RangeVariable& Node::range_variable() const { return as<RangeVariable>(); }
inline const RowExpression& Node::row() const { return as<RowExpression>(); }
inline const SelectStatement& Node::select() const { return as<SelectStatement>(); }
inline const SortBy& Node::sort() const { return as<SortBy>(); }
inline const SubLink& Node::sub_link() const { return as<SubLink>(); }
inline const ResultTarget& Node::target() const { return as<ResultTarget>(); }
inline const UpdateStatement& Node::update() const { return as<UpdateStatement>(); }
inline const WithClause& Node::with() const { return as<WithClause>(); }
inline const ValueFunction& Node::value_function() const { return as<ValueFunction>(); }

}  // namespace daedalus::aggregator::grammar

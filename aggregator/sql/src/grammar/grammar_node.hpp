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
struct NamedArgument;
struct NullTest;
struct OperatorExpression;
struct ParameterReference;
struct RangeFunction;
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
  [[nodiscard]] const NamedArgument& named_argument() const;
  [[nodiscard]] const NullTest& null_test() const;
  [[nodiscard]] const OperatorExpression& operator_expression() const;
  [[nodiscard]] const ParameterReference& parameter() const;
  [[nodiscard]] const RangeFunction& range_function() const;
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

}  // namespace daedalus::aggregator::grammar

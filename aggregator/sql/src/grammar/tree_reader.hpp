// PostgreSQL's parse tree to the grammar's own nodes.
//
// Decides what of a tree is kept. Refuses to know what anything means.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "arena.hpp"
#include "grammar.hpp"
#include "row_comparison.hpp"
// Nothing is included behind it.
#include "postgres_nodes.hpp"

namespace daedalus::aggregator::sql {

/// An enumeration whose values are those of PostgreSQL's, in the same order.
template <auto kLast, auto kRawLast>
auto same(decltype(kRawLast) value) {
  static_assert(static_cast<int>(kLast) == static_cast<int>(kRawLast));
  return static_cast<decltype(kLast)>(value);
}

inline bool is_empty(const ::List* list) { return list == NIL; }

/// Copies a tree into an arena, as far as anyone asks for it. The raw tree may go afterwards.
class TreeReader {
 public:
  explicit TreeReader(Arena* arena) : arena_(arena) {}

  /// Any node; absent for none.
  grammar::Node read(const void* raw);

 private:
  grammar::Node read_clause(const void* raw);
  grammar::Node read_refused(const void* raw);

  const grammar::SelectStatement* select(const ::SelectStmt& raw);
  const grammar::InsertStatement* insert(const ::InsertStmt& raw);
  const grammar::UpdateStatement* update(const ::UpdateStmt& raw);
  const grammar::DeleteStatement* delete_(const ::DeleteStmt& raw);
  grammar::Node truncate(const ::TruncateStmt& raw);
  grammar::Node assigned(const ::MultiAssignRef& raw);
  const grammar::ResultTarget* target(const ::ResTarget& raw);
  const grammar::SortBy* sort(const ::SortBy& raw);
  grammar::RangeVariable table(const ::RangeVar* raw);

  const grammar::OperatorExpression* operator_expression(const ::A_Expr& raw);
  const grammar::BooleanExpression* boolean_expression(const ::BoolExpr& raw);
  const grammar::NullTest* null_test(const ::NullTest& raw);
  const grammar::BooleanTest* boolean_test(const ::BooleanTest& raw);
  const grammar::FunctionCall* function_call(const ::FuncCall& raw);
  const grammar::TypeCast* cast(const ::TypeCast& raw);
  const grammar::CaseExpression* case_expression(const ::CaseExpr& raw);
  const grammar::ColumnReference* column(const ::ColumnRef& raw);
  const grammar::ConstantNode* constant(const ::A_Const& raw);
  const grammar::ParameterReference* parameter(const ::ParamRef& raw);
  const grammar::ValueFunction* value_function(const ::SQLValueFunction& raw);
  const grammar::SubLink* sub_link(const ::SubLink& raw);
  const grammar::RangeFunction* range_function(const ::RangeFunction& raw);

  grammar::Nodes nodes(const ::List* raw);
  grammar::Names names(const ::List* raw);
  std::string_view text(const char* raw);

  /// Something new in the arena. All that is made here is trivially destructible: the arena forgets it as a whole.
  template <typename Details>
  Details* make() {
    static_assert(std::is_trivially_destructible_v<Details>);
    return new (arena_->allocate(sizeof(Details), alignof(Details))) Details();
  }

  template <typename Value>
  std::span<Value> make_list(size_t size) {
    auto* values = static_cast<Value*>(arena_->allocate(size * sizeof(Value), alignof(Value)));
    std::uninitialized_value_construct_n(values, size);
    return {values, size};
  }

  Arena* arena_;
};

inline ::NodeTag tag_of(const void* raw) { return static_cast<const ::Node*>(raw)->type; }

template <typename Raw>
const Raw& as(const void* raw) {
  return *static_cast<const Raw*>(raw);
}

/// WITH, of which only the place is kept.
inline grammar::Node place_of(const ::WithClause* with) {
  return with == nullptr ? grammar::Node() : grammar::Node(grammar::Node::kOther, with->location);
}

}  // namespace daedalus::aggregator::sql

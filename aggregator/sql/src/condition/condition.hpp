// Conditions as most statements have them: a column compared with constants, under AND and OR.
//
// Decides which these are, and reads them without another thought: each becomes comparisons of the column's own type.
// Says nothing of any other, nor of what is wrong with one: ExpressionBinder binds those, and indexable() finds in them
// what is indexable. Refuses to know normal forms and columns' domains: semantics does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "constant.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "like_pattern.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A condition, and how large it was as it was written.
struct PlainCondition {
  semantics::Condition condition;
  semantics::ExpressionSize size;
  std::optional<semantics::Operator> joint;  ///< AND or OR, where it was written as one.
};

/// A string among others in a list: of the column's type, but of no length. Whatever else stays as it is.
[[nodiscard]] Constant as_list_member(const semantics::Type& column_type, Constant member);

/// Joins conditions by `op`, AND or OR: what is joined by the same word becomes one list, so that chains are flat
/// however they are bracketed.
[[nodiscard]] PlainCondition joined(semantics::Operator op, std::vector<PlainCondition> parts);

class ConditionReader {
 public:
  /// Precondition: the scope's parameters have values.
  explicit ConditionReader(Scope& scope) : scope_(scope) {}

  using Read = std::optional<PlainCondition>;

  /// The condition; nothing if it is no plain one, or wrong. Then places of parameters may have been noted down.
  Read read(const grammar::Node& node);

 private:
  Read junction(const grammar::BooleanExpression& node);
  Read boolean_column(const grammar::ColumnReference& node);
  Read null_test(const grammar::NullTest& node);
  Read operator_expression(const grammar::OperatorExpression& node);
  Read plain_operator(const grammar::OperatorExpression& node);
  Read between(const grammar::OperatorExpression& node);
  Read in_list(const grammar::OperatorExpression& node);
  Read array_test(const grammar::OperatorExpression& node);
  std::optional<std::vector<Constant>> array_elements(const grammar::Node& array, const semantics::Type& column);
  std::optional<std::vector<Constant>> list_members(const grammar::Nodes& items, const semantics::Type& column_type);
  Read like(const grammar::OperatorExpression& node);

  std::optional<uint32_t> column_of(const grammar::Node& node) const;
  /// A value without columns, which may be beyond what it is compared with.
  std::optional<Constant> constant_of(const grammar::Node& node);
  /// `column op constant`.
  Read comparison(semantics::Operator op, uint32_t column, const Constant& given);
  /// `column op member, …`: a list.
  Read listed(semantics::Operator op, uint32_t column, std::vector<Constant> members);
  /// Makes a plain condition of a comparison that has been read; nothing when reading failed, unless its list is too
  /// large: compile_where() says so.
  Read leaf(Result<semantics::Condition> read, uint64_t comparisons);

  Scope& scope_;
};

}  // namespace daedalus::aggregator::sql

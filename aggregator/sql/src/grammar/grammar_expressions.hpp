// Nodes that are expressions: what has a value.
#pragma once

#include "grammar_node.hpp"

namespace daedalus::aggregator::grammar {

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
  std::string_view text;  ///< Only numbers, strings and bit strings have one.
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
  bool is_of_rows = false;    ///< Written as a comparison of rows.
  bool is_row_order = false;  ///< `a < c OR (a = c AND …)`, written as `(a, …) < (c, …)`.
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

/// `name => argument` in a call.
struct NamedArgument {
  static constexpr Node::Kind kKind = Node::kNamedArgument;
  std::string_view name;
  Node argument;
};

/// A subscript or a field of `argument`.
struct Indirection {
  static constexpr Node::Kind kKind = Node::kIndirection;
  Node argument;
};

/// A query among expressions.
struct SubLink {
  enum class Kind : uint8_t { kExists, kAll, kAny, kValue, kOther };
  static constexpr Node::Kind kKind = Node::kSubLink;
  Node query;  ///< Only EXISTS and a query that is used as a value have it; the others are only ever refused.
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
  Node argument;  ///< The conditions are compared with it; absent where they stand for themselves.
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

}  // namespace daedalus::aggregator::grammar

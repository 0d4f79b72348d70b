// A bound expression is what is computed of a row: its names, functions and types are settled.
//
// Decides what a call is and what type it has. Refuses to know SQL's text, and how rows are stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/aggregate_function.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// A function's number says what a call computes; it is the number of the wire. A form decides by itself which of its
/// arguments are evaluated and what becomes of NULL. All other numbers are those of scalar_function.hpp.
enum class FunctionId : uint16_t {
  kNone = 0,
  kAnd = 1,
  kOr = 2,
  kNot = 3,
  kIsNull = 4,
  kIsNotNull = 5,
  kIsTrue = 6,
  kIsNotTrue = 7,
  kIsFalse = 8,
  kIsNotFalse = 9,
  kIsDistinct = 10,
  kIsNotDistinct = 11,
  kCase = 12,  ///< Condition, value, condition, value, … and the value otherwise.
  kCoalesce = 13,
  kNullIf = 14,
  kGreatest = 15,
  kLeast = 16,
  kIn = 17,  ///< Value, then members.
  kNotIn = 18,
  kCast = 19,
};

/// Ids below are forms.
constexpr uint16_t kFunctionsFrom = 64;

/// Levels of calls in calls: each takes two levels of messages, and readers of messages take a hundred.
constexpr uint32_t kCallDepthMax = 40;
/// Inputs, constants and calls of one expression.
constexpr uint32_t kCallNodesMax = 16'384;

/// One value of each row of some level, computed from the row beneath it: a column of a row of the table, or a key or
/// an aggregate of a group.
struct BoundExpression {
  enum class Kind : uint8_t {
    kInput,
    kConstant,
    kCall,
    kAggregate,  ///< An aggregate of the rows beneath a group: what is bound to a group has inputs instead
                 ///< (bind_items()).
  };

  Kind kind = Kind::kInput;
  bool nullable = true;
  FunctionId function = FunctionId::kNone;                      ///< kCall
  AggregateFunction aggregate = AggregateFunction::kCountRows;  ///< kAggregate
  uint32_t input = 0;                                           ///< kInput: which value of the row.
  Type type;    ///< A numeric with a precision always has that very scale; a text always has a length.
  Value value;  ///< kConstant
  std::vector<BoundExpression> arguments;  ///< kCall, kAggregate; of an ordered one its order's values stand behind.
  bool is_distinct = false;                ///< kAggregate: equal arguments count once.
  std::vector<SortOrder> order;            ///< kAggregate: of the last arguments, which it is ordered by.

  [[nodiscard]] bool is_input() const { return kind == Kind::kInput; }
  [[nodiscard]] bool is_constant() const { return kind == Kind::kConstant; }
  [[nodiscard]] bool is_call(FunctionId id) const { return kind == Kind::kCall && function == id; }

  /// Says whether both make the same of every row: a constant NaN is itself, 0.0 and −0.0 are two constants.
  friend bool operator==(const BoundExpression& left, const BoundExpression& right) {
    return left.kind == right.kind && left.nullable == right.nullable && left.function == right.function &&
           left.aggregate == right.aggregate && left.input == right.input && left.type == right.type &&
           is_identical(left.value, right.value) && left.arguments == right.arguments &&
           left.is_distinct == right.is_distinct && left.order == right.order;
  }
};

[[nodiscard]] BoundExpression make_input(uint32_t input, const Type& type, bool nullable);

/// A constant; a numeric's precision and scale, and a string's length, become those of the value.
[[nodiscard]] BoundExpression make_constant(Type type, Value value);

/// A call. Arguments are of the kinds that the function takes; where it wants values of one kind, all are of that.
/// `target` is the type of a kCast and nothing else.
/// Errors: 08P01 no such function, or not of these arguments; 54001 deeper or larger than is allowed.
[[nodiscard]] Result<BoundExpression> make_call(FunctionId function, std::vector<BoundExpression> arguments,
                                                const Type& target = {});

/// Says what an aggregate counts of its arguments, and in which order.
struct AggregateInput {
  bool is_distinct = false;
  std::vector<SortOrder> order =
      {};  ///< The order of the last arguments; is_made_in_order() aggregates alone have one.
};

/// An aggregate of the rows of a group. Errors: those of aggregate_type(), 54001.
[[nodiscard]] Result<BoundExpression> make_aggregate(AggregateFunction function, std::vector<BoundExpression> arguments,
                                                     AggregateInput input = {});

/// The value of an expression for one row: the plain twin of whatever computes faster. Precondition: no kAggregate in
/// it, and `row` has a value for each of its inputs. Errors: those of its functions, 54000 a text too long, XX000 NULL
/// of what is not nullable: the function table is wrong.
[[nodiscard]] Result<Value> evaluate(const BoundExpression& expression, std::span<const Value> row);

/// The error of a NULL that an expression made which is not nullable.
[[nodiscard]] Error unexpected_null(const BoundExpression& expression);

/// Computes what depends on no row in an expression, in the order in which PostgreSQL does: what an AND, an OR, a CASE
/// or a COALESCE cannot reach is left out uncomputed. What fails because of a stable function (has_stable()) is left as
/// it is, and fails on each row. Errors: those of evaluate().
[[nodiscard]] Result<BoundExpression> fold(BoundExpression expression);

/// Says whether there is a function in it that PostgreSQL calls stable: its planner computes nothing that depends on
/// it.
[[nodiscard]] bool has_stable(const BoundExpression& expression);

/// Says whether evaluating it may end in an error, whatever the row.
[[nodiscard]] bool can_fail(const BoundExpression& expression);

/// Says whether it has an aggregate in it.
[[nodiscard]] bool has_aggregate(const BoundExpression& expression);

/// Calls use(input) for each kInput in it, outside of aggregates and within.
template <typename Use>
void for_each_input(const BoundExpression& expression, Use&& use) {
  if (expression.is_input()) {
    use(expression.input);
  }
  for (const BoundExpression& argument : expression.arguments) {
    for_each_input(argument, use);
  }
}

}  // namespace daedalus::semantics

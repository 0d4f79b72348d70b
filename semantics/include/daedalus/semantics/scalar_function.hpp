// The one table of functions and operators: what exists, for which types, with what result.
//
// A function is one entry of a family's list in semantics/src/scalar, with its plain evaluation there, and nothing
// else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "daedalus/semantics/bound_expression.hpp"

namespace daedalus::semantics {

/// One overload. Strict unless it says otherwise: it is never asked about a NULL, and NULL among its arguments makes
/// NULL. Equal arguments give equal results.
struct ScalarFunction {
  using Evaluate = Result<Value> (*)(std::span<const Value> arguments, const BoundExpression& call);
  using ResultType = Type (*)(std::span<const BoundExpression> arguments);

  FunctionId id{};
  std::string_view name;  ///< PostgreSQL's; of an operator its sign.
  bool is_operator = false;
  std::vector<TypeKind> arguments;
  TypeKind result{};
  Evaluate evaluate = nullptr;       ///< Null: PostgreSQL has it, and here it is refused by name.
  bool can_fail = true;              ///< False: for no arguments there is an error.
  ResultType result_type = nullptr;  ///< Digits and lengths of the result. Null: those of its kind without bound.
  bool takes_any = false;            ///< One value or more of any kinds, behind `arguments`, which are all the others.
  bool takes_nulls = false;          ///< It is asked about NULLs, too.
  bool is_stable = false;  ///< PostgreSQL's volatility: a session's settings, which there are none of here, count.
  int8_t zone_place = -1;  ///< The argument that names a time zone, as which it takes what bind_zone() makes of it.
  bool zone_may_be_offset = false;  ///< bind_zone_or_offset(), rather.
  bool is_helper = false;           ///< It stands behind an operator, an index or an aggregate: not for users' lists.

  /// Whether PostgreSQL has it, and nothing here computes it.
  [[nodiscard]] bool is_refused() const { return evaluate == nullptr && id != FunctionId::kCast; }
};

/// All of them, ids ascending. Built once.
[[nodiscard]] std::span<const ScalarFunction> scalar_functions();

/// Other names of PostgreSQL's for what is in the table, with arguments of their own and the ids of what they stand
/// for; kCast: to their results.
[[nodiscard]] std::span<const ScalarFunction> implementation_names();

/// Null: there is none.
[[nodiscard]] const ScalarFunction* find_function(FunctionId id);

/// Whether any overload has this name.
[[nodiscard]] bool is_function_name(std::string_view name);
/// Whether any operator of so many operands has this sign.
[[nodiscard]] bool is_operator_sign(std::string_view sign, size_t operands);

/// An argument before it is known what takes it.
struct ArgumentKind {
  TypeKind kind = TypeKind::kText;
  bool is_unknown = false;  ///< A quoted literal, NULL or a parameter without a type: it takes the type of its place.
};

/// The overload that PostgreSQL chooses for these arguments ("Type Conversion", 10.2 and 10.3).
/// Errors: 42883 none, 42725 several as good.
[[nodiscard]] Result<const ScalarFunction*> resolve_function(std::string_view name, bool is_operator,
                                                             std::span<const ArgumentKind> arguments);

/// A call of what was resolved, with arguments of its kinds: they are cast on to the kinds of what a name stands for.
[[nodiscard]] Result<BoundExpression> make_named_call(const ScalarFunction& function,
                                                      std::vector<BoundExpression> arguments);

/// The kind that values of CASE, COALESCE, GREATEST, LEAST, IN and VALUES are brought to (10.5); text where nothing is
/// known. Error 42804 names `construct`.
[[nodiscard]] Result<TypeKind> resolve_common_kind(std::span<const ArgumentKind> values, std::string_view construct);

/// PostgreSQL's casts among the kinds: without being asked, on assignment, and where they are written.
[[nodiscard]] bool can_cast_implicitly(TypeKind from, TypeKind to);
[[nodiscard]] bool can_cast_explicitly(TypeKind from, TypeKind to);
/// The casts of time to and from other kinds, strings apart: all of them are casts on assignment, too.
[[nodiscard]] bool is_cast_of_time(TypeKind from, TypeKind to);

/// What an explicit cast makes of a value that is not NULL: strings are cut to length, anything may become a string and
/// be read from one. Errors: 42846 no such cast, and those of parse_text() and assign().
[[nodiscard]] Result<Value> cast_value(const Type& from, const Value& value, const Type& to);

}  // namespace daedalus::semantics

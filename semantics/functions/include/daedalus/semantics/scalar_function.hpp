// The one table of functions and operators: what exists, for which types, with what result.
//
// A function is one entry of a family's list in semantics/functions, with its plain evaluation there, and nothing
// else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/spare_texts.hpp"

namespace daedalus::semantics {

/// As many arguments as a call in SQL may have: PostgreSQL's FUNC_MAX_ARGS.
constexpr size_t kArgumentsMax = 100;

/// A function is asked about its arguments: values that stay where they are, in a row or an expression, and room for
/// the text that it makes of them.
class Arguments {
 public:
  Arguments(std::span<const Value* const> places, SpareTexts& texts) : places_(places), texts_(&texts) {}

  [[nodiscard]] size_t size() const { return places_.size(); }
  [[nodiscard]] const Value& operator[](size_t place) const { return *places_[place]; }
  [[nodiscard]] const Value& back() const { return *places_.back(); }
  [[nodiscard]] Arguments first(size_t count) const { return {places_.first(count), *texts_}; }

  /// Whoever makes a text begins with it: then no row allocates memory.
  [[nodiscard]] std::string spare_text(std::string_view begin = {}) const { return texts_->take(begin); }
  [[nodiscard]] Value made(std::string_view text) const { return Value(spare_text(text)); }
  /// Keeps the room of a text that was needed on the way only.
  void give_back(std::string&& text) const { texts_->give(std::move(text)); }

 private:
  std::span<const Value* const> places_;
  SpareTexts* texts_;
};

/// One overload. Strict unless it says otherwise: it is never asked about a NULL, and NULL among its arguments makes
/// NULL. Equal arguments give equal results.
struct ScalarFunction {
  using Evaluate = Result<Value> (*)(Arguments arguments, const BoundExpression& call);
  using ResultType = Type (*)(std::span<const BoundExpression> arguments);

  FunctionId id{};        ///< Written down by hand, never changed and never used again.
  std::string_view name;  ///< PostgreSQL's; of an operator its sign.
  bool is_operator = false;
  std::vector<TypeKind> arguments;
  TypeKind result{};
  Evaluate evaluate = nullptr;       ///< Null: PostgreSQL has it, and here it is refused by name.
  bool can_fail = true;              ///< False: for no arguments there is an error.
  ResultType result_type = nullptr;  ///< Digits and lengths of the result. Null: those of its kind without bound.
  bool takes_any = false;            ///< One value or more of any kinds, behind `arguments`, which are all the others.
  bool takes_nulls = false;          ///< It is asked about NULLs, too.
  bool may_be_null = false;          ///< NULL may come of arguments that are not NULL.
  bool is_stable = false;            ///< PostgreSQL's volatility: a session's settings count.
  int8_t zone_place = -1;  ///< The argument that names a time zone, as which it takes what bind_zone() makes of it.
  bool zone_may_be_offset = false;  ///< bind_zone_or_offset(), rather.
  /// It stands for the entry of this name without its last argument where a session's zone, which is that argument, is
  /// not UTC. No text calls it: see function_at_zone().
  bool is_at_zone = false;
  uint16_t since = 1;      ///< The version of the language (language.hpp) that it came with.
  bool is_helper = false;  ///< It stands behind an operator, an index or an aggregate: not for users' lists.

  /// Says whether PostgreSQL has it, and nothing here computes it.
  [[nodiscard]] bool is_refused() const { return evaluate == nullptr && id != FunctionId::kCast; }
};

/// All of them, ids ascending. Built once.
[[nodiscard]] std::span<const ScalarFunction> scalar_functions();

/// Other names of PostgreSQL's for what is in the table, with arguments of their own and the ids of what they stand
/// for; kCast: to their results.
[[nodiscard]] std::span<const ScalarFunction> implementation_names();

/// Null: there is none.
[[nodiscard]] const ScalarFunction* find_function(FunctionId id);

/// Says whether any overload has this name.
[[nodiscard]] bool is_function_name(std::string_view name);
/// Says whether any operator of so many operands has this sign.
[[nodiscard]] bool is_operator_sign(std::string_view sign, size_t operands);

/// An argument before it is known what takes it.
struct ArgumentKind {
  TypeKind kind = TypeKind::kText;
  bool is_unknown = false;  ///< A quoted literal, NULL or a parameter without a type: it takes the type of its place.
};

/// The overload that PostgreSQL chooses for these arguments ("Type Conversion", 10.2 and 10.3).
/// Errors: 42883 none, 42725 several as good, 54023 more than kArgumentsMax arguments.
[[nodiscard]] Result<const ScalarFunction*> resolve_function(std::string_view name, bool is_operator,
                                                             std::span<const ArgumentKind> arguments);

/// A call of what was resolved, with arguments of its kinds: they are cast on to the kinds of what a name stands for.
/// `zone`: the session's, as it travels, where its clocks do not show UTC.
[[nodiscard]] Result<BoundExpression> make_named_call(const ScalarFunction& function,
                                                      std::vector<BoundExpression> arguments,
                                                      const std::string* zone = nullptr);

/// Says whether the session's zone may have a part in such a call: there are SQL timestamps in it.
[[nodiscard]] bool may_depend_on_zone(const ScalarFunction& function);
/// Gives what is called instead of a function where a session's zone is not UTC: it takes the zone, as it travels, as
/// one more argument. Null: a zone changes nothing.
[[nodiscard]] const ScalarFunction* function_at_zone(const ScalarFunction& function);

/// The kind that values of CASE, COALESCE, GREATEST, LEAST, IN and VALUES are brought to (10.5); text where nothing is
/// known. Error 42804 names `construct`.
[[nodiscard]] Result<TypeKind> resolve_common_kind(std::span<const ArgumentKind> values, std::string_view construct);

/// PostgreSQL's casts among the kinds: without being asked, on assignment, and where they are written.
[[nodiscard]] bool can_cast_implicitly(TypeKind from, TypeKind to);
[[nodiscard]] bool can_cast_explicitly(TypeKind from, TypeKind to);
/// The casts of time to and from other kinds, strings apart: all of them are casts on assignment, too.
[[nodiscard]] bool is_cast_of_time(TypeKind from, TypeKind to);

/// Casts a value that is not NULL explicitly: strings are cut to length, anything may become a string and be read from
/// one. Errors: 42846 no such cast, and those of parse_text() and assign().
[[nodiscard]] Result<Value> cast_value(const Type& from, const Value& value, const Type& to);
/// Casts in the room of `texts`.
[[nodiscard]] Result<Value> cast_value(const Type& from, const Value& value, const Type& to, SpareTexts& texts);

/// Says whether the session's zone has a part in a cast between these: SQL timestamps from and to clocks and texts.
[[nodiscard]] bool is_cast_by_zone(TypeKind from, TypeKind to);
/// Such a cast where the session's zone is this one, bound. Errors: those of make_call().
[[nodiscard]] Result<BoundExpression> cast_at_zone(BoundExpression value, const Type& to, const std::string& zone);

}  // namespace daedalus::semantics

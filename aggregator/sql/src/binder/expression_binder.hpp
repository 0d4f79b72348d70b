// Expressions of a statement, bound: names to columns, calls to functions, values to types.
//
// Decides what an expression means wherever it stands. Refuses to know what a sweep can look up: WHERE does
// (where.hpp); and which functions there are: semantics' table does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "constant.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/selection.hpp"
#include "outputs.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A bound expression, which may still want a type from the place where it stands.
struct Typed {
  semantics::BoundExpression expression;
  bool is_unknown = false;  ///< A quoted literal, NULL or a parameter without a type: a constant text or NULL.
  int32_t location = -1;
  int32_t parameter = 0;  ///< Number of the parameter of a described statement that asks for a type; 0 otherwise.
  bool is_array = false;  ///< A parameter that is an array of such or, without a type, one whose place wants an array.
  int32_t modifier = semantics::kNoModifier;  ///< PostgreSQL's, which shows what was declared.
};

/// Values of one type, and the modifier that they have in common.
struct Together {
  std::vector<semantics::BoundExpression> values;
  int32_t modifier = semantics::kNoModifier;
};

/// Error 54000 where it is a text that is longer than an expression may take.
[[nodiscard]] Result<void> check_text_length(const Scope& scope, const semantics::Value& value, int32_t location);

class ExpressionBinder {
 public:
  /// Describes where the expression stands, and what may stand in it; `clause` is what messages call the place.
  struct Place {
    std::string_view clause;
    bool takes_aggregates = false;
    bool compares_beyond = false;  ///< NaN and infinity of numeric (beyond.hpp) may be compared with.
  };

  ExpressionBinder(Scope& scope, Place place) : scope_(scope), place_(place) {}

  /// A value of any type; text where nothing gives it a type. Errors carry positions where they are known:
  /// 42703, 42803, 42804, 42883, 42725, those of literals; 0A000 with the name of what is not supported. What is
  /// constant in it is not computed yet: all of a statement is bound before.
  [[nodiscard]] Result<semantics::BoundExpression> value(const grammar::Node& node);
  /// Binds as value() does, but leaves a value without a type where nothing gives it one.
  [[nodiscard]] Result<Typed> value_without_type(const grammar::Node& node) { return bind(node); }
  /// Text, where nothing has given it a type.
  [[nodiscard]] Result<semantics::BoundExpression> settled(Typed value);
  /// A boolean. Error 42804 for anything else; `construct` is what it is an argument of there, if not the clause.
  [[nodiscard]] Result<semantics::BoundExpression> condition(const grammar::Node& node,
                                                             std::string_view construct = {});

  /// Returns the elements of an array, each unknown or all of one type; nothing when the array is NULL. Errors: those
  /// of value(), 42809 it is no array.
  [[nodiscard]] Result<std::optional<std::vector<Typed>>> array_elements(const grammar::Node& node);
  /// Returns the elements of an array that a column of this type is compared with. Elements that are beyond the type
  /// (beyond.hpp) stay texts without a type.
  [[nodiscard]] Result<std::optional<std::vector<Typed>>> array_elements_for(const semantics::Type& column,
                                                                             const grammar::Node& node);

  /// Values brought to one type, which PostgreSQL chooses as for UNION. Errors: as value(), 42804.
  [[nodiscard]] Result<Together> of_one_type(grammar::Nodes nodes, std::string_view construct);

  /// Says where the bound columns, aggregates and arguments of GROUPING() stand.
  [[nodiscard]] const ExpressionPlaces& places() const { return places_; }

 private:
  using Bound = Result<Typed>;

  Bound bind(const grammar::Node& node);
  /// A side of a comparison: it may be beyond the type of the other one.
  Bound bind_compared(const grammar::Node& node);
  /// True when the value is a text without a type that PostgreSQL reads as a value of this kind, and Daedalus has no
  /// such value (beyond.hpp).
  static bool is_beyond(const Typed& value, semantics::TypeKind kind);
  /// Makes doubles of texts that are beyond the numeric beside them.
  static void read_beyond(std::vector<Typed>& sides);
  Bound bind_here(const grammar::Node& node);
  Bound column(const grammar::ColumnReference& node);
  Bound constant(const grammar::Node& node);
  Bound function_call(const grammar::FunctionCall& node);
  /// make_interval: its parts by place or by name, zero where there are none.
  Bound interval_of_parts(const grammar::FunctionCall& node);
  /// The start of the day that is now, by the session's clocks.
  Typed midnight();
  Bound aggregate_call(const grammar::FunctionCall& node);
  /// An argument of the aggregate; a literal without a type gets the one that PostgreSQL chooses. Error 42725.
  Result<semantics::BoundExpression> aggregated(semantics::AggregateFunction function, std::string_view name,
                                                Typed argument, int32_t location);
  /// An argument of string_agg. Error 42883: it is no string.
  Result<semantics::BoundExpression> joined_text(Typed argument, std::string_view name, int32_t location);
  /// The bound expressions in and behind the parentheses of an aggregate.
  struct AggregateParts {
    std::vector<semantics::BoundExpression> arguments;  ///< And what they are ordered by.
    std::vector<semantics::SortOrder> order;
    std::optional<semantics::BoundExpression> filter;
  };
  /// Returns what a count of whole rows takes: for count(t.*) a value that each row has, for count((a, b)) a text of
  /// both; nothing for all other calls.
  Result<std::vector<Typed>> counts_whole_rows(semantics::AggregateFunction function,
                                               const grammar::FunctionCall& node);
  /// A text that is the same for rows that are equal as PostgreSQL counts them, where NULLs are alike, and no NULL.
  /// Error 0A000: an interval, of which several are equal that are written in several ways.
  Bound text_of_row(const grammar::Node& row);
  /// The value in a form that all of its equals have, as text at the latest.
  Bound told_apart(semantics::BoundExpression value, int32_t location);
  Result<AggregateParts> bind_aggregate_parts(semantics::AggregateFunction function, const grammar::FunctionCall& node);
  /// Binds percentiles and mode(), with WITHIN GROUP (ORDER BY …).
  Result<AggregateParts> bind_ordered_set(semantics::AggregateFunction function, const grammar::FunctionCall& node);
  /// Binds the values that it orders: of percentile_cont doubles or intervals. `fraction`: the kind of its argument,
  /// if it has one. Error 42883.
  Result<semantics::BoundExpression> ordered_value(semantics::AggregateFunction function,
                                                   const grammar::FunctionCall& node, std::string_view fraction);
  /// A percentile's argument. Errors: 42883, 22003 it is not between 0 and 1, 0A000 it is no constant.
  Result<semantics::BoundExpression> fraction_of(Typed argument, std::string_view name);
  Result<void> add_filter(const grammar::FunctionCall& node, AggregateParts& parts);
  Result<void> add_order(const grammar::SortBy& sort, size_t argument_count, bool is_distinct, AggregateParts& parts);
  /// Makes NULL of the arguments where `filter` is not true; count(*) becomes a count of something.
  Result<void> filter_arguments(semantics::AggregateFunction& function,
                                std::vector<semantics::BoundExpression>& arguments, semantics::BoundExpression filter,
                                int32_t location);
  /// Checks that an aggregate may stand here. Error 42803, with the message `nested` when it stands within another.
  [[nodiscard]] Result<void> check_place(std::string_view what, std::string_view nested, int32_t location);
  Bound grouping_function(const grammar::GroupingFunction& node);
  Bound operator_expression(const grammar::OperatorExpression& node);
  Bound plain_operator(const grammar::OperatorExpression& node);
  Bound refused_operator(const grammar::OperatorExpression& node);
  Result<void> as_texts(std::vector<Typed>& operands);
  /// IS [NOT] DISTINCT FROM, and NULLIF.
  Bound pair_form(const grammar::OperatorExpression& node);
  Bound in_list(const grammar::OperatorExpression& node);
  /// op ANY (array), op ALL (array).
  Bound array_test(const grammar::OperatorExpression& node);
  /// A boolean that is `truth` whatever the row, and fails where the expression does.
  Bound test_of_nothing(semantics::BoundExpression left, bool has_array, bool truth, int32_t location);
  Bound computed_first(semantics::BoundExpression expression, bool truth, int32_t location);
  Bound as_list(std::vector<semantics::BoundExpression> tests, bool is_any, int32_t location);
  Result<std::optional<std::vector<Typed>>> cast_elements(const grammar::Node& node);
  /// The elements of a parameter; one that stands for them where it has no value yet. Error 42809: it is no array.
  Result<std::optional<std::vector<Typed>>> parameter_elements(const grammar::ParameterReference& node);
  Result<std::optional<std::vector<Typed>>> elements_of_text(const Typed& text);
  /// True when array_elements_for() leaves the element as a text, because it is beyond this kind.
  [[nodiscard]] bool is_left_beyond(const Typed& element, semantics::TypeKind kind) const;
  /// Returns the elements of the argument of a cast to an array of this type, before the cast.
  Result<std::optional<std::vector<Typed>>> elements_to_cast(const grammar::Node& node, const semantics::Type& type);
  /// Errors: 42883, or 0A000 where PostgreSQL may have such a function.
  Result<void> check_arrays(std::string_view name, bool is_operator, const std::vector<Typed>& arguments,
                            int32_t location) const;
  Bound between(const grammar::OperatorExpression& node);
  Bound boolean_expression(const grammar::Node& node);
  /// Binds a comparison of rows; reads all parameters among their values before any of them is compared.
  Bound comparison_of_rows(const grammar::Node& node);
  /// `<` and the like of rows: their values are looked at one after the other, up to the first that decides.
  Bound row_order(const grammar::Node& node);
  Bound row_order_by_turns(semantics::BoundExpression before, semantics::BoundExpression equal,
                           semantics::BoundExpression rest, int32_t location);
  /// NULL, once both sides are computed: among rows of values PostgreSQL looks for NULL only then.
  Bound null_of_both(semantics::BoundExpression comparison, int32_t location);
  Bound null_test(const grammar::Node& node);
  Bound boolean_test(const grammar::BooleanTest& node);
  Bound cast_expression(const grammar::Node& node);
  Bound cast_value(const grammar::Node& node, Typed argument, semantics::Type type);
  /// Cuts an interval to the fields and the precision in the type's name.
  Bound restricted(Typed interval, const grammar::TypeName& type);
  /// An SQL timestamp or time with so many digits of seconds.
  Bound rounded(Typed sql_timestamp, int32_t precision);
  Bound case_expression(const grammar::Node& node);
  /// A query that is an expression. Errors: 42601 it has several columns, 0A000 any other.
  Bound value_query(const grammar::Node& node);
  Bound choice(semantics::FunctionId function, std::string_view name, const grammar::Nodes& arguments,
               int32_t location);

  /// The function or operator that PostgreSQL chooses, with its arguments brought to its types.
  Bound resolved(std::string_view name, bool is_operator, std::vector<Typed> arguments, int32_t location);
  /// Both sides of an operator, brought to its types.
  Result<std::vector<semantics::BoundExpression>> taken_by(std::string_view sign, std::vector<Typed> sides,
                                                           int32_t location);
  Result<semantics::BoundExpression> bound_zone(semantics::BoundExpression zone, bool may_be_offset, int32_t location);
  /// `left op right`, each used as it is.
  Bound compared(std::string_view sign, Typed left, Typed right, int32_t location);
  /// A cast, by the clocks of the session where these have a part in it. Precondition: there is such a cast.
  Bound cast(semantics::BoundExpression value, const semantics::Type& type, int32_t location);
  /// Errors: 0A000 an interval becomes a text, or a text an interval or a date, as the session would have it otherwise.
  [[nodiscard]] Result<void> check_texts(const std::vector<semantics::BoundExpression>& arguments,
                                         const semantics::Type& made, int32_t location) const;
  /// A text that is a constant as a date, an SQL timestamp or a time in the session's order; nothing where it is read
  /// in the order of nodes, and where it is known only when the statement runs.
  Result<std::optional<semantics::BoundExpression>> read_in_order(const semantics::BoundExpression& text,
                                                                  const semantics::Type& type) const;
  /// The function, or what it is where the session's zone is not UTC.
  Bound call_in_session(const semantics::ScalarFunction& function, std::vector<semantics::BoundExpression> arguments,
                        int32_t location);
  Bound call(semantics::FunctionId function, std::vector<semantics::BoundExpression> arguments, int32_t location,
             const semantics::Type& target = {});

  Result<std::vector<Typed>> bind_all(const grammar::Nodes& nodes, bool are_compared = false);
  /// All of the kind that they have in common.
  Result<Together> brought_together(std::vector<Typed> values, std::string_view construct);
  Bound call_together(semantics::FunctionId function, Result<Together> arguments, int32_t location);
  Result<semantics::BoundExpression> coerced(Typed value, semantics::TypeKind kind);
  /// settled() for a function that writes values of any type: an SQL timestamp is written by the session's clocks.
  Result<semantics::BoundExpression> shown(Typed value);
  Result<semantics::BoundExpression> as_boolean(Typed value, std::string_view construct);

  Scope& scope_;
  Place place_;
  bool is_in_aggregate_ = false;
  bool takes_beyond_ = false;
  std::optional<semantics::TypeKind> beyond_;  ///< The kind of the column that values beyond it are compared with.
  ExpressionPlaces places_;
};

/// Direction, and place of NULLs, of an item of ORDER BY.
[[nodiscard]] semantics::SortOrder order_of(const grammar::SortBy& sort);

/// The name that PostgreSQL gives an output without one.
[[nodiscard]] std::string name_of(const grammar::Node& node);

}  // namespace daedalus::aggregator::sql

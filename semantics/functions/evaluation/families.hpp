// The families of functions, each in a file of its own, and what several of them want.
#pragma once

#include <span>
#include <vector>

#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::semantics::scalar {

using Expressions = std::span<const BoundExpression>;
using Functions = std::vector<ScalarFunction>;

// Each entry has a number of its own for ever. Behind the families stand the numbers that they had to begin with; what
// is added takes the next number after the highest one in rpc/vectors/language.tsv, from 2020 on.
void add_arithmetic(Functions& functions);           // 100 to 299
void add_comparisons(Functions& functions);          // 300 to 499
void add_text(Functions& functions);                 // 500 to 599
void add_like(Functions& functions);                 // 600 to 699
void add_time(Functions& functions);                 // 700 to 899
void add_numbers(Functions& functions);              // 900 to 999
void add_exact_numbers(Functions& functions);        // 1000 to 1059
void add_degrees(Functions& functions);              // 1060 to 1099
void add_written(Functions& functions);              // 1100 to 1199
void add_time_of_day(Functions& functions);          // 1300 to 1349
void add_datetime_texts(Functions& functions);       // 1350 to 1359
void add_interval_text(Functions& functions);        // 1360
void add_number_text(Functions& functions);          // 1361 to 1399
void add_orderings(Functions& functions);            // 1400 to 1459
void add_transitions(Functions& functions);          // 1460 to 1479
void add_ranges(Functions& functions);               // 1480 to 1499
void add_hashes(Functions& functions);               // 1500 to 1549
void add_sizes(Functions& functions);                // 1550 to 1559
void add_escapes(Functions& functions);              // 1560 to 1569
void add_format(Functions& functions);               // 1570 to 1579
void add_typmods(Functions& functions);              // 1580 to 1589
void add_overlaps(Functions& functions);             // 1590 to 1609
void add_text_datetimes(Functions& functions);       // 1610 to 1619
void add_text_numbers(Functions& functions);         // 1620 to 1629
void add_at_session_zone(Functions& functions);      // 1900 to 1949
void add_regular_expressions(Functions& functions);  // 1960 to 2019

// ---- other names ----
/// A type's name called like a function of one argument casts it, where a literal, the same bytes or a text do
/// ("Type Conversion", 10.3, step 3). Null: it does not.
[[nodiscard]] const ScalarFunction* cast_by_name(std::string_view name, const ArgumentKind& argument);
[[nodiscard]] bool is_type_name(std::string_view name);

// ---- for evaluation ----
[[nodiscard]] inline int64_t integer(const Value& value) { return std::get<int64_t>(value); }
[[nodiscard]] inline double floating(const Value& value) { return std::get<double>(value); }
[[nodiscard]] inline const Decimal& decimal(const Value& value) { return std::get<Decimal>(value); }
[[nodiscard]] inline const Interval& interval(const Value& value) { return std::get<Interval>(value); }
[[nodiscard]] inline const std::string& text(const Value& value) { return std::get<std::string>(value); }

/// The value as one of an integer kind. Error 22003 "integer out of range" and its like.
[[nodiscard]] Result<Value> fit_integer(TypeKind kind, __int128 value);
/// A numeric within what a numeric without bound may have. Error 22003.
[[nodiscard]] Result<Value> fit_numeric(const Decimal& value);
[[nodiscard]] Error division_by_zero();
/// 54000: a text that is computed has more than kStringLengthMax bytes.
[[nodiscard]] Error too_long();
/// Makes a value of a text that was computed. Error 54000.
[[nodiscard]] Result<Value> fit_text(std::string made);

constexpr double kRadiansPerDegree = 0.0174532925199432957692;

// ---- for types ----
[[nodiscard]] inline Type type_of_first(Expressions arguments) { return arguments[0].type; }
/// A numeric of so many digits, or one without bound where that is more than a bounded one may have.
[[nodiscard]] Type numeric_of(uint64_t integer_digits, uint64_t scale);
/// A text of at most so many bytes.
[[nodiscard]] Type text_of(uint64_t bytes);

}  // namespace daedalus::semantics::scalar

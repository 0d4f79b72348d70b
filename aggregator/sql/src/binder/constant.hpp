// Constants of a statement: literals, parameters, casts, the time and sums of these, folded to one typed value.
//
// Decides PostgreSQL's types of literals and the casts between the supported types. Refuses to know columns by name; it
// is told the type of the column that a constant meets.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/types.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Most bytes of a string constant: what the packed layout can carry.
constexpr size_t kStringConstantSizeMax = UINT16_MAX;

/// A folded constant.
struct Constant {
  semantics::Type type;
  semantics::Value value;  ///< Text (or NULL), if untyped.
  bool is_untyped =
      false;  ///< A quoted literal, a NULL, or a parameter given as such: takes the type its place asks for.
  int32_t location = -1;  ///< Byte offset in the text.
  bool is_text = false;   ///< PostgreSQL's text: beside char(n) it compares otherwise than varchar does.
  int32_t parameter = 0;  ///< Number of the parameter that it stands for, while that has no type; 0 otherwise.
  int32_t given = 0;      ///< Number of the parameter whose value it is, just as it came; 0 otherwise.
  bool is_array = false;  ///< It is a parameter that is an array; `value` is the array's text, or NULL.
  /// Infinity or NaN of a type that has none here (beyond.hpp): a column is compared with it, nothing else.
  bool is_beyond = false;
};

/// The value of an expression without columns, or an empty optional when it is not one (the caller knows what to say).
/// Errors carry positions: 22P02 and others of parse_text(), 22003, 42704 unknown type, 42846 no such cast, 42883 no
/// such operator, 42P02 no such parameter, 0A000 a type or function outside the supported SQL.
[[nodiscard]] Result<std::optional<Constant>> fold(Scope& scope, const grammar::Node& node);
/// Folds as fold() does, but allows a value that is beyond its type: a column may be compared with one.
[[nodiscard]] Result<std::optional<Constant>> fold_compared(Scope& scope, const grammar::Node& node);

/// Makes a Constant of an expression that has been folded. Precondition: `folded` is a constant.
[[nodiscard]] Constant constant_of(semantics::BoundExpression folded, int32_t location);

/// Its type as messages call it: "unknown", "text", "integer[]".
[[nodiscard]] std::string type_name(const Constant& constant);

/// A place takes the constant as one of this kind: if it stands for a parameter without a type, that is now its type.
void ask_kind(const Scope& scope, const Constant& constant, semantics::TypeKind kind);

/// The constant as the other side of a comparison with a column of `column_type`: an untyped one is read as that type
/// (of no declared length or precision, as in PostgreSQL), a varchar beside char(n) becomes one, any other typed one
/// stays as it is. Errors: those of parse_text(); 0A000 where it would have to be computed row by row.
[[nodiscard]] Result<Constant> resolve_for_comparison(const Scope& scope, Constant constant,
                                                      const semantics::Type& column_type);

/// The constant cast to another type by the session's clocks. NULL, and any constant where they show UTC, stays as it
/// is. Precondition: semantics::is_cast_by_zone(). Errors: those of the cast.
[[nodiscard]] Result<Constant> at_session_zone(const Scope& scope, Constant constant, const semantics::Type& type);
/// Checks that a cast or an assignment may turn the constant into a value of this type. Errors: 0A000 an interval would
/// become a text, which the session would show otherwise.
[[nodiscard]] Result<void> check_interval_text(const Scope& scope, const Constant& constant,
                                               const semantics::Type& type);
/// True when one kind is an SQL timestamp, the other a time of the session's clocks, and these clocks do not show UTC.
[[nodiscard]] bool is_of_other_clock(const Scope& scope, semantics::TypeKind one, semantics::TypeKind other);

/// True when a text that is read as `type` may mean another value at another time ('today').
[[nodiscard]] bool may_name_the_time(const semantics::Type& type, std::string_view text);

/// A text of the statement as a value of a type, at the time, by the clocks and among the zones of the statement.
/// Errors: those of parse_text().
[[nodiscard]] Result<semantics::Value> read_text(const Scope& scope, const semantics::Type& type,
                                                 std::string_view text);

/// The constant as a value to be stored in a column: PostgreSQL's assignment casts. NULL passes.
/// Errors name the column: those of parse_text() and assign(), 42804.
[[nodiscard]] Result<semantics::Value> resolve_for_assignment(const Scope& scope, const Constant& constant,
                                                              const semantics::Column& column);

/// The constant as a bigint or NULL, for LIMIT and OFFSET. Errors: 42804, 22P02, 22003.
[[nodiscard]] Result<std::optional<int64_t>> resolve_as_bigint(const Scope& scope, const Constant& constant,
                                                               std::string_view place);

}  // namespace daedalus::aggregator::sql

// PostgreSQL's regular expressions without a row around them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::semantics {

struct BoundExpression;

/// kept_expression() keeps such expressions; only functions of regular expressions look into one.
class RegularExpression;

/// Gives the expression that the operators ~ and, without case, ~* look for in a text. It is read anew only if the
/// thread has not matched it lately.
/// Errors: 2201B, 0A000: those of the expression.
[[nodiscard]] Result<RegularExpression*> kept_expression(std::string_view pattern, bool ignores_case);
[[nodiscard]] bool is_found(RegularExpression& expression, std::string_view text);
/// Steps that looking through a text of so many bytes may take.
[[nodiscard]] uint64_t match_steps(const RegularExpression& expression, size_t bytes);

/// Checks that a call of a function or an operator may be computed as far as a constant expression in it says. What is
/// wrong with one is met where a row is computed. Error 0A000, of the expression.
[[nodiscard]] Result<void> check_expression(const BoundExpression& call);

/// The pattern of LIKE that means the same as an expression with case, if there is one that compares beginnings or
/// whole texts. Nothing: there is none, or the expression is wrong.
[[nodiscard]] std::optional<std::string> like_pattern_of(std::string_view pattern);

}  // namespace daedalus::semantics

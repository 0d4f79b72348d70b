// LIKE patterns that a scan can answer: a prefix, a whole value, everything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::aggregator::sql {

/// A pattern taken apart: a literal text, and whether anything may follow it.
struct LikePattern {
  std::string text;  ///< Without escapes.
  bool is_prefix = false;
};

/// Reads a pattern with backslash escapes. Nothing: it has wildcards elsewhere than `%` at its end, or a backslash
/// there, which is a mistake only of a row whose text is matched as far as that.
[[nodiscard]] std::optional<LikePattern> read_like_pattern(std::string_view pattern);

/// `column LIKE pattern`, or NOT LIKE. Precondition: it is a column of strings. Errors: those of
/// semantics::to_comparison().
[[nodiscard]] Result<semantics::Condition> like_condition(const semantics::Schema& schema, uint32_t column,
                                                          const LikePattern& pattern, bool is_negated);

}  // namespace daedalus::aggregator::sql

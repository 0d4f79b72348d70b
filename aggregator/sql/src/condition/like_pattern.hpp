// LIKE patterns that a scan can answer: a prefix, a whole value, everything.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator::sql {

/// A pattern taken apart: a literal text, and whether anything may follow it.
struct LikePattern {
  std::string text;  ///< Without escapes.
  bool is_prefix = false;
};

/// Reads a pattern with backslash escapes. Errors: 0A000 wildcards elsewhere than `%` at its end, or a backslash there,
/// which is a mistake only of a row whose text is matched as far as that.
[[nodiscard]] Result<LikePattern> read_like_pattern(std::string_view pattern);

}  // namespace daedalus::aggregator::sql

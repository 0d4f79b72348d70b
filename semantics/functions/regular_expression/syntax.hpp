// How a regular expression is to be read and matched: PostgreSQL's flags.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::semantics::regular {

/// The flags that PostgreSQL's library knows. Advanced expressions are extended ones, too; what is neither advanced,
/// extended nor literal is a basic one.
struct Syntax {
  bool is_extended = true;
  bool is_advanced = true;
  bool is_literal = false;
  bool ignores_case = false;
  bool is_expanded = false;         ///< White space and comments are skipped.
  bool stops_at_newline = false;    ///< No `.` and no negated bracket takes a newline.
  bool anchors_at_newline = false;  ///< ^ and $ are at lines' ends, too.

  [[nodiscard]] bool is_fully_advanced() const { return is_extended && is_advanced; }
  void become_literal() {
    is_literal = true;
    is_advanced = false;
    is_extended = false;
  }
  void set_newlines(bool stops, bool anchors) {
    stops_at_newline = stops;
    anchors_at_newline = anchors;
  }

  friend bool operator==(const Syntax&, const Syntax&) = default;
};

/// 2201B, as PostgreSQL words it.
[[nodiscard]] Error invalid_expression(std::string_view what);

/// A function's flags ask for these.
struct Flags {
  Syntax syntax;
  bool is_global = false;  ///< All matches, not the first.
};

/// Errors: 22023 a letter that is none of them.
[[nodiscard]] Result<Flags> read_flags(std::string_view letters);

/// The letter of an option that stands in an expression. False: there is none such.
[[nodiscard]] bool set_embedded_option(char32_t letter, Syntax& syntax);

}  // namespace daedalus::semantics::regular

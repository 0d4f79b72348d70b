#include "syntax.hpp"

#include <fmt/format.h>

#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::regular {
namespace {

/// The letters that mean the same beside an expression and in it.
bool set_common_option(char32_t letter, Syntax& syntax) {
  switch (letter) {
    case 'b':
      syntax.is_advanced = false;
      syntax.is_extended = false;
      syntax.is_literal = false;
      return true;
    case 'c':
      syntax.ignores_case = false;
      return true;
    case 'i':
      syntax.ignores_case = true;
      return true;
    case 'm':
    case 'n':
      syntax.set_newlines(true, true);
      return true;
    case 'p':
      syntax.set_newlines(true, false);
      return true;
    case 'q':
      syntax.become_literal();
      return true;
    case 's':
      syntax.set_newlines(false, false);
      return true;
    case 't':
      syntax.is_expanded = false;
      return true;
    case 'w':
      syntax.set_newlines(false, true);
      return true;
    case 'x':
      syntax.is_expanded = true;
      return true;
    default:
      return false;
  }
}

}  // namespace

Error invalid_expression(std::string_view what) {
  return rejected("2201B", fmt::format("invalid regular expression: {}", what));
}

bool set_embedded_option(char32_t letter, Syntax& syntax) {
  if (letter == 'e') {
    syntax.is_extended = true;
    syntax.is_advanced = false;
    syntax.is_literal = false;
    return true;
  }
  return set_common_option(letter, syntax);
}

Result<Flags> read_flags(std::string_view letters) {
  Flags flags;
  while (!letters.empty()) {
    const char letter = letters.front();
    if (letter == 'g') {
      flags.is_global = true;
    } else if (letter == 'e') {
      // Beside an expression, PostgreSQL's `e` takes back what it has just said, and leaves a basic one.
      set_common_option('b', flags.syntax);
    } else if (!set_common_option(static_cast<unsigned char>(letter), flags.syntax)) {
      return rejected(
          "22023", fmt::format("invalid regular expression option: \"{}\"", letters.substr(0, character_size(letter))));
    }
    letters.remove_prefix(1);
  }
  return flags;
}

}  // namespace daedalus::semantics::regular

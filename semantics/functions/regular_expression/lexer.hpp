// A regular expression's text as tokens, one after the other: what a character is hangs on where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "syntax.hpp"

namespace daedalus::semantics::regular {

/// The lexer and the parser say these alike.
constexpr std::string_view kBadEscape = "invalid escape \\ sequence";
constexpr std::string_view kBadCount = "invalid repetition count(s)";

enum class TokenKind : uint8_t {
  kStart,  ///< Nothing has been read.
  kEnd,
  kPlain,  ///< The character of its value.
  kDigit,  ///< A digit of a bound.
  kComma,
  kBoundOpen,
  kBoundClose,  ///< Value 0: prefers few.
  kStar,        ///< Value 0: prefers few; so of the next two.
  kPlus,
  kQuestion,
  kBar,
  kOpen,  ///< Value 1: it captures.
  kClose,
  kBracketOpen,  ///< Value 0: negated.
  kBracketClose,
  kRange,
  kElementOpen,
  kEquivalenceOpen,
  kClassOpen,
  kNameClose,  ///< It closes one of the three before.
  kAny,
  kCaret,
  kDollar,
  kTextBegin,
  kTextEnd,
  kWordBegin,
  kWordEnd,
  kWordEdge,
  kNoWordEdge,
  kLookAround,
  kClass,     ///< A CharacterClass.
  kNotClass,  ///< All but a CharacterClass.
  kBackReference,
};

struct Token {
  TokenKind kind = TokenKind::kStart;
  uint32_t value = 0;
};

/// The first mistake counts: behind it there is nothing but the end.
class Lexer {
 public:
  /// text: well-formed UTF-8.
  Lexer(std::string_view text, const Syntax& syntax);

  [[nodiscard]] const Token& token() const { return token_; }
  [[nodiscard]] bool is_at(TokenKind kind) const { return token_.kind == kind; }
  void next();
  /// Says whether it was there, and has been passed.
  bool passes(TokenKind kind);

  void fail(std::string_view what);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// As the expression's own options have changed it.
  [[nodiscard]] const Syntax& syntax() const { return syntax_; }
  /// A number of several digits is a back reference if so many groups have begun.
  void set_captures(uint32_t count) { captures_ = count; }

 private:
  enum class Place : uint8_t { kMain, kLiteral, kBound, kBracket, kElement, kEquivalence, kClassName };

  [[nodiscard]] bool is_done() const { return at_ >= text_.size(); }
  [[nodiscard]] bool is_next(std::u32string_view wanted) const {
    return std::u32string_view(text_).substr(at_).starts_with(wanted);
  }
  bool skips(std::u32string_view wanted);
  void set(TokenKind kind, uint32_t value = 0) { token_ = {kind, value}; }

  void read_prefixes();
  void read_director();
  void read_embedded_options();
  void skip_white();
  void read();
  void end_of_text();
  void main(char32_t c);
  void basic(char32_t c);
  void basic_escape();
  void open();
  void look_behind();
  bool opens_bracket();
  void bound(char32_t c);
  void bracket(char32_t c);
  void bracket_escape();
  void name(char32_t c, char32_t closing);
  void escape();
  void letter_escape(char32_t letter);
  void digit_escape();
  void octal();
  void coded(size_t digits_min, size_t digits_max);
  [[nodiscard]] std::optional<uint32_t> number(uint32_t base, size_t digits_min, size_t digits_max);
  void quantifier(TokenKind kind);

  std::u32string text_;
  Syntax syntax_;
  size_t at_ = 0;
  Place place_ = Place::kMain;
  Token token_;
  TokenKind last_ = TokenKind::kStart;  ///< The one before.
  bool restarts_ = false;               ///< A comment has been read, and no token.
  uint32_t captures_ = 0;
  std::optional<Error> error_;
};

}  // namespace daedalus::semantics::regular

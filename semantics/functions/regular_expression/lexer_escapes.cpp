// The escapes of advanced expressions: characters by their numbers, classes, places, references back.
#include "character_set.hpp"
#include "characters.hpp"
#include "lexer.hpp"

namespace daedalus::semantics::regular {
namespace {

/// PostgreSQL's numbers of characters go further than Unicode's.
constexpr uint32_t kNumberMax = 0x7ffffffe;
constexpr size_t kDigitsAny = 255;

uint32_t digit_of(char32_t c) {
  constexpr uint32_t kNone = 99;
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : kNone;
}

/// Gives what an escape of one letter stands for; 0: nothing of this sort.
char32_t control_of(char32_t letter) {
  switch (letter) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'B':
      return '\\';
    case 'e':
      return '\x1b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return 0;
  }
}

/// Escapes that are tokens of their own.
Token escaped_token(char32_t letter) {
  const auto of_class = [](TokenKind kind, CharacterClass value) { return Token{kind, static_cast<uint32_t>(value)}; };
  switch (letter) {
    case 'A':
      return {TokenKind::kTextBegin};
    case 'd':
      return of_class(TokenKind::kClass, CharacterClass::kDigit);
    case 'D':
      return of_class(TokenKind::kNotClass, CharacterClass::kDigit);
    case 'm':
      return {TokenKind::kWordBegin};
    case 'M':
      return {TokenKind::kWordEnd};
    case 's':
      return of_class(TokenKind::kClass, CharacterClass::kSpace);
    case 'S':
      return of_class(TokenKind::kNotClass, CharacterClass::kSpace);
    case 'w':
      return of_class(TokenKind::kClass, CharacterClass::kWord);
    case 'W':
      return of_class(TokenKind::kNotClass, CharacterClass::kWord);
    case 'y':
      return {TokenKind::kWordEdge};
    case 'Y':
      return {TokenKind::kNoWordEdge};
    case 'Z':
      return {TokenKind::kTextEnd};
    default:
      return {TokenKind::kStart};
  }
}

}  // namespace

void Lexer::escape() {
  const char32_t c = text_[at_++];
  if (is_letter(c)) {
    letter_escape(c);
  } else if (is_digit(c)) {
    digit_escape();
  } else {
    set(TokenKind::kPlain, c);
  }
}

void Lexer::letter_escape(char32_t letter) {
  constexpr uint32_t kControlBits = 0x1f;
  if (const char32_t control = control_of(letter); control != 0) {
    set(TokenKind::kPlain, control);
    return;
  }
  if (const Token token = escaped_token(letter); token.kind != TokenKind::kStart) {
    token_ = token;
    return;
  }
  switch (letter) {
    case 'c':
      if (is_done()) {
        fail(kBadEscape);
      } else {
        set(TokenKind::kPlain, text_[at_++] & kControlBits);
      }
      return;
    case 'u':
      coded(4, 4);
      return;
    case 'U':
      coded(8, 8);
      return;
    case 'x':
      coded(1, kDigitsAny);
      return;
    default:
      fail(kBadEscape);
  }
}

/// So many digits to a base, as far as they go. Nothing: too few of them.
std::optional<uint32_t> Lexer::number(uint32_t base, size_t digits_min, size_t digits_max) {
  uint32_t made = 0;
  size_t digits = 0;
  for (; digits < digits_max && !is_done() && digit_of(text_[at_]) < base; ++digits) {
    made = made * base + digit_of(text_[at_++]);  // Beyond 32 bits it goes round, as there.
  }
  return digits < digits_min ? std::nullopt : std::optional(made);
}

void Lexer::coded(size_t digits_min, size_t digits_max) {
  const std::optional<uint32_t> code = number(16, digits_min, digits_max);
  if (!code || *code > kNumberMax) {
    fail(kBadEscape);
  } else {
    set(TokenKind::kPlain, *code);
  }
}

/// A back reference: one digit but 0, or a number of groups that have begun. Otherwise a character by its octal number.
void Lexer::digit_escape() {
  const size_t begin = at_ - 1;
  if (text_[begin] != '0') {
    at_ = begin;
    const auto group = static_cast<int32_t>(*number(10, 1, kDigitsAny));
    if (at_ == begin + 1 || (group > 0 && group <= static_cast<int32_t>(captures_))) {
      set(TokenKind::kBackReference, static_cast<uint32_t>(group));
      return;
    }
  }
  at_ = begin;
  octal();
}

void Lexer::octal() {
  constexpr uint32_t kByteMax = 0xff;
  const std::optional<uint32_t> code = number(8, 1, 3);
  if (!code) {
    fail(kBadEscape);
  } else if (*code > kByteMax) {
    --at_;
    set(TokenKind::kPlain, *code >> 3);
  } else {
    set(TokenKind::kPlain, *code);
  }
}

}  // namespace daedalus::semantics::regular

#include "lexer.hpp"

#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::regular {
namespace {

constexpr std::string_view kBadOperand = "quantifier operand invalid";
constexpr std::string_view kBadOption = "invalid embedded option";
constexpr std::string_view kOpenBracket = "brackets [] not balanced";

std::u32string decoded(std::string_view text) {
  std::u32string made;
  made.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t size = character_size(text[at]);
    const auto first = static_cast<unsigned char>(text[at]);
    char32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
    for (size_t tail = 1; tail < size && at + tail < text.size(); ++tail) {
      code = code << 6 | (static_cast<unsigned char>(text[at + tail]) & 0x3fU);
    }
    made += code;
    at += size;
  }
  return made;
}

}  // namespace

Lexer::Lexer(std::string_view text, const Syntax& syntax) : text_(decoded(text)), syntax_(syntax) {
  const bool is_at_odds = syntax.is_literal && (syntax.is_advanced || syntax.is_extended || syntax.is_expanded ||
                                                syntax.stops_at_newline || syntax.anchors_at_newline);
  if (is_at_odds) {
    fail("invalid argument to regex function");
    return;
  }
  read_prefixes();
  place_ = syntax_.is_literal ? Place::kLiteral : Place::kMain;
  next();
}

void Lexer::fail(std::string_view what) {
  if (!error_) {
    error_ = invalid_expression(what);
  }
  token_ = {TokenKind::kEnd};
}

bool Lexer::skips(std::u32string_view wanted) {
  const bool is_there = is_next(wanted);
  at_ += is_there ? wanted.size() : 0;
  return is_there;
}

bool Lexer::passes(TokenKind kind) {
  if (!is_at(kind)) {
    return false;
  }
  next();
  return true;
}

// ---- what stands before an expression ----

void Lexer::read_prefixes() {
  if (syntax_.is_literal) {
    return;
  }
  if (is_next(U"***") && text_.size() > 3) {
    read_director();
  }
  if (!error_ && syntax_.is_fully_advanced()) {
    read_embedded_options();
  }
}

void Lexer::read_director() {
  const char32_t kind = text_[3];
  if (kind == '=') {
    syntax_.become_literal();
    syntax_.is_expanded = false;
    syntax_.set_newlines(false, false);
  } else if (kind == ':') {
    syntax_.is_advanced = true;
    syntax_.is_extended = true;
  } else {
    fail(kind == '?' ? "invalid regexp (reg version 0.8)" : kBadOperand);
    return;
  }
  at_ = 4;
}

void Lexer::read_embedded_options() {
  constexpr size_t kBefore = 2;
  if (!is_next(U"(?") || at_ + kBefore >= text_.size() || !is_letter(text_[at_ + kBefore])) {
    return;
  }
  at_ += kBefore;
  for (; !is_done() && is_letter(text_[at_]); ++at_) {
    if (!set_embedded_option(text_[at_], syntax_)) {
      fail(kBadOption);
      return;
    }
  }
  if (!skips(U")")) {
    fail(kBadOption);
    return;
  }
  if (syntax_.is_literal) {
    syntax_.is_expanded = false;
    syntax_.set_newlines(false, false);
  }
}

void Lexer::skip_white() {
  while (!is_done()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      while (!is_done() && text_[at_] != '\n') {
        ++at_;
      }
    } else {
      return;
    }
  }
}

// ---- tokens ----

void Lexer::next() {
  do {
    restarts_ = false;
    if (error_) {
      return;
    }
    last_ = token_.kind;
    read();
  } while (restarts_);
}

void Lexer::read() {
  if (syntax_.is_expanded && (place_ == Place::kMain || place_ == Place::kBound)) {
    skip_white();
  }
  if (is_done()) {
    end_of_text();
    return;
  }
  const char32_t c = text_[at_++];
  switch (place_) {
    case Place::kMain:
      syntax_.is_extended ? main(c) : basic(c);
      return;
    case Place::kLiteral:
      set(TokenKind::kPlain, c);
      return;
    case Place::kBound:
      bound(c);
      return;
    case Place::kBracket:
      bracket(c);
      return;
    case Place::kElement:
      name(c, '.');
      return;
    case Place::kEquivalence:
      name(c, '=');
      return;
    case Place::kClassName:
      name(c, ':');
      return;
  }
}

void Lexer::end_of_text() {
  switch (place_) {
    case Place::kMain:
    case Place::kLiteral:
      set(TokenKind::kEnd);
      return;
    case Place::kBound:
      fail("braces {} not balanced");
      return;
    default:
      fail(kOpenBracket);
  }
}

/// A ? behind a quantifier: it prefers few.
void Lexer::quantifier(TokenKind kind) {
  const bool prefers_few = syntax_.is_advanced && skips(U"?");
  set(kind, prefers_few ? 0 : 1);
}

void Lexer::main(char32_t c) {
  switch (c) {
    case '|':
      set(TokenKind::kBar);
      return;
    case '*':
      quantifier(TokenKind::kStar);
      return;
    case '+':
      quantifier(TokenKind::kPlus);
      return;
    case '?':
      quantifier(TokenKind::kQuestion);
      return;
    case '{':
      if (syntax_.is_expanded) {
        skip_white();
      }
      if (is_done() || !is_digit(text_[at_])) {
        set(TokenKind::kPlain, c);
        return;
      }
      place_ = Place::kBound;
      set(TokenKind::kBoundOpen);
      return;
    case '(':
      open();
      return;
    case ')':
      set(TokenKind::kClose, c);
      return;
    case '[':
      static_cast<void>(opens_bracket());
      return;
    case '.':
      set(TokenKind::kAny);
      return;
    case '^':
      set(TokenKind::kCaret);
      return;
    case '$':
      set(TokenKind::kDollar);
      return;
    case '\\':
      if (is_done()) {
        fail(kBadEscape);
      } else if (syntax_.is_advanced) {
        escape();
      } else {
        set(TokenKind::kPlain, text_[at_++]);
      }
      return;
    default:
      set(TokenKind::kPlain, c);
  }
}

/// Brackets, or one of the two that are words' ends.
bool Lexer::opens_bracket() {
  if (skips(U"[:<:]]")) {
    set(TokenKind::kWordBegin);
    return false;
  }
  if (skips(U"[:>:]]")) {
    set(TokenKind::kWordEnd);
    return false;
  }
  place_ = Place::kBracket;
  set(TokenKind::kBracketOpen, skips(U"^") ? 0 : 1);
  return true;
}

void Lexer::open() {
  if (!syntax_.is_advanced || !skips(U"?")) {
    set(TokenKind::kOpen, 1);
    return;
  }
  if (is_done()) {
    fail(kBadOperand);
    return;
  }
  switch (text_[at_++]) {
    case ':':
      set(TokenKind::kOpen, 0);
      return;
    case '#':
      while (!is_done() && text_[at_] != ')') {
        ++at_;
      }
      at_ += is_done() ? 0 : 1;
      restarts_ = true;
      return;
    case '=':
    case '!':
      set(TokenKind::kLookAround);
      return;
    case '<':
      look_behind();
      return;
    default:
      fail(kBadOperand);
  }
}

void Lexer::look_behind() {
  if (skips(U"=") || skips(U"!")) {
    set(TokenKind::kLookAround);
  } else {
    fail(kBadOperand);
  }
}

void Lexer::bound(char32_t c) {
  if (is_digit(c)) {
    set(TokenKind::kDigit, c - '0');
  } else if (c == ',') {
    set(TokenKind::kComma);
  } else if (c == '}' && syntax_.is_extended) {
    place_ = Place::kMain;
    quantifier(TokenKind::kBoundClose);
  } else if (c == '\\' && !syntax_.is_extended && skips(U"}")) {
    place_ = Place::kMain;
    set(TokenKind::kBoundClose, 1);
  } else {
    fail(kBadCount);
  }
}

// ---- basic expressions ----

void Lexer::basic(char32_t c) {
  const bool is_first = last_ == TokenKind::kStart || last_ == TokenKind::kOpen;
  switch (c) {
    case '*':
      if (is_first || last_ == TokenKind::kCaret) {
        set(TokenKind::kPlain, c);
      } else {
        set(TokenKind::kStar, 1);
      }
      return;
    case '[':
      static_cast<void>(opens_bracket());
      return;
    case '.':
      set(TokenKind::kAny);
      return;
    case '^':
      is_first ? set(TokenKind::kCaret) : set(TokenKind::kPlain, c);
      return;
    case '$':
      if (syntax_.is_expanded) {
        skip_white();
      }
      is_done() || is_next(U"\\)") ? set(TokenKind::kDollar) : set(TokenKind::kPlain, c);
      return;
    case '\\':
      basic_escape();
      return;
    default:
      set(TokenKind::kPlain, c);
  }
}

void Lexer::basic_escape() {
  if (is_done()) {
    fail(kBadEscape);
    return;
  }
  const char32_t c = text_[at_++];
  switch (c) {
    case '{':
      place_ = Place::kBound;
      set(TokenKind::kBoundOpen);
      return;
    case '(':
      set(TokenKind::kOpen, 1);
      return;
    case ')':
      set(TokenKind::kClose, c);
      return;
    case '<':
      set(TokenKind::kWordBegin);
      return;
    case '>':
      set(TokenKind::kWordEnd);
      return;
    default:
      if (is_digit(c) && c != '0') {
        set(TokenKind::kBackReference, c - '0');
      } else {
        set(TokenKind::kPlain, c);
      }
  }
}

// ---- brackets ----

void Lexer::bracket(char32_t c) {
  const bool is_first = last_ == TokenKind::kBracketOpen;
  if (c == ']' && !is_first) {
    place_ = Place::kMain;
    set(TokenKind::kBracketClose);
  } else if (c == '\\' && syntax_.is_advanced) {
    bracket_escape();
  } else if (c == '-' && !is_first && !is_next(U"]")) {
    set(TokenKind::kRange, c);
  } else if (c == '[' && is_done()) {
    fail(kOpenBracket);
  } else if (c == '[' && skips(U".")) {
    place_ = Place::kElement;
    set(TokenKind::kElementOpen);
  } else if (c == '[' && skips(U"=")) {
    place_ = Place::kEquivalence;
    set(TokenKind::kEquivalenceOpen);
  } else if (c == '[' && skips(U":")) {
    place_ = Place::kClassName;
    set(TokenKind::kClassOpen);
  } else {
    set(TokenKind::kPlain, c);
  }
}

void Lexer::bracket_escape() {
  if (is_done()) {
    fail(kBadEscape);
    return;
  }
  escape();
  const bool is_of_bracket = is_at(TokenKind::kPlain) || is_at(TokenKind::kClass) || is_at(TokenKind::kNotClass);
  if (!is_of_bracket) {
    fail(kBadEscape);
  }
}

void Lexer::name(char32_t c, char32_t closing) {
  if (c == closing && skips(U"]")) {
    place_ = Place::kBracket;
    set(TokenKind::kNameClose);
  } else {
    set(TokenKind::kPlain, c);
  }
}

}  // namespace daedalus::semantics::regular

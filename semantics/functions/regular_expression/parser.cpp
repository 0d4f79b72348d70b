#include "parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "characters.hpp"
#include "lexer.hpp"
#include "word_ends.hpp"

namespace daedalus::semantics::regular {
namespace {

constexpr uint32_t kCountMax = 255;

Node node_of(CharacterSet set) { return {.kind = Node::Kind::kSet, .set = std::move(set)}; }
Node node_of(Assertion assertion) { return {.kind = Node::Kind::kAssertion, .assertion = assertion}; }

struct Quantifier {
  uint32_t least = 1;
  uint32_t most = 1;
  Preference wanted = Preference::kNone;
};

class Parser {
 public:
  Parser(std::string_view text, const Syntax& syntax) : lexer_(text, syntax) {}

  Result<Expression> parsed() {
    Expression made;
    made.root = choice(TokenKind::kEnd, false);
    if (depth_max_ > kDepthMax) {
      return rejected(
          "0A000", fmt::format("a group in more than {} others in a regular expression is not supported", kDepthMax));
    }
    if (lexer_.error()) {
      return *lexer_.error();
    }
    if (has_word_ends_ && !resolve_word_ends(made.root)) {
      refuse("the beginning or the end of a word (\\m, \\M) beside what may be a word or not");
    }
    if (!refused_.empty()) {
      return rejected("0A000", fmt::format("{} in a regular expression is not supported", refused_),
                      "write the expression without it, or look for that in the application");
    }
    made.captures = captures_;
    made.has_no_word_edge = has_no_word_edge_;
    return made;
  }

 private:
  [[nodiscard]] const Syntax& syntax() const { return lexer_.syntax(); }
  void refuse(std::string_view what) {
    if (refused_.empty()) {
      refused_ = what;
    }
  }

  Node choice(TokenKind closing, bool is_condition);
  Node inner_choice(bool is_condition);
  Node sequence(TokenKind closing, bool is_condition);
  Node item(bool is_condition);
  std::optional<Node> constraint();
  Node constraint_of(Assertion assertion);
  Node look_around();
  Node atom(bool is_condition);
  Node group(bool is_condition);
  Node plain();
  Node bracket();
  void bracket_part(CharacterSet& positive, CharacterSet& negative);
  std::optional<char32_t> range_end();
  std::optional<char32_t> element();
  std::u32string name();
  void back_reference(bool is_condition);
  Quantifier quantifier();
  Quantifier bound();
  uint32_t count();
  Node repeated(Node atom, const Quantifier& quantifier);

  Lexer lexer_;
  std::string refused_;
  uint32_t captures_ = 0;
  std::vector<bool> is_closed_;  ///< By number of a group: it may be referred to.
  uint32_t depth_ = 0;
  uint32_t depth_max_ = 0;
  bool has_no_word_edge_ = false;
  bool has_word_ends_ = false;
};

// ---- choices and sequences ----

Node Parser::choice(TokenKind closing, bool is_condition) {
  Node made{.kind = Node::Kind::kChoice, .traits = {.preference = Preference::kLong}};
  do {
    made.parts.push_back(sequence(closing, is_condition));
    made.traits = joined(made.traits, made.parts.back().traits);
  } while (lexer_.passes(TokenKind::kBar));
  if (!lexer_.is_at(closing)) {
    lexer_.fail("parentheses () not balanced");
  }
  if (made.parts.size() > 1) {
    return made;
  }
  Node only = std::move(made.parts.front());
  return only;
}

/// Up to a closing parenthesis. Beyond kDepthMax nothing is read any more.
Node Parser::inner_choice(bool is_condition) {
  depth_max_ = std::max(depth_max_, ++depth_);
  if (depth_ > kDepthMax) {
    lexer_.fail("regular expression is too complex");
  }
  Node made = choice(TokenKind::kClose, is_condition);
  --depth_;
  return made;
}

Node Parser::sequence(TokenKind closing, bool is_condition) {
  Node made{.kind = Node::Kind::kSequence};
  while (!lexer_.is_at(TokenKind::kBar) && !lexer_.is_at(closing) && !lexer_.is_at(TokenKind::kEnd)) {
    made.parts.push_back(item(is_condition));
    made.traits = joined(made.traits, made.parts.back().traits);
  }
  if (made.parts.size() != 1) {
    return made;
  }
  Node only = std::move(made.parts.front());
  return only;
}

Node Parser::item(bool is_condition) {
  if (std::optional<Node> found = constraint()) {
    return std::move(*found);  // No quantifier goes with it.
  }
  Node made = atom(is_condition);
  const Quantifier times = quantifier();
  if (times.most == 0) {
    return {};  // Its inside is read, and never matched.
  }
  return repeated(std::move(made), times);
}

Node Parser::repeated(Node atom, const Quantifier& quantifier) {
  if (quantifier.least == 1 && quantifier.most == 1 && quantifier.wanted == Preference::kNone) {
    return atom;
  }
  Node made{.kind = Node::Kind::kRepetition,
            .least = quantifier.least,
            .most = quantifier.most,
            .wanted = quantifier.wanted,
            .traits = joined({.preference = quantifier.wanted}, atom.traits)};
  made.parts.push_back(std::move(atom));
  return made;
}

// ---- constraints ----

Node Parser::constraint_of(Assertion assertion) {
  lexer_.next();
  return node_of(assertion);
}

std::optional<Node> Parser::constraint() {
  const bool is_of_lines = syntax().anchors_at_newline;
  switch (lexer_.token().kind) {
    case TokenKind::kCaret:
      return constraint_of(is_of_lines ? Assertion::kLineBegin : Assertion::kTextBegin);
    case TokenKind::kDollar:
      return constraint_of(is_of_lines ? Assertion::kLineEnd : Assertion::kTextEnd);
    case TokenKind::kTextBegin:
      return constraint_of(Assertion::kTextBegin);
    case TokenKind::kTextEnd:
      return constraint_of(Assertion::kTextEnd);
    case TokenKind::kWordEdge:
      return constraint_of(Assertion::kWordEdge);
    case TokenKind::kNoWordEdge:
      has_no_word_edge_ = true;
      return constraint_of(Assertion::kNoWordEdge);
    case TokenKind::kWordBegin:
      has_word_ends_ = true;
      return constraint_of(Assertion::kWordBegin);
    case TokenKind::kWordEnd:
      has_word_ends_ = true;
      return constraint_of(Assertion::kWordEnd);
    case TokenKind::kLookAround:
      return look_around();
    default:
      return std::nullopt;
  }
}

Node Parser::look_around() {
  refuse("a condition on what is before or behind ((?=, (?!, (?<=, (?<!)");
  lexer_.next();
  inner_choice(true);
  lexer_.next();
  return {};
}

// ---- what a quantifier may stand behind ----

Node Parser::atom(bool is_condition) {
  const Token token = lexer_.token();
  switch (token.kind) {
    case TokenKind::kStar:
    case TokenKind::kPlus:
    case TokenKind::kQuestion:
    case TokenKind::kBoundOpen:
      lexer_.fail("quantifier operand invalid");
      return {};
    case TokenKind::kClose:
      if (!syntax().is_extended || syntax().is_advanced) {
        lexer_.fail("parentheses () not balanced");
        return {};
      }
      return plain();
    case TokenKind::kPlain:
      return plain();
    case TokenKind::kBracketOpen:
      return bracket();
    case TokenKind::kClass:
      lexer_.next();
      return node_of(CharacterSet(static_cast<CharacterClass>(token.value)));
    case TokenKind::kNotClass:
      lexer_.next();
      return node_of(CharacterSet(static_cast<CharacterClass>(token.value)).complement());
    case TokenKind::kAny:
      lexer_.next();
      return node_of((syntax().stops_at_newline ? CharacterSet('\n') : CharacterSet()).complement());
    case TokenKind::kOpen:
      return group(is_condition);
    case TokenKind::kBackReference:
      back_reference(is_condition);
      return {};
    default:
      lexer_.fail("\"can't happen\" -- you found a bug");
      return {};
  }
}

Node Parser::plain() {
  CharacterSet set(lexer_.token().value);
  if (syntax().ignores_case) {
    set.add_other_cases();
  }
  lexer_.next();
  return node_of(std::move(set));
}

Node Parser::group(bool is_condition) {
  const bool captures = lexer_.token().value == 1 && !is_condition;
  const uint32_t number = captures ? ++captures_ : 0;
  is_closed_.resize(captures_ + 1);
  lexer_.set_captures(captures_);
  lexer_.next();
  Node made = inner_choice(is_condition);
  lexer_.next();
  if (!captures) {
    return made;
  }
  is_closed_[number] = true;
  Node group{.kind = Node::Kind::kCapture, .capture = number, .traits = made.traits};
  group.traits.has_captures = true;
  group.parts.push_back(std::move(made));
  return group;
}

void Parser::back_reference(bool is_condition) {
  const uint32_t number = lexer_.token().value;
  if (is_condition || number >= is_closed_.size() || !is_closed_[number]) {
    lexer_.fail("invalid backreference number");
    return;
  }
  refuse("a reference back to a group (\\1)");
  lexer_.next();
}

// ---- quantifiers ----

Quantifier Parser::quantifier() {
  const Token token = lexer_.token();
  const Preference wanted = token.value == 0 ? Preference::kShort : Preference::kLong;
  switch (token.kind) {
    case TokenKind::kStar:
      lexer_.next();
      return {0, kUnbounded, wanted};
    case TokenKind::kPlus:
      lexer_.next();
      return {1, kUnbounded, wanted};
    case TokenKind::kQuestion:
      lexer_.next();
      return {0, 1, wanted};
    case TokenKind::kBoundOpen:
      lexer_.next();
      return bound();
    default:
      return {};
  }
}

Quantifier Parser::bound() {
  Quantifier made;
  made.least = made.most = count();
  const bool is_between = lexer_.passes(TokenKind::kComma);
  if (is_between) {
    made.most = lexer_.is_at(TokenKind::kDigit) ? count() : kUnbounded;
  }
  if (made.least > made.most || !lexer_.is_at(TokenKind::kBoundClose)) {
    lexer_.fail(kBadCount);
    return {};
  }
  if (is_between) {
    made.wanted = lexer_.token().value == 0 ? Preference::kShort : Preference::kLong;
  }
  lexer_.next();
  return made;
}

uint32_t Parser::count() {
  uint32_t made = 0;
  while (lexer_.is_at(TokenKind::kDigit) && made < kCountMax) {
    made = made * 10 + lexer_.token().value;
    lexer_.next();
  }
  if (lexer_.is_at(TokenKind::kDigit) || made > kCountMax) {
    lexer_.fail(kBadCount);
    return 0;
  }
  return made;
}

// ---- brackets ----

Node Parser::bracket() {
  const bool is_negated = lexer_.token().value == 0;
  CharacterSet positive;
  CharacterSet negative;  // Classes like \W add to it: letters of other cases are no matter of theirs.
  lexer_.next();
  while (!lexer_.is_at(TokenKind::kBracketClose) && !lexer_.is_at(TokenKind::kEnd)) {
    bracket_part(positive, negative);
  }
  lexer_.next();
  if (syntax().ignores_case) {
    positive.add_other_cases();
  }
  positive.add(negative);
  if (!is_negated) {
    return node_of(std::move(positive));
  }
  if (syntax().stops_at_newline) {
    positive.add('\n', '\n');
  }
  return node_of(positive.complement());
}

void Parser::bracket_part(CharacterSet& positive, CharacterSet& negative) {
  const Token token = lexer_.token();
  switch (token.kind) {
    case TokenKind::kEquivalenceOpen:
      if (const auto one = element()) {
        positive.add(*one, *one);
      }
      return;
    case TokenKind::kClassOpen: {
      const std::optional<CharacterClass> found = class_named(name());
      if (!found) {
        lexer_.fail("invalid character class");
        return;
      }
      positive.add(CharacterSet(*found));
      return;
    }
    case TokenKind::kClass:
      positive.add(CharacterSet(static_cast<CharacterClass>(token.value)));
      lexer_.next();
      return;
    case TokenKind::kNotClass:
      negative.add(CharacterSet(static_cast<CharacterClass>(token.value)).complement());
      lexer_.next();
      return;
    case TokenKind::kPlain:
    case TokenKind::kElementOpen:
      break;
    default:
      lexer_.fail("invalid character range");
      return;
  }
  const std::optional<char32_t> first = element();
  std::optional<char32_t> last = first;
  if (lexer_.passes(TokenKind::kRange)) {
    last = range_end();
  }
  if (!first || !last || lexer_.error()) {
    return;
  }
  if (*first > *last) {
    lexer_.fail("invalid character range");
    return;
  }
  positive.add(*first, *last);
}

std::optional<char32_t> Parser::range_end() {
  if (lexer_.is_at(TokenKind::kRange)) {
    const char32_t made = lexer_.token().value;
    lexer_.next();
    return made;
  }
  if (!lexer_.is_at(TokenKind::kPlain) && !lexer_.is_at(TokenKind::kElementOpen)) {
    lexer_.fail("invalid character range");
    return std::nullopt;
  }
  return element();
}

/// A character, as it is or by its name.
std::optional<char32_t> Parser::element() {
  if (lexer_.is_at(TokenKind::kPlain)) {
    const char32_t made = lexer_.token().value;
    lexer_.next();
    return made;
  }
  const std::optional<char32_t> made = element_named(name());
  if (!made) {
    lexer_.fail("invalid collating element");
  }
  return made;
}

/// Reads what stands between the two marks of a name.
std::u32string Parser::name() {
  std::u32string made;
  for (lexer_.next(); lexer_.is_at(TokenKind::kPlain); lexer_.next()) {
    made += lexer_.token().value;
  }
  lexer_.next();
  return made;
}

}  // namespace

Result<Expression> parse(std::string_view text, const Syntax& syntax) { return Parser(text, syntax).parsed(); }

}  // namespace daedalus::semantics::regular

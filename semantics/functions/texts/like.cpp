// LIKE and ILIKE, as PostgreSQL's like_match.c has them: _ is a character, % any number of them, and a backslash takes
// the next one as it is.
#include "daedalus/semantics/like.hpp"

#include <algorithm>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

enum class Match : uint8_t {
  kNo,
  kYes,
  kEnded,   ///< The text ended before the pattern: no longer piece of it can match either.
  kEscape,  ///< The pattern ends with the escape character.
};

/// One character that stands for itself: its size in the pattern, after the escape; 0 where the pattern has ended.
size_t escaped_size(std::string_view pattern) { return pattern.empty() ? 0 : character_size(pattern[0]); }

Match match(std::string_view text, std::string_view pattern);

/// Behind a %: the rest of the pattern at every place of the text where it may begin.
Match match_anywhere(std::string_view text, std::string_view pattern) {
  while (!pattern.empty() && (pattern[0] == '%' || pattern[0] == '_')) {
    if (pattern[0] == '_') {
      if (text.empty()) {
        return Match::kEnded;
      }
      text.remove_prefix(character_size(text[0]));
    }
    pattern.remove_prefix(1);
  }
  if (pattern.empty()) {
    return Match::kYes;
  }
  if (pattern[0] == '\\' && pattern.size() < 2) {
    return Match::kEscape;
  }
  const char first = pattern[0] == '\\' ? pattern[1] : pattern[0];
  while (!text.empty()) {
    if (text[0] == first) {
      const Match matched = match(text, pattern);
      if (matched != Match::kNo) {
        return matched;
      }
    }
    text.remove_prefix(character_size(text[0]));
  }
  return Match::kEnded;
}

Match match(std::string_view text, std::string_view pattern) {
  while (!text.empty() && !pattern.empty()) {
    if (pattern[0] == '%') {
      return match_anywhere(text, pattern.substr(1));
    }
    if (pattern[0] == '_') {
      text.remove_prefix(character_size(text[0]));
      pattern.remove_prefix(1);
      continue;
    }
    if (pattern[0] == '\\') {
      pattern.remove_prefix(1);
      if (pattern.empty()) {
        return Match::kEscape;
      }
    }
    const size_t size = escaped_size(pattern);
    if (text.substr(0, size) != pattern.substr(0, size)) {
      return Match::kNo;
    }
    text.remove_prefix(size);
    pattern.remove_prefix(size);
  }
  if (!text.empty()) {
    return Match::kNo;
  }
  while (!pattern.empty() && pattern[0] == '%') {
    pattern.remove_prefix(1);
  }
  return pattern.empty() ? Match::kYes : Match::kEnded;
}

/// A char(n) is matched with its blanks.
std::string matched_text(const Value& value, const BoundExpression& call) {
  std::string made = text(value);
  const Type& type = call.arguments[0].type;
  if (type.kind == kChar && made.size() < type.length) {
    made.resize(type.length, ' ');
  }
  return made;
}

template <bool kIgnoresCase, bool kWanted>
Result<Value> like(Arguments arguments, const BoundExpression& call) {
  std::string from = matched_text(arguments[0], call);
  std::string pattern = text(arguments[1]);
  if (kIgnoresCase) {
    from = in_small_letters(std::move(from));
    pattern = in_small_letters(std::move(pattern));
  }
  const Match matched = match(from, pattern);
  if (matched == Match::kEscape) {
    return rejected("22025", "LIKE pattern must not end with escape character");
  }
  return Value((matched == Match::kYes) == kWanted);
}

/// The pattern with a backslash in place of its escape character.
Result<Value> like_escape(Arguments arguments, const BoundExpression&) {
  const std::string_view pattern = text(arguments[0]);
  const std::string_view escape = text(arguments[1]);
  if (!escape.empty() && character_size(escape[0]) != escape.size()) {
    return rejected("22025", "invalid escape string", "Escape string must be empty or one character.");
  }
  if (escape == "\\") {
    return arguments.made(pattern);
  }
  std::string made = arguments.spare_text();
  bool is_escaped = false;
  for (size_t at = 0; at < pattern.size();) {
    const std::string_view character = pattern.substr(at, character_size(pattern[at]));
    at += character.size();
    if (!escape.empty() && character == escape && !is_escaped) {
      made += '\\';
      is_escaped = true;
      continue;
    }
    if (character == "\\" && !is_escaped) {
      made += '\\';
    }
    made += character;
    is_escaped = false;
  }
  return Value(std::move(made));
}

Type type_of_pattern(Expressions arguments) { return text_of(2 * uint64_t{length_max(arguments[0].type)}); }

}  // namespace

void add_like(Functions& functions) {
  Adder adder(functions);
  for (const auto& [first, kind] : {NumberedKind{600, kText}, {604, kChar}}) {
    adder.add_operator(first, "~~", {kind, kText}, kBool, like<false, true>);
    adder.add_operator(first + 1, "!~~", {kind, kText}, kBool, like<false, false>);
    adder.add_operator(first + 2, "~~*", {kind, kText}, kBool, like<true, true>);
    adder.add_operator(first + 3, "!~~*", {kind, kText}, kBool, like<true, false>);
  }
  adder.add(608, "like_escape", {kText, kText}, kText, like_escape, type_of_pattern);
}

}  // namespace daedalus::semantics::scalar

namespace daedalus::semantics {

std::optional<bool> is_like(std::string_view text, std::string_view pattern) {
  const scalar::Match matched = scalar::match(text, pattern);
  return matched == scalar::Match::kEscape ? std::nullopt : std::optional(matched == scalar::Match::kYes);
}

}  // namespace daedalus::semantics

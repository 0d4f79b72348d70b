// A regular expression that has been read.
#pragma once

#include <cstdint>
#include <vector>

#include "character_set.hpp"

namespace daedalus::semantics::regular {

enum class Assertion : uint8_t {
  kTextBegin,
  kTextEnd,
  kLineBegin,
  kLineEnd,
  kWordEdge,
  kNoWordEdge,
  kWordBegin,  ///< Only while it is read: see resolve_word_ends().
  kWordEnd,
};

/// Says whether an expression, of several matches at one place, prefers the long or the short one.
enum class Preference : uint8_t { kNone, kLong, kShort };

/// These traits say what a part of an expression is to the expression around it.
struct Traits {
  Preference preference = Preference::kNone;
  bool is_mixed = false;  ///< Parts of it prefer differently.
  bool has_captures = false;

  /// Says whether it matters which part takes what.
  [[nodiscard]] bool is_dissected() const { return is_mixed || has_captures; }

  /// One behind, or around, the other: the first preference counts.
  [[nodiscard]] friend Traits joined(const Traits& first, const Traits& second) {
    const bool differ = first.preference != Preference::kNone && second.preference != Preference::kNone &&
                        first.preference != second.preference;
    return {first.preference != Preference::kNone ? first.preference : second.preference,
            first.is_mixed || second.is_mixed || differ, first.has_captures || second.has_captures};
  }
};

constexpr uint32_t kUnbounded = 256;  ///< More than a bound may say.

struct Node {
  enum class Kind : uint8_t {
    kEmpty,
    kSet,
    kAssertion,
    kSequence,
    kChoice,
    kRepetition,  ///< It repeats its one part.
    kCapture,     ///< It captures its one part.
  };

  Kind kind = Kind::kEmpty;
  CharacterSet set = {};                  ///< kSet
  Assertion assertion{};                  ///< kAssertion
  uint32_t least = 1;                     ///< kRepetition
  uint32_t most = 1;                      ///< kRepetition; kUnbounded: any number.
  Preference wanted = Preference::kNone;  ///< kRepetition: what its quantifier says.
  uint32_t capture = 0;                   ///< kCapture: its number, from 1.
  Traits traits = {};
  std::vector<Node> parts = {};
};

/// An expression as a whole.
struct Expression {
  Node root;
  uint32_t captures = 0;          ///< As many groups as are counted.
  bool has_no_word_edge = false;  ///< \Y is in it.
};

}  // namespace daedalus::semantics::regular

#include "word_ends.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace daedalus::semantics::regular {
namespace {

/// Says what a part begins with, or ends with, and whether it may be nothing.
struct Edge {
  CharacterSet set;
  bool may_be_empty = false;
};

Edge edge_of(const Node& node, bool of_begin);

Edge edge_of_sequence(const Node& node, bool of_begin) {
  Edge edge{.set = {}, .may_be_empty = true};
  const auto add = [&](const Node& part) {
    if (edge.may_be_empty) {
      const Edge next = edge_of(part, of_begin);
      edge.set.add(next.set);
      edge.may_be_empty = next.may_be_empty;
    }
  };
  if (of_begin) {
    std::for_each(node.parts.begin(), node.parts.end(), add);
  } else {
    std::for_each(node.parts.rbegin(), node.parts.rend(), add);
  }
  return edge;
}

Edge edge_of(const Node& node, bool of_begin) {
  switch (node.kind) {
    case Node::Kind::kSet:
      return {.set = node.set, .may_be_empty = false};
    case Node::Kind::kEmpty:
    case Node::Kind::kAssertion:
      return {.set = {}, .may_be_empty = true};
    case Node::Kind::kSequence:
    case Node::Kind::kCapture:
      return edge_of_sequence(node, of_begin);
    case Node::Kind::kChoice: {
      Edge edge;
      for (const Node& part : node.parts) {
        const Edge one = edge_of(part, of_begin);
        edge.set.add(one.set);
        edge.may_be_empty = edge.may_be_empty || one.may_be_empty;
      }
      return edge;
    }
    case Node::Kind::kRepetition: {
      Edge edge = edge_of(node.parts[0], of_begin);
      edge.may_be_empty = edge.may_be_empty || node.least == 0;
      return edge;
    }
  }
  return {};
}

/// Says whether all of it, or nothing of it, is of words.
std::optional<bool> is_of_words(const CharacterSet& set) {
  CharacterSet words(CharacterClass::kWord);
  const auto before = words.ranges();
  words.add(set);
  if (words.ranges() == before) {
    return true;
  }
  CharacterSet others = CharacterSet(CharacterClass::kWord).complement();
  const auto others_before = others.ranges();
  others.add(set);
  return others.ranges() == others_before ? std::optional(false) : std::nullopt;
}

bool is(const Node& node, Assertion assertion) {
  return node.kind == Node::Kind::kAssertion && node.assertion == assertion;
}

/// Says whether the next character behind a place of a sequence, or before it, is of a word: nothing where that is not
/// sure.
std::optional<bool> is_word_beside(const Node& sequence, size_t place, bool behind) {
  const auto beside = [&](size_t distance) -> const Node* {
    const size_t left = behind ? sequence.parts.size() - place - 1 : place;
    return distance > left ? nullptr : &sequence.parts[behind ? place + distance : place - distance];
  };
  size_t distance = 1;
  const Node* next = beside(distance);
  for (; next != nullptr && next->kind == Node::Kind::kAssertion; next = beside(++distance)) {
    if (is(*next, behind ? Assertion::kTextEnd : Assertion::kTextBegin)) {
      return false;
    }
  }
  if (next == nullptr) {
    return std::nullopt;
  }
  const Edge edge = edge_of(*next, behind);
  return edge.may_be_empty ? std::nullopt : is_of_words(edge.set);
}

bool resolve(Node& sequence, size_t place) {
  Node& node = sequence.parts[place];
  const bool is_begin = is(node, Assertion::kWordBegin);
  if (!is_begin && !is(node, Assertion::kWordEnd)) {
    return true;
  }
  const std::optional<bool> behind = is_word_beside(sequence, place, true);
  const std::optional<bool> before = is_word_beside(sequence, place, false);
  if (!behind && !before) {
    return false;
  }
  const bool can_be = behind.value_or(is_begin) == is_begin && before.value_or(!is_begin) != is_begin;
  node =
      can_be ? Node{.kind = Node::Kind::kAssertion, .assertion = Assertion::kWordEdge} : Node{.kind = Node::Kind::kSet};
  return true;
}

}  // namespace

bool resolve_word_ends(Node& node) {
  if (is(node, Assertion::kWordBegin) || is(node, Assertion::kWordEnd)) {
    return false;
  }
  for (size_t place = 0; place < node.parts.size(); ++place) {
    if (node.kind == Node::Kind::kSequence && !resolve(node, place)) {
      return false;
    }
    if (!resolve_word_ends(node.parts[place])) {
      return false;
    }
  }
  return true;
}

}  // namespace daedalus::semantics::regular

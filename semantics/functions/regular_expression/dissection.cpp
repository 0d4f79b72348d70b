#include "dissection.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/evaluation_watch.hpp"
#include "printer.hpp"

namespace daedalus::semantics::regular {
namespace {

/// Automata of one expression, each of which takes memory.
constexpr size_t kPartsMax = 64;
/// The character that ends before a place begins there. Precondition: there is one.
size_t before(std::string_view text, size_t place) {
  --place;
  while (place > 0 && !is_first_byte(text[place])) {
    --place;
  }
  return place;
}

}  // namespace

/// A part of an expression that is to be dissected; others are known by their numbers.
struct Dissection::Part {
  enum class Kind : uint8_t {
    kPlain,       ///< No group in it.
    kSequence,    ///< Two parts.
    kChoice,      ///< Its parts are alternatives.
    kRepetition,  ///< It has its one part any number of times.
    kCapture,     ///< It captures its one part.
  };
  Kind kind = Kind::kPlain;
  Matcher matcher;
  bool prefers_short = false;
  uint32_t capture = 0;
  uint32_t most = 1;
  std::vector<size_t> parts = {};
  std::vector<uint32_t> captures = {};  ///< kRepetition: all groups in it.
};

Dissection::Dissection(std::vector<Part> parts) : parts_(std::move(parts)) {}
Dissection::~Dissection() = default;
Dissection::Dissection(Dissection&&) noexcept = default;
Dissection& Dissection::operator=(Dissection&&) noexcept = default;

size_t Dissection::automaton_count() const { return parts_.size(); }

// ---- making parts ----

class Dissection::Maker {
 public:
  using Number = Result<size_t>;

  Number of(const Node& node) {
    if (!node.traits.has_captures) {
      return plain(std::span(&node, 1), node.traits.preference);
    }
    switch (node.kind) {
      case Node::Kind::kSequence:
        return of_sequence(node.parts);
      case Node::Kind::kChoice:
        return of_parts(Part::Kind::kChoice, node);
      case Node::Kind::kCapture:
        return of_parts(Part::Kind::kCapture, node);
      case Node::Kind::kRepetition:
        return of_repetition(node);
      default:
        return plain(std::span(&node, 1), node.traits.preference);
    }
  }

  [[nodiscard]] std::vector<Part> take() { return std::move(parts_); }

 private:
  Number add(Part::Kind kind, const std::string& pattern, Preference preference, std::vector<size_t> parts = {}) {
    if (parts_.size() >= kPartsMax) {
      return rejected("0A000", "so many groups in a regular expression are not supported");
    }
    auto matcher = Matcher::make(pattern, kPartMemoryMax);
    if (!matcher) {
      return matcher.error();
    }
    parts_.push_back({.kind = kind,
                      .matcher = std::move(*matcher),
                      .prefers_short = preference == Preference::kShort,
                      .parts = std::move(parts)});
    return parts_.size() - 1;
  }

  Number plain(std::span<const Node> nodes, Preference preference) {
    return add(Part::Kind::kPlain, printed(nodes), preference);
  }

  Number of_parts(Part::Kind kind, const Node& node) {
    std::vector<size_t> parts;
    for (const Node& part : node.parts) {
      const Number made = of(part);
      if (!made) {
        return made;
      }
      parts.push_back(*made);
    }
    const Number made = add(kind, printed(node), node.traits.preference, std::move(parts));
    if (made) {
      parts_[*made].capture = node.capture;
    }
    return made;
  }

  /// Nodes that need no dissection are one part, up to one that does or prefers otherwise; that one and the rest are
  /// two more.
  Number of_sequence(std::span<const Node> nodes) {
    Traits traits;
    for (size_t place = 0; place < nodes.size(); ++place) {
      const Traits with = joined(traits, nodes[place].traits);
      if (!with.is_dissected()) {
        traits = with;
        continue;
      }
      const Number rest = in_sequence(nodes.subspan(place, 1), nodes.subspan(place + 1));
      if (!rest || place == 0) {
        return rest;
      }
      const Number first = plain(nodes.first(place), traits.preference);
      return first ? pair(*first, *rest, nodes) : first;
    }
    return plain(nodes, traits.preference);
  }

  Number in_sequence(std::span<const Node> first, std::span<const Node> rest) {
    const Number one = of(first.front());
    if (!one || rest.empty()) {
      return one;
    }
    const Number other = of_sequence(rest);
    return other ? pair(*one, *other, std::span(first.data(), rest.size() + 1)) : other;
  }

  Number pair(size_t first, size_t rest, std::span<const Node> nodes) {
    Traits traits;
    for (const Node& node : nodes) {
      traits = joined(traits, node.traits);
    }
    return add(Part::Kind::kSequence, printed(nodes), traits.preference, {first, rest});
  }

  /// Groups are those of the last one where there has to be one: the others are a part without groups.
  Number of_repetition(const Node& node) {
    const Node& inner = node.parts[0];
    const bool says_nothing = node.wanted == Preference::kNone || inner.traits.preference == Preference::kNone ||
                              node.wanted == inner.traits.preference;
    if (node.least == 1 && node.most == 1 && says_nothing) {
      return of(inner);
    }
    if (node.least == 0) {
      const Number made = of_parts(Part::Kind::kRepetition, node);
      if (made) {
        parts_[*made].most = node.most;
        add_captures(inner, parts_[*made].captures);
      }
      return made;
    }
    Node before = node;
    before.least = node.least - 1;
    before.most = node.most == kUnbounded ? kUnbounded : node.most - 1;
    const Number first = plain(std::span(&before, 1), node.traits.preference);
    const Number last = first ? of(inner) : first;
    return last ? pair(*first, *last, std::span(&node, 1)) : last;
  }

  static void add_captures(const Node& node, std::vector<uint32_t>& captures) {
    if (node.kind == Node::Kind::kCapture) {
      captures.push_back(node.capture);
    }
    for (const Node& part : node.parts) {
      add_captures(part, captures);
    }
  }

  std::vector<Part> parts_;
};

Result<Dissection> Dissection::make(const Node& root) {
  Maker maker;
  if (const auto whole = maker.of(root); !whole) {
    return whole.error();
  }
  return Dissection(maker.take());
}

// ---- one match ----

class Dissection::Run {
 public:
  Run(const std::vector<Part>& parts, std::string_view text, std::span<TextSpan> groups, std::vector<size_t>& ends)
      : parts_(parts), text_(text), groups_(groups), ends_(ends) {}

  [[nodiscard]] Error error() const {
    return is_wrong_ ? rejected("XX000", "the groups of a regular expression are not to be found in what it matches")
                     : rejected("54000", "the groups of a regular expression take too long to be found in a text",
                                "match a shorter part of the text, or write fewer repetitions in repetitions");
  }

  /// False: there is an error.
  bool dissect(size_t number, TextSpan span) {
    const Part& part = parts_[number];
    switch (part.kind) {
      case Part::Kind::kPlain:
        return true;
      case Part::Kind::kSequence:
        return part_sequence(part, span);
      case Part::Kind::kChoice:
        return choose(part, span);
      case Part::Kind::kRepetition:
        return part_repetition(part, span);
      case Part::Kind::kCapture:
        groups_[part.capture - 1] = span;
        return dissect(part.parts[0], span);
    }
    return true;
  }

 private:
  /// False: that is more than one dissection may take, or nobody waits for it any more.
  bool spends(const Part& part, size_t bytes) {
    const uint64_t steps = part.matcher.steps_of(bytes);
    steps_ += steps;
    is_ended_ = is_ended_ || steps_ > kStepsMax || is_evaluation_over(steps);
    return !is_ended_;
  }

  bool choose(const Part& part, TextSpan span) {
    for (const size_t each : part.parts) {
      if (!spends(parts_[each], span.end - span.begin)) {
        return false;
      }
      if (parts_[each].matcher.is_match(text_, span)) {
        return dissect(each, span);
      }
    }
    return is_impossible();
  }

  bool part_sequence(const Part& part, TextSpan span) {
    const Part& first = parts_[part.parts[0]];
    const Part& rest = parts_[part.parts[1]];
    std::optional<size_t> middle = first.prefers_short ? std::optional(span.begin) : long_end(first, span);
    while (middle) {
      if (!spends(first, *middle - span.begin) || !spends(rest, span.end - *middle)) {
        return false;
      }
      const TextSpan head{span.begin, *middle};
      const TextSpan tail{*middle, span.end};
      const bool is_first = !first.prefers_short || first.matcher.is_match(text_, head);
      if (is_first && rest.matcher.is_match(text_, tail)) {
        return dissect(part.parts[0], head) && dissect(part.parts[1], tail);
      }
      middle = first.prefers_short ? next_of(*middle, span.end) : shorter_end(first, head);
    }
    return is_impossible();
  }

  [[nodiscard]] std::optional<size_t> long_end(const Part& part, TextSpan span) const {
    return part.matcher.longest_at(text_, span.begin, span.end);
  }
  [[nodiscard]] std::optional<size_t> shorter_end(const Part& part, TextSpan span) const {
    return span.end == span.begin ? std::nullopt : part.matcher.longest_at(text_, span.begin, before(text_, span.end));
  }
  [[nodiscard]] std::optional<size_t> next_of(size_t place, size_t end) const {
    return place >= end ? std::nullopt : std::optional(place + character_size(text_[place]));
  }

  /// Repetitions one behind the other, each as it prefers, so that the last one ends where all of them do: the ends of
  /// those that are under way are at the back of `ends_`.
  bool part_repetition(const Part& part, TextSpan span) {
    const Part& inner = parts_[part.parts[0]];
    if (span.begin == span.end) {
      // Nothing is matched by one that takes nothing, and if it prefers the short, by none.
      return inner.prefers_short || !inner.matcher.is_match(text_, span) || dissect(part.parts[0], span);
    }
    const size_t base = ends_.size();
    const bool is_done = inner.prefers_short ? repeat_short(part, span, base) : repeat_long(part, span, base);
    bool is_fine = is_done;
    size_t begin = span.begin;
    const size_t count = ends_.size() - base;
    for (size_t number = 0; is_fine && number < count; ++number) {
      const size_t end = ends_[base + number];
      for (const uint32_t capture : part.captures) {
        groups_[capture - 1] = {};
      }
      is_fine = dissect(part.parts[0], {begin, end});
      begin = end;
    }
    ends_.resize(base);
    return is_fine;
  }

  bool repeat_long(const Part& part, TextSpan span, size_t base) {
    const Part& inner = parts_[part.parts[0]];
    size_t limit = span.end;
    while (true) {
      const size_t begin = ends_.size() == base ? span.begin : ends_.back();
      if (!spends(inner, limit - begin)) {
        return false;
      }
      const std::optional<size_t> end = limit > begin ? inner.matcher.longest_at(text_, begin, limit) : std::nullopt;
      const bool may_go_on = part.most == kUnbounded || ends_.size() - base + 1 < part.most;
      if (end && *end > begin && (*end == span.end || may_go_on)) {
        ends_.push_back(*end);
        if (*end == span.end) {
          return true;
        }
        limit = span.end;
        continue;
      }
      if (ends_.size() == base) {
        return is_impossible();
      }
      // The one before has to be shorter.
      limit = before(text_, ends_.back());
      ends_.pop_back();
    }
  }

  bool repeat_short(const Part& part, TextSpan span, size_t base) {
    const Part& inner = parts_[part.parts[0]];
    size_t from = next_of(span.begin, span.end).value_or(span.end);
    while (true) {
      const size_t begin = ends_.size() == base ? span.begin : ends_.back();
      const bool is_last = part.most != kUnbounded && ends_.size() - base + 1 >= part.most;
      const std::optional<size_t> end = first_end(inner, begin, is_last ? span.end : from, span.end);
      if (is_ended_) {
        return false;
      }
      if (end) {
        ends_.push_back(*end);
        if (*end == span.end) {
          return true;
        }
        from = *next_of(*end, span.end);
        continue;
      }
      if (ends_.size() == base) {
        return is_impossible();
      }
      // The one before has to be longer.
      from = *next_of(ends_.back(), span.end);
      ends_.pop_back();
    }
  }

  /// The first end, from a place on, with which a part matches.
  std::optional<size_t> first_end(const Part& part, size_t begin, size_t from, size_t limit) {
    for (size_t end = from; end <= limit; end += end < limit ? character_size(text_[end]) : 1) {
      if (!spends(part, end - begin)) {
        return std::nullopt;
      }
      if (part.matcher.is_match(text_, {begin, end})) {
        return end;
      }
    }
    return std::nullopt;
  }

  /// A text that matches as a whole has parts that match: otherwise this is wrong, and no text may end a node by it.
  bool is_impossible() {
    is_wrong_ = true;
    return false;
  }

  const std::vector<Part>& parts_;
  std::string_view text_;
  std::span<TextSpan> groups_;
  std::vector<size_t>& ends_;
  uint64_t steps_ = 0;
  bool is_ended_ = false;  ///< It is given up.
  bool is_wrong_ = false;
};

Result<void> Dissection::dissect(std::string_view text, TextSpan match, std::span<TextSpan> groups) {
  std::fill(groups.begin(), groups.end(), TextSpan{});
  ends_.clear();
  Run run(parts_, text, groups, ends_);
  return run.dissect(parts_.size() - 1, match) ? Result<void>() : run.error();
}

}  // namespace daedalus::semantics::regular

// Which part of a match each group of an expression takes: PostgreSQL's rules, over the tree as it was read.
//
// A sequence gives its first part what that prefers, long or short, of what leaves the rest a match; a choice is the
// first of its alternatives that matches the whole; a repetition's group is its last one. An automaton of the whole
// expression, which is what finds the match, knows none of that.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "matcher.hpp"
#include "tree.hpp"

namespace daedalus::semantics::regular {

class Dissection {
 public:
  /// Error 0A000: a part is too large, or there are too many.
  [[nodiscard]] static Result<Dissection> make(const Node& root);

  [[nodiscard]] size_t automaton_count() const;

  /// The groups of a match of the whole expression, by their numbers less one: `groups` has one of each, and those that
  /// take no part are nowhere. Error 54000: it would take too long.
  [[nodiscard]] Result<void> dissect(std::string_view text, TextSpan match, std::span<TextSpan> groups);

 private:
  struct Part;

  explicit Dissection(std::vector<Part> parts);
  class Maker;
  class Run;

 public:
  ~Dissection();
  Dissection(Dissection&&) noexcept;
  Dissection& operator=(Dissection&&) noexcept;

 private:
  std::vector<Part> parts_;   ///< The last one is the whole.
  std::vector<size_t> ends_;  ///< Repetitions under way end here; the room stays.
};

}  // namespace daedalus::semantics::regular

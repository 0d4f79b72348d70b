// Expressions that a thread has matched lately: most statements ask with one and the same for every row.
#include <array>
#include <string>
#include <utility>

#include "expression.hpp"

namespace daedalus::semantics {
namespace {

using regular::Syntax;

/// A thread keeps so many expressions and automata, which take 72 MiB at most together, mostly some kilobytes.
constexpr size_t kKeptMax = 32;
constexpr size_t kAutomataMax = 96;

class KeptExpressions {
 public:
  Result<RegularExpression*> get(std::string_view pattern, const Syntax& syntax) {
    if (entries_[last_].is(pattern, syntax)) {
      return entries_[last_].expression.get();
    }
    drop_what_is_too_much();
    if (const size_t place = find(pattern, syntax); place < kKeptMax) {
      last_ = place;
      return entries_[place].expression.get();
    }
    auto made = RegularExpression::read(pattern, syntax);
    if (!made) {
      return made.error();
    }
    next_ = (next_ + 1) % kKeptMax;
    last_ = next_;
    entries_[last_] = {std::string(pattern), syntax, std::move(*made)};
    return entries_[last_].expression.get();
  }

 private:
  struct Entry {
    std::string pattern;
    Syntax syntax;
    std::unique_ptr<RegularExpression> expression;

    [[nodiscard]] bool is(std::string_view wanted, const Syntax& with) const {
      return expression != nullptr && pattern == wanted && syntax == with;
    }
  };

  [[nodiscard]] static size_t automata_of(const Entry& entry) {
    return entry.expression == nullptr ? 0 : entry.expression->automaton_count();
  }

  /// The oldest first. Some have more automata by now than when they were made.
  void drop_what_is_too_much() {
    size_t count = 0;
    for (const Entry& entry : entries_) {
      count += automata_of(entry);
    }
    for (size_t place = next_ + 1; count > kAutomataMax; ++place) {
      Entry& oldest = entries_[place % kKeptMax];
      count -= automata_of(oldest);
      oldest = {};
    }
  }

  [[nodiscard]] size_t find(std::string_view pattern, const Syntax& syntax) const {
    size_t place = 0;
    while (place < kKeptMax && !entries_[place].is(pattern, syntax)) {
      ++place;
    }
    return place;
  }

  std::array<Entry, kKeptMax> entries_;
  size_t last_ = 0;  ///< It was asked for last.
  size_t next_ = 0;  ///< It was made last.
};

}  // namespace

Result<RegularExpression*> kept_expression(std::string_view pattern, const Syntax& syntax) {
  thread_local KeptExpressions kept;
  return kept.get(pattern, syntax);
}

Result<RegularExpression*> kept_expression(std::string_view pattern, bool ignores_case) {
  return kept_expression(pattern, Syntax{.ignores_case = ignores_case});
}

bool is_found(RegularExpression& expression, std::string_view text) { return expression.is_found(text); }

uint64_t match_steps(const RegularExpression& expression, size_t bytes) { return expression.steps_of(bytes); }

}  // namespace daedalus::semantics

// Templates of numbers and of SQL timestamps have this in common: patterns, in capitals or in small letters throughout,
// and everything else, which stands for itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::scalar {

/// Says whether the text goes on with a pattern's name: as it is written, or all of it in small letters.
[[nodiscard]] inline bool is_next(std::string_view text, std::string_view name, bool is_small) {
  return text.size() >= name.size() && std::equal(name.begin(), name.end(), text.begin(), [&](char wanted, char c) {
           return (is_small ? to_lower(wanted) : wanted) == c;
         });
}

/// Patterns that are ascending by their first letters, which are of ASCII.
template <typename Pattern, size_t kCount>
class PatternTable {
 public:
  explicit constexpr PatternTable(const Pattern (&patterns)[kCount]) : patterns_(patterns) {
    size_t at = 0;
    for (size_t letter = 0; letter < begins_.size(); ++letter) {
      while (at < kCount && static_cast<size_t>(patterns[at].name.front()) < letter) {
        ++at;
      }
      begins_[letter] = static_cast<uint8_t>(at);
    }
  }

  /// Gives the patterns that may begin with this letter, in capitals or not.
  [[nodiscard]] std::span<const Pattern> from(char letter) const {
    const auto place = static_cast<uint8_t>(to_upper(letter));
    return place + 1u < begins_.size() ? std::span(patterns_ + begins_[place], patterns_ + begins_[place + 1u])
                                       : std::span<const Pattern>();
  }

 private:
  static_assert(kCount < 256);
  static constexpr size_t kLetters = 128;

  const Pattern* patterns_;
  std::array<uint8_t, kLetters + 1> begins_{};
};

/// A template that is read from its front, without memory of its own: the text has to outlive what is taken.
class TemplateText {
 public:
  explicit TemplateText(std::string_view text) : left_(text) {}

  [[nodiscard]] std::string_view left() const { return left_; }
  [[nodiscard]] bool empty() const { return left_.empty(); }

  std::string_view take(size_t bytes) {
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(taken.size());
    return taken;
  }

  /// The next character in quotes, or of those that begin here. Nothing: none do, or they are empty. In quotes each
  /// character may have a backslash before it, and the text's end ends them, too.
  std::optional<std::string_view> take_quoted() {
    while (is_quoted_ || left_.starts_with('"')) {
      take(is_quoted_ ? 0 : 1);
      is_quoted_ = !left_.empty() && left_.front() != '"';
      if (is_quoted_) {
        take(left_.front() == '\\' && left_.size() > 1 ? 1 : 0);
        return take_character();
      }
      take(1);
    }
    return std::nullopt;
  }

  /// A character outside of quotes, which may be one itself behind a backslash.
  std::string_view take_unquoted() {
    take(left_.starts_with("\\\"") ? 1 : 0);
    return take_character();
  }

 private:
  std::string_view take_character() { return take(character_size(left_.front())); }

  std::string_view left_;
  bool is_quoted_ = false;
};

}  // namespace daedalus::semantics::scalar

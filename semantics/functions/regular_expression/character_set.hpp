// Sets of characters by their numbers: what one place of a regular expression takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace daedalus::semantics::regular {

constexpr char32_t kCodeMax = 0x10ffff;

/// The classes that have names. Under the C locale, which is ours, they are of ASCII.
enum class CharacterClass : uint8_t {
  kAlnum,
  kAlpha,
  kAscii,
  kBlank,
  kCntrl,
  kDigit,
  kGraph,
  kLower,
  kPrint,
  kPunct,
  kSpace,
  kUpper,
  kXdigit,
  kWord,
};

[[nodiscard]] std::optional<CharacterClass> class_named(std::u32string_view name);

/// Gives what a name within `[. .]` or `[= =]` stands for: one character stands for itself.
[[nodiscard]] std::optional<char32_t> element_named(std::u32string_view name);

class CharacterSet {
 public:
  struct Range {
    char32_t first;
    char32_t last;
    friend bool operator==(const Range&, const Range&) = default;
  };

  CharacterSet() = default;
  explicit CharacterSet(char32_t one) { add(one, one); }
  explicit CharacterSet(CharacterClass one);

  /// Adds a range of characters; those beyond Unicode are in no text.
  void add(char32_t first, char32_t last);
  void add(const CharacterSet& other);
  /// Letters of ASCII are large and small ones.
  void add_other_cases();
  [[nodiscard]] CharacterSet complement() const;

  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  [[nodiscard]] bool has(char32_t code) const;
  [[nodiscard]] bool is_full() const;
  /// The one character that it has.
  [[nodiscard]] std::optional<char32_t> single() const;

 private:
  std::vector<Range> ranges_;  ///< Ascending; there is something between any two.
};

}  // namespace daedalus::semantics::regular

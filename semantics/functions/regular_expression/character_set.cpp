#include "character_set.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace daedalus::semantics::regular {
namespace {

using Range = CharacterSet::Range;

/// In the order of CharacterClass.
constexpr std::array<std::string_view, 14> kClassNames{"alnum", "alpha", "ascii", "blank", "cntrl", "digit",  "graph",
                                                       "lower", "print", "punct", "space", "upper", "xdigit", "word"};

constexpr Range kAlnum[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
constexpr Range kAlpha[] = {{'A', 'Z'}, {'a', 'z'}};
constexpr Range kAscii[] = {{0, 0x7f}};
constexpr Range kBlank[] = {{'\t', '\t'}, {' ', ' '}};
constexpr Range kCntrl[] = {{0, 0x1f}, {0x7f, 0x9f}};
constexpr Range kDigit[] = {{'0', '9'}};
constexpr Range kGraph[] = {{'!', '~'}};
constexpr Range kLower[] = {{'a', 'z'}};
constexpr Range kPrint[] = {{' ', '~'}};
constexpr Range kPunct[] = {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
constexpr Range kSpace[] = {{'\t', '\r'}, {' ', ' '}};
constexpr Range kUpper[] = {{'A', 'Z'}};
constexpr Range kXdigit[] = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
constexpr Range kWord[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};

constexpr std::array<std::span<const Range>, 14> kClasses{kAlnum, kAlpha, kAscii, kBlank, kCntrl, kDigit,  kGraph,
                                                          kLower, kPrint, kPunct, kSpace, kUpper, kXdigit, kWord};

/// POSIX's names of characters: those without a graphic, and of several words.
constexpr std::pair<std::string_view, char> kElements[] = {
    {"NUL", '\0'},
    {"SOH", '\1'},
    {"STX", '\2'},
    {"ETX", '\3'},
    {"EOT", '\4'},
    {"ENQ", '\5'},
    {"ACK", '\6'},
    {"BEL", '\7'},
    {"alert", '\7'},
    {"BS", '\b'},
    {"backspace", '\b'},
    {"HT", '\t'},
    {"tab", '\t'},
    {"LF", '\n'},
    {"newline", '\n'},
    {"VT", '\v'},
    {"vertical-tab", '\v'},
    {"FF", '\f'},
    {"form-feed", '\f'},
    {"CR", '\r'},
    {"carriage-return", '\r'},
    {"SO", '\x0e'},
    {"SI", '\x0f'},
    {"DLE", '\x10'},
    {"DC1", '\x11'},
    {"DC2", '\x12'},
    {"DC3", '\x13'},
    {"DC4", '\x14'},
    {"NAK", '\x15'},
    {"SYN", '\x16'},
    {"ETB", '\x17'},
    {"CAN", '\x18'},
    {"EM", '\x19'},
    {"SUB", '\x1a'},
    {"ESC", '\x1b'},
    {"IS4", '\x1c'},
    {"FS", '\x1c'},
    {"IS3", '\x1d'},
    {"GS", '\x1d'},
    {"IS2", '\x1e'},
    {"RS", '\x1e'},
    {"IS1", '\x1f'},
    {"US", '\x1f'},
    {"space", ' '},
    {"exclamation-mark", '!'},
    {"quotation-mark", '"'},
    {"number-sign", '#'},
    {"dollar-sign", '$'},
    {"percent-sign", '%'},
    {"ampersand", '&'},
    {"apostrophe", '\''},
    {"left-parenthesis", '('},
    {"right-parenthesis", ')'},
    {"asterisk", '*'},
    {"plus-sign", '+'},
    {"comma", ','},
    {"hyphen", '-'},
    {"hyphen-minus", '-'},
    {"period", '.'},
    {"full-stop", '.'},
    {"slash", '/'},
    {"solidus", '/'},
    {"zero", '0'},
    {"one", '1'},
    {"two", '2'},
    {"three", '3'},
    {"four", '4'},
    {"five", '5'},
    {"six", '6'},
    {"seven", '7'},
    {"eight", '8'},
    {"nine", '9'},
    {"colon", ':'},
    {"semicolon", ';'},
    {"less-than-sign", '<'},
    {"equals-sign", '='},
    {"greater-than-sign", '>'},
    {"question-mark", '?'},
    {"commercial-at", '@'},
    {"left-square-bracket", '['},
    {"backslash", '\\'},
    {"reverse-solidus", '\\'},
    {"right-square-bracket", ']'},
    {"circumflex", '^'},
    {"circumflex-accent", '^'},
    {"underscore", '_'},
    {"low-line", '_'},
    {"grave-accent", '`'},
    {"left-brace", '{'},
    {"left-curly-bracket", '{'},
    {"vertical-line", '|'},
    {"right-brace", '}'},
    {"right-curly-bracket", '}'},
    {"tilde", '~'},
    {"DEL", '\x7f'},
};

bool is_equal(std::u32string_view name, std::string_view ascii) {
  return std::equal(name.begin(), name.end(), ascii.begin(), ascii.end(),
                    [](char32_t left, char right) { return left == static_cast<unsigned char>(right); });
}

}  // namespace

std::optional<CharacterClass> class_named(std::u32string_view name) {
  const auto found =
      std::find_if(kClassNames.begin(), kClassNames.end(), [&](std::string_view each) { return is_equal(name, each); });
  return found == kClassNames.end() ? std::nullopt
                                    : std::optional(static_cast<CharacterClass>(found - kClassNames.begin()));
}

std::optional<char32_t> element_named(std::u32string_view name) {
  if (name.size() == 1) {
    return name.front();
  }
  for (const auto& [each, code] : kElements) {
    if (is_equal(name, each)) {
      return static_cast<char32_t>(code);
    }
  }
  return std::nullopt;
}

CharacterSet::CharacterSet(CharacterClass one) {
  for (const Range& range : kClasses[static_cast<size_t>(one)]) {
    add(range.first, range.last);
  }
}

void CharacterSet::add(char32_t first, char32_t last) {
  last = std::min(last, kCodeMax);
  if (first > last) {
    return;
  }
  // All that it touches become one with it.
  const auto begin = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& range) { return uint64_t{range.last} + 1 >= first; });
  auto end = begin;
  while (end != ranges_.end() && end->first <= uint64_t{last} + 1) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  ranges_.insert(ranges_.erase(begin, end), Range{first, last});
}

void CharacterSet::add(const CharacterSet& other) {
  for (const Range& range : other.ranges_) {
    add(range.first, range.last);
  }
}

void CharacterSet::add_other_cases() {
  constexpr char32_t kBetween = 'a' - 'A';
  const std::vector<Range> before = ranges_;
  for (const Range& range : before) {
    const auto add_moved = [&](char32_t low, char32_t high, char32_t moved) {
      const char32_t first = std::max(range.first, low);
      const char32_t last = std::min(range.last, high);
      if (first <= last) {
        add(first + moved, last + moved);
      }
    };
    add_moved('A', 'Z', kBetween);
    add_moved('a', 'z', -kBetween);
  }
}

CharacterSet CharacterSet::complement() const {
  CharacterSet made;
  char32_t next = 0;
  for (const Range& range : ranges_) {
    if (range.first > next) {
      made.ranges_.push_back({next, range.first - 1});
    }
    next = range.last + 1;
  }
  if (next <= kCodeMax) {
    made.ranges_.push_back({next, kCodeMax});
  }
  return made;
}

bool CharacterSet::has(char32_t code) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& range) { return range.first <= code && code <= range.last; });
}

bool CharacterSet::is_full() const { return ranges_ == std::vector<Range>{{0, kCodeMax}}; }

std::optional<char32_t> CharacterSet::single() const {
  const bool is_one = ranges_.size() == 1 && ranges_[0].first == ranges_[0].last;
  return is_one ? std::optional(ranges_[0].first) : std::nullopt;
}

}  // namespace daedalus::semantics::regular

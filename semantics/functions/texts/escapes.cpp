// Texts that stand for other texts: unistr() reads escapes of Unicode, similar_to_escape() writes a pattern of SIMILAR
// TO as the regular expression that PostgreSQL matches.
#include <fmt/format.h>

#include <optional>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"
#include "similar.hpp"
#include "utf8_writer.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

// ---- Unicode ----

constexpr uint32_t kCodeMax = 0x10ffff;
constexpr uint32_t kSurrogatesFrom = 0xd800;
constexpr uint32_t kSecondsFrom = 0xdc00;
constexpr uint32_t kSurrogatesTo = 0xdfff;

bool is_first_of_pair(uint32_t code) { return code >= kSurrogatesFrom && code < kSecondsFrom; }
bool is_second_of_pair(uint32_t code) { return code >= kSecondsFrom && code <= kSurrogatesTo; }

Error invalid_pair() { return rejected("42601", "invalid Unicode surrogate pair"); }

int digit_of(char c) {
  const char small = to_lower(c);
  return is_digit(c) ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// So many hexadecimal digits.
std::optional<uint32_t> number_of(std::string_view text, size_t digits) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  uint32_t number = 0;
  for (const char c : text.substr(0, digits)) {
    if (digit_of(c) < 0) {
      return std::nullopt;
    }
    number = number << 4 | static_cast<uint32_t>(digit_of(c));
  }
  return number;
}

struct Escape {
  size_t prefix;
  size_t digits;
};

/// Behind a backslash.
Escape escape_of(std::string_view text) {
  switch (text.empty() ? '\0' : text.front()) {
    case '+':
      return {1, 6};
    case 'u':
      return {1, 4};
    case 'U':
      return {1, 8};
    default:
      return {0, 4};
  }
}

class Unescaper {
 public:
  /// room: an empty text, which it writes to.
  explicit Unescaper(std::string room) : made_(std::move(room)) {}

  Result<Value> read(std::string_view text) {
    while (!text.empty()) {
      if (text.front() != '\\' || text.starts_with("\\\\")) {
        if (first_ != 0) {
          return invalid_pair();
        }
        made_ += text.front();
        text.remove_prefix(text.front() == '\\' ? 2 : 1);
        continue;
      }
      text.remove_prefix(1);
      const auto [prefix, digits] = escape_of(text);
      const auto code = number_of(text.substr(prefix), digits);
      if (!code) {
        return rejected("42601", "invalid Unicode escape",
                        "Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
      }
      if (*code == 0 || *code > kCodeMax) {
        return rejected("22023", fmt::format("invalid Unicode code point: {:0{}X}", *code, digits));
      }
      if (auto taken = take(*code); !taken) {
        return taken.error();
      }
      text.remove_prefix(prefix + digits);
    }
    return first_ == 0 ? Result<Value>(Value(std::move(made_))) : invalid_pair();
  }

 private:
  Result<void> take(uint32_t code) {
    if ((first_ != 0) != is_second_of_pair(code)) {
      return invalid_pair();
    }
    if (is_first_of_pair(code)) {
      first_ = code;
      return {};
    }
    if (first_ != 0) {
      code = 0x10000 + ((first_ - kSurrogatesFrom) << 10) + (code - kSecondsFrom);
      first_ = 0;
    }
    append_character(made_, code);
    return {};
  }

  std::string made_;
  uint32_t first_ = 0;  ///< The first of a pair whose second is due.
};

Result<Value> unistr(Arguments arguments, const BoundExpression&) {
  return Unescaper(arguments.spare_text()).read(text(arguments[0]));
}

// ---- SIMILAR TO ----

Error too_many_separators() {
  return rejected("2200C", "SQL regular expression may not contain more than two escape-double-quote separators");
}

class Translator {
 public:
  /// room: an empty text, which it writes to.
  Translator(std::string_view escape, std::string room) : escape_(escape), made_(std::move(room)) {}

  Result<std::string> translated(std::string_view text) {
    made_ += "^(?:";
    while (!text.empty()) {
      const std::string_view character = text.substr(0, character_size(text.front()));
      text.remove_prefix(character.size());
      if (is_escaped_) {
        if (!take_escaped(character)) {
          return too_many_separators();
        }
      } else if (!escape_.empty() && character == escape_) {
        is_escaped_ = true;
      } else if (depth_ > 0) {
        take_in_class(character);
      } else {
        take(character);
      }
    }
    made_ += ")$";
    return std::move(made_);
  }

 private:
  /// In brackets.
  enum class Place : uint8_t { kFirst, kBehindNot, kInside };

  bool take_escaped(std::string_view character) {
    is_escaped_ = false;
    place_ = Place::kInside;
    if (character != "\"" || depth_ > 0) {
      made_ += '\\';
      made_ += character;
      return true;
    }
    // SUBSTRING gives what is between two such quotes.
    made_ += quotes_ == 0 ? "){1,1}?(" : "){1,1}(?:";
    return ++quotes_ <= 2;
  }

  /// A bracket that comes first, behind a ^ or not, stands for itself; others nest.
  void take_in_class(std::string_view character) {
    made_ += character == "\\" ? "\\\\" : character;
    if (character == "[") {
      ++depth_;
    } else if (character == "]" && place_ == Place::kInside) {
      --depth_;
    }
    place_ = character == "^" && place_ == Place::kFirst ? Place::kBehindNot : Place::kInside;
  }

  void take(std::string_view character) {
    if (character == "[") {
      depth_ = 1;
      place_ = Place::kFirst;
    }
    if (character == "%") {
      made_ += ".*";
    } else if (character == "_") {
      made_ += '.';
    } else if (character == "(") {
      made_ += "(?:";
    } else {
      const bool is_special = character == "\\" || character == "." || character == "^" || character == "$";
      made_ += is_special ? "\\" : "";
      made_ += character;
    }
  }

  std::string_view escape_;
  std::string made_;
  bool is_escaped_ = false;
  int depth_ = 0;  ///< It counts brackets that are open.
  Place place_ = Place::kInside;
  int quotes_ = 0;
};

Result<Value> similar(Arguments arguments, const BoundExpression&) {
  if (is_null(arguments[0])) {
    return Value();
  }
  const bool has_escape = arguments.size() > 1 && !is_null(arguments[1]);
  const std::string_view escape = has_escape ? std::string_view(text(arguments[1])) : "\\";
  auto made = regular_expression_of(text(arguments[0]), escape, arguments.spare_text());
  return made ? Result<Value>(Value(std::move(*made))) : made.error();
}

}  // namespace

Result<std::string> regular_expression_of(std::string_view pattern, std::string_view escape, std::string room) {
  if (character_count(escape) > 1) {
    return rejected("22025", "invalid escape string", "Escape string must be empty or one character.");
  }
  return Translator(escape, std::move(room)).translated(pattern);
}

void add_escapes(Functions& functions) {
  Adder adder(functions);
  adder.add(1560, "unistr", {kText}, kText, unistr);
  adder.add(1561, "similar_to_escape", {kText}, kText, similar);
  adder.add(1562, "similar_to_escape", {kText, kText}, kText, similar);
  adder.add(1563, "similar_escape", {kText, kText}, kText, similar);
  adder.takes_nulls();
}

}  // namespace daedalus::semantics::scalar

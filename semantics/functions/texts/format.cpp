// format(): a text with places for values: %s as they are shown, %I as a name, %L as a literal; n$ says which value,
// and a number or * how wide.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/text.hpp"
#include "quoting.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;
constexpr int64_t kNumberMax = std::numeric_limits<int32_t>::max();

Error wrong_format(std::string message) { return rejected("22023", std::move(message)); }
Error unterminated() {
  return rejected("22023", "unterminated format() type specifier", "For a single \"%\" use \"%%\".");
}

/// One place of the text.
struct Place {
  std::optional<int64_t> value;        ///< Which one; none: the next.
  bool has_argument_width = false;     ///< *
  std::optional<int64_t> width_value;  ///< Which value is its width; none: the next.
  int64_t width = 0;
  bool is_left = false;
};

class Formatter {
 public:
  Formatter(Arguments arguments, const BoundExpression& call)
      : arguments_(arguments), call_(call), made_(arguments.spare_text()) {}

  Result<Value> formatted(std::string_view text) {
    for (left_ = text; !left_.empty();) {
      if (left_.front() != '%') {
        made_ += left_.front();
        left_.remove_prefix(1);
        continue;
      }
      if (const auto taken = take_place(); !taken) {
        return taken.error();
      }
      if (made_.size() > kStringLengthMax) {
        return too_long();
      }
    }
    return Value(std::move(made_));
  }

 private:
  /// One character further, of which there has to be one.
  Result<void> advance() {
    left_.remove_prefix(1);
    return left_.empty() ? Result<void>(unterminated()) : Result<void>();
  }

  Result<void> take_place() {
    if (auto moved = advance(); !moved) {
      return moved;
    }
    if (left_.front() == '%') {
      made_ += '%';
      left_.remove_prefix(1);
      return {};
    }
    Place place;
    if (auto read = read_place(place); !read) {
      return read;
    }
    const char type = left_.front();
    if (type != 's' && type != 'I' && type != 'L') {
      return rejected("22023",
                      fmt::format("unrecognized format() type specifier \"{}\"", left_.substr(0, character_size(type))),
                      "For a single \"%\" use \"%%\".");
    }
    if (place.has_argument_width) {
      if (auto asked = ask_width(place); !asked) {
        return asked;
      }
    }
    left_.remove_prefix(1);
    return put(place, type);
  }

  Result<void> read_place(Place& place) {
    const auto first = number();
    if (!first) {
      return first.error();
    }
    if (first->has_value()) {
      if (left_.front() != '$') {
        place.width = **first;
        return {};
      }
      place.value = *first;
      if (auto is_fine = is_argument(**first); !is_fine) {
        return is_fine;
      }
      if (auto moved = advance(); !moved) {
        return moved;
      }
    }
    while (left_.front() == '-') {
      place.is_left = true;
      if (auto moved = advance(); !moved) {
        return moved;
      }
    }
    return read_width(place);
  }

  Result<void> read_width(Place& place) {
    place.has_argument_width = left_.front() == '*';
    if (place.has_argument_width) {
      if (auto moved = advance(); !moved) {
        return moved;
      }
    }
    const auto width = number();
    if (!width || !width->has_value()) {
      return width ? Result<void>() : width.error();
    }
    if (!place.has_argument_width) {
      place.width = **width;
      return {};
    }
    if (left_.front() != '$') {
      return wrong_format("width argument position must be ended by \"$\"");
    }
    place.width_value = *width;
    auto is_fine = is_argument(**width);
    return is_fine ? advance() : is_fine;
  }

  static Result<void> is_argument(int64_t number) {
    return number > 0 ? Result<void>()
                      : Result<void>(wrong_format("format specifies argument 0, but arguments are numbered from 1"));
  }

  /// Digits, behind which there has to be something.
  Result<std::optional<int64_t>> number() {
    if (!is_digit(left_.front())) {
      return std::optional<int64_t>();
    }
    int64_t made = 0;
    while (is_digit(left_.front())) {
      made = 10 * made + (left_.front() - '0');
      if (made > kNumberMax) {
        return rejected("22003", "number is out of range");
      }
      if (auto moved = advance(); !moved) {
        return moved.error();
      }
    }
    return std::optional(made);
  }

  Result<size_t> next_value(std::optional<int64_t> asked) {
    next_ = asked ? static_cast<size_t>(*asked) : next_;
    if (next_ >= arguments_.size()) {
      return wrong_format("too few arguments for format()");
    }
    return next_++;
  }

  [[nodiscard]] std::string shown(size_t value) const {
    return format_text(call_.arguments[value].type, arguments_[value]);
  }

  Result<void> ask_width(Place& place) {
    const Result<size_t> value = next_value(place.width_value);
    if (!value) {
      return value.error();
    }
    if (is_null(arguments_[*value])) {
      return {};
    }
    const TypeKind kind = call_.arguments[*value].type.kind;
    if (kind == TypeKind::kSmallint || kind == TypeKind::kInt) {
      place.width = integer(arguments_[*value]);
      return {};
    }
    const Result<Value> width = parse_text(Type{TypeKind::kInt}, shown(*value));
    if (!width) {
      return width.error();
    }
    place.width = integer(*width);
    return {};
  }

  Result<void> put(const Place& place, char type) {
    const Result<size_t> value = next_value(place.value);
    if (!value) {
      return value.error();
    }
    std::string text;
    if (!is_null(arguments_[*value])) {
      text = shown(*value);
      text = type == 'I' ? quoted_name(text) : type == 'L' ? quoted_literal(text) : text;
    } else if (type == 'I') {
      return rejected("22004", "null values cannot be formatted as an SQL identifier");
    } else if (type == 'L') {
      text = "NULL";
    }
    if (place.width == std::numeric_limits<int32_t>::min()) {
      return rejected("22003", "number is out of range");
    }
    const int64_t width = place.width < 0 ? -place.width : place.width;
    if (width > static_cast<int64_t>(kStringLengthMax)) {
      return too_long();
    }
    const int64_t missing = std::max<int64_t>(width - character_count(text), 0);
    const std::string blanks(static_cast<size_t>(missing), ' ');
    made_ += place.is_left || place.width < 0 ? text + blanks : blanks + text;
    return {};
  }

  Arguments arguments_;
  const BoundExpression& call_;
  std::string_view left_;
  std::string made_;
  size_t next_ = 1;
};

Result<Value> format(Arguments arguments, const BoundExpression& call) {
  return is_null(arguments[0]) ? Result<Value>(Value()) : Formatter(arguments, call).formatted(text(arguments[0]));
}

}  // namespace

void add_format(Functions& functions) {
  Adder adder(functions);
  adder.add(1570, "format", {kText}, kText, format);
  adder.takes_nulls();
  adder.is_stable();
  adder.add_any(1571, "format", {kText}, kText, format, nullptr, true);
}

}  // namespace daedalus::semantics::scalar

#include "daedalus/aggregator/array_list.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::aggregator::sql {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class ArrayReader {
 public:
  explicit ArrayReader(std::string_view text) : text_(text), rest_(text) {}

  Result<std::vector<std::optional<std::string>>> read() {
    skip_blanks();
    if (rest_.starts_with('[')) {
      return rejected("0A000", "an array with bounds is not supported");
    }
    if (!take('{')) {
      return malformed();
    }
    std::vector<std::optional<std::string>> elements;
    skip_blanks();
    for (bool is_first = true; !take('}'); is_first = false) {
      if (!is_first && !take(',')) {
        return malformed();
      }
      auto element = read_element();
      if (!element) {
        return element.error();
      }
      elements.push_back(std::move(*element));
      skip_blanks();
    }
    skip_blanks();
    return rest_.empty() ? Result<std::vector<std::optional<std::string>>>(std::move(elements)) : malformed();
  }

 private:
  Result<std::optional<std::string>> read_element() {
    skip_blanks();
    if (rest_.starts_with('{')) {
      return rejected("0A000", "an array of several dimensions is not supported");
    }
    if (rest_.starts_with('"')) {
      return read_quoted();
    }
    std::string element;
    size_t size = 0;  // Without the blanks at its end.
    bool has_escape = false;
    while (!rest_.empty() && rest_[0] != ',' && rest_[0] != '}') {
      if (rest_[0] == '"' || rest_[0] == '{') {
        return malformed();
      }
      const bool is_escape = take('\\');
      if (rest_.empty()) {
        return malformed();
      }
      has_escape = has_escape || is_escape;
      element += rest_[0];
      size = is_escape || !is_space(rest_[0]) ? element.size() : size;
      rest_.remove_prefix(1);
    }
    element.resize(size);
    if (element.empty()) {
      return malformed();
    }
    constexpr std::string_view kNull = "null";
    const bool is_null = !has_escape && std::equal(element.begin(), element.end(), kNull.begin(), kNull.end(),
                                                   [](char c, char lower) { return (c | 0x20) == lower; });
    return is_null ? std::optional<std::string>() : std::optional(std::move(element));
  }

  Result<std::optional<std::string>> read_quoted() {
    std::string element;
    rest_.remove_prefix(1);
    while (!take('"')) {
      take('\\');
      if (rest_.empty()) {
        return malformed();
      }
      element += rest_[0];
      rest_.remove_prefix(1);
    }
    return std::optional(std::move(element));
  }

  void skip_blanks() {
    while (!rest_.empty() && is_space(rest_[0])) {
      rest_.remove_prefix(1);
    }
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] Error malformed() const {
    return rejected("22P02", fmt::format("malformed array literal: \"{}\"", text_));
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

Result<std::vector<std::optional<std::string>>> parse_array(std::string_view text) { return ArrayReader(text).read(); }

}  // namespace daedalus::aggregator::sql

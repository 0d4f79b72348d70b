#include "daedalus/semantics/text_pieces.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics {
namespace {

bool has_character(std::string_view set, std::string_view character) {
  for (size_t at = 0; at < set.size(); at += character_size(set[at])) {
    if (set.substr(at, character_size(set[at])) == character) {
      return true;
    }
  }
  return false;
}

/// Gives the last character of a string that is not empty.
std::string_view last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && !is_first_byte(text[at])) {
    --at;
  }
  return text.substr(at);
}

/// Field `number`, from 0.
std::string_view field_from_front(std::string_view text, std::string_view separator, int64_t number) {
  for (; number > 0; --number) {
    const size_t found = text.find(separator);
    if (found == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(found + separator.size());
  }
  return text.substr(0, text.find(separator));
}

int64_t field_count(std::string_view text, std::string_view separator) {
  int64_t count = 1;
  for (size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, at)) {
    at += separator.size();
    ++count;
  }
  return count;
}

}  // namespace

std::string_view piece_of(std::string_view text, int64_t first, int64_t end) {
  first = std::max<int64_t>(first, 1);
  if (end <= first) {
    return {};
  }
  text.remove_prefix(offset_of(text, first - 1));
  return text.substr(0, offset_of(text, end - first));
}

std::string_view left_of(std::string_view text, int64_t count) {
  return text.substr(0, offset_of(text, count < 0 ? character_count(text) + count : count));
}

std::string_view right_of(std::string_view text, int64_t count) {
  if (count == std::numeric_limits<int32_t>::min()) {
    return text;  // PostgreSQL negates the number as an int4, which leaves this one negative, and cuts nothing off.
  }
  const int64_t left_out = count < 0 ? -count : character_count(text) - count;
  return text.substr(offset_of(text, left_out));
}

std::string_view trimmed_left(std::string_view text, std::string_view set) {
  while (!text.empty() && has_character(set, text.substr(0, character_size(text[0])))) {
    text.remove_prefix(std::min(text.size(), character_size(text[0])));
  }
  return text;
}

std::string_view trimmed_right(std::string_view text, std::string_view set) {
  while (!text.empty() && has_character(set, last_character(text))) {
    text.remove_suffix(last_character(text).size());
  }
  return text;
}

// Separators do not overlap, and are found from the front, whichever end fields are counted from.
std::string_view field_of(std::string_view text, std::string_view separator, int64_t wanted) {
  if (separator.empty()) {
    return wanted == 1 || wanted == -1 ? text : std::string_view();
  }
  const int64_t number = wanted > 0 ? wanted - 1 : field_count(text, separator) + wanted;
  return number < 0 ? std::string_view() : field_from_front(text, separator, number);
}

int64_t position_of(std::string_view text, std::string_view wanted) {
  const size_t found = text.find(wanted);
  return found == std::string_view::npos ? 0 : 1 + character_count(text.substr(0, found));
}

}  // namespace daedalus::semantics

// Functions of strings, as PostgreSQL's varlena.c and oracle_compat.c have them under the C collation: letters are
// those of ASCII. Lengths and positions are counted in characters.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/text_pieces.hpp"
#include "utf8_writer.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;
constexpr uint64_t kCharacterSizeMax = 4;

bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

uint64_t length_of(const BoundExpression& expression) { return length_max(expression.type); }

Type type_of_joined(Expressions arguments) { return text_of(length_of(arguments[0]) + length_of(arguments[1])); }
Type type_of_first_text(Expressions arguments) { return text_of(length_of(arguments[0])); }
/// Characters of any size, where there were some already.
Type type_of_character(Expressions) { return text_of(kCharacterSizeMax); }

/// A constant number, nothing below zero.
std::optional<uint64_t> constant_count(const BoundExpression& count) {
  const auto* number = count.is_constant() ? std::get_if<int64_t>(&count.value) : nullptr;
  return number != nullptr ? std::optional<uint64_t>(std::max<int64_t>(*number, 0)) : std::nullopt;
}

/// The most bytes that a character of a text has, as far as that is known.
uint64_t character_size_max(const BoundExpression& expression) {
  const auto* known = expression.is_constant() ? std::get_if<std::string>(&expression.value) : nullptr;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  return known != nullptr && std::all_of(known->begin(), known->end(), is_ascii) ? 1 : kCharacterSizeMax;
}

/// So many characters: those of the text, and others before or behind them.
Type type_of_padded(Expressions arguments) {
  const std::optional<uint64_t> count = constant_count(arguments[1]);
  if (!count) {
    return text_of(kStringLengthMax);
  }
  const uint64_t filled = *count * (arguments.size() > 2 ? character_size_max(arguments[2]) : 1);
  return text_of(std::min(kCharacterSizeMax * *count, length_of(arguments[0]) + filled));
}

Type type_of_repeated(Expressions arguments) {
  const std::optional<uint64_t> count = constant_count(arguments[1]);
  return text_of(count && *count <= kStringLengthMax ? length_of(arguments[0]) * *count : kStringLengthMax);
}

/// As often as what is replaced may be there, it grows by what replaces it.
Type type_of_replaced(Expressions arguments) {
  const uint64_t size = length_of(arguments[0]);
  const auto* wanted = arguments[1].is_constant() ? std::get_if<std::string>(&arguments[1].value) : nullptr;
  const uint64_t wanted_size = wanted != nullptr ? std::max<uint64_t>(wanted->size(), 1) : 1;
  const uint64_t with_size = std::max(length_of(arguments[2]), wanted_size);
  return text_of(size + size / wanted_size * (with_size - wanted_size));
}

Type type_of_translated(Expressions arguments) { return text_of(kCharacterSizeMax * length_of(arguments[0])); }

// ---- whole strings ----

Result<Value> joined(Arguments arguments, const BoundExpression&) {
  std::string made = arguments.spare_text(text(arguments[0]));
  made += text(arguments[1]);
  return Value(std::move(made));
}

Result<Value> lower(Arguments arguments, const BoundExpression&) {
  std::string made = arguments.spare_text(text(arguments[0]));
  std::transform(made.begin(), made.end(), made.begin(), to_lower);
  return Value(std::move(made));
}

Result<Value> upper(Arguments arguments, const BoundExpression&) {
  std::string made = arguments.spare_text(text(arguments[0]));
  std::transform(made.begin(), made.end(), made.begin(), to_upper);
  return Value(std::move(made));
}

Result<Value> initcap(Arguments arguments, const BoundExpression&) {
  std::string made = arguments.spare_text(text(arguments[0]));
  bool is_inside = false;
  for (char& c : made) {
    c = is_inside ? to_lower(c) : to_upper(c);
    is_inside = is_alphanumeric(c);
  }
  return Value(std::move(made));
}

Result<Value> reverse(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  std::string made = arguments.spare_text(from);
  size_t end = from.size();
  for (size_t at = 0; at < from.size();) {
    const size_t size = character_size(from[at]);
    end -= size;
    made.replace(end, size, from, at, size);
    at += size;
  }
  return Value(std::move(made));
}

// ---- lengths ----

Result<Value> length(Arguments arguments, const BoundExpression&) { return Value(character_count(text(arguments[0]))); }

Result<Value> octet_length(Arguments arguments, const BoundExpression&) {
  return Value(static_cast<int64_t>(text(arguments[0]).size()));
}

Result<Value> bit_length(Arguments arguments, const BoundExpression&) {
  return Value(static_cast<int64_t>(8 * text(arguments[0]).size()));
}

/// A char(n)'s blanks are part of it here.
Result<Value> padded_octet_length(Arguments arguments, const BoundExpression& call) {
  const auto declared = static_cast<int64_t>(call.arguments[0].type.length);
  return Value(std::max(declared, static_cast<int64_t>(text(arguments[0]).size())));
}

// ---- pieces ----

Result<Value> substring_from(Arguments arguments, const BoundExpression&) {
  return arguments.made(piece_of(text(arguments[0]), integer(arguments[1]), std::numeric_limits<int64_t>::max()));
}

Result<Value> substring_of(Arguments arguments, const BoundExpression&) {
  const int64_t first = integer(arguments[1]);
  const int64_t count = integer(arguments[2]);
  if (count < 0) {
    return rejected("22011", "negative substring length not allowed");
  }
  return arguments.made(piece_of(text(arguments[0]), first, first + count));
}

Result<Value> left(Arguments arguments, const BoundExpression&) {
  return arguments.made(left_of(text(arguments[0]), integer(arguments[1])));
}

Result<Value> right(Arguments arguments, const BoundExpression&) {
  return arguments.made(right_of(text(arguments[0]), integer(arguments[1])));
}

Result<Value> position(Arguments arguments, const BoundExpression&) {
  return Value(position_of(text(arguments[0]), text(arguments[1])));
}

Result<Value> starts_with(Arguments arguments, const BoundExpression&) {
  return Value(text(arguments[0]).starts_with(text(arguments[1])));
}

Result<Value> split_part(Arguments arguments, const BoundExpression&) {
  if (integer(arguments[2]) == 0) {
    return rejected("22023", "field position must not be zero");
  }
  return arguments.made(semantics::field_of(text(arguments[0]), text(arguments[1]), integer(arguments[2])));
}

// ---- trimming and padding ----

template <bool kLeft, bool kRight>
Result<Value> trimmed(Arguments arguments, const BoundExpression&) {
  std::string_view from = text(arguments[0]);
  const std::string_view set = arguments.size() > 1 ? std::string_view(text(arguments[1])) : " ";
  from = kLeft ? trimmed_left(from, set) : from;
  return arguments.made(kRight ? trimmed_right(from, set) : from);
}

/// To so many characters; a longer string is cut.
template <bool kLeft>
Result<Value> padded(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  const int64_t wanted = std::max<int64_t>(integer(arguments[1]), 0);
  const std::string_view fill = arguments.size() > 2 ? std::string_view(text(arguments[2])) : " ";
  const int64_t missing = fill.empty() ? 0 : wanted - character_count(from);
  if (missing <= 0) {
    return arguments.made(std::string_view(from).substr(0, offset_of(from, wanted)));
  }
  if (missing > kStringLengthMax) {
    return too_long();
  }
  std::string made = arguments.spare_text(kLeft ? std::string_view() : from);
  size_t at = 0;
  for (int64_t count = 0; count < missing; ++count) {
    const size_t size = character_size(fill[at]);
    made += fill.substr(at, size);
    at = at + size < fill.size() ? at + size : 0;
  }
  made += kLeft ? std::string_view(from) : "";
  return Value(std::move(made));
}

Result<Value> repeat(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  const int64_t count = std::max<int64_t>(integer(arguments[1]), 0);
  if (!from.empty() && count > static_cast<int64_t>(kStringLengthMax / from.size())) {
    return too_long();
  }
  std::string made = arguments.spare_text();
  for (int64_t number = 0; number < count && !from.empty(); ++number) {
    made += from;
  }
  return Value(std::move(made));
}

// ---- replacing ----

Result<Value> replace(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  const std::string& wanted = text(arguments[1]);
  if (wanted.empty()) {
    return arguments.made(from);
  }
  std::string made = arguments.spare_text();
  size_t at = 0;
  for (size_t found = from.find(wanted); found != std::string::npos; found = from.find(wanted, at)) {
    made.append(from, at, found - at);
    made += text(arguments[2]);
    at = found + wanted.size();
  }
  made.append(from, at);
  return Value(std::move(made));
}

/// Each character of the second argument becomes the one at its place in the third, or goes.
Result<Value> translate(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  const std::string& wanted = text(arguments[1]);
  const std::string& replacement = text(arguments[2]);
  std::string made = arguments.spare_text();
  for (size_t at = 0; at < from.size();) {
    const std::string_view character = std::string_view(from).substr(at, character_size(from[at]));
    at += character.size();
    int64_t place = 0;
    size_t found = 0;
    for (; found < wanted.size() && wanted.compare(found, character_size(wanted[found]), character) != 0; ++place) {
      found += character_size(wanted[found]);
    }
    if (found >= wanted.size()) {
      made += character;
      continue;
    }
    const size_t with = offset_of(replacement, place);
    if (with < replacement.size()) {
      made.append(replacement, with, character_size(replacement[with]));
    }
  }
  return Value(std::move(made));
}

// ---- code points ----

Result<Value> ascii(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  if (from.empty()) {
    return Value(int64_t{0});
  }
  const auto first = static_cast<unsigned char>(from[0]);
  const size_t size = character_size(from[0]);
  int64_t code = size == 1 ? first : first & (0xff >> (size + 1));
  for (size_t at = 1; at < size; ++at) {
    code = code << 6 | (static_cast<unsigned char>(from[at]) & 0x3f);
  }
  return Value(code);
}

Result<Value> chr(Arguments arguments, const BoundExpression&) {
  const int64_t code = integer(arguments[0]);
  if (code < 0) {
    return rejected("22023", "character number must be positive");
  }
  if (code == 0) {
    return rejected("54000", "null character not permitted");
  }
  if (code > 0x10ffff) {
    return rejected("54000", fmt::format("requested character too large for encoding: {}", code));
  }
  if (code >= 0xd800 && code <= 0xdfff) {
    return rejected("54000", fmt::format("requested character not valid for encoding: {}", code));
  }
  std::string made = arguments.spare_text();
  append_character(made, static_cast<uint32_t>(code));
  return Value(std::move(made));
}

}  // namespace

Result<Value> fit_text(std::string made) {
  return made.size() <= kStringLengthMax ? Result<Value>(Value(std::move(made))) : too_long();
}

Error too_long() {
  return rejected("54000", fmt::format("a text may have at most {} bytes here", kStringLengthMax),
                  "cut it with left() or substring()");
}

void add_text(Functions& functions) {
  Adder adder(functions);
  adder.add_operator(500, "||", {kText, kText}, kText, joined, type_of_joined);
  adder.add_operator(501, "^@", {kText, kText}, TypeKind::kBool, starts_with, nullptr, false);
  adder.add(510, "lower", {kText}, kText, lower, type_of_first_text, false);
  adder.add(511, "upper", {kText}, kText, upper, type_of_first_text, false);
  adder.add(512, "initcap", {kText}, kText, initcap, type_of_first_text, false);
  adder.add(513, "reverse", {kText}, kText, reverse, type_of_first_text, false);
  adder.add(520, "length", {kText}, kInt, length, nullptr, false);
  adder.add(521, "length", {kChar}, kInt, length, nullptr, false);
  adder.add(522, "char_length", {kText}, kInt, length, nullptr, false);
  adder.add(523, "char_length", {kChar}, kInt, length, nullptr, false);
  adder.add(524, "character_length", {kText}, kInt, length, nullptr, false);
  adder.add(525, "character_length", {kChar}, kInt, length, nullptr, false);
  adder.add(526, "octet_length", {kText}, kInt, octet_length, nullptr, false);
  adder.add(527, "octet_length", {kChar}, kInt, padded_octet_length, nullptr, false);
  adder.add(528, "bit_length", {kText}, kInt, bit_length, nullptr, false);
  adder.add(540, "substring", {kText, kInt}, kText, substring_from, type_of_first_text, false);
  adder.add(541, "substring", {kText, kInt, kInt}, kText, substring_of, type_of_first_text);
  adder.add(542, "substr", {kText, kInt}, kText, substring_from, type_of_first_text, false);
  adder.add(543, "substr", {kText, kInt, kInt}, kText, substring_of, type_of_first_text);
  adder.add(544, "left", {kText, kInt}, kText, left, type_of_first_text, false);
  adder.add(545, "right", {kText, kInt}, kText, right, type_of_first_text, false);
  adder.add(546, "position", {kText, kText}, kInt, position, nullptr, false);
  adder.add(547, "strpos", {kText, kText}, kInt, position, nullptr, false);
  adder.add(548, "starts_with", {kText, kText}, TypeKind::kBool, starts_with, nullptr, false);
  adder.add(549, "split_part", {kText, kText, kInt}, kText, split_part, type_of_first_text);
  adder.add(560, "btrim", {kText}, kText, trimmed<true, true>, type_of_first_text, false);
  adder.add(561, "btrim", {kText, kText}, kText, trimmed<true, true>, type_of_first_text, false);
  adder.add(562, "ltrim", {kText}, kText, trimmed<true, false>, type_of_first_text, false);
  adder.add(563, "ltrim", {kText, kText}, kText, trimmed<true, false>, type_of_first_text, false);
  adder.add(564, "rtrim", {kText}, kText, trimmed<false, true>, type_of_first_text, false);
  adder.add(565, "rtrim", {kText, kText}, kText, trimmed<false, true>, type_of_first_text, false);
  adder.add(566, "lpad", {kText, kInt}, kText, padded<true>, type_of_padded);
  adder.add(567, "lpad", {kText, kInt, kText}, kText, padded<true>, type_of_padded);
  adder.add(568, "rpad", {kText, kInt}, kText, padded<false>, type_of_padded);
  adder.add(569, "rpad", {kText, kInt, kText}, kText, padded<false>, type_of_padded);
  adder.add(570, "repeat", {kText, kInt}, kText, repeat, type_of_repeated);
  adder.add(580, "replace", {kText, kText, kText}, kText, replace, type_of_replaced);
  adder.add(581, "translate", {kText, kText, kText}, kText, translate, type_of_translated);
  adder.add(582, "ascii", {kText}, kInt, ascii, nullptr, false);
  adder.add(583, "chr", {kInt}, kText, chr, type_of_character);
}

}  // namespace daedalus::semantics::scalar

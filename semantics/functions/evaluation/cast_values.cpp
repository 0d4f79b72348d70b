#include <fmt/format.h>

#include <algorithm>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/uuid.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

/// Cuts a string to a type's length in bytes, without splitting a character.
std::string_view cut(std::string_view text, uint32_t length) { return length == 0 ? text : first_bytes(text, length); }

/// Appends a value that is no string as a cast to one writes it: booleans in full.
void append_written(const Type& type, const Value& value, std::string& out) {
  if (const bool* truth = std::get_if<bool>(&value)) {
    out += *truth ? "true" : "false";
  } else {
    append_text(type, value, out);
  }
}

Result<Value> cast_to_string(const Type& from, const Value& value, const Type& to, SpareTexts& texts) {
  std::string written = texts.take();
  append_written(from, value, written);
  if (to.kind != TypeKind::kChar && (to.length == 0 || written.size() <= to.length)) {
    return Value(std::move(written));
  }
  Result<Value> fitted = fit_string(to, cut(written, to.length), texts.take());
  texts.give(std::move(written));
  return fitted;
}

/// A char without a length takes the blanks that a value has; other strings take a char without its blanks.
Result<Value> cast_between_strings(const Type& from, const std::string& text, const Type& to, SpareTexts& texts) {
  std::string_view taken = text;
  if (from.kind == TypeKind::kChar && has_own_blanks(to)) {
    std::string padded = texts.take(text);
    padded.resize(std::max<size_t>(padded.size(), from.length), ' ');
    return Value(std::move(padded));
  }
  if (has_own_blanks(from)) {
    taken = taken.substr(0, taken.find_last_not_of(' ') + 1);
  }
  return to.kind == TypeKind::kText ? Result<Value>(Value(texts.take(taken)))
                                    : fit_string(to, cut(taken, to.length), texts.take());
}

Result<Value> cast_from_string(const Type& from, const std::string& text, const Type& to, SpareTexts& texts) {
  if (is_string(to.kind)) {
    return cast_between_strings(from, text, to, texts);
  }
  return to.kind == TypeKind::kUuid ? parse_uuid(text, texts.take()) : parse_text(to, text);
}

}  // namespace

Result<Value> cast_value(const Type& from, const Value& value, const Type& to, SpareTexts& texts) {
  if (!can_cast_explicitly(from.kind, to.kind)) {
    return rejected("42846", fmt::format("cannot cast type {} to {}", kind_name(from.kind), kind_name(to.kind)));
  }
  if (to.kind == TypeKind::kUuid && from.kind == to.kind) {
    return texts.copy(value);
  }
  if (is_string(from.kind)) {
    return cast_from_string(from, std::get<std::string>(value), to, texts);
  }
  if (is_string(to.kind)) {
    return cast_to_string(from, value, to, texts);
  }
  if (from.kind == TypeKind::kInt && to.kind == TypeKind::kBool) {
    return Value(std::get<int64_t>(value) != 0);
  }
  if (from.kind == TypeKind::kBool && to.kind == TypeKind::kInt) {
    return Value(int64_t{std::get<bool>(value) ? 1 : 0});
  }
  return convert(from, value, to);
}

Result<Value> cast_value(const Type& from, const Value& value, const Type& to) {
  SpareTexts texts;
  return cast_value(from, value, to, texts);
}

}  // namespace daedalus::semantics

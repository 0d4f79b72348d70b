#include <fmt/format.h>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::semantics {
namespace {

/// Cuts a string to a type's length in bytes, without splitting a character.
std::string_view cut(std::string_view text, uint32_t length) {
  if (length == 0 || text.size() <= length) {
    return text;
  }
  size_t end = length;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

/// A value that is no string as a cast to one writes it: booleans in full.
std::string as_text(const Type& type, const Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) {
    return *truth ? "true" : "false";
  }
  return format_text(type, value);
}

}  // namespace

Result<Value> cast_value(const Type& from, const Value& value, const Type& to) {
  if (!can_cast_explicitly(from.kind, to.kind)) {
    return rejected("42846", fmt::format("cannot cast type {} to {}", kind_name(from.kind), kind_name(to.kind)));
  }
  if (to.kind == TypeKind::kText && is_string(from.kind)) {
    return value;
  }
  if (is_string(from.kind)) {
    const std::string& text = std::get<std::string>(value);
    return parse_text(to, is_string(to.kind) ? cut(text, to.length) : std::string_view(text));
  }
  if (is_string(to.kind)) {
    return parse_text(to, cut(as_text(from, value), to.length));
  }
  if (from.kind == TypeKind::kInt && to.kind == TypeKind::kBool) {
    return Value(std::get<int64_t>(value) != 0);
  }
  if (from.kind == TypeKind::kBool && to.kind == TypeKind::kInt) {
    return Value(int64_t{std::get<bool>(value) ? 1 : 0});
  }
  return assign(from, value, to);
}

}  // namespace daedalus::semantics

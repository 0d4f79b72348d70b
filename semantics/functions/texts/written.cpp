// Functions that write values of any kind, and texts about texts: what they make is as PostgreSQL shows it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "adder.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/text.hpp"
#include "md5.hpp"
#include "quoting.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

// ---- values of any kind ----

/// Values are as they are shown: booleans by a letter, char(n) with its blanks.
Result<Value> concat(Arguments arguments, const BoundExpression& call) {
  std::string made = arguments.spare_text();
  for (size_t place = 0; place < arguments.size(); ++place) {
    if (!is_null(arguments[place])) {
      append_text(call.arguments[place].type, arguments[place], made);
    }
  }
  return Value(std::move(made));
}

/// With the first argument between the others; NULLs are left out.
Result<Value> concat_with(Arguments arguments, const BoundExpression& call) {
  if (is_null(arguments[0])) {
    return Value();
  }
  std::string made = arguments.spare_text();
  bool is_first = true;
  for (size_t place = 1; place < arguments.size(); ++place) {
    if (is_null(arguments[place])) {
      continue;
    }
    made += is_first ? std::string_view() : text(arguments[0]);
    append_text(call.arguments[place].type, arguments[place], made);
    is_first = false;
  }
  return Value(std::move(made));
}

template <bool kCountsNulls>
Result<Value> count_nulls(Arguments arguments, const BoundExpression&) {
  int64_t count = 0;
  for (size_t place = 0; place < arguments.size(); ++place) {
    count += is_null(arguments[place]) == kCountsNulls ? 1 : 0;
  }
  return Value(count);
}

/// The most bytes that a value of a type is shown in.
uint64_t shown_size(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return 1;
    case TypeKind::kSmallint:
    case TypeKind::kInt:
    case TypeKind::kBigint:
      return 20;
    case TypeKind::kReal:
    case TypeKind::kDouble:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return 32;
    case TypeKind::kNumeric:
      return type.precision == 0 ? kStringLengthMax : type.precision + 3;
    case TypeKind::kUuid:
      return 36;
    case TypeKind::kInterval:
      return 96;
    default:
      return length_max(type);
  }
}

Type type_of_concat(Expressions arguments) {
  uint64_t size = 0;
  for (const BoundExpression& argument : arguments) {
    size += shown_size(argument.type);
  }
  return text_of(size);
}

Type type_of_concat_with(Expressions arguments) {
  return text_of(type_of_concat(arguments.subspan(1)).length + arguments.size() * shown_size(arguments[0].type));
}

Type type_of_count(Expressions) { return Type{kInt}; }

// ---- texts ----

Result<Value> md5(Arguments arguments, const BoundExpression&) {
  std::string made = arguments.spare_text();
  append_md5(text(arguments[0]), made);
  return Value(std::move(made));
}

Type type_of_digest(Expressions) { return text_of(32); }

Result<Value> hexadecimal(Arguments arguments, const BoundExpression& call) {
  const int64_t value = integer(arguments[0]);
  const uint64_t bits =
      call.arguments[0].type.kind == kInt ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value);
  std::string made = arguments.spare_text();
  fmt::format_to(std::back_inserter(made), "{:x}", bits);
  return Value(std::move(made));
}

Type type_of_hexadecimal(Expressions) { return text_of(16); }

Type type_of_quoted(Expressions arguments) { return text_of(2 * shown_size(arguments[0].type) + 3); }
Type type_of_quoted_nullable(Expressions arguments) {
  return text_of(std::max<uint64_t>(2 * shown_size(arguments[0].type) + 3, 4));
}
Type type_of_overlaid(Expressions arguments) {
  // Twice the text: what is behind the other one may begin before it.
  return text_of(2 * shown_size(arguments[0].type) + shown_size(arguments[1].type));
}

Result<Value> quote_literal(Arguments arguments, const BoundExpression&) {
  return Value(quoted_literal(text(arguments[0]), arguments.spare_text()));
}

Result<Value> quote_ident(Arguments arguments, const BoundExpression&) {
  return Value(quoted_name(text(arguments[0]), arguments.spare_text()));
}

Result<Value> quote_nullable(Arguments arguments, const BoundExpression&) {
  return is_null(arguments[0]) ? arguments.made("NULL")
                               : Value(quoted_literal(text(arguments[0]), arguments.spare_text()));
}

/// Characters from a place on, as many as are said or as the other text has, are those of the other text instead.
Result<Value> overlay(Arguments arguments, const BoundExpression&) {
  const std::string& from = text(arguments[0]);
  const std::string& with = text(arguments[1]);
  const int64_t start = integer(arguments[2]);
  const int64_t count = arguments.size() > 3 ? integer(arguments[3]) : character_count(with);
  if (start <= 0) {
    return rejected("22011", "negative substring length not allowed");
  }
  const int64_t end = start + count;
  if (end > std::numeric_limits<int32_t>::max()) {
    return rejected("22003", "integer out of range");
  }
  std::string made = arguments.spare_text(std::string_view(from).substr(0, offset_of(from, start - 1)));
  made += with;
  made.append(from, offset_of(from, std::max<int64_t>(end - 1, 0)));
  return Value(std::move(made));
}

}  // namespace

void add_written(Functions& functions) {
  Adder adder(functions);
  adder.add_any(1100, "concat", {}, kText, concat, type_of_concat, true);
  adder.add_any(1101, "concat_ws", {kText}, kText, concat_with, type_of_concat_with, true);
  adder.add_any(1102, "num_nulls", {}, kInt, count_nulls<true>, type_of_count, false);
  adder.add_any(1103, "num_nonnulls", {}, kInt, count_nulls<false>, type_of_count, false);
  adder.add(1110, "md5", {kText}, kText, md5, type_of_digest, false);
  adder.add(1111, "to_hex", {kInt}, kText, hexadecimal, type_of_hexadecimal, false);
  adder.add(1112, "to_hex", {TypeKind::kBigint}, kText, hexadecimal, type_of_hexadecimal, false);
  adder.add(1113, "quote_literal", {kText}, kText, quote_literal, type_of_quoted);
  adder.add(1114, "overlay", {kText, kText, kInt}, kText, overlay, type_of_overlaid);
  adder.add(1115, "overlay", {kText, kText, kInt, kInt}, kText, overlay, type_of_overlaid);
  adder.add(1116, "quote_ident", {kText}, kText, quote_ident, type_of_quoted);
  adder.add(1117, "quote_nullable", {kText}, kText, quote_nullable, type_of_quoted_nullable);
  adder.takes_nulls();
}

}  // namespace daedalus::semantics::scalar

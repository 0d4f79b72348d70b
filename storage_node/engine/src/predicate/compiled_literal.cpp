#include "compiled_literal.hpp"

#include <algorithm>

#include "kernels_text.hpp"

namespace daedalus::engine {
namespace {

using semantics::Literal;
using semantics::Operator;
using Kind = CompiledLiteral::Kind;

constexpr size_t kCodeBytes = 8;
/// Values of a range that are looked up one by one, at most: a month of days. Each costs some ns a cycle.
constexpr uint32_t kRangeMembersMax = 32;

CompareOp compare_op(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return CompareOp::kEqual;
    case Operator::kNotEqual:
      return CompareOp::kNotEqual;
    case Operator::kLess:
      return CompareOp::kLess;
    case Operator::kLessOrEqual:
      return CompareOp::kLessOrEqual;
    case Operator::kGreater:
      return CompareOp::kGreater;
    case Operator::kGreaterOrEqual:
      return CompareOp::kGreaterOrEqual;
    default:
      break;
  }
  check_failed("a comparison operator", __FILE__, __LINE__);
}

/// The lowest code of a value within a range that has one.
uint64_t first_code(const CodeRule& rule, CodeRange codes) {
  return (codes.low + rule.step() - 1) & ~(rule.step() - 1);
}

/// Notes where `constants` of the literal begin and end.
void note_constants(const NativeBytes& constants, size_t start, CompiledLiteral& out) {
  out.constants = static_cast<uint32_t>(start);
  out.constants_size = static_cast<uint32_t>(constants.size() - start);
}

uint64_t code_of_constant(const CodeRule& rule, const NativeBytes& constants, size_t at) {
  uint8_t bytes[24] = {};  // The widest value that has its code's bytes at an offset, and room to read on.
  std::memcpy(bytes, constants.data() + at, std::min(sizeof bytes, constants.size() - at));
  return code_of(rule, bytes);
}

Verdict compile_compare(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out,
                        NativeBytes& constants) {
  CHECK(literal.values.size() == 1);
  out.kind = Kind::kCompare;
  out.op = compare_op(literal.op);
  out.constant_count = 1;
  const size_t start = constants.size();
  const bool wants_less = out.op == CompareOp::kLess || out.op == CompareOp::kLessOrEqual;
  const bool wants_greater = out.op == CompareOp::kGreater || out.op == CompareOp::kGreaterOrEqual;
  switch (append_native(layout, literal.values[0], constants)) {
    case Fit::kInside:
      break;
    case Fit::kAbove:
      return wants_less || out.op == CompareOp::kNotEqual ? Verdict::kIfNotNull : Verdict::kNever;
    case Fit::kBelow:
      return wants_greater || out.op == CompareOp::kNotEqual ? Verdict::kIfNotNull : Verdict::kNever;
    case Fit::kBeyond:
      // The constant lies just above the value that its first bytes make.
      if (!wants_less && !wants_greater) {
        return out.op == CompareOp::kEqual ? Verdict::kNever : Verdict::kIfNotNull;
      }
      out.op = wants_less ? CompareOp::kLessOrEqual : CompareOp::kGreater;
      break;
  }
  note_constants(constants, start, out);
  const CodeRule rule = layout.code;
  out.codes = range_of(out.op, code_of_constant(rule, constants, start), rule.is_exact);
  if (rule.is_exact) {
    out.kind = Kind::kRange;
    out.negated = out.op == CompareOp::kNotEqual;
    return holds_no_value(rule, out.codes) ? Verdict::kNever : Verdict::kDepends;
  }
  out.codes = out.op == CompareOp::kNotEqual ? CodeRange{} : out.codes;
  return Verdict::kDepends;
}

/// The common case without a detour: a comparison that a code decides, of a short value or with a short string. False:
/// not that.
bool compile_short(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out) {
  uint64_t raw = 0;
  if (const auto* number = std::get_if<int64_t>(&literal.values[0])) {
    const uint32_t shift = layout.code.shift;
    raw = static_cast<uint64_t>(*number);
    if (static_cast<int64_t>(raw << shift) >> shift != *number) {
      return false;
    }
  } else if (const auto* text = std::get_if<std::string>(&literal.values[0])) {
    // The zero behind a string that ends within its code is in it: no other string has that code.
    if (text->size() > (layout.code.is_exact ? layout.width : sizeof raw - 1)) {
      return false;
    }
    std::memcpy(&raw, text->data(), text->size());
  } else {
    return false;
  }
  out.kind = Kind::kRange;
  out.op = compare_op(literal.op);
  out.negated = out.op == CompareOp::kNotEqual;
  out.codes = range_of(out.op, code_of_raw(layout.code, raw), true);
  return !holds_no_value(layout.code, out.codes);
}

/// Appends the members of a list whose codes decide, and their codes behind them. Returns how many there are.
uint32_t append_coded_members(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out,
                              NativeBytes& constants) {
  std::vector<uint64_t> codes;
  codes.reserve(literal.values.size());
  const size_t start = constants.size();
  for (const semantics::Value& value : literal.values) {
    if (append_native(layout, value, constants) == Fit::kInside) {
      codes.push_back(code_of_constant(layout.code, constants, start));
    }
    constants.resize(start);
  }
  if (!std::is_sorted(codes.begin(), codes.end())) {
    std::sort(codes.begin(), codes.end());
  }
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  for (const uint64_t code : codes) {
    const uint64_t member = raw_of(layout.code, code);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&member);
    constants.insert(constants.end(), bytes, bytes + layout.width);
  }
  note_constants(constants, start, out);
  out.has_codes = true;
  const auto* bytes = reinterpret_cast<const uint8_t*>(codes.data());
  constants.insert(constants.end(), bytes, bytes + codes.size() * sizeof(uint64_t));
  return static_cast<uint32_t>(codes.size());
}

/// Does the same where codes rule out but do not decide.
uint32_t append_members(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out,
                        NativeBytes& constants) {
  std::vector<std::vector<uint8_t>> members;
  for (const semantics::Value& value : literal.values) {
    NativeBytes native;
    if (append_native(layout, value, native) == Fit::kInside) {
      members.emplace_back(native.begin(), native.end());
    }
  }
  std::sort(members.begin(), members.end(),
            [&](const auto& left, const auto& right) { return compare_native(layout, left.data(), right.data()) < 0; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const size_t start = constants.size();
  for (const std::vector<uint8_t>& member : members) {
    constants.insert(constants.end(), member.begin(), member.end());
  }
  note_constants(constants, start, out);
  return static_cast<uint32_t>(members.size());
}

Verdict compile_in(const ColumnLayout& layout, const Literal& literal, bool negated, CompiledLiteral& out,
                   NativeBytes& constants) {
  out.kind = Kind::kIn;
  out.negated = negated;
  const CodeRule rule = layout.code;
  out.constant_count = rule.is_exact ? append_coded_members(layout, literal, out, constants)
                                     : append_members(layout, literal, out, constants);
  if (out.constant_count == 0) {
    return negated ? Verdict::kIfNotNull : Verdict::kNever;
  }
  out.codes = {code_of_constant(rule, constants, out.constants),
               code_of_constant(rule, constants, out.constants + out.constants_size - layout.width)};
  if (rule.is_exact && out.constant_count == 1) {
    out.kind = Kind::kRange;
  }
  return Verdict::kDepends;
}

Prefix prefix_of(const CompiledLiteral& literal, const uint8_t* constants) {
  return {constants + literal.constants, literal.constants_size, literal.blank_count};
}

Verdict compile_starts_with(const ColumnLayout& layout, const Literal& literal, bool negated, CompiledLiteral& out,
                            NativeBytes& constants) {
  CHECK(layout.native == Native::kBytes && literal.values.size() == 1);
  const auto& prefix = std::get<std::string>(literal.values[0]);
  out.kind = Kind::kStartsWith;
  out.negated = negated;
  out.constant_count = 1;
  if (prefix.size() > layout.width) {
    return negated ? Verdict::kIfNotNull : Verdict::kNever;
  }
  size_t fixed = prefix.size();
  if (layout.type.kind == semantics::TypeKind::kChar) {
    while (fixed > 0 && prefix[fixed - 1] == ' ') {
      --fixed;
    }
  }
  const size_t start = constants.size();
  constants.insert(constants.end(), prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(fixed));
  note_constants(constants, start, out);
  out.blank_count = static_cast<uint32_t>(prefix.size() - fixed);
  out.codes = codes_of(prefix_of(out, constants.data()));
  if (fixed <= kCodeBytes && out.blank_count == 0) {
    out.kind = Kind::kRange;
  }
  return Verdict::kDepends;
}

bool is_member(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
               StoredValue value) {
  if (literal.has_codes) {
    return has_member_code(literal, constants, code_of(layout.code, value.bytes));
  }
  const uint8_t* members = constants + literal.constants;
  return has_member(literal.constant_count, [&](uint32_t member) {
    return compare_native(layout, contiguous(layout, members + size_t{member} * layout.width), value);
  });
}

TextPlanes text_planes(const ColumnLayout& layout, const ChunkView& chunk, uint32_t column) {
  return {{chunk.planes[column], layout.stride}, {chunk.tails[column], layout.tail_width()}};
}

/// One comparison, membership or prefix on a whole column, NULLs and negation disregarded.
void mark_values(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* predicate_constants,
                 const ChunkView& chunk, uint64_t* matches) {
  const uint8_t* plane = chunk.planes[literal.column];
  const uint8_t* constants = predicate_constants + literal.constants;
  if (literal.kind == Kind::kRange) {
    return mark_code_range({plane, layout.stride}, chunk.row_count, layout.code, literal.codes, matches);
  }
  if (literal.kind == Kind::kStartsWith) {
    return starts_with_texts(text_planes(layout, chunk, literal.column), chunk.row_count,
                             prefix_of(literal, predicate_constants), matches);
  }
  const bool is_compare = literal.kind == Kind::kCompare;
  if (layout.native == Native::kBytes) {
    const TextPlanes planes = text_planes(layout, chunk, literal.column);
    if (is_compare) {
      return compare_texts(planes, chunk.row_count, literal.op, constants, matches);
    }
    return in_texts(planes, chunk.row_count, constants, literal.constant_count, matches);
  }
  with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
    const T* values = reinterpret_cast<const T*>(plane);
    if (is_compare) {
      return compare_column<T>(values, chunk.row_count, literal.op, load<T>(constants), matches);
    }
    // The kernel wants an array of its type; the predicate's constants lie where they lie.
    std::vector<T> members(literal.constant_count);
    std::memcpy(members.data(), constants, literal.constants_size);
    in_column<T>(values, chunk.row_count, members.data(), literal.constant_count, matches);
  });
}

}  // namespace

Verdict compile_literal(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out,
                        NativeBytes& constants) {
  out.column = literal.column;
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      if (compile_short(layout, literal, out)) {
        return Verdict::kDepends;
      }
      return compile_compare(layout, literal, out, constants);
    case Literal::Kind::kIn:
      return compile_in(layout, literal, false, out, constants);
    case Literal::Kind::kNotIn:
      return compile_in(layout, literal, true, out, constants);
    case Literal::Kind::kStartsWith:
      return compile_starts_with(layout, literal, false, out, constants);
    case Literal::Kind::kNotStartsWith:
      return compile_starts_with(layout, literal, true, out, constants);
    case Literal::Kind::kIsNull:
      out.kind = Kind::kIsNull;
      return layout.nullable ? Verdict::kDepends : Verdict::kNever;
    case Literal::Kind::kIsNotNull:
      return Verdict::kIfNotNull;
    case Literal::Kind::kNever:
      return Verdict::kNever;
  }
  check_failed("a known literal", __FILE__, __LINE__);
}

uint32_t member_count(const ColumnLayout& layout, const CompiledLiteral& literal) {
  if (literal.kind == Kind::kIn && !literal.negated) {
    return literal.constant_count;
  }
  if (literal.is_equality()) {
    return 1;
  }
  const CodeRule& rule = layout.code;
  if (literal.kind != Kind::kRange || literal.negated || !rule.is_exact || rule.is_floating) {
    return 0;
  }
  const uint64_t beyond_first = (literal.codes.high - first_code(rule, literal.codes)) >> rule.shift;
  return beyond_first < kRangeMembersMax ? static_cast<uint32_t>(beyond_first) + 1 : 0;
}

CodedValue member_of(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
                     uint32_t number) {
  if (literal.kind == CompiledLiteral::Kind::kRange) {
    const uint64_t code = literal.codes.low == literal.codes.high
                              ? literal.codes.low
                              : first_code(layout.code, literal.codes) + number * layout.code.step();
    return {raw_of(layout.code, code), code};
  }
  uint8_t bytes[24] = {};  // The widest value that has its code's bytes at an offset, and room to read on.
  std::memcpy(bytes, constants + literal.constants + size_t{number} * layout.width,
              std::min<size_t>(sizeof bytes, layout.width));
  return {load<uint64_t>(bytes), code_of(layout.code, bytes)};
}

bool has_member_code(const CompiledLiteral& literal, const uint8_t* constants, uint64_t code) {
  const uint8_t* codes = constants + literal.constants + literal.constants_size;
  // It takes equal steps whatever the code is: nothing to predict.
  for (uint32_t count = literal.constant_count; count > 1;) {
    const uint32_t half = count / 2;
    codes += load<uint64_t>(codes + size_t{half} * sizeof code) <= code ? half * sizeof code : 0;
    count -= half;
  }
  return load<uint64_t>(codes) == code;
}

bool row_matches(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
                 const ChunkView& chunk, uint32_t row) {
  const bool is_null = layout.nullable && test_bit(chunk.nulls[literal.column], row);
  if (is_null || literal.kind == Kind::kIsNull) {
    return is_null && literal.kind == Kind::kIsNull;
  }
  const StoredValue value = value_at(layout, chunk, literal.column, row);
  switch (literal.kind) {
    case Kind::kRange: {
      const uint64_t code = code_of(layout.code, value.bytes);
      return (code >= literal.codes.low && code <= literal.codes.high) != literal.negated;
    }
    case Kind::kCompare:
      return holds(literal.op, compare_native(layout, value, contiguous(layout, constants + literal.constants)));
    case Kind::kIn:
      return is_member(layout, literal, constants, value) != literal.negated;
    case Kind::kStartsWith:
      return starts_with(text_planes(layout, chunk, literal.column), row, prefix_of(literal, constants)) !=
             literal.negated;
    default:
      return true;  // IS NOT NULL.
  }
}

void mark_rows(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
               const ChunkView& chunk, uint64_t* matches) {
  const uint64_t* nulls = chunk.nulls[literal.column];
  if (literal.kind == Kind::kIsNull || literal.kind == Kind::kIsNotNull) {
    std::copy_n(nulls, chunk.word_count(), matches);
    if (literal.kind == Kind::kIsNotNull) {
      invert(matches, chunk.word_count());
    }
    return;
  }
  mark_values(layout, literal, constants, chunk, matches);
  if (literal.negated) {
    invert(matches, chunk.word_count());
  }
  if (layout.nullable) {
    and_not_into(matches, nulls, chunk.word_count());
  }
}

}  // namespace daedalus::engine

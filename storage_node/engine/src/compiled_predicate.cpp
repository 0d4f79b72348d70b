#include "compiled_predicate.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

using semantics::Literal;
using semantics::Operator;

/// A pass over a column touches every row; testing a row costs about this many times as much as one row of a pass.
constexpr uint32_t kRowTestCost = 16;

/// What a comparison comes to once its constant is native.
enum class Verdict : uint8_t { kDepends, kNever, kIfNotNull };

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

Verdict compile_compare(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out) {
  CHECK(literal.values.size() == 1);
  out.kind = CompiledLiteral::Kind::kCompare;
  out.op = compare_op(literal.op);
  out.constant_count = 1;
  const bool wants_less = out.op == CompareOp::kLess || out.op == CompareOp::kLessOrEqual;
  const bool wants_greater = out.op == CompareOp::kGreater || out.op == CompareOp::kGreaterOrEqual;
  switch (append_native(layout, literal.values[0], out.constants)) {
    case Fit::kInside:
      return Verdict::kDepends;
    case Fit::kAbove:
      return wants_less || out.op == CompareOp::kNotEqual ? Verdict::kIfNotNull : Verdict::kNever;
    case Fit::kBelow:
      return wants_greater || out.op == CompareOp::kNotEqual ? Verdict::kIfNotNull : Verdict::kNever;
    case Fit::kBeyond:
      break;
  }
  // The constant lies just above the value that its first bytes make.
  if (!wants_less && !wants_greater) {
    return out.op == CompareOp::kEqual ? Verdict::kNever : Verdict::kIfNotNull;
  }
  out.op = wants_less ? CompareOp::kLessOrEqual : CompareOp::kGreater;
  return Verdict::kDepends;
}

Verdict compile_in(const ColumnLayout& layout, const Literal& literal, bool negated, CompiledLiteral& out) {
  out.kind = CompiledLiteral::Kind::kIn;
  out.negated = negated;
  std::vector<std::vector<uint8_t>> members;
  for (const semantics::Value& value : literal.values) {
    std::vector<uint8_t> native;
    if (append_native(layout, value, native) == Fit::kInside) {
      copy_canonical(layout, native.data(), native.data());
      members.push_back(std::move(native));
    }
  }
  std::sort(members.begin(), members.end(),
            [&](const auto& left, const auto& right) { return compare_native(layout, left.data(), right.data()) < 0; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  for (const std::vector<uint8_t>& member : members) {
    out.constants.insert(out.constants.end(), member.begin(), member.end());
  }
  out.constant_count = static_cast<uint32_t>(members.size());
  if (members.empty()) {
    return negated ? Verdict::kIfNotNull : Verdict::kNever;
  }
  return Verdict::kDepends;
}

Verdict compile_starts_with(const ColumnLayout& layout, const Literal& literal, bool negated, CompiledLiteral& out) {
  CHECK(layout.native == Native::kBytes && literal.values.size() == 1);
  const auto& prefix = std::get<std::string>(literal.values[0]);
  out.kind = CompiledLiteral::Kind::kStartsWith;
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
  out.constants.assign(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(fixed));
  out.blank_count = static_cast<uint32_t>(prefix.size() - fixed);
  return Verdict::kDepends;
}

Verdict compile(const ColumnLayout& layout, const Literal& literal, CompiledLiteral& out) {
  out.column = literal.column;
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return compile_compare(layout, literal, out);
    case Literal::Kind::kIn:
      return compile_in(layout, literal, false, out);
    case Literal::Kind::kNotIn:
      return compile_in(layout, literal, true, out);
    case Literal::Kind::kStartsWith:
      return compile_starts_with(layout, literal, false, out);
    case Literal::Kind::kNotStartsWith:
      return compile_starts_with(layout, literal, true, out);
    case Literal::Kind::kIsNull:
      out.kind = CompiledLiteral::Kind::kIsNull;
      return layout.nullable ? Verdict::kDepends : Verdict::kNever;
    case Literal::Kind::kIsNotNull:
      return Verdict::kIfNotNull;
    case Literal::Kind::kNever:
      return Verdict::kNever;
  }
  check_failed("a known literal", __FILE__, __LINE__);
}

Prefix prefix_of(const CompiledLiteral& literal) {
  return {literal.constants.data(), static_cast<uint32_t>(literal.constants.size()), literal.blank_count};
}

bool holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessOrEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterOrEqual:
      return order >= 0;
  }
  check_failed("a known comparison", __FILE__, __LINE__);
}

bool is_member(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* value) {
  uint32_t low = 0;
  uint32_t high = literal.constant_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const int order = compare_native(layout, literal.constants.data() + size_t{middle} * layout.width, value);
    if (order == 0) {
      return true;
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/// One literal on one row.
bool row_matches(const ColumnLayout& layout, const CompiledLiteral& literal, const ChunkView& chunk, uint32_t row) {
  const bool is_null = layout.nullable && test_bit(chunk.nulls[literal.column], row);
  if (is_null || literal.kind == CompiledLiteral::Kind::kIsNull) {
    return is_null && literal.kind == CompiledLiteral::Kind::kIsNull;
  }
  const uint8_t* value = chunk.planes[literal.column] + size_t{row} * layout.width;
  switch (literal.kind) {
    case CompiledLiteral::Kind::kCompare:
      return holds(literal.op, compare_native(layout, value, literal.constants.data()));
    case CompiledLiteral::Kind::kIn:
      return is_member(layout, literal, value) != literal.negated;
    case CompiledLiteral::Kind::kStartsWith:
      return starts_with(value, prefix_of(literal)) != literal.negated;
    default:
      return true;  // IS NOT NULL.
  }
}

/// One comparison, membership or prefix on a whole column, NULLs disregarded.
void mark_values(const ColumnLayout& layout, const CompiledLiteral& literal, const ChunkView& chunk,
                 uint64_t* matches) {
  const uint8_t* plane = chunk.planes[literal.column];
  const uint8_t* constants = literal.constants.data();
  if (literal.kind == CompiledLiteral::Kind::kStartsWith) {
    return starts_with_bytes({plane, layout.width}, chunk.row_count, prefix_of(literal), matches);
  }
  const bool is_compare = literal.kind == CompiledLiteral::Kind::kCompare;
  if (layout.native == Native::kBytes) {
    if (is_compare) {
      return compare_bytes({plane, layout.width}, chunk.row_count, literal.op, constants, matches);
    }
    return in_bytes({plane, layout.width}, chunk.row_count, constants, literal.constant_count, matches);
  }
  with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
    const T* values = reinterpret_cast<const T*>(plane);
    if (is_compare) {
      return compare_column<T>(values, chunk.row_count, literal.op, load<T>(constants), matches);
    }
    in_column<T>(values, chunk.row_count, reinterpret_cast<const T*>(constants), literal.constant_count, matches);
  });
}

/// One literal on a whole chunk, dead rows included.
void mark_rows(const ColumnLayout& layout, const CompiledLiteral& literal, const ChunkView& chunk, uint64_t* matches) {
  const uint64_t* nulls = chunk.nulls[literal.column];
  if (literal.kind == CompiledLiteral::Kind::kIsNull || literal.kind == CompiledLiteral::Kind::kIsNotNull) {
    std::copy_n(nulls, chunk.word_count(), matches);
    if (literal.kind == CompiledLiteral::Kind::kIsNotNull) {
      invert(matches, chunk.word_count());
    }
    return;
  }
  mark_values(layout, literal, chunk, matches);
  if (literal.negated) {
    invert(matches, chunk.word_count());
  }
  if (layout.nullable) {
    and_not_into(matches, nulls, chunk.word_count());
  }
}

/// Clauses that leave few rows come first: a guess from their shape alone.
uint32_t rank(const CompiledClause& clause) {
  if (clause.size() > 1) {
    return 3;
  }
  if (clause[0].is_equality()) {
    return clause[0].constant_count == 1 ? 0 : 1;
  }
  return 2;
}

}  // namespace

CompiledPredicate::CompiledPredicate(const TableLayout& layout, const semantics::Predicate& predicate)
    : layout_(&layout) {
  for (const semantics::Clause& clause : predicate.clauses) {
    CompiledClause compiled;
    bool always = false;
    for (const Literal& literal : clause) {
      const ColumnLayout& column = layout.columns[literal.column];
      CompiledLiteral next;
      Verdict verdict = compile(column, literal, next);
      if (verdict == Verdict::kIfNotNull) {
        always |= !column.nullable;
        next = CompiledLiteral{.kind = CompiledLiteral::Kind::kIsNotNull, .column = literal.column};
        verdict = Verdict::kDepends;
      }
      if (verdict == Verdict::kDepends) {
        compiled.push_back(std::move(next));
      }
    }
    if (always) {
      continue;
    }
    never_ |= compiled.empty();
    clauses_.push_back(std::move(compiled));
  }
  if (never_) {
    clauses_.clear();
  }
  std::stable_sort(clauses_.begin(), clauses_.end(),
                   [](const CompiledClause& left, const CompiledClause& right) { return rank(left) < rank(right); });
}

bool CompiledPredicate::matches(const ChunkView& chunk, uint32_t row, std::optional<uint32_t> known_true) const {
  if (never_) {
    return false;
  }
  for (uint32_t index = 0; index < clauses_.size(); ++index) {
    const CompiledClause& clause = clauses_[index];
    if (index != known_true && std::none_of(clause.begin(), clause.end(), [&](const CompiledLiteral& literal) {
          return row_matches(layout_->columns[literal.column], literal, chunk, row);
        })) {
      return false;
    }
  }
  return true;
}

void CompiledPredicate::select(const ChunkView& chunk, SelectionScratch& scratch, uint64_t* selection) const {
  const uint32_t words = chunk.word_count();
  if (never_) {
    std::fill_n(selection, words, 0);
    return;
  }
  std::copy_n(chunk.live, words, selection);
  for (uint32_t index = 0; index < clauses_.size(); ++index) {
    const uint32_t left = count_bits(selection, words);
    if (left == 0) {
      return;
    }
    if (left * kRowTestCost < chunk.row_count) {
      for_each_bit(selection, words, [&](uint32_t row) {
        if (!matches(chunk, row, std::nullopt)) {
          clear_bit(selection, row);
        }
      });
      return;
    }
    uint64_t* marked = scratch.clause.data();
    std::fill_n(marked, words, 0);
    for (const CompiledLiteral& literal : clauses_[index]) {
      mark_rows(layout_->columns[literal.column], literal, chunk, scratch.literal.data());
      or_into(marked, scratch.literal.data(), words);
    }
    and_into(selection, marked, words);
  }
}

}  // namespace daedalus::engine

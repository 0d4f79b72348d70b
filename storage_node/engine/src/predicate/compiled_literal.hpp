// One comparison of one column, its constants in native form and as a range of codes.
//
// Decides what a comparison comes to on a given table, and whether a single row satisfies it. Refuses to know clauses
// and queries.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "chunk_store.hpp"
#include "codes.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "kernels_compare.hpp"

namespace daedalus::engine {

/// A comparison that can be true for some value and false (or NULL) for another.
struct CompiledLiteral {
  enum class Kind : uint8_t {
    kRange,  ///< Decided by codes alone: true iff not NULL and (the code is within `codes`) != negated.
    kCompare,
    kIn,
    kStartsWith,
    kIsNull,
    kIsNotNull
  };

  Kind kind = Kind::kIsNull;
  bool negated = false;    ///< kRange, kIn, kStartsWith: true for values that do not.
  bool has_codes = false;  ///< kIn: behind `constants` are the codes of its members, ascending, and they decide.
  CompareOp op = CompareOp::kEqual;
  uint32_t column = 0;
  uint32_t constant_count = 0;
  uint32_t blank_count = 0;  ///< kStartsWith: trailing blanks of the prefix that char(n)'s padding may stand for.
  uint32_t constants = 0;    ///< Says where they begin; ascending; for kStartsWith the prefix without its blanks.
  uint32_t constants_size = 0;
  CodeRange codes;  ///< Covers every row that satisfies what is not negated, NULL tests apart.

  /// Codes of every row that satisfies the literal. NULL tests: all codes.
  [[nodiscard]] CodeRange reach() const { return negated ? CodeRange{} : codes; }

  /// True only for values equal to one of `constants` (kRange: whose code is the one in `codes`): an index finds the
  /// operation.
  [[nodiscard]] bool is_equality() const {
    return !negated && (kind == Kind::kIn || (kind == Kind::kRange && codes.low == codes.high) ||
                        (kind == Kind::kCompare && op == CompareOp::kEqual));
  }
};

/// How many values are named by a literal that is true for them alone: those of an equality, or of a short range of
/// whole numbers, days or short strings. 0: it does not name its values, or they are too many.
[[nodiscard]] uint32_t member_count(const ColumnLayout& layout, const CompiledLiteral& literal);

/// Holds what a comparison comes to once its constants are native.
enum class Verdict : uint8_t { kDepends, kNever, kIfNotNull };

/// Brings a literal to the planes of one column. kIfNotNull and kNever: `out` is of no use.
[[nodiscard]] Verdict compile_literal(const ColumnLayout& layout, const semantics::Literal& literal,
                                      CompiledLiteral& out, NativeBytes& constants);

/// Value number `number` of member_count(), ascending. Cost: some ns.
[[nodiscard]] CodedValue member_of(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
                                   uint32_t number);

/// Calls use(value) for every value that a literal names, in every spelling that a plane may have of it: −0.0 beside
/// 0.0. `constants`: unused for ranges. Precondition: member_count() is not 0.
template <typename Use>
void for_each_member(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants, Use&& use) {
  const uint32_t count = member_count(layout, literal);
  for (uint32_t number = 0; number < count; ++number) {
    const CodedValue value = member_of(layout, literal, constants, number);
    use(value);
    if (layout.code.is_floating && value.raw == 0) {
      use(CodedValue{uint64_t{1} << (8 * layout.width - 1), value.code});
    }
  }
}

/// Returns whether a list with codes has this one. Cost: some ns for each doubling of its length.
[[nodiscard]] bool has_member_code(const CompiledLiteral& literal, const uint8_t* constants, uint64_t code);

/// One literal on one row.
[[nodiscard]] bool row_matches(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
                               const ChunkView& chunk, uint32_t row);

/// One literal on a whole chunk, dead rows included. Cost: a pass over the column.
void mark_rows(const ColumnLayout& layout, const CompiledLiteral& literal, const uint8_t* constants,
               const ChunkView& chunk, uint64_t* matches);

}  // namespace daedalus::engine

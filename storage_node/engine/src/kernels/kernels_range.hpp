// Ranges of codes over whole columns: values in, a bitmap of rows out. NULLs are the caller's business.
//
// Every kernel writes bitmap_words(row_count) words of `matches`; bits beyond the last row are 0. row_count 0 is legal.
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

#include "codes.hpp"
#include "kernels_compare.hpp"

namespace daedalus::engine {

/// Codes of values that compare like that with a value of this code; `exact`: the code is of that value alone.
[[nodiscard]] CodeRange range_of(CompareOp op, uint64_t code, bool exact) noexcept;

/// Marks the rows whose code lies within `codes`, both ends included; an empty range marks none.
///
/// plane      row_count values of plane.width bytes, at any alignment, with eight readable bytes behind the last.
/// rule       code_rule() of the column.
/// Cost       one pass; memory-bound for widths 1, 2, 4 and 8, about a ns a row for other strings and floating numbers.
void mark_code_range(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                     uint64_t* matches) noexcept;

namespace scalar {
void mark_code_range(BytesPlane plane, uint32_t row_count, const CodeRule& rule, CodeRange codes,
                     uint64_t* matches) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

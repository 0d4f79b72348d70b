// Arithmetic and comparisons of whole vectors: what expressions are computed with.
//
// None allocates or throws. The instruction set is chosen once, at run time, and each gives the same bits; the plain
// twin of all of them is semantics::evaluate().
#pragma once

#include <cstdint>

#include "kernels_compare.hpp"
#include "native.hpp"

namespace daedalus::engine {

/// Rows of a vector, at most: few enough that the vectors of an expression stay in the first-level cache.
constexpr uint32_t kVectorRows = 1024;
constexpr uint32_t kVectorWords = kVectorRows / 64;

/// One side of an operation: values of a vector, or one value for all rows.
template <typename T>
struct Operand {
  const T* values = nullptr;
  bool is_constant = false;

  [[nodiscard]] T at(uint32_t position) const { return values[is_constant ? 0 : position]; }
};

enum class IntegerOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kMultiplySmall,  ///< Multiplies values within 32 bits with a sign.
  kAnd,
  kOr,
  kXor,
};

// All kernels here have in common:
//
// left, right  vectors with room for 64 · ceil(count / 64) values: as many may be read, and written.
// count        0 is legal, at most kVectorRows.
// truths       ceil(count / 64) words; bits beyond the last row are anything.

/// Wraps around: whoever calls knows that nothing leaves 64 bits, or looks afterwards.
void integer_vectors(IntegerOp op, Operand<int64_t> left, Operand<int64_t> right, uint32_t count,
                     int64_t* out) noexcept;

void compare_vectors(CompareOp op, Operand<int64_t> left, Operand<int64_t> right, uint32_t count,
                     uint64_t* truths) noexcept;
/// In PostgreSQL's order: NaN equals NaN and is above everything.
void compare_vectors(CompareOp op, Operand<double> left, Operand<double> right, uint32_t count,
                     uint64_t* truths) noexcept;

/// No value is further from zero than this; at most twice what it need be.
[[nodiscard]] uint64_t magnitude_of(const int64_t* values, uint32_t count) noexcept;

/// Returns whether some value lies outside of [low, high].
[[nodiscard]] bool any_outside(const int64_t* values, uint32_t count, int64_t low, int64_t high) noexcept;

}  // namespace daedalus::engine

#include "kernels_compare.hpp"

#include <algorithm>

#include "native.hpp"

namespace daedalus::engine {
namespace {

/// Beyond this many constants a binary search beats comparing with each: a handful of predictable comparisons costs
/// less than one mispredicted branch.
constexpr uint32_t kInLinearMax = 8;

/// Packs test(r) for every row into the bitmap.
template <typename Test>
inline void mark(uint32_t row_count, uint64_t* matches, Test test) noexcept {
  uint32_t row = 0;
  for (; row + 64 <= row_count; row += 64) {
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      word |= static_cast<uint64_t>(test(row + bit)) << bit;
    }
    matches[row / 64] = word;
  }
  if (row < row_count) {
    uint64_t word = 0;
    for (uint32_t bit = 0; row + bit < row_count; ++bit) {
      word |= static_cast<uint64_t>(test(row + bit)) << bit;
    }
    matches[row / 64] = word;
  }
}

void mark_all(uint32_t row_count, uint64_t* matches, bool match) noexcept {
  mark(row_count, matches, [match](uint32_t) { return match; });
}

/// Comparisons with NaN: equal to NaN, above everything else.
template <typename T>
void compare_with_nan(const T* values, uint32_t row_count, CompareOp op, uint64_t* matches) noexcept {
  switch (op) {
    case CompareOp::kEqual:
    case CompareOp::kGreaterOrEqual:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] != values[row]; });
    case CompareOp::kNotEqual:
    case CompareOp::kLess:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] == values[row]; });
    case CompareOp::kLessOrEqual:
      return mark_all(row_count, matches, true);
    case CompareOp::kGreater:
      return mark_all(row_count, matches, false);
  }
}

}  // namespace

template <typename T>
void compare_column(const T* values, uint32_t row_count, CompareOp op, T constant, uint64_t* matches) noexcept {
  if (constant != constant) {
    return compare_with_nan(values, row_count, op, matches);
  }
  // A NaN in the column fails every comparison of the machine, so "greater" is "not less or equal".
  switch (op) {
    case CompareOp::kEqual:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] == constant; });
    case CompareOp::kNotEqual:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] != constant; });
    case CompareOp::kLess:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] < constant; });
    case CompareOp::kLessOrEqual:
      return mark(row_count, matches, [=](uint32_t row) { return values[row] <= constant; });
    case CompareOp::kGreater:
      return mark(row_count, matches, [=](uint32_t row) { return !(values[row] <= constant); });
    case CompareOp::kGreaterOrEqual:
      return mark(row_count, matches, [=](uint32_t row) { return !(values[row] < constant); });
  }
}

template <typename T>
void in_column(const T* values, uint32_t row_count, const T* constants, uint32_t constant_count,
               uint64_t* matches) noexcept {
  if (constant_count <= kInLinearMax) {
    return mark(row_count, matches, [=](uint32_t row) {
      bool found = false;
      for (uint32_t index = 0; index < constant_count; ++index) {
        found |= compare_scalars(values[row], constants[index]) == 0;
      }
      return found;
    });
  }
  mark(row_count, matches, [=](uint32_t row) {
    return std::binary_search(constants, constants + constant_count, values[row],
                              [](T left, T right) { return compare_scalars(left, right) < 0; });
  });
}

#define DAEDALUS_INSTANTIATE(T)                                                          \
  template void compare_column<T>(const T*, uint32_t, CompareOp, T, uint64_t*) noexcept; \
  template void in_column<T>(const T*, uint32_t, const T*, uint32_t, uint64_t*) noexcept;
DAEDALUS_INSTANTIATE(uint8_t)
DAEDALUS_INSTANTIATE(int16_t)
DAEDALUS_INSTANTIATE(int32_t)
DAEDALUS_INSTANTIATE(int64_t)
DAEDALUS_INSTANTIATE(Int128)
DAEDALUS_INSTANTIATE(float)
DAEDALUS_INSTANTIATE(double)
#undef DAEDALUS_INSTANTIATE

}  // namespace daedalus::engine

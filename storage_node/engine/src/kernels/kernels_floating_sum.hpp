// Floating sums of a column: of all its values, or of those that a bitmap selects.
//
// Decides how vectors cut values as semantics::FloatingSum says, and when they cannot. Its twin is that class, value by
// value; both come to the same state.
#pragma once

#include <cstdint>

#include "daedalus/semantics/floating_sum.hpp"

namespace daedalus::engine {

/// Adds floating values to a sum, which comes out the same to the last bit whatever the order. T: float or double.
///
/// values, selection and word_count are as in kernels_aggregate.hpp. Values are taken by blocks, a word of each part:
/// first their largest magnitude, which says where they are to be cut, then their digits at the four places of the sum,
/// by additions and subtractions of doubles alone.
///
/// Cost  two passes over each block, the second one in the first-level cache: some twenty instructions a vector. Blocks
///       with a value above 2^979, an infinity or NaN are added value by value, and so is what follows the former.
template <typename T>
void add_to_sum(const T* values, const uint64_t* selection, uint32_t word_count, semantics::FloatingSum& sum) noexcept;

namespace scalar {
template <typename T>
void add_to_sum(const T* values, const uint64_t* selection, uint32_t word_count, semantics::FloatingSum& sum) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

// The first filter of a probe in vector registers; see kernels_probe.hpp.
#pragma once

#include "kernels_probe.hpp"

namespace daedalus::engine::avx512 {

// Kernels that take pairs ask for the lines of `ahead` that belong to the rows at hand are asked for.

/// Returns whether this CPU has what is needed: AVX-512 with VBMI and VBMI2.
[[nodiscard]] bool is_supported() noexcept;

/// Writes the sums of row_count rows, and with a filter the rows that pass it to scratch.first_rows.
/// Returns how many pass; without a filter 0.
///
/// key        columns of 1, 2, 4 or 8 bytes.
/// row_count  a multiple of 64, at most kProbeRowsMax.
/// Precondition: is_supported().
[[nodiscard]] uint32_t sum_and_filter(const KeyPlanes& key, uint32_t row_count, const RegisterFilter* filter,
                                      ProbeScratch& scratch) noexcept;

/// Lists the rows that pass both halves of the set's register filter, as list_pairs() does with all of it.
///
/// row_count  a multiple of 64.
/// Precondition: is_supported().
[[nodiscard]] uint32_t filter_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                                    const AheadPlanes& ahead) noexcept;

/// Lists the rows whose pair is in the set. The cost is the same for any number of pairs: 0.22 ns a row.
///
/// row_count  a multiple of 64.
/// Precondition: is_supported().
[[nodiscard]] uint32_t gather_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                                    const AheadPlanes& ahead) noexcept;

}  // namespace daedalus::engine::avx512

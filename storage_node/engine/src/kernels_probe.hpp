// Finding the few rows whose key somebody asks for: a hash of key columns, and a filter of bits that most rows fail.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

#include "kernels_compare.hpp"

namespace daedalus::engine {

/// Rows that kernels take at a time, at most: hashes and survivors of so many stay in the first-level cache.
constexpr uint32_t kProbeRowsMax = 2048;

/// 32 bits of the first eight bytes of a value of `width` bytes, given with zeros behind the value.
[[nodiscard]] constexpr uint32_t folded(uint64_t raw) {
  return static_cast<uint32_t>(raw) ^ (static_cast<uint32_t>(raw >> 32) * 0x85ebca6bu);
}

/// What column number `place` of a key multiplies its folded value with; odd.
[[nodiscard]] constexpr uint32_t key_multiplier(uint32_t place) { return 0x9e3779b1u + 0x3c6ef372u * place; }

/// The hash of a key from the sum of its columns' folded values times their multipliers.
[[nodiscard]] constexpr uint32_t finished_hash(uint32_t sum) {
  sum ^= sum >> 15;
  sum *= 0x2c1b3c6du;
  return sum ^ (sum >> 13);
}

/// Adds folded(value) · multiplier to sums[r] of each row; wraps.
///
/// plane      row_count values of any width, at any alignment, with eight readable bytes behind the last.
/// row_count  at most kProbeRowsMax; 0 is legal.
/// Cost       one pass; well below a ns a row for widths 1, 2, 4 and 8.
void add_key_column(BytesPlane plane, uint32_t row_count, uint32_t multiplier, uint32_t* sums) noexcept;

/// Bits of a filter, a power of two: bit h >> shift stands for every hash h. 32 - shift is 11 for a filter that fits
/// into registers (kRegisterFilterBits), more for one that is read from memory.
struct ProbeFilter {
  const uint32_t* words = nullptr;
  uint32_t shift = 21;
};

constexpr uint32_t kRegisterFilterBits = 2048;

/// Rows that passed a filter.
struct ProbeSurvivors {
  uint32_t rows[kProbeRowsMax + 64];
  uint32_t hashes[kProbeRowsMax + 64];
};

/// Finishes the hashes of `sums` and keeps those whose bit is set, in ascending order of rows. Returns how many.
///
/// row_count  at most kProbeRowsMax; 0 is legal.
/// Cost       about 0.3 ns a row from registers, 0.6 from the first-level cache.
[[nodiscard]] uint32_t probe_filter(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                                    ProbeSurvivors& survivors) noexcept;

namespace scalar {
void add_key_column(BytesPlane plane, uint32_t row_count, uint32_t multiplier, uint32_t* sums) noexcept;
[[nodiscard]] uint32_t probe_filter(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                                    ProbeSurvivors& survivors) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

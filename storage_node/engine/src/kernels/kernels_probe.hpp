// Finding the few rows whose key somebody asks for: a hash of key columns, or a pair of their sketches' bytes, and
// filters of bits that most rows fail.
//
// None allocates or throws. The instruction set is chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

#include "kernels_compare.hpp"

namespace daedalus::engine {

/// Rows that kernels take at a time, at most: hashes and survivors of so many stay in the first-level cache.
constexpr uint32_t kProbeRowsMax = 2048;
/// Columns of a key, at most.
constexpr uint32_t kKeyColumnsMax = 2;

/// 32 bits of the first eight bytes of a value, given with zeros behind the value.
[[nodiscard]] constexpr uint32_t folded(uint64_t raw) {
  return static_cast<uint32_t>(raw) ^ (static_cast<uint32_t>(raw >> 32) * 0x85ebca6bu);
}

/// Returns what column number `place` of a key multiplies its folded value with; odd.
[[nodiscard]] constexpr uint32_t key_multiplier(uint32_t place) { return 0x9e3779b1u + 0x3c6ef372u * place; }

/// The hash of a key from the sum of its columns' folded values times their multipliers.
[[nodiscard]] constexpr uint32_t finished_hash(uint32_t sum) {
  sum ^= sum >> 15;
  sum *= 0x2c1b3c6du;
  return sum ^ (sum >> 13);
}

/// The columns of a key in one block of rows, each at any alignment, of any width, with eight readable bytes behind.
struct KeyPlanes {
  BytesPlane columns[kKeyColumnsMax];
  uint32_t count = 0;
};

/// 4,096 bits that fit into eight vector registers, addressed by the twelve high bits of a key's sum.
struct RegisterFilter {
  alignas(64) uint8_t bytes[512] = {};

  [[nodiscard]] static uint32_t byte_of(uint32_t sum) { return (sum >> 24) | ((sum >> 15) & 256); }
  [[nodiscard]] static uint32_t bit_of(uint32_t sum) { return (sum >> 20) & 7; }
  void add(uint32_t sum) { bytes[byte_of(sum)] = static_cast<uint8_t>(bytes[byte_of(sum)] | 1u << bit_of(sum)); }
  [[nodiscard]] bool has(uint32_t sum) const { return ((bytes[byte_of(sum)] >> bit_of(sum)) & 1) != 0; }
};

/// The tests that a row has to pass.
struct ProbeFilter {
  const uint32_t* words = nullptr;        ///< A power of two of bits: bit h >> shift stands for every finished hash h.
  uint32_t shift = 0;                     ///< 32 minus the logarithm of their number; at least 5 bits.
  const RegisterFilter* first = nullptr;  ///< Asked before; null: not at all.

  [[nodiscard]] bool has(uint32_t hash) const {
    const uint32_t bit = hash >> shift;
    return ((words[bit / 32] >> (bit % 32)) & 1) != 0;
  }
};

/// A set of pairs of bytes, with 8,192 bits of it that fit into sixteen vector registers.
struct PairFilter {
  uint64_t pairs[1024] = {};  ///< Bit first + 256 · second.
  /// Byte by the one, table and bit by the low four bits of the other: what passes both is rarely not in the set. Of
  /// few different bytes in either place nothing is.
  alignas(64) uint8_t by_first[2][256] = {};
  alignas(64) uint8_t by_second[2][256] = {};
  uint32_t count = 0;

  [[nodiscard]] static uint32_t pair_of(uint8_t first, uint8_t second) { return first | uint32_t{second} << 8; }
  void add(uint8_t first, uint8_t second) {
    const uint32_t pair = pair_of(first, second);
    count += has(pair) ? 0 : 1;
    pairs[pair / 64] |= uint64_t{1} << (pair % 64);
    mark(by_first, first, second);
    mark(by_second, second, first);
  }
  [[nodiscard]] bool has(uint32_t pair) const { return ((pairs[pair / 64] >> (pair % 64)) & 1) != 0; }

 private:
  static void mark(uint8_t (&tables)[2][256], uint8_t one, uint8_t other) {
    uint8_t& byte = tables[(other >> 3) & 1][one];
    byte = static_cast<uint8_t>(byte | 1u << (other & 7));
  }
};

/// The bytes of a key's two columns in one chunk; the same twice for a key of one column.
struct PairPlanes {
  const uint8_t* first = nullptr;
  const uint8_t* second = nullptr;

  /// Returns whether both columns have sketches in the chunk.
  [[nodiscard]] bool exist() const { return first != nullptr && second != nullptr; }
  /// Returns those of the rows from `row` on.
  [[nodiscard]] PairPlanes from(uint32_t row) const { return {first + row, second + row}; }
};

/// Planes that will be read after these: a kernel that takes them asks for the lines of the same rows while it works,
/// so that the memory answers when there is nothing to wait for.
struct AheadPlanes {
  static constexpr uint32_t kMax = 4;

  const uint8_t* planes[kMax] = {};
  uint32_t count = 0;

  /// Returns those of the rows from `row` on.
  [[nodiscard]] AheadPlanes from(uint32_t row) const {
    AheadPlanes rest = *this;
    for (uint32_t plane = 0; plane < count; ++plane) {
      rest.planes[plane] += row;
    }
    return rest;
  }
  /// Nothing for a null or for more than there is room for.
  void add(const uint8_t* plane) {
    if (plane != nullptr && count < kMax) {
      planes[count++] = plane;
    }
  }
};

/// Room for one block of a probe, reused from block to block, and what it found.
struct ProbeScratch {
  uint32_t rows[kProbeRowsMax + 64];    ///< Within the block.
  uint32_t hashes[kProbeRowsMax + 64];  ///< Finished.

  alignas(64) uint32_t sums[kProbeRowsMax + 64];
  alignas(64) uint16_t first_rows[kProbeRowsMax + 64];
  alignas(64) uint8_t unpacked[kKeyColumnsMax][(kProbeRowsMax + 8) * sizeof(uint64_t)];
};

/// Returns whether filters are asked in registers (AVX-512 with VBMI), where a pass costs little more than reading the
/// columns.
[[nodiscard]] bool has_fast_probes() noexcept;

/// Lists rows and hashes of those that pass a filter, in ascending order of rows. Returns how many.
///
/// row_count  at most kProbeRowsMax; 0 is legal.
/// Cost       one pass over the columns: 0.2 to 0.3 ns a row with a register filter on CPUs that have the instructions,
///            0.6 to 1 otherwise; some ns for each row that passes the first filter.
[[nodiscard]] uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                                  ProbeScratch& scratch) noexcept;

/// Lists the rows whose pair of bytes is in the set, ascending, to `rows`, which has room for row_count and 64 more.
/// Returns how many. Planes may be the same, for a set of single bytes.
///
/// row_count  at most 65,536; 0 is legal.
/// ahead      of as many rows each; CPUs without the instructions do not ask for them.
/// Cost       one pass over both planes, in the caches, on CPUs that have the instructions: 0.1 ns a row for 16 pairs,
///            0.2 for 512 and for any more; 1.8 elsewhere.
[[nodiscard]] uint32_t list_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                                  const AheadPlanes& ahead = {}) noexcept;

/// CPUs that lack the register filter's own instructions run this.
namespace generic {
[[nodiscard]] uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                                  ProbeScratch& scratch) noexcept;
}  // namespace generic

namespace scalar {
[[nodiscard]] uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                                  ProbeScratch& scratch) noexcept;
[[nodiscard]] uint32_t list_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter,
                                  uint16_t* rows) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

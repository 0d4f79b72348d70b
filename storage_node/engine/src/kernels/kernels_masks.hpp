// Eight queries a byte: which of them a row may satisfy, by the sketches of the columns that they name.
//
// A sketch's bucket is brought to six bits, its code, because 64 bytes are what one permutation looks up. Of each
// column that some of eight queries name, a table has for each code which of them it suits: a row may satisfy those
// that all tables leave. None allocates or throws. The instruction set is chosen once, at run time; each has a plain
// twin in `scalar`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace daedalus::engine {

/// Rows of a block: the codes of dozens of columns fit into the first-level cache, and a group's masks into registers.
constexpr uint32_t kMaskBlockRows = 512;
constexpr uint32_t kMaskWords = kMaskBlockRows / 64;

/// Codes of a column; the last is NULL.
constexpr uint32_t kCodes = 64;
constexpr uint8_t kNullCode = kCodes - 1;
/// Queries that share a byte.
constexpr uint32_t kMaskQueries = 8;

/// The code of a bucket: its high bits, the last ones sharing one. 255 is NULL.
[[nodiscard]] constexpr uint8_t code_of_bucket(uint8_t bucket, uint32_t shift) {
  const auto high = static_cast<uint8_t>(bucket >> shift);
  return bucket == 255 ? kNullCode : high < kNullCode ? high : static_cast<uint8_t>(kNullCode - 1);
}

/// By code, which of eight queries it suits.
struct alignas(64) MaskTable {
  uint8_t queries[kCodes];
};

/// Codes of one column's rows of a block.
struct alignas(64) CodeBlock {
  uint8_t codes[kMaskBlockRows];
};

/// The tables of eight queries, and of each the place of its column's codes.
struct MaskGroup {
  const MaskTable* tables = nullptr;
  const uint16_t* columns = nullptr;
  uint32_t table_count = 0;
};

/// A row of a block that some queries may want.
struct MaskedRow {
  uint16_t row = 0;
  uint8_t queries = 0;  ///< A bit each.
};

/// Returns whether masks cost no more than other ways to find rows: with AVX-512 and VBMI, or with AVX2.
[[nodiscard]] bool has_fast_masks() noexcept;
/// Returns what a table costs, ns a row. Precondition: has_fast_masks().
[[nodiscard]] double mask_table_cost() noexcept;

/// Makes the codes of word_count · 64 rows, at most a block, from their sketches.
void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept;

/// Lists, ascending, the rows of a bitmap of word_count words that some of the group's queries may want. `active`:
/// which of them want rows at all. `rows` has room for all. Returns how many. Cost: about a ns a table and 64 rows,
/// with AVX2 three.
[[nodiscard]] uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                   uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept;

namespace scalar {
void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept;
[[nodiscard]] uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                   uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept;
}  // namespace scalar

namespace avx2 {
[[nodiscard]] bool is_supported() noexcept;
/// As above. Precondition: is_supported().
void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept;
[[nodiscard]] uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                   uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept;
}  // namespace avx2

namespace avx512 {
/// As above. Precondition: is_supported().
void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept;
[[nodiscard]] uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                   uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept;
}  // namespace avx512

}  // namespace daedalus::engine

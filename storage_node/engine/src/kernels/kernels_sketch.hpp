// Bitmaps over the sketches of a block of rows: one for each bound that some query has, combined query by query.
//
// Bitmaps have kSketchWords words, all of them written and read. None allocates or throws. The instruction set is
// chosen once, at run time; each has a plain twin in `scalar`.
#pragma once

#include <cstdint>

#include "kernels_bitmap.hpp"

namespace daedalus::engine {

/// Rows of a block: the bitmaps of thousands of bounds fit into the second-level cache.
constexpr uint32_t kSketchBlockRows = 2048;
constexpr uint32_t kSketchWords = bitmap_words(kSketchBlockRows);

/// Rows of a block. Bitmaps that lie across lines of the cache take longer to join (decision 112).
struct alignas(64) SketchBitmap {
  uint64_t words[kSketchWords];
};

/// Marks the rows of a block whose byte is above `bound`. Cost: about 10 ns with 512-bit vectors.
void mark_above(const uint8_t* bytes, uint8_t bound, uint64_t* above) noexcept;
/// Marks those whose byte is `bucket`, for as much.
void mark_equal(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) noexcept;

/// Which of a block's bitmaps a row has to be in, and which it must not be in: numbers of bitmaps that lie one behind
/// the other from `bitmaps` on.
struct BitmapChoice {
  const uint64_t* bitmaps = nullptr;
  const uint16_t* within = nullptr;
  uint32_t within_count = 0;
  const uint16_t* without = nullptr;
  uint32_t without_count = 0;
};

/// Writes the rows of `from` that a choice leaves.
void choose_rows(const uint64_t* from, const BitmapChoice& choice, uint64_t* rows) noexcept;

/// Writes first_row plus the number of each such row, ascending, to `rows`, which has room for all; returns how many.
[[nodiscard]] uint32_t list_chosen_rows(const uint64_t* from, const BitmapChoice& choice, uint32_t first_row,
                                        uint32_t* rows) noexcept;

namespace scalar {
void mark_above(const uint8_t* bytes, uint8_t bound, uint64_t* above) noexcept;
void mark_equal(const uint8_t* bytes, uint8_t bucket, uint64_t* equal) noexcept;
void choose_rows(const uint64_t* from, const BitmapChoice& choice, uint64_t* rows) noexcept;
[[nodiscard]] uint32_t list_chosen_rows(const uint64_t* from, const BitmapChoice& choice, uint32_t first_row,
                                        uint32_t* rows) noexcept;
}  // namespace scalar

}  // namespace daedalus::engine

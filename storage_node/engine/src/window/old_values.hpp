// How values lie in the records of a window.
//
// Decides their bytes: a column's number with its NULL bit, the value as it lies in its plane, and its tail without the
// zeros at its end; values of many rows in one column, behind the bitmap of the rows. Undo reads them. Refuses to know
// where records lie and what they mean.
#pragma once

#include <cstdint>
#include <span>

#include "chunk_store.hpp"
#include "slab_pool.hpp"

namespace daedalus::engine {

/// Planes that can be written: by column, then those of tails by column; and NULL bitmaps by column.
struct RowPlanes {
  uint8_t* const* planes = nullptr;
  uint64_t* const* nulls = nullptr;
};

/// They lead to one value. A column without tails has none.
struct ValuePointers {
  uint8_t* value = nullptr;
  uint8_t* tail = nullptr;
};
[[nodiscard]] inline ValuePointers pointers_to_value(const TableLayout& layout, const RowPlanes& planes,
                                                     uint32_t column, uint32_t row) {
  const ColumnLayout& of_column = layout.columns[column];
  return {planes.planes[column] + size_t{row} * of_column.stride,
          planes.planes[layout.tail_plane(column)] + size_t{row} * of_column.tail_width()};
}

/// Stands beside a column's number where the value is NULL.
constexpr uint16_t kNullBit = 0x8000;

/// Returns how many bytes put_value() writes at most.
[[nodiscard]] size_t value_bytes_max(const ColumnLayout& column);

/// Writes the value of one column of a row; returns where the next one goes.
[[nodiscard]] uint8_t* put_value(const TableLayout& layout, const RowPlanes& from, uint32_t row, uint32_t column,
                                 uint8_t* out);

/// One row of a chunk, and a row elsewhere that it is copied to.
struct RowCopy {
  RowPlanes from;
  uint32_t from_row = 0;
  uint32_t into_row = 0;
};
/// Copies the values of one column. NULL bits are written of a column that allows NULL. Cost: that of a cache miss a
/// row; those of many rows overlap. Of rows that lie close together, a ns each.
void copy_values(const TableLayout& layout, uint32_t column, std::span<const RowCopy> rows, const RowPlanes& into);

/// Returns whether values of a column may be kept for many rows together: wide ones are kept row by row.
[[nodiscard]] bool is_kept_together(const ColumnLayout& column);
/// Returns how many bytes put_values() writes at most for one word of rows.
[[nodiscard]] size_t values_of_word_max(const ColumnLayout& column);

/// Words of a bitmap of rows.
struct RowWords {
  const uint64_t* rows = nullptr;  ///< The bitmap of the whole chunk.
  uint32_t first = 0;
  uint32_t count = 0;
};
/// Writes the values of one column of the rows of so many words, but not beyond `limit`: `words.count` says how many
/// found room, at least one. Returns where they end. Precondition: there is room for one word.
[[nodiscard]] uint8_t* put_values(const TableLayout& layout, const RowPlanes& from, RowWords& words, uint32_t column,
                                  uint8_t* out, const uint8_t* limit);
/// A record with values that a row had before one update, and the bytes of the record.
struct OldValues {
  const Record* record = nullptr;
  const uint8_t* bytes = nullptr;
};

}  // namespace daedalus::engine

#include "old_values.hpp"

#include <algorithm>
#include <cstring>

namespace daedalus::engine {
namespace {

constexpr uint16_t kNullBit = 0x8000;  // Beside a column's number.
static_assert(semantics::kColumnsMax < kNullBit);

/// Values up to this width are kept for many rows together: those of one word of rows fit into half a slab.
constexpr uint32_t kTogetherWidthMax = 56;

void set_null(uint64_t* nulls, uint32_t row, bool is_null) {
  if (is_null) {
    set_bit(nulls, row);
  } else {
    clear_bit(nulls, row);
  }
}

/// A column without tails has no plane of them.
void copy_tail(uint8_t* target, const uint8_t* tail, uint32_t width) {
  if (width > 0) {
    std::memcpy(target, tail, width);
  }
}

template <typename T>
uint8_t* put(T number, uint8_t* out) {
  std::memcpy(out, &number, sizeof number);
  return out + sizeof number;
}

/// Bytes of a tail up to its last that is not zero.
uint16_t used_bytes(const uint8_t* tail, uint32_t width) {
  while (width > 0 && tail[width - 1] == 0) {
    --width;
  }
  return static_cast<uint16_t>(width);
}

struct Place {
  uint8_t* value = nullptr;
  uint8_t* tail = nullptr;
};

Place place_of(const TableLayout& layout, const RowPlanes& planes, uint32_t column, uint32_t row) {
  const ColumnLayout& column_layout = layout.columns[column];
  return {planes.planes[column] + size_t{row} * column_layout.stride,
          planes.planes[layout.tail_plane(column)] + size_t{row} * column_layout.tail_width()};
}

uint64_t word_at(const uint8_t* bytes, uint32_t word) {
  return load<uint64_t>(bytes + size_t{word} * sizeof(uint64_t));
}

}  // namespace

size_t value_bytes_max(const ColumnLayout& column) {
  return sizeof(uint16_t) + column.stride + (column.tail_width() > 0 ? sizeof(uint16_t) + column.tail_width() : 0);
}

uint8_t* put_value(const TableLayout& layout, const RowPlanes& from, uint32_t row, uint32_t column, uint8_t* out) {
  const ColumnLayout& of_column = layout.columns[column];
  const bool is_null = of_column.nullable && test_bit(from.nulls[column], row);
  out = put(static_cast<uint16_t>(is_null ? column | kNullBit : column), out);
  const Place place = place_of(layout, from, column, row);
  copy_value(out, place.value, of_column.stride);
  out += of_column.stride;
  if (of_column.tail_width() > 0) {
    const uint16_t used = used_bytes(place.tail, of_column.tail_width());
    out = put(used, out);
    std::memcpy(out, place.tail, used);
    out += used;
  }
  return out;
}

void take_values(const TableLayout& layout, const uint8_t* bytes, uint32_t count, const RowPlanes& into, uint32_t row) {
  for (; count > 0; --count) {
    const auto head = load<uint16_t>(bytes);
    bytes += sizeof head;
    const uint32_t column = head & ~kNullBit;
    const ColumnLayout& of_column = layout.columns[column];
    const Place place = place_of(layout, into, column, row);
    copy_value(place.value, bytes, of_column.stride);
    bytes += of_column.stride;
    if (of_column.tail_width() > 0) {
      const auto used = load<uint16_t>(bytes);
      bytes += sizeof used;
      std::memcpy(place.tail, bytes, used);
      std::memset(place.tail + used, 0, of_column.tail_width() - used);
      bytes += used;
    }
    if (of_column.nullable) {
      set_null(into.nulls[column], row, (head & kNullBit) != 0);
    }
  }
}

void copy_values(const TableLayout& layout, uint32_t column, std::span<const RowCopy> rows, const RowPlanes& into) {
  constexpr size_t kAhead = 16;
  const ColumnLayout& of_column = layout.columns[column];
  for (size_t number = 0; number < rows.size(); ++number) {
    const RowCopy& row = rows[number];
    const RowCopy& ahead = rows[std::min(number + kAhead, rows.size() - 1)];
    __builtin_prefetch(place_of(layout, ahead.from, column, ahead.from_row).value);
    const Place source = place_of(layout, row.from, column, row.from_row);
    const Place target = place_of(layout, into, column, row.into_row);
    copy_value(target.value, source.value, of_column.stride);
    copy_tail(target.tail, source.tail, of_column.tail_width());
  }
  if (of_column.nullable) {
    for (const RowCopy& row : rows) {
      set_null(into.nulls[column], row.into_row, test_bit(row.from.nulls[column], row.from_row));
    }
  }
}

bool is_kept_together(const ColumnLayout& column) { return column.width <= kTogetherWidthMax; }

size_t values_of_word_max(const ColumnLayout& column) {
  return sizeof(uint16_t) + 2 * sizeof(uint64_t) + size_t{64} * column.width;
}

uint8_t* put_values(const TableLayout& layout, const RowPlanes& from, RowWords& words, uint32_t column, uint8_t* out,
                    const uint8_t* limit) {
  const ColumnLayout& of_column = layout.columns[column];
  const size_t bytes_of_word = of_column.nullable ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  auto room = static_cast<size_t>(limit - out) - sizeof(uint16_t);
  uint32_t count = 0;
  while (count < words.count) {
    const auto rows = static_cast<size_t>(__builtin_popcountll(words.rows[words.first + count]));
    const size_t wanted = bytes_of_word + rows * of_column.width;
    if (wanted > room) {
      break;
    }
    room -= wanted;
    ++count;
  }
  DCHECK(count > 0);
  words.count = count;
  out = put(static_cast<uint16_t>(column), out);
  std::memcpy(out, words.rows + words.first, count * sizeof(uint64_t));
  out += count * sizeof(uint64_t);
  if (of_column.nullable) {
    std::memcpy(out, from.nulls[column] + words.first, count * sizeof(uint64_t));
    out += count * sizeof(uint64_t);
  }
  for_each_bit(words.rows + words.first, count, [&](uint32_t bit) {
    const Place place = place_of(layout, from, column, words.first * 64 + bit);
    copy_value(out, place.value, of_column.stride);
    copy_tail(out + of_column.stride, place.tail, of_column.tail_width());
    out += of_column.width;
  });
  return out;
}

void take_value_of(const TableLayout& layout, const uint8_t* bytes, uint32_t first_word, uint32_t word_count,
                   uint32_t row, const RowPlanes& into, uint32_t into_row) {
  const uint32_t column = load<uint16_t>(bytes);
  const ColumnLayout& of_column = layout.columns[column];
  const uint8_t* const rows = bytes + sizeof(uint16_t);
  const uint8_t* const nulls = rows + word_count * sizeof(uint64_t);
  const uint8_t* const values = of_column.nullable ? nulls + word_count * sizeof(uint64_t) : nulls;
  const uint32_t word = row / 64 - first_word;
  const uint64_t bit = uint64_t{1} << (row % 64);
  if ((word_at(rows, word) & bit) == 0) {
    return;
  }
  auto before = static_cast<size_t>(__builtin_popcountll(word_at(rows, word) & (bit - 1)));
  for (uint32_t earlier = 0; earlier < word; ++earlier) {
    before += static_cast<size_t>(__builtin_popcountll(word_at(rows, earlier)));
  }
  const Place target = place_of(layout, into, column, into_row);
  const uint8_t* const value = values + before * of_column.width;
  copy_value(target.value, value, of_column.stride);
  copy_tail(target.tail, value + of_column.stride, of_column.tail_width());
  if (of_column.nullable) {
    set_null(into.nulls[column], into_row, (word_at(nulls, word) & bit) != 0);
  }
}

void take_old_values(const TableLayout& layout, const OldValues& values, uint32_t home, const RowPlanes& into,
                     uint32_t row) {
  const Record& record = *values.record;
  if (record.kind == Record::Kind::kRowsValues) {
    return take_value_of(layout, values.bytes, record.row, record.count, home, into, row);
  }
  DCHECK(record.kind == Record::Kind::kValues);
  take_values(layout, values.bytes, record.count, into, row);
}

}  // namespace daedalus::engine

#include "old_values.hpp"

#include <algorithm>
#include <cstring>

namespace daedalus::engine {
namespace {

static_assert(semantics::kColumnsMax < kNullBit);

/// Values up to this width are kept for many rows together: those of one word of rows fit into half a slab.
constexpr uint32_t kTogetherWidthMax = 56;

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

/// Copies values of one width, which the compiler knows where there is one: `copy` is told both ends of each.
template <typename Copy>
void copy_each(const ColumnLayout& layout, uint32_t column, std::span<const RowCopy> rows, const RowPlanes& into,
               Copy&& copy) {
  constexpr size_t kAhead = 16;
  uint8_t* const target = into.planes[column];
  for (size_t number = 0; number < rows.size(); ++number) {
    const RowCopy& row = rows[number];
    const RowCopy& ahead = rows[std::min(number + kAhead, rows.size() - 1)];
    __builtin_prefetch(ahead.from.planes[column] + size_t{ahead.from_row} * layout.stride);
    copy(target + size_t{row.into_row} * layout.stride, row.from.planes[column] + size_t{row.from_row} * layout.stride);
  }
}

template <size_t kWidth>
void copy_each_of(const ColumnLayout& layout, uint32_t column, std::span<const RowCopy> rows, const RowPlanes& into) {
  copy_each(layout, column, rows, into,
            [](uint8_t* target, const uint8_t* value) { std::memcpy(target, value, kWidth); });
}

}  // namespace

size_t value_bytes_max(const ColumnLayout& column) {
  return sizeof(uint16_t) + column.stride + (column.tail_width() > 0 ? sizeof(uint16_t) + column.tail_width() : 0);
}

uint8_t* put_value(const TableLayout& layout, const RowPlanes& from, uint32_t row, uint32_t column, uint8_t* out) {
  const ColumnLayout& of_column = layout.columns[column];
  const bool is_null = of_column.nullable && test_bit(from.nulls[column], row);
  out = put(static_cast<uint16_t>(is_null ? column | kNullBit : column), out);
  const ValuePointers at = pointers_to_value(layout, from, column, row);
  copy_value(out, at.value, of_column.stride);
  out += of_column.stride;
  if (of_column.tail_width() > 0) {
    const uint16_t used = used_bytes(at.tail, of_column.tail_width());
    out = put(used, out);
    std::memcpy(out, at.tail, used);
    out += used;
  }
  return out;
}

void copy_values(const TableLayout& layout, uint32_t column, std::span<const RowCopy> rows, const RowPlanes& into) {
  const ColumnLayout& of_column = layout.columns[column];
  switch (of_column.stride) {
    case 1:
      copy_each_of<1>(of_column, column, rows, into);
      break;
    case 2:
      copy_each_of<2>(of_column, column, rows, into);
      break;
    case 4:
      copy_each_of<4>(of_column, column, rows, into);
      break;
    case 8:
      copy_each_of<8>(of_column, column, rows, into);
      break;
    case 16:
      copy_each_of<16>(of_column, column, rows, into);
      break;
    default:
      copy_each(of_column, column, rows, into, [width = of_column.stride](uint8_t* target, const uint8_t* value) {
        std::memcpy(target, value, width);
      });
  }
  if (of_column.tail_width() > 0) {
    for (const RowCopy& row : rows) {
      std::memcpy(pointers_to_value(layout, into, column, row.into_row).tail,
                  pointers_to_value(layout, row.from, column, row.from_row).tail, of_column.tail_width());
    }
  }
  if (of_column.nullable) {
    for (const RowCopy& row : rows) {
      write_bit(into.nulls[column], row.into_row, test_bit(row.from.nulls[column], row.from_row));
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
    const ValuePointers at = pointers_to_value(layout, from, column, words.first * 64 + bit);
    copy_value(out, at.value, of_column.stride);
    copy_tail(out + of_column.stride, at.tail, of_column.tail_width());
    out += of_column.width;
  });
  return out;
}

}  // namespace daedalus::engine

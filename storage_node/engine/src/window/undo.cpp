#include "undo.hpp"

#include <algorithm>
#include <cstring>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {
namespace {

uint64_t word_at(const uint8_t* bytes, uint32_t word) {
  return load<uint64_t>(bytes + size_t{word} * sizeof(uint64_t));
}

size_t count_of(uint64_t word) { return static_cast<size_t>(__builtin_popcountll(word)); }

}  // namespace

Undo::Undo(const TableLayout& layout)
    : layout_(&layout), is_wanted_(layout.columns.size(), 0), ranks_(layout.columns.size()) {}

void Undo::begin(std::span<const uint32_t> columns) {
  std::fill(is_wanted_.begin(), is_wanted_.end(), 0);
  for (const uint32_t column : columns) {
    is_wanted_[column] = 1;
    ranks_[column] = {};
  }
  put_.clear();
}

void Undo::put_back(const OldValues& values, uint32_t home, const RowPlanes& into, uint32_t row) {
  const Record& record = *values.record;
  if (record.kind == Record::Kind::kRowsValues) {
    return put_back_one_of_many(values, home, into, row);
  }
  DCHECK(record.kind == Record::Kind::kValues);
  put_back_values(values.bytes, record.count, into, row);
}

void Undo::put_back_values(const uint8_t* bytes, uint32_t count, const RowPlanes& into, uint32_t row) {
  for (; count > 0; --count) {
    const auto head = load<uint16_t>(bytes);
    const uint32_t column = head & ~kNullBit;
    const ColumnLayout& of_column = layout_->columns[column];
    const uint8_t* const value = bytes + sizeof head;
    const uint8_t* const tail = value + of_column.stride + sizeof(uint16_t);
    const uint16_t used = of_column.tail_width() > 0 ? load<uint16_t>(value + of_column.stride) : uint16_t{0};
    bytes = of_column.tail_width() > 0 ? tail + used : value + of_column.stride;
    if (is_wanted_[column] == 0) {
      continue;
    }
    const ValuePointers at = pointers_to_value(*layout_, into, column, row);
    copy_value(at.value, value, of_column.stride);
    if (of_column.tail_width() > 0) {
      std::memcpy(at.tail, tail, used);
      std::memset(at.tail + used, 0, of_column.tail_width() - used);
    }
    if (of_column.nullable) {
      write_bit(into.nulls[column], row, (head & kNullBit) != 0);
    }
    put_.push_back({column, row});
  }
}

/// Behind the column's number come a bitmap of rows, one of those that are NULL where the column allows that, and a
/// value for each row.
void Undo::put_back_one_of_many(const OldValues& values, uint32_t home, const RowPlanes& into, uint32_t row) {
  const uint32_t column = load<uint16_t>(values.bytes);
  if (is_wanted_[column] == 0) {
    return;
  }
  const ColumnLayout& of_column = layout_->columns[column];
  const uint32_t words = values.record->count;
  const uint8_t* const rows = values.bytes + sizeof(uint16_t);
  const uint8_t* const nulls = rows + words * sizeof(uint64_t);
  const uint8_t* const first = of_column.nullable ? nulls + words * sizeof(uint64_t) : nulls;
  const uint32_t word = home / 64 - values.record->row;
  const uint64_t bit = uint64_t{1} << (home % 64);
  if ((word_at(rows, word) & bit) == 0) {
    return;
  }
  const size_t number = rank_of(column, rows, word) + count_of(word_at(rows, word) & (bit - 1));
  const uint8_t* const value = first + number * of_column.width;
  const ValuePointers at = pointers_to_value(*layout_, into, column, row);
  copy_value(at.value, value, of_column.stride);
  if (of_column.tail_width() > 0) {
    std::memcpy(at.tail, value + of_column.stride, of_column.tail_width());
  }
  if (of_column.nullable) {
    write_bit(into.nulls[column], row, (word_at(nulls, word) & bit) != 0);
  }
  put_.push_back({column, row});
}

size_t Undo::rank_of(uint32_t column, const uint8_t* bytes, uint32_t word) {
  Rank& rank = ranks_[column];
  if (rank.bytes != bytes || rank.word > word) {
    rank = {bytes, 0, 0};
  }
  for (; rank.word < word; ++rank.word) {
    rank.before += count_of(word_at(bytes, rank.word));
  }
  return rank.before;
}

}  // namespace daedalus::engine

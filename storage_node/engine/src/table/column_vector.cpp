#include "column_vector.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

constexpr uint32_t kReadBehind = 8;  ///< Bytes that may be read behind the last value.

template <typename T>
void gather(const uint8_t* plane, const RowBatch& batch, uint8_t* out) {
  for (uint32_t position = 0; position < batch.count; ++position) {
    std::memcpy(out + position * sizeof(T), plane + size_t{batch.rows[position]} * sizeof(T), sizeof(T));
  }
}

void gather_bytes(const uint8_t* plane, uint32_t width, const RowBatch& batch, uint8_t* out) {
  for (uint32_t position = 0; position < batch.count; ++position) {
    std::memcpy(out + size_t{position} * width, plane + size_t{batch.rows[position]} * width, width);
  }
}

void gather_values(const uint8_t* plane, uint32_t width, const RowBatch& batch, uint8_t* out) {
  switch (width) {
    case 1:
      return gather<uint8_t>(plane, batch, out);
    case 2:
      return gather<uint16_t>(plane, batch, out);
    case 4:
      return gather<uint32_t>(plane, batch, out);
    case 8:
      return gather<uint64_t>(plane, batch, out);
    case 16:
      return gather<UInt128>(plane, batch, out);
    default:
      return gather_bytes(plane, width, batch, out);
  }
}

/// The rows' bits of a NULL bitmap, or nothing when none is set.
const uint64_t* gather_nulls(const uint64_t* nulls, const RowBatch& batch, VectorRoom& room) {
  if (batch.rows == nullptr) {
    const uint64_t* words = nulls + batch.first / 64;
    const bool ends_inside = batch.count % 64 != 0;
    const uint64_t* end = words + batch.count / 64;
    bool any = std::any_of(words, end, [](uint64_t word) { return word != 0; });
    if (!ends_inside) {
      return any ? words : nullptr;
    }
    uint64_t* copied = room.make_nulls(batch.count);
    std::copy(words, end + 1, copied);
    copied[batch.count / 64] &= (uint64_t{1} << (batch.count % 64)) - 1;
    any = any || copied[batch.count / 64] != 0;
    return any ? copied : nullptr;
  }
  uint64_t* made = room.make_nulls(batch.count);
  uint64_t any = 0;
  for (uint32_t position = 0; position < batch.count; ++position) {
    const uint64_t bit = test_bit(nulls, batch.rows[position]) ? 1 : 0;
    made[position / 64] |= bit << (position % 64);
    any |= bit;
  }
  return any != 0 ? made : nullptr;
}

uint8_t* make_bytes(uint64_t bytes, std::vector<uint64_t>& room) {
  // Sixteen bytes of alignment are what the widest type wants; vectors of words have them from the allocator.
  const size_t words = (bytes + kReadBehind) / sizeof(uint64_t) + 1;
  if (room.size() < words) {
    room.resize(words);
  }
  return reinterpret_cast<uint8_t*>(room.data());
}

}  // namespace

uint8_t* VectorRoom::make_values(uint64_t bytes) { return make_bytes(bytes, values); }

uint8_t* VectorRoom::make_tails(uint64_t bytes) { return make_bytes(bytes, tails); }

uint64_t* VectorRoom::make_nulls(uint32_t count) {
  const size_t words = bitmap_words(count);
  if (nulls.size() < words) {
    nulls.resize(words);
  }
  std::fill_n(nulls.begin(), words, 0);
  return nulls.data();
}

ColumnVector ColumnSource::read_plane(const RowBatch& batch, VectorRoom& room) const {
  const uint32_t tail_width = layout_->tail_width();
  ColumnVector vector;
  if (batch.rows == nullptr) {
    DCHECK(batch.first % 64 == 0);
    const StoredValue first = value_at(*layout_, *batch.chunk, column_, batch.first);
    vector.values = first.bytes;
    vector.tails = first.tail;
  } else {
    uint8_t* values = room.make_values(uint64_t{batch.count} * layout_->stride);
    gather_values(batch.chunk->planes[column_], layout_->stride, batch, values);
    vector.values = values;
    if (tail_width > 0) {
      uint8_t* tails = room.make_tails(uint64_t{batch.count} * tail_width);
      gather_values(batch.chunk->tails[column_], tail_width, batch, tails);
      vector.tails = tails;
    }
  }
  if (layout_->nullable) {
    vector.nulls = gather_nulls(batch.chunk->nulls[column_], batch, room);
  }
  return vector;
}

}  // namespace daedalus::engine

#include "group_keys.hpp"

#include <algorithm>
#include <string_view>

#include "daedalus/semantics/decimal.hpp"

namespace daedalus::engine {
namespace {

constexpr uint32_t kPieceBytes = 8;
/// A packed numeric without a bound, its head included.
constexpr uint32_t kBoxedBytesMax = 3 + semantics::kDecimalBytesMax;

/// Returns what a column takes in a key: its width, or the number that stands for a value without one.
uint32_t key_width(const ColumnLayout& layout) {
  return layout.native == Native::kDecimal ? sizeof(uint32_t) : layout.width;
}

/// Bits of a piece of a column: a boolean needs one only, so that keys of flags are small numbers.
uint32_t piece_bits(const ColumnLayout& layout, uint32_t offset) {
  return layout.native == Native::kBool ? 1 : 8 * std::min(kPieceBytes, key_width(layout) - offset);
}

/// words[p] |= value p << shift, the value being what `load_value` makes of position p.
template <typename Load>
void or_values(uint32_t count, uint32_t shift, uint64_t* words, Load load_value) {
  for (uint32_t position = 0; position < count; ++position) {
    words[position] |= uint64_t{load_value(position)} << shift;
  }
}

template <typename T>
auto unsigned_loader(const uint8_t* values) {
  return [values](uint32_t position) { return load<T>(values + position * sizeof(T)); };
}

template <typename Floating, typename Bits>
auto canonical_loader(const uint8_t* values) {
  return [values](uint32_t position) {
    const Floating value = canonical(load<Floating>(values + position * sizeof(Floating)));
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
}

}  // namespace

GroupKeys::GroupKeys(std::vector<ColumnSource> columns, AnswerMemory& memory) : columns_(std::move(columns)) {
  for (const ColumnSource& column : columns_) {
    const ColumnLayout& layout = column.layout();
    Place& place = places_.emplace_back();
    place.first_piece = static_cast<uint32_t>(pieces_.size());
    if (layout.native == Native::kDecimal) {
      place.boxed = static_cast<uint32_t>(boxed_.size());
      boxed_.emplace_back(layout.type, memory);
    } else {
      place.packed = semantics::packed_column(layout.type);
    }
    for (uint32_t offset = 0; offset < key_width(layout); offset += kPieceBytes) {
      pieces_.push_back(place_bits(piece_bits(layout, offset)));
    }
  }
  for (size_t column = 0; column < columns_.size(); ++column) {
    if (columns_[column].layout().nullable) {
      places_[column].null = place_bits(1);
    }
  }
}

GroupKeys::Field GroupKeys::place_bits(uint32_t bits) {
  const auto word =
      std::find_if(word_bits_.begin(), word_bits_.end(), [&](uint32_t used) { return used + bits <= kWordBits; });
  const auto number = static_cast<uint32_t>(word - word_bits_.begin());
  if (word == word_bits_.end()) {
    word_bits_.push_back(bits);
    return {number, 0};
  }
  const Field field = {number, *word};
  *word += bits;
  return field;
}

uint32_t GroupKeys::append_bytes_max(uint32_t column) const {
  const Place& place = places_[column];
  return place.boxed ? kBoxedBytesMax : semantics::packed_size_max(place.packed);
}

uint64_t GroupKeys::counted_for_others() const {
  uint64_t bytes = 0;
  for (const BoxedKeys& keys : boxed_) {
    bytes += keys.counted_for_others();
  }
  return bytes;
}

Result<KeyWords> GroupKeys::pack(const RowBatch& batch, BatchScratch& scratch) {
  const size_t size = size_t{batch.count} * word_count();
  uint64_t* words = room_for(scratch.keys, size);
  std::fill_n(words, size, 0);
  const KeyWords keys = {words, batch.count, batch.count};
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    const Result<ColumnVector> vector = columns_[column].read(batch, scratch.room);
    if (!vector) {
      return vector.error();
    }
    if (places_[column].boxed) {
      pack_boxed(places_[column], *vector, keys, words);
    } else {
      pack_column(column, *vector, keys, words);
    }
    if (vector->nulls != nullptr) {
      pack_nulls(column, vector->nulls, keys, words);
    }
  }
  return keys;
}

void GroupKeys::pack_boxed(const Place& place, const ColumnVector& vector, const KeyWords& keys, uint64_t* words) {
  const Field field = pieces_[place.first_piece];
  for (uint32_t position = 0; position < keys.count && has_memory_; ++position) {
    if (vector.nulls != nullptr && test_bit(vector.nulls, position)) {
      continue;
    }
    const std::optional<uint32_t> number = boxed_[*place.boxed].number_of(vector.boxed[position]);
    has_memory_ = number.has_value();
    words[size_t{field.word} * keys.stride + position] |= uint64_t{number.value_or(0)} << field.shift;
  }
}

void GroupKeys::pack_column(uint32_t column, const ColumnVector& vector, const KeyWords& keys, uint64_t* words) const {
  const ColumnLayout& layout = columns_[column].layout();
  const Place& place = places_[column];
  uint32_t piece = place.first_piece;
  for (uint32_t offset = 0; offset < layout.width; offset += kPieceBytes, ++piece) {
    const Field field = pieces_[piece];
    pack_piece(layout, offset, field, vector, keys.count, words + size_t{field.word} * keys.stride);
  }
}

void GroupKeys::pack_nulls(uint32_t column, const uint64_t* nulls, const KeyWords& keys, uint64_t* words) const {
  const ColumnLayout& layout = columns_[column].layout();
  const Place& place = places_[column];
  // A plane holds zeros where there is NULL, a computed vector may hold anything.
  for_each_bit(nulls, bitmap_words(keys.count), [&](uint32_t position) {
    for (uint32_t offset = 0, at = place.first_piece; offset < key_width(layout); offset += kPieceBytes, ++at) {
      const uint64_t ones = ~uint64_t{0} >> (kWordBits - piece_bits(layout, offset));
      words[size_t{pieces_[at].word} * keys.stride + position] &= ~(ones << pieces_[at].shift);
    }
    words[size_t{place.null.word} * keys.stride + position] |= uint64_t{1} << place.null.shift;
  });
}

void GroupKeys::pack_piece(const ColumnLayout& layout, uint32_t offset, Field field, const ColumnVector& vector,
                           uint32_t count, uint64_t* words) const {
  const bool is_tail = offset >= layout.stride;
  const uint8_t* values = is_tail ? vector.tails + (offset - layout.stride) : vector.values + offset;
  const uint32_t stride = is_tail ? layout.tail_width() : layout.stride;
  if (layout.native == Native::kFloat) {
    return or_values(count, field.shift, words, canonical_loader<float, uint32_t>(values));
  }
  if (layout.native == Native::kDouble) {
    return or_values(count, field.shift, words, canonical_loader<double, uint64_t>(values));
  }
  switch (stride) {
    case 1:
      return or_values(count, field.shift, words, unsigned_loader<uint8_t>(values));
    case 2:
      return or_values(count, field.shift, words, unsigned_loader<uint16_t>(values));
    case 4:
      return or_values(count, field.shift, words, unsigned_loader<uint32_t>(values));
    case 8:
      return or_values(count, field.shift, words, unsigned_loader<uint64_t>(values));
    default:
      break;
  }
  const uint64_t ones = ~uint64_t{0} >> (kWordBits - piece_bits(layout, offset));
  or_values(count, field.shift, words,
            [&](uint32_t position) { return load<uint64_t>(values + size_t{position} * stride) & ones; });
}

uint64_t GroupKeys::piece_of(const uint64_t* key, const Place& place, uint32_t column, uint32_t offset) const {
  const Field field = pieces_[place.first_piece + offset / kPieceBytes];
  return (key[field.word] >> field.shift) &
         (~uint64_t{0} >> (kWordBits - piece_bits(columns_[column].layout(), offset)));
}

bool GroupKeys::is_floating_zero(const uint64_t* key, uint32_t column) const {
  const Place& place = places_[column];
  return columns_[column].layout().code.is_floating && !is_null(key, place) && piece_of(key, place, column, 0) == 0;
}

void GroupKeys::append(const uint64_t* key, uint32_t column, bool is_minus_zero,
                       semantics::PackedRowWriter& row) const {
  const ColumnLayout& layout = columns_[column].layout();
  const Place& place = places_[column];
  if (place.boxed) {
    if (is_null(key, place)) {
      return row.put_null();
    }
    const auto number = static_cast<uint32_t>(piece_of(key, place, column, 0));
    const std::string_view packed = boxed_[*place.boxed].packed(number);
    return row.put_packed(reinterpret_cast<const uint8_t*>(packed.data()), static_cast<uint32_t>(packed.size()));
  }
  if (layout.width <= kPieceBytes) {
    uint64_t piece = piece_of(key, place, column, 0);
    piece |= is_minus_zero ? uint64_t{1} << (8 * layout.width - 1) : 0;
    return row.put(place.packed, reinterpret_cast<const uint8_t*>(&piece), is_null(key, place));
  }
  // Mostly short, and asked for once for every group: no allocation then.
  uint8_t few[8 * kPieceBytes];
  std::vector<uint8_t> many(layout.width + kPieceBytes > sizeof few ? layout.width + kPieceBytes : 0);
  uint8_t* bytes = many.empty() ? few : many.data();
  for (uint32_t offset = 0; offset < layout.width; offset += kPieceBytes) {
    const uint64_t piece = piece_of(key, place, column, offset);
    std::memcpy(bytes + offset, &piece, sizeof piece);
  }
  row.put(place.packed, bytes, is_null(key, place));
}

}  // namespace daedalus::engine

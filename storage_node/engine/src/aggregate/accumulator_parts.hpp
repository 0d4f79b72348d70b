// Defines what several kinds of states are made of: walking over values, and writing numbers of a partial row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "daedalus/semantics/floating_sum.hpp"
#include "grouped_values.hpp"
#include "kernels_aggregate.hpp"
#include "large_memory.hpp"

namespace daedalus::engine {

/// Calls use(position) for every value of the batch that is not NULL, ascending.
template <typename Use>
void for_each_position(const GroupedValues& values, Use&& use) {
  const uint32_t count = values.batch->count;
  if (values.vector.nulls == nullptr) {
    for (uint32_t position = 0; position < count; ++position) {
      use(position);
    }
    return;
  }
  for (uint32_t first = 0; first < count; first += 64) {
    const uint64_t ones = count - first >= 64 ? ~uint64_t{0} : (uint64_t{1} << (count - first)) - 1;
    for (uint64_t bits = ~values.vector.nulls[first / 64] & ones; bits != 0; bits &= bits - 1) {
      use(first + static_cast<uint32_t>(__builtin_ctzll(bits)));
    }
  }
}

/// From so many bytes on, states are beyond the second-level cache and fetched ahead of their turn.
constexpr size_t kStatesInCache = size_t{1} << 19;
constexpr uint32_t kStatesAhead = 32;

/// Calls use(position, the state of its group) for every value of the batch that is not NULL, ascending.
template <typename State, typename Use>
void for_each_state(const GroupedValues& values, LargeArray<State>& states, Use&& use) {
  State* of_groups = states.data();
  const uint32_t* groups = values.groups;
  if (states.size() * sizeof(State) <= kStatesInCache) {
    return for_each_position(values, [&](uint32_t position) { use(position, of_groups[groups[position]]); });
  }
  const uint32_t last = values.batch->count - 1;
  for (uint32_t position = 0; position < std::min(kStatesAhead, values.batch->count); ++position) {
    __builtin_prefetch(of_groups + groups[position], 1);
  }
  for_each_position(values, [&](uint32_t position) {
    __builtin_prefetch(of_groups + groups[std::min(position + kStatesAhead, last)], 1);
    use(position, of_groups[groups[position]]);
  });
}

/// Calls use(row) for the values of a word that count, ascending.
template <typename Use>
void for_each_of_word(const SelectedValues& values, uint32_t word, Use&& use) {
  const uint64_t bits = values.selection == nullptr ? ~uint64_t{0} : values.selection[word];
  if (bits == ~uint64_t{0}) {
    for (uint32_t row = word * 64; row < word * 64 + 64; ++row) {
      use(row);
    }
  } else {
    for_each_bit(&bits, 1, [&](uint32_t bit) { use(word * 64 + bit); });
  }
}

template <typename T>
const T* typed(const uint8_t* values) {
  return reinterpret_cast<const T*>(values);
}

constexpr semantics::PackedColumn kPackedWord = {.width = kWordBytes};

template <typename T>
void put_number(T number, bool is_null, PartialRow& row) {
  static_assert(sizeof number == kWordBytes);
  row.put(kPackedWord, reinterpret_cast<const uint8_t*>(&number), is_null);
}

inline uint32_t bit_count(uint64_t word) { return static_cast<uint32_t>(std::bit_width(word)); }

/// Digits of its values behind the point.
inline int32_t scale_of(const ColumnLayout& layout) {
  return layout.type.kind == semantics::TypeKind::kNumeric ? static_cast<int32_t>(layout.type.scale) : 0;
}

/// A numeric without bound: the size of the unscaled value, its scale, and its bytes, highest first, as few as keep the
/// sign. high: 64 bits above those of `low`.
inline void put_exact(int32_t scale_of_value, UInt128 low, int64_t high, PartialRow& row) {
  constexpr uint32_t kBytes = 24;
  constexpr uint32_t kHead = 3;
  const auto middle = static_cast<uint64_t>(low >> 64);
  const auto lowest = static_cast<uint64_t>(low);
  const auto sign = static_cast<uint64_t>(high >> 63);
  const uint64_t top = static_cast<uint64_t>(high) ^ sign;
  const uint32_t bits = top != 0               ? 128 + bit_count(top)
                        : (middle ^ sign) != 0 ? 64 + bit_count(middle ^ sign)
                                               : bit_count(lowest ^ sign);
  const uint32_t size = bits / 8 + 1;
  const uint64_t words[] = {__builtin_bswap64(static_cast<uint64_t>(high)), __builtin_bswap64(middle),
                            __builtin_bswap64(lowest)};
  uint8_t bytes[kHead + kBytes];
  std::memcpy(bytes + kHead, words, kBytes);
  uint8_t* begin = bytes + kBytes - size;
  const auto scale = static_cast<int16_t>(scale_of_value);
  begin[0] = static_cast<uint8_t>(size);
  std::memcpy(begin + 1, &scale, sizeof scale);
  row.put_packed(begin, kHead + size);
}

inline void append_sum(const ColumnLayout& layout, Int128 sum, PartialRow& row) {
  put_exact(scale_of(layout), static_cast<UInt128>(sum), sum < 0 ? -1 : 0, row);
}
inline void append_sum(const ColumnLayout& layout, const ExactSum& sum, PartialRow& row) {
  put_exact(scale_of(layout), sum.low, sum.high, row);
}
/// Counters of floating states are NULL for 0.
template <size_t kPlaces>
void append_counters(const std::array<uint64_t, kPlaces>& counters, PartialRow& row) {
  for (const uint64_t counter : counters) {
    put_number(counter, counter == 0, row);
  }
}
inline void append_sum(const ColumnLayout&, const semantics::FloatingSum& sum, PartialRow& row) {
  put_number(sum.head(), false, row);
  append_counters(sum.counters(), row);
}

/// columns: NULLs in place of a state that has seen nothing.
template <typename Append>
void append_counted(int64_t count, uint32_t columns, bool with_count, PartialRow& row, Append&& append) {
  if (count == 0) {
    for (uint32_t column = 0; column < columns; ++column) {
      put_number(int64_t{0}, true, row);
    }
  } else {
    append();
  }
  if (with_count) {
    put_number(count, false, row);
  }
}

}  // namespace daedalus::engine

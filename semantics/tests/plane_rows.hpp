// Rows read back from column planes, plainly: what row codecs store (abi.h) is compared with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics::testing {

/// Planes as abi.h lays them out: one a column, then tails one a column.
struct PlaneView {
  const uint8_t* const* planes = nullptr;
  const uint64_t* const* nulls = nullptr;
};

/// A value as it lies in its plane, its tail included: strings with the zeros that fill their place.
inline std::string plane_bytes(const Schema& schema, PlaneView view, uint32_t column, uint32_t slot) {
  const uint32_t tail = tail_width(schema.columns[column].type);
  const uint32_t stride = plane_width(schema.columns[column].type) - tail;
  const auto taken = [slot](const uint8_t* plane, uint32_t width) {
    return std::string(reinterpret_cast<const char*>(plane) + size_t{slot} * width, width);
  };
  const std::string prefix = taken(view.planes[column], stride);
  return tail == 0 ? prefix : prefix + taken(view.planes[schema.columns.size() + column], tail);
}

/// These columns of the row at `slot`, packed, u32 size included (docs/wire.md).
inline std::string packed_row_at(const Schema& schema, PlaneView view, uint32_t slot,
                                 const std::vector<uint32_t>& columns) {
  std::string null_bits((columns.size() + 7) / 8, '\0');
  std::string values;
  for (size_t place = 0; place < columns.size(); ++place) {
    const uint32_t column = columns[place];
    if ((view.nulls[column][slot / 64] >> (slot % 64) & 1) != 0) {
      null_bits[place / 8] = static_cast<char>(null_bits[place / 8] | 1 << (place % 8));
      continue;
    }
    std::string value = plane_bytes(schema, view, column, slot);
    if (is_string(schema.columns[column].type.kind)) {
      value.resize(std::min(value.find('\0'), value.size()));
      values += {static_cast<char>(value.size()), static_cast<char>(value.size() >> 8)};
    }
    values += value;
  }
  const auto size = static_cast<uint32_t>(null_bits.size() + values.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + null_bits + values;
}

/// All its columns.
inline std::string packed_row_at(const Schema& schema, PlaneView view, uint32_t slot) {
  std::vector<uint32_t> columns(schema.columns.size());
  std::iota(columns.begin(), columns.end(), 0u);
  return packed_row_at(schema, view, slot, columns);
}

}  // namespace daedalus::semantics::testing

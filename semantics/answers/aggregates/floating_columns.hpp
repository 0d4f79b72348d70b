// Counters of floating states as columns of a partial row: bigint, NULL for 0, because most values have digits at a few
// places only.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

template <size_t kPlaces>
void append_counters(const std::array<uint64_t, kPlaces>& counters, std::vector<Value>& row) {
  for (const uint64_t counter : counters) {
    row.push_back(counter == 0 ? Value() : Value(static_cast<int64_t>(counter)));
  }
}

/// Precondition: there are so many columns, bigint or NULL.
template <size_t kPlaces>
[[nodiscard]] std::array<uint64_t, kPlaces> read_counters(std::span<const Value> row) {
  std::array<uint64_t, kPlaces> counters{};
  for (size_t place = 0; place < kPlaces; ++place) {
    counters[place] = is_null(row[place]) ? 0 : static_cast<uint64_t>(std::get<int64_t>(row[place]));
  }
  return counters;
}

}  // namespace daedalus::semantics

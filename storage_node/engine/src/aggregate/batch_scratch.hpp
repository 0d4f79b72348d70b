// Holds what a batch of rows is worked on with while it becomes groups and aggregates.
#pragma once

#include <cstdint>
#include <vector>

#include "column_vector.hpp"

namespace daedalus::engine {

/// Shared by all queries of a cycle, which take their rows one after the other: so it is paid for once, and stays in
/// the caches. Every vector grows to the largest batch.
struct BatchScratch {
  uint64_t batches = 0;                   ///< So many were taken: the number of the last.
  VectorRoom room;                        ///< Room for the column that is being read.
  std::vector<uint64_t> keys;             ///< Packed, see GroupKeys::pack().
  std::vector<uint64_t> hashes;           ///< The hashes of the keys, by position.
  std::vector<uint32_t> missing;          ///< Positions whose key was not at its first place.
  std::vector<uint32_t> groups;           ///< By position.
  std::vector<uint32_t> no_groups;        ///< Zeros, for queries without keys.
  std::vector<uint32_t> listed;           ///< Rows that wait for their batch to be full.
  std::vector<uint64_t> selected_values;  ///< One aggregate's values that are selected and not NULL.
};

/// Makes room for `count` values and returns where it begins; what is in it is left over.
template <typename T>
[[nodiscard]] T* room_for(std::vector<T>& values, size_t count) {
  if (values.size() < count) {
    values.resize(count);
  }
  return values.data();
}

}  // namespace daedalus::engine

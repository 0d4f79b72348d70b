// The slots of rows that may be among the first of an answer, whatever they are ordered by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "native.hpp"

namespace daedalus::engine {

/// Marks the rows of one chunk that are among the candidates.
template <typename Candidate>
void mark_candidates(std::span<const Candidate> candidates, uint32_t chunk_rows, uint32_t chunk,
                     std::span<uint64_t> rows) {
  for (const Candidate& candidate : candidates) {
    if (candidate.slot / chunk_rows == chunk) {
      set_bit(rows.data(), candidate.slot % chunk_rows);
    }
  }
}

/// Returns the slots of all candidates, ascending.
template <typename Candidate>
[[nodiscard]] std::vector<uint32_t> slots_of(std::span<const Candidate> candidates) {
  std::vector<uint32_t> slots(candidates.size());
  std::transform(candidates.begin(), candidates.end(), slots.begin(),
                 [](const Candidate& candidate) { return candidate.slot; });
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace daedalus::engine

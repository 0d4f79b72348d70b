// The updates of one cycle as they were admitted: outcomes, and rows on their way into their slots.
//
// Decides nothing: admission writes it, application works it off and counts in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/engine/operation.hpp"

namespace daedalus::engine {

/// A row on its way into its slot.
struct Insertion {
  uint32_t slot = 0;
  uint32_t sequence = 0;
  uint32_t update = 0;
  bool is_counted = false;  ///< The update tells its parts apart.
  std::string_view row;
};

struct AdmittedUpdates {
  std::vector<std::shared_ptr<const std::string>> owners;  ///< Keep what insertions point to.
  std::vector<UpdateOutput> outputs;                       ///< By timestamp.
  std::vector<uint32_t> first_sequences;                   ///< Holds the first sequence of each update's parts.
  std::vector<Insertion> insertions;  ///< Sorted by slot's chunk, then sequence, when the sweep starts.

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(outputs.size()); }

  /// Learns that, of an update that tells its parts apart, the one with this sequence was applied to so many more
  /// rows.
  void count_part(uint32_t update, uint32_t sequence, uint64_t rows) {
    outputs[update].part_rows[sequence - first_sequences[update]] += rows;
  }

  void clear() {
    owners.clear();
    outputs.clear();
    first_sequences.clear();
    insertions.clear();
  }
};

}  // namespace daedalus::engine

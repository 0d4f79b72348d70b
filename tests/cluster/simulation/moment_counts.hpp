// Counts of what befell the moments of answers in one run, or in several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace daedalus::testing {

struct MomentCounts {
  uint32_t at_moment = 0;       ///< Answers whose rows, as a whole, are those of their moment.
  uint32_t behind = 0;          ///< Queries asked as soon as an update was told to be confirmed.
  uint32_t of_session = 0;      ///< Answered queries that demand all that their client has seen.
  uint32_t firm = 0;            ///< Answered queries at a moment that they name,
  uint32_t held = 0;            ///< and at one that is held.
  uint32_t sliced = 0;          ///< Answers that were read slice by slice.
  uint32_t behind_restart = 0;  ///< Queries asked at a moment that a node has just replayed.
  uint32_t slots = 0;           ///< Nodes that were started again in the end, and had each row in its slot.
  uint32_t fresh = 0;           ///< Answered queries that bound how old their moment may be.
  uint32_t holds = 0;           ///< Moments held.
  uint32_t out_of_reach = 0;    ///< Queries refused because their moment was too old, or could not be had any more.

  void add(const MomentCounts& other);
  /// never() names what has never happened; text() has a line for each with its count.
  [[nodiscard]] std::vector<std::string> never() const;
  [[nodiscard]] std::string text() const;
};

}  // namespace daedalus::testing

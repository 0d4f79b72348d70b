// Room for the probes of one chunk, one after the other, whatever they read keys from.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels_probe.hpp"

namespace daedalus::engine {

struct IndexScratch {
  explicit IndexScratch(uint32_t chunk_rows) : rows(chunk_rows + 64) {}

  ProbeScratch values;
  std::vector<uint16_t> rows;  ///< Holds those found by sketches, as list_pairs() wants it.
};

}  // namespace daedalus::engine

// An index over operations by the sketches of their key: which of them ask for a pair of buckets.
//
// Reads two bytes a row, however wide the key's columns are. Decides which operations a row is a candidate for: of some
// rows too many, wherever a bucket holds several values. Refuses to know how sketches come about.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chunk_store.hpp"
#include "kernels_probe.hpp"

namespace daedalus::engine {

class SketchIndex {
 public:
  /// `operation` asks for a key whose columns' values are in these buckets.
  void add(uint8_t first, uint8_t second, uint32_t operation) {
    filter_.add(first, second);
    keys_.push_back(uint64_t{PairFilter::pair_of(first, second)} << 32 | operation);
  }

  /// Ends the adding. Cost: a sort of the keys.
  void build();

  /// Calls use(row, operation) for every live row and each operation that may ask for its key; rows ascend, and of one
  /// row the operations. Cost: a pass over both planes.
  ///
  /// rows  room for row_count and 64 more. All are listed before the first is looked at: prefetchers like planes that
  ///       are read in one go.
  template <typename Use>
  void probe(const ChunkView& chunk, PairPlanes planes, const AheadPlanes& ahead, uint16_t* rows, Use&& use) const {
    const uint32_t count = list_pairs(planes, chunk.row_count, filter_, rows, ahead);
    for (uint32_t position = 0; position < count; ++position) {
      const uint32_t row = rows[position];
      if (test_bit(chunk.live, row)) {
        const uint32_t number = numbers_[PairFilter::pair_of(planes.first[row], planes.second[row])];
        for (uint32_t at = first_[number]; at < first_[number + 1]; ++at) {
          use(row, operations_[at]);
        }
      }
    }
  }

 private:
  PairFilter filter_;
  std::vector<uint64_t> keys_;           ///< Pair and operation.
  std::unique_ptr<uint16_t[]> numbers_;  ///< By pair: its number among those asked for; of others anything.
  std::vector<uint32_t> first_;          ///< By number: where its operations begin, and where the last one's end.
  std::vector<uint32_t> operations_;
};

}  // namespace daedalus::engine

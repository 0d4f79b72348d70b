// Which operations of a cycle ask for a key, by a hash of it.
//
// Decides nothing about keys: whoever adds one chooses its hash. Operations of equal hashes are found together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {

class OperationTable {
 public:
  /// Precondition: operations are added in ascending order, each with all its keys.
  void add(uint32_t hash, uint32_t operation) {
    DCHECK(keys_.empty() || keys_.back().operation <= operation);
    keys_.push_back({hash, operation});
  }

  /// Ends the adding. Cost: two passes over what was added.
  void build();

  /// Counts the different keys that were added.
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }

  /// Returns those added with this hash, ascending. The table is built.
  [[nodiscard]] std::span<const uint32_t> find(uint32_t hash) const {
    for (uint32_t at = hash & place_mask_;; at = (at + 1) & place_mask_) {
      const Place& place = places_[at];
      if (place.count == 0) {
        return {};
      }
      if (place.hash == hash) {
        return {operations_.data() + place.first, place.count};
      }
    }
  }

  /// Calls use(hash) for each different one. The table is built.
  template <typename Use>
  void for_each_hash(Use&& use) const {
    for (const Place& place : places_) {
      if (place.count != 0) {
        use(place.hash);
      }
    }
  }

 private:
  struct Key {
    uint32_t hash = 0;
    uint32_t operation = 0;
  };
  struct Place {
    uint32_t hash = 0;
    uint32_t first = 0;
    uint32_t count = 0;  ///< 0: an empty place.
    uint32_t last = 0;   ///< The last operation counted.
  };

  /// Returns where a hash is, or would be.
  [[nodiscard]] Place& place_of(uint32_t hash);

  uint32_t place_mask_ = 0;
  std::vector<Key> keys_;
  std::vector<uint32_t> operations_;
  std::vector<Place> places_;  ///< Open addressing; a power of two, at most half full.
};

}  // namespace daedalus::engine

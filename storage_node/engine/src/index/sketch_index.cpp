#include "sketch_index.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {

void SketchIndex::build() {
  constexpr uint32_t kPairs = 1u << 16;
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  numbers_ = std::make_unique_for_overwrite<uint16_t[]>(kPairs);
  operations_.reserve(keys_.size());
  for (const uint64_t key : keys_) {
    const auto at = static_cast<uint32_t>(operations_.size());
    if (at == 0 || keys_[at - 1] >> 32 != key >> 32) {
      numbers_[key >> 32] = static_cast<uint16_t>(first_.size());
      first_.push_back(at);
    } else {
      mark_branch(Branch::kSharedKey);
    }
    operations_.push_back(static_cast<uint32_t>(key));
  }
  first_.push_back(static_cast<uint32_t>(operations_.size()));
}

}  // namespace daedalus::engine

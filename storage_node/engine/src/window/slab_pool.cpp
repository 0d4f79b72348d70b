#include "slab_pool.hpp"

#include <algorithm>

namespace daedalus::engine {

void Slab::append(Record record, const uint8_t* bytes_end) {
  record.begin = used;
  used = static_cast<uint16_t>(bytes_end - bytes.data());
  reinterpret_cast<Record*>(bytes.data() + bytes.size())[-1 - static_cast<int64_t>(count)] = record;
  ++count;
  last = std::max(last, record.timestamp);
}

Slab* SlabPool::take() {
  if (taken_ == slabs_max_) {
    return nullptr;
  }
  ++taken_;
  Slab* slab = free_;
  if (slab != nullptr) {
    free_ = slab->older;
  } else {
    if (fresh_ == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<Slab[]>(kSlabsOfBlock));
      fresh_ = kSlabsOfBlock;
    }
    slab = &blocks_.back()[kSlabsOfBlock - fresh_--];
  }
  slab->newer = nullptr;
  slab->older = nullptr;
  slab->last = {};
  slab->count = 0;
  slab->used = 0;
  return slab;
}

void SlabPool::give_back(Slab& slab) {
  slab.older = free_;
  free_ = &slab;
  --taken_;
}

}  // namespace daedalus::engine

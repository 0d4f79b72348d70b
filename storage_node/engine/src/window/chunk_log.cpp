#include "chunk_log.hpp"

namespace daedalus::engine {

void ChunkLog::add_slab(Slab& slab) {
  slab.last = last_;
  slab.older = newest_;
  (newest_ != nullptr ? newest_->newer : oldest_) = &slab;
  newest_ = &slab;
}

void ChunkLog::drop_through(Timestamp moment, SlabPool& pool) {
  while (oldest_ != nullptr && oldest_->last <= moment) {
    Slab& gone = *oldest_;
    oldest_ = gone.newer;
    (oldest_ != nullptr ? oldest_->older : newest_) = nullptr;
    records_ -= gone.count;
    gone_ += gone.count;
    pool.give_back(gone);
  }
}

bool ChunkLog::has_mostly_gone() {
  if (gone_ == 0 || gone_ < records_) {
    return false;
  }
  gone_ = 0;
  return true;
}

}  // namespace daedalus::engine

// The records of one chunk in the order in which its rows changed.
//
// Decides in which slab a record lies and which slabs are no longer wanted. Refuses to know rows: what a record means
// is the business of Window.
#pragma once

#include <cstdint>

#include "slab_pool.hpp"

namespace daedalus::engine {

class ChunkLog {
 public:
  /// The highest timestamp of all records there have been. None is missing above the moment that the window can answer.
  [[nodiscard]] Timestamp last() const { return last_; }
  [[nodiscard]] bool is_empty() const { return newest_ == nullptr; }
  /// Everything in the oldest slab is at or below it. Precondition: not empty.
  [[nodiscard]] Timestamp last_of_oldest() const { return oldest_->last; }

  /// The slab for a record of so many bytes; null when there is no room for it: add_slab() makes some.
  [[nodiscard]] Slab* slab_for(size_t record_bytes) const {
    return newest_ != nullptr && newest_->has_room_for(record_bytes) ? newest_ : nullptr;
  }
  void add_slab(Slab& slab);
  /// Appends to the slab that slab_for() or add_slab() named last.
  void append(const Record& record, const uint8_t* bytes_end) {
    newest_->append(record, bytes_end);
    last_ = newest_->last;
    ++records_;
  }

  /// Gives the slabs back that have nothing above `moment`.
  void drop_through(Timestamp moment, SlabPool& pool);
  /// Returns whether more records have gone than are left since this was true the last time.
  [[nodiscard]] bool has_mostly_gone();

  /// Calls use(slab) with each slab, the oldest first.
  template <typename Use>
  void for_each_slab(Use&& use) const {
    for (const Slab* slab = oldest_; slab != nullptr; slab = slab->newer) {
      use(*slab);
    }
  }
  /// Calls use(slab) with each slab that may have records above `moment`, the newest first.
  template <typename Use>
  void for_each_slab_above(Timestamp moment, Use&& use) const {
    for (const Slab* slab = newest_; slab != nullptr && slab->last > moment; slab = slab->older) {
      use(*slab);
    }
  }

 private:
  Slab* newest_ = nullptr;
  Slab* oldest_ = nullptr;
  Timestamp last_{};
  uint32_t records_ = 0;
  uint32_t gone_ = 0;
};

}  // namespace daedalus::engine

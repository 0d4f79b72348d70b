#include "daedalus/node/mark_history.hpp"

#include "daedalus/base/check.hpp"

namespace daedalus::node {

void MarkHistory::note(Timestamp mark, Instant now) {
  while (!samples_.empty() && after(samples_.front().taken, kDelayNs) <= now) {
    past_ = samples_.front().mark;
    samples_.pop_front();
  }
  const Timestamp latest = samples_.empty() ? past_ : samples_.back().mark;
  if (mark > latest && (samples_.empty() || after(samples_.back().taken, kSampleNs) <= now)) {
    samples_.push_back({now, mark});
    DCHECK(samples_.size() <= kSamplesMax);
  }
}

Instant MarkHistory::next_deadline() const {
  return samples_.empty() ? kNever : after(samples_.front().taken, kDelayNs);
}

}  // namespace daedalus::node

#include "daedalus/base/past_timestamp.hpp"

namespace daedalus {

void PastTimestamp::note(Timestamp timestamp, Instant now) {
  while (!samples_.empty() && after(samples_.front().taken, times_.delay_ns) <= now) {
    past_ = samples_.front().timestamp;
    samples_.pop_front();
  }
  const Timestamp latest = samples_.empty() ? past_ : samples_.back().timestamp;
  if (timestamp > latest && (samples_.empty() || after(samples_.back().taken, times_.sample_ns) <= now)) {
    samples_.push_back({now, timestamp});
  }
}

Instant PastTimestamp::next_deadline() const {
  return samples_.empty() ? kNever : after(samples_.front().taken, times_.delay_ns);
}

}  // namespace daedalus

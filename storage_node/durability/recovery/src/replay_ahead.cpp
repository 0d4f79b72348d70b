#include "replay_ahead.hpp"

#include <utility>

namespace daedalus::durability {

namespace {

/// Handed over together: little beside what a record costs, and long before the segments run dry.
constexpr size_t kBatchRecords = 256;
constexpr uint64_t kBatchBytes = 256u << 10;
/// Ready to be taken, at most. A record alone may be longer.
constexpr size_t kReadyBatches = 16;
constexpr uint64_t kReadyBytes = 16u << 20;

}  // namespace

void ReplayAhead::put(node::ReplayedRecord record) {
  open_.bytes += record.record.body == nullptr ? 0 : record.record.body->size();
  open_.records.push_back(std::move(record));
  if (open_.records.size() >= kBatchRecords || open_.bytes >= kBatchBytes) {
    hand_over();
  }
}

void ReplayAhead::end() {
  hand_over();
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
}

void ReplayAhead::hand_over() {
  if (open_.records.empty()) {
    return;
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      return ready_.empty() || (ready_.size() < kReadyBatches && ready_bytes_ + open_.bytes <= kReadyBytes);
    });
    ready_bytes_ += open_.bytes;
    ready_.push_back(std::exchange(open_, Counted{}));
  }
  changed_.notify_all();
}

std::optional<ReplayAhead::Batch> ReplayAhead::take() {
  Counted taken;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_ || !ready_.empty(); });
    if (ready_.empty()) {
      return std::nullopt;
    }
    taken = std::move(ready_.front());
    ready_.pop_front();
    ready_bytes_ -= taken.bytes;
  }
  changed_.notify_all();
  return std::move(taken.records);
}

}  // namespace daedalus::durability

#include "daedalus/node/ledger.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::node {

void Ledger::start_after(Timestamp through) {
  CHECK(accepted_ == Timestamp{} && entries_.empty());
  accepted_ = through;
  applied_ = through;
  durable_ = through;
  forgotten_ = through;
}

void Ledger::remember(TimestampRange range, Identity identity, Outcomes outcomes) {
  CHECK(completed_ == entries_.size() && range.last <= accepted_);
  CHECK(entries_.empty() || range.first == next(entries_.back().range.last));
  if (entries_.empty()) {
    forgotten_ = Timestamp{raw(range.first) - 1};
  }
  entries_.push_back(Entry{range, identity, std::move(outcomes)});
  ++completed_;
}

void Ledger::accept(TimestampRange range, Identity identity) {
  CHECK(range.first == next(accepted_) && range.first <= range.last);
  accepted_ = range.last;
  entries_.push_back(Entry{range, identity, {}});
}

void Ledger::complete(Timestamp last, Outcomes outcomes) {
  CHECK(completed_ < entries_.size());
  Entry& entry = entries_[completed_];
  CHECK(entry.range.last == last);
  entry.outcomes = std::move(outcomes);
  ++completed_;
  applied_ = last;
  while (completed_ > entries_max_) {
    forget_oldest();
  }
}

void Ledger::forget_oldest() {
  forgotten_ = entries_.front().range.last;
  entries_.pop_front();
  --completed_;
}

void Ledger::forget(Timestamp through) {
  while (completed_ > 0 && entries_.front().range.last <= through) {
    forget_oldest();
  }
}

bool Ledger::agrees(TimestampRange range, Identity identity) const {
  for (auto entry = first_ending_at_or_after(range.first); entry != entries_.end(); ++entry) {
    if (entry->range.first > range.last) {
      break;
    }
    if (entry->identity != identity) {
      return false;
    }
  }
  return true;
}

const Outcomes* Ledger::outcomes(Timestamp timestamp) const {
  const auto entry = first_ending_at_or_after(timestamp);
  const bool is_known = timestamp <= applied_ && entry != entries_.end() && entry->range.first <= timestamp;
  return is_known ? &entry->outcomes : nullptr;
}

std::deque<Ledger::Entry>::const_iterator Ledger::first_ending_at_or_after(Timestamp timestamp) const {
  return std::lower_bound(entries_.begin(), entries_.end(), timestamp,
                          [](const Entry& entry, Timestamp wanted) { return entry.range.last < wanted; });
}

}  // namespace daedalus::node

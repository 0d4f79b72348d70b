#include "marks.hpp"

#include <algorithm>

namespace daedalus::testing {

Marks::Peers::iterator Marks::carrier() {
  const auto found = peers_.lower_bound(carrier_from_);
  return found == peers_.end() ? peers_.begin() : found;
}

Marks::Peers::const_iterator Marks::carrier() const {
  const auto found = peers_.lower_bound(carrier_from_);
  return found == peers_.end() ? peers_.begin() : found;
}

void Marks::replace_silent_carrier(Instant now) {
  const auto silent = carrier();
  auto& [peer, of_silent] = *silent;
  if (of_silent.under_way.empty() || now < after(of_silent.under_way.begin()->second, kPatienceNs)) {
    return;
  }
  of_silent.under_way.clear();
  carrier_from_ = rpc::PeerId{raw(peer) + 1};
  carrier()->second.sent.reset();  // Whatever it was sent, it did not pass on.
}

std::vector<Marks::Due> Marks::take_due(Timestamp mark, Instant now) {
  std::vector<Due> due;
  if (repeat_at_ == kNever || peers_.empty()) {
    return due;
  }
  replace_silent_carrier(now);
  const bool is_repeated = now >= repeat_at_;
  if (is_repeated) {
    repeat_at_ = after(now, kRepeatNs);
  }
  const rpc::PeerId passes_on = carrier()->first;
  for (const auto& [peer, state] : peers_) {
    const bool is_new = !state.sent || *state.sent < mark;
    if ((is_new || is_repeated) && state.under_way.size() < kUnderWayMax) {
      due.push_back({peer, peer == passes_on});
    }
  }
  return due;
}

void Marks::on_sent(rpc::PeerId peer, uint64_t sequence, Timestamp mark, Instant now) {
  Peer& state = peers_.at(peer);
  state.sent = mark;
  state.under_way.emplace(sequence, now);
}

bool Marks::on_answer(rpc::PeerId peer, uint64_t sequence, bool is_refused) {
  const auto found = peers_.find(peer);
  if (found == peers_.end() || found->second.under_way.erase(sequence) == 0) {
    return false;
  }
  if (is_refused && found == carrier()) {
    carrier_from_ = rpc::PeerId{raw(peer) + 1};
  }
  return true;
}

Instant Marks::next_deadline() const {
  if (repeat_at_ == kNever || peers_.empty()) {
    return kNever;
  }
  const auto& under_way = carrier()->second.under_way;
  return under_way.empty() ? repeat_at_ : std::min(repeat_at_, after(under_way.begin()->second, kPatienceNs));
}

void Marks::learn(uint32_t node, Timestamp mark) { known_[node] = std::max(known_[node], mark); }

bool Marks::knows(uint32_t node, Timestamp timestamp) const {
  const auto found = known_.find(node);
  return found != known_.end() && found->second >= timestamp;
}

}  // namespace daedalus::testing

#include "daedalus/node/read_holds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/planted_faults.hpp"

namespace daedalus::node {

std::optional<std::vector<Timestamp>> ReadHolds::hold(rpc::PeerId peer, HoldWord word, Timestamp mark, Instant now) {
  on_deadline(now);
  std::vector<Timestamp>& moments = word.moments;
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  const auto refused_from = std::stable_partition(moments.begin(), moments.end(),
                                                  [&](Timestamp moment) { return moment >= mark || is_held(moment); });
  std::vector<Timestamp> refused(refused_from, moments.end());
  moments.erase(refused_from, moments.end());

  Said said{std::move(word), after(now, kWordNs)};
  const auto before = words_.find(peer);
  const size_t others = moments_count_ - (before == words_.end() ? 0 : before->second.size());
  if (others + said.size() > kMomentsMax) {
    return std::nullopt;
  }
  moments_count_ = others + said.size();
  if (said.size() == 0) {
    words_.erase(peer);
  } else {
    words_.insert_or_assign(peer, std::move(said));
  }
  look_through();
  return refused;
}

void ReadHolds::on_peer_down(rpc::PeerId peer, Instant now) {
  if (const auto found = words_.find(peer); found != words_.end()) {
    found->second.end = after(now, kWordNs);
    look_through();
  }
}

void ReadHolds::on_deadline(Instant now) {
  if (next_end_ > now) {
    return;
  }
  std::erase_if(words_, [&](const auto& entry) {
    const bool is_over = entry.second.end <= now;
    moments_count_ -= is_over ? entry.second.size() : 0;
    return is_over;
  });
  look_through();
}

std::optional<Timestamp> ReadHolds::lowest() const {
  return is_planted(Fault::kHoldForgotten) ? std::nullopt : lowest_;
}

bool ReadHolds::is_held(Timestamp moment) const {
  return std::any_of(words_.begin(), words_.end(), [&](const auto& entry) {
    const std::vector<Timestamp>& moments = entry.second.word.moments;
    return std::binary_search(moments.begin(), moments.end(), moment);
  });
}

void ReadHolds::look_through() {
  lowest_.reset();
  next_end_ = kNever;
  for (const auto& [peer, said] : words_) {
    next_end_ = std::min(next_end_, said.end);
    const auto take = [&](Timestamp moment) { lowest_ = std::min(lowest_.value_or(moment), moment); };
    if (!said.word.moments.empty()) {
      take(said.word.moments.front());
    }
    if (said.word.lowest) {
      take(*said.word.lowest);
    }
  }
}

}  // namespace daedalus::node

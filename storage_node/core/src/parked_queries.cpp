#include "daedalus/node/parked_queries.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::node {

bool ParkedQueries::park(PreparedQuery query, Timestamp until) {
  if (queries_.size() >= queries_max_) {
    return false;
  }
  const Requester requester = query.requester;
  by_deadline_.emplace(query.deadline, requester);
  CHECK(by_requester_.emplace(requester, queries_.emplace(until, std::move(query))).second);
  return true;
}

std::vector<PreparedQuery> ParkedQueries::take_reached(Timestamp reached) {
  std::vector<PreparedQuery> taken;
  while (!queries_.empty() && queries_.begin()->first <= reached) {
    taken.push_back(remove(by_requester_.find(queries_.begin()->second.requester)));
  }
  return taken;
}

std::vector<PreparedQuery> ParkedQueries::take_late(Instant now) {
  std::vector<PreparedQuery> taken;
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now) {
    taken.push_back(remove(by_requester_.find(by_deadline_.begin()->second)));
  }
  return taken;
}

bool ParkedQueries::take(Requester requester) {
  const auto found = by_requester_.find(requester);
  if (found == by_requester_.end()) {
    return false;
  }
  static_cast<void>(remove(found));
  return true;
}

void ParkedQueries::on_peer_down(rpc::PeerId peer) {
  auto entry = by_requester_.lower_bound(Requester{peer, 0});
  while (entry != by_requester_.end() && entry->first.peer == peer) {
    static_cast<void>(remove(entry++));
  }
}

Instant ParkedQueries::next_deadline() const { return by_deadline_.empty() ? kNever : by_deadline_.begin()->first; }

std::optional<Timestamp> ParkedQueries::lowest() const {
  return queries_.empty() ? std::nullopt : std::optional(queries_.begin()->first);
}

PreparedQuery ParkedQueries::remove(std::map<Requester, Queries::iterator>::iterator entry) {
  CHECK(entry != by_requester_.end());
  PreparedQuery query = std::move(entry->second->second);
  const auto [first, last] = by_deadline_.equal_range(query.deadline);
  by_deadline_.erase(std::find_if(first, last, [&](const auto& timer) { return timer.second == query.requester; }));
  queries_.erase(entry->second);
  by_requester_.erase(entry);
  return query;
}

}  // namespace daedalus::node

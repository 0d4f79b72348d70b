// Queries that wait until this node has reached a timestamp: kept, bounded, until it has or until nobody wants them.
//
// Decides which of them may go on. Refuses to know what is reached with it: updates that are enqueued, or a mark.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/node/requester.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::node {

/// A query that has passed every check.
struct PreparedQuery {
  Requester requester;
  std::shared_ptr<const semantics::Selection> selection;
  Instant deadline = kNever;
  Timestamp moment{};    ///< At which it is answered, in all segments.
  bool is_firm = false;  ///< Whoever asks has chosen that moment, and wants no other.
  /// The condition, where the selection is a shape's, which other queries have, too. Null: the selection's own.
  std::shared_ptr<const semantics::Predicate> bound;
  int64_t compute_ns_max = 0;  ///< As engine::Query's.
  /// About so many bytes of rows in all segments together are enough: the end says what is left out. 0: all are wanted.
  uint64_t piece_bytes = 0;

  [[nodiscard]] const semantics::Predicate& predicate() const { return bound ? *bound : selection->predicate; }
};

class ParkedQueries {
 public:
  explicit ParkedQueries(uint32_t queries_max) : queries_max_(queries_max) {}

  /// The query waits for this timestamp. False when full: nothing was taken. Precondition (CHECKed): the requester is
  /// not parked yet.
  [[nodiscard]] bool park(PreparedQuery query, Timestamp until);
  /// Queries that wait for what is reached with this one, in the order of what they wait for.
  [[nodiscard]] std::vector<PreparedQuery> take_reached(Timestamp reached);
  /// Queries whose deadline has passed.
  [[nodiscard]] std::vector<PreparedQuery> take_late(Instant now);
  /// Removes one query, because it is aborted.
  [[nodiscard]] bool take(Requester requester);
  void on_peer_down(rpc::PeerId peer);

  [[nodiscard]] Instant next_deadline() const;
  /// Returns the lowest timestamp that one of them waits for; nothing when there are none.
  [[nodiscard]] std::optional<Timestamp> lowest() const;
  [[nodiscard]] size_t size() const { return by_requester_.size(); }
  [[nodiscard]] bool contains(Requester requester) const { return by_requester_.contains(requester); }

 private:
  using Queries = std::multimap<Timestamp, PreparedQuery>;

  [[nodiscard]] PreparedQuery remove(std::map<Requester, Queries::iterator>::iterator entry);

  uint32_t queries_max_;
  Queries queries_;  ///< By what they wait for.
  std::map<Requester, Queries::iterator> by_requester_;
  std::multimap<Instant, Requester> by_deadline_;
};

}  // namespace daedalus::node

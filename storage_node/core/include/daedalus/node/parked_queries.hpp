// Queries whose moment this node has not reached: kept, bounded, until it has or until nobody wants them.
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

  /// False when full: nothing was taken. Precondition (CHECKed): the requester is not parked yet.
  [[nodiscard]] bool park(PreparedQuery query);
  /// Queries whose moment is reached with `accepted`, in the order of their moments.
  [[nodiscard]] std::vector<PreparedQuery> take_reached(Timestamp accepted);
  /// Queries whose deadline has passed.
  [[nodiscard]] std::vector<PreparedQuery> take_late(Instant now);
  /// Removes one query, because it is aborted.
  [[nodiscard]] bool take(Requester requester);
  void on_peer_down(rpc::PeerId peer);

  [[nodiscard]] Instant next_deadline() const;
  /// Returns the lowest moment of all; nothing when there are none.
  [[nodiscard]] std::optional<Timestamp> lowest() const;
  [[nodiscard]] size_t size() const { return by_requester_.size(); }
  [[nodiscard]] bool contains(Requester requester) const { return by_requester_.contains(requester); }

 private:
  using Queries = std::multimap<Timestamp, PreparedQuery>;

  [[nodiscard]] PreparedQuery remove(std::map<Requester, Queries::iterator>::iterator entry);

  uint32_t queries_max_;
  Queries queries_;  ///< By moment.
  std::map<Requester, Queries::iterator> by_requester_;
  std::multimap<Instant, Requester> by_deadline_;
};

}  // namespace daedalus::node

// The marks that a writer sends, and what the nodes have said of them: docs/protocol.md, "Marks and moments".
//
// Decides to which aggregators the mark goes, when, which of them passes it on to the nodes, and whether a node knows
// that an update is confirmed. Refuses to know updates and messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::testing {

class Marks {
 public:
  static constexpr int64_t kRepeatNs = kSecond / 2;
  /// The aggregator that passes marks on answers within this time, or another one does it.
  static constexpr int64_t kPatienceNs = kSecond;
  /// An aggregator has at most so many without an answer: then the newest mark waits for one.
  static constexpr size_t kUnderWayMax = 64;

  /// An aggregator that takes marks has come, or one has gone.
  void on_up(rpc::PeerId peer) { peers_.try_emplace(peer); }
  void on_down(rpc::PeerId peer) { peers_.erase(peer); }
  [[nodiscard]] bool has_takers() const { return !peers_.empty(); }

  /// From now on marks are sent, the first ones at once.
  void begin(Instant now) { repeat_at_ = now; }
  /// From now on none is.
  void stop() { repeat_at_ = kNever; }

  struct Due {
    rpc::PeerId peer{};
    bool is_passed_on = false;
  };
  /// Returns to whom the mark is to be sent now: everybody who has not been sent it, or all of them again. on_sent()
  /// says that it was.
  [[nodiscard]] std::vector<Due> take_due(Timestamp mark, Instant now);
  void on_sent(rpc::PeerId peer, uint64_t sequence, Timestamp mark, Instant now);
  /// Returns whether the operation was a mark. One that was refused goes to the nodes through another one, when it is
  /// repeated.
  bool on_answer(rpc::PeerId peer, uint64_t sequence, bool is_refused);
  [[nodiscard]] Instant next_deadline() const;

  /// A node has said so.
  void learn(uint32_t node, Timestamp mark);
  [[nodiscard]] bool knows(uint32_t node, Timestamp timestamp) const;

 private:
  struct Peer {
    std::optional<Timestamp> sent;          ///< The highest mark sent to it.
    std::map<uint64_t, Instant> under_way;  ///< When each mark without an answer was sent, by sequence.
  };
  using Peers = std::map<rpc::PeerId, Peer>;

  /// Returns the aggregator that passes marks on. Precondition: there is one.
  [[nodiscard]] Peers::iterator carrier();
  [[nodiscard]] Peers::const_iterator carrier() const;
  void replace_silent_carrier(Instant now);

  Peers peers_;
  rpc::PeerId carrier_from_{};  ///< The one that passes marks on, or the first of those that may instead.
  Instant repeat_at_ = kNever;
  std::map<uint32_t, Timestamp> known_;  ///< The highest mark that each node has said.
};

}  // namespace daedalus::testing

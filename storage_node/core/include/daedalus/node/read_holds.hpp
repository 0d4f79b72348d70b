// Keeps what peers say that they still read, so that nobody trims it.
//
// Decides which moments this node says yes to, and how long it keeps its word. Refuses to know what is kept in order to
// answer at them, and the node's mark: it is passed in.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::node {

/// A peer says with it what it still reads.
struct HoldWord {
  std::vector<Timestamp> moments;   ///< Held one by one.
  std::optional<Timestamp> lowest;  ///< The lowest of all else; nothing: there is nothing else.
};

class ReadHolds {
 public:
  /// The most moments that all peers hold together, the lowest of each counted as one. Connections have no maximum of
  /// their own: an aggregator holds a few for each of its clients, and it may have 10,000.
  static constexpr size_t kMomentsMax = 65'536;
  /// A word holds for so long after it was said last, and after its connection was lost.
  static constexpr int64_t kWordNs = 2 * kSecond;

  /// Takes a peer's word, which replaces the one before. Returns the moments that are not held, ascending: below `mark`
  /// only those are that somebody holds already, on this connection or another, because an update that an answer at a
  /// new one lacks may have been told as confirmed. Nothing: there is no room, and the word before still holds.
  [[nodiscard]] std::optional<std::vector<Timestamp>> hold(rpc::PeerId peer, HoldWord word, Timestamp mark,
                                                           Instant now);
  void on_peer_down(rpc::PeerId peer, Instant now);
  /// Forgets the words whose time is over.
  void on_deadline(Instant now);

  [[nodiscard]] Instant next_deadline() const { return next_end_; }
  /// Returns the lowest moment that anybody holds.
  [[nodiscard]] std::optional<Timestamp> lowest() const;
  /// Peers whose words hold.
  [[nodiscard]] size_t count() const { return words_.size(); }

 private:
  struct Said {
    HoldWord word;  ///< Its moments ascend, each once.
    Instant end;

    [[nodiscard]] size_t size() const { return word.moments.size() + (word.lowest ? 1 : 0); }
  };

  [[nodiscard]] bool is_held(Timestamp moment) const;
  /// Finds the lowest moment and the next end anew.
  void look_through();

  std::map<rpc::PeerId, Said> words_;
  size_t moments_count_ = 0;
  std::optional<Timestamp> lowest_;
  Instant next_end_ = kNever;
};

}  // namespace daedalus::node

// Remembers what one storage node has said yes to, and sees whether it keeps its word: nothing that somebody holds is
// trimmed.
//
// Decides by the words that were said (docs/protocol.md, "Marks and moments"): each replaces the one before of the same
// peer and holds for two seconds, also where its connection is lost. Refuses to know how the node keeps them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::testing {

class HoldWitness {
 public:
  /// A peer has sent a HOLD; what it is answered comes next.
  void on_operation(rpc::PeerId peer, const wire::v1::Operation& operation);
  void on_result(rpc::PeerId peer, const wire::v1::Result& result, Instant now);
  void on_down(rpc::PeerId peer, Instant now);
  /// The node has told a segment that nobody will ask below this moment.
  void on_kept_from(Timestamp moment) { kept_from_ = std::max(kept_from_, moment); }

  /// Returns what is wrong now, if anything is.
  [[nodiscard]] std::optional<std::string> complaint(Instant now) const;
  [[nodiscard]] Timestamp kept_from() const { return kept_from_; }

 private:
  struct Word {
    std::vector<Timestamp> moments;
    Instant end{};
  };

  std::map<std::pair<rpc::PeerId, uint64_t>, std::vector<Timestamp>> asked_;
  std::map<rpc::PeerId, Word> words_;
  Timestamp kept_from_{};
};

}  // namespace daedalus::testing

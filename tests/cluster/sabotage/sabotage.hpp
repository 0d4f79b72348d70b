// Faults planted into simulated aggregators, to see whether the judge finds them. The cores never know of them: they
// are put into what a core hears, and into what it says.
#pragma once

#include <cstdint>

#include "daedalus/rpc/network.hpp"

namespace daedalus::testing {

enum class SabotageKind : uint8_t {
  kNone,
  kAnswerWithoutPartition,        ///< The rows of one partition are dropped, and its stamps with them.
  kAnswerWithoutRows,             ///< The rows of one partition are dropped, its stamps stay.
  kStampOfAnotherPrefix,          ///< The stamps of one partition say that one more update had been applied.
  kMomentTooLate,                 ///< Answers name a later moment than the one they are of.
  kMomentTooEarly,                ///< Likewise, an earlier one.
  kConfirmationWithoutPartition,  ///< Confirmations lose what one partition did.
  /// Confirmations book what one partition did to another: the sums are right.
  kConfirmationOfAnotherPartition,
  /// Confirmations book what one part of an update did to another.
  kConfirmationOfAnotherPart,
};

class Saboteur {
 public:
  /// The partition that a fault is about; with one partition on each node, the node, too.
  static constexpr uint32_t kVictim = 1;

  explicit Saboteur(SabotageKind fault) : fault_(fault) {}

  /// Before an aggregator hears what storage node `node` answered.
  void on_node_result(uint32_t node, wire::v1::Result& result) const;
  /// Before what an aggregator says leaves it.
  void on_outbox(rpc::Outbox& out) const;

 private:
  SabotageKind fault_;
};

}  // namespace daedalus::testing

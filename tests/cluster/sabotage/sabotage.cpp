#include "sabotage.hpp"

#include <algorithm>

namespace daedalus::testing {

namespace {

constexpr uint64_t kMomentOff = 3;

void drop_stamps(wire::v1::QueryEnd& end) {
  auto& stamps = *end.mutable_stamps();
  stamps.erase(std::remove_if(stamps.begin(), stamps.end(),
                              [](const auto& stamp) { return stamp.partition() == Saboteur::kVictim; }),
               stamps.end());
}

void raise_stamps(wire::v1::QueryEnd& end) {
  for (auto& stamp : *end.mutable_stamps()) {
    if (stamp.partition() == Saboteur::kVictim) {
      stamp.set_applied(stamp.applied() + 1);
    }
  }
}

void drop_outcome(wire::v1::WriteConfirmed& confirmed) {
  auto& outcomes = *confirmed.mutable_outcomes();
  outcomes.erase(std::remove_if(outcomes.begin(), outcomes.end(),
                                [](const auto& outcome) { return outcome.partition() == Saboteur::kVictim; }),
                 outcomes.end());
}

/// Swaps what the victim did with what another partition of the same confirmation did.
void swap_outcomes(wire::v1::WriteConfirmed& confirmed) {
  auto& outcomes = *confirmed.mutable_outcomes();
  const auto victim = std::find_if(outcomes.begin(), outcomes.end(),
                                   [](const auto& outcome) { return outcome.partition() == Saboteur::kVictim; });
  if (victim == outcomes.end() || outcomes.size() == 1) {
    return;
  }
  auto& other = victim == outcomes.begin() ? *std::next(victim) : *outcomes.begin();
  victim->Swap(&other);
  const uint32_t node = victim->node();
  const uint32_t partition = victim->partition();
  victim->set_node(other.node());
  victim->set_partition(other.partition());
  other.set_node(node);
  other.set_partition(partition);
}

}  // namespace

void Saboteur::on_node_result(uint32_t node, wire::v1::Result& result) const {
  if (node != kVictim ||
      (fault_ != SabotageKind::kAnswerWithoutPartition && fault_ != SabotageKind::kAnswerWithoutRows)) {
    return;
  }
  if (result.has_rows()) {
    result.mutable_rows()->clear_rows();
    result.mutable_rows()->set_row_count(0);
  } else if (result.has_end()) {
    result.mutable_end()->set_row_count(0);
  }
}

void Saboteur::on_outbox(rpc::Outbox& out) const {
  for (auto& [peer, result] : out.results) {
    if (result.has_end() && fault_ == SabotageKind::kAnswerWithoutPartition) {
      drop_stamps(*result.mutable_end());
    } else if (result.has_end() && fault_ == SabotageKind::kStampOfAnotherPrefix) {
      raise_stamps(*result.mutable_end());
    } else if (result.has_end() && fault_ == SabotageKind::kMomentTooLate) {
      result.mutable_end()->set_moment(result.end().moment() + kMomentOff);
    } else if (result.has_end() && fault_ == SabotageKind::kMomentTooEarly) {
      result.mutable_end()->set_moment(result.end().moment() - std::min(kMomentOff, result.end().moment()));
    } else if (result.has_confirmed() && fault_ == SabotageKind::kConfirmationWithoutPartition) {
      drop_outcome(*result.mutable_confirmed());
    } else if (result.has_confirmed() && fault_ == SabotageKind::kConfirmationOfAnotherPartition) {
      swap_outcomes(*result.mutable_confirmed());
    } else if (result.has_confirmed() && fault_ == SabotageKind::kConfirmationOfAnotherPart &&
               result.confirmed().part_rows_size() > 1) {
      result.mutable_confirmed()->mutable_part_rows()->SwapElements(0, 1);
    }
  }
}

}  // namespace daedalus::testing

#include "daedalus/node/update_tracker.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::node {

namespace {

void add_refused(wire::v1::RowRefusal reason, uint64_t row_count, wire::v1::PartitionOutcome* outcome) {
  if (row_count > 0) {
    auto* refused = outcome->add_refused();
    refused->set_reason(reason);
    refused->set_row_count(row_count);
  }
}

}  // namespace

UpdateTracker::UpdateTracker(const NodePlacement& placement, NodeId node)
    : placement_(placement), node_(node), outputs_of_(placement.segment_count(), 0) {}

void UpdateTracker::on_enqueued(Timestamp last, std::vector<bool> concerned) {
  std::vector<Sums> sums(concerned.size());
  under_way_.push_back(UnderWay{last, placement_.segment_count(), std::move(concerned), std::move(sums)});
}

void UpdateTracker::on_output(SegmentIndex segment, const engine::UpdateOutput& output) {
  const uint64_t position = outputs_of_[raw(segment)]++ - taken_;
  CHECK(position < under_way_.size());
  UnderWay& admission = under_way_[position];
  CHECK(admission.last == output.timestamp);
  --admission.segments_missing;
  if (!admission.sums.empty()) {
    Sums& sums = admission.sums[placement_.hosted_index_of(segment)];
    sums.rows_matched += output.rows_matched;
    sums.rows_applied += output.rows_applied;
    sums.refused_no_room += output.refused_no_room;
    sums.refused_overflow += output.refused_overflow;
  }
}

std::optional<UpdateTracker::Applied> UpdateTracker::take_applied() {
  if (under_way_.empty() || under_way_.front().segments_missing > 0) {
    return std::nullopt;
  }
  Applied applied{under_way_.front().last, outcomes_of(under_way_.front())};
  under_way_.pop_front();
  ++taken_;
  return applied;
}

Outcomes UpdateTracker::outcomes_of(const UnderWay& admission) const {
  Outcomes outcomes;
  for (size_t i = 0; i < admission.sums.size(); ++i) {
    if (!admission.concerned[i]) {
      continue;
    }
    const Sums& sums = admission.sums[i];
    auto& outcome = outcomes.emplace_back();
    outcome.set_node(raw(node_));
    outcome.set_partition(raw(placement_.hosted()[i]));
    outcome.set_rows_matched(sums.rows_matched);
    outcome.set_rows_applied(sums.rows_applied);
    add_refused(wire::v1::ROW_REFUSAL_NO_ROOM, sums.refused_no_room, &outcome);
    add_refused(wire::v1::ROW_REFUSAL_OVERFLOW, sums.refused_overflow, &outcome);
  }
  return outcomes;
}

}  // namespace daedalus::node

#include "daedalus/node/update_tracker.hpp"

#include <algorithm>
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

/// `sums` is what the segments of one partition did.
wire::v1::PartitionOutcome outcome_of(NodeId node, PartitionId partition, const engine::UpdateOutput& sums) {
  wire::v1::PartitionOutcome outcome;
  outcome.set_node(raw(node));
  outcome.set_partition(raw(partition));
  outcome.set_rows_matched(sums.rows_matched);
  outcome.set_rows_applied(sums.rows_applied);
  add_refused(wire::v1::ROW_REFUSAL_NO_ROOM, sums.refused_no_room, &outcome);
  add_refused(wire::v1::ROW_REFUSAL_OVERFLOW, sums.refused_overflow, &outcome);
  for (const engine::FailedRows& failed : sums.failed) {
    add_refused(wire::v1::ROW_REFUSAL_FAILED, failed.row_count, &outcome);
    outcome.mutable_refused(outcome.refused_size() - 1)->set_sqlstate(failed.sqlstate);
  }
  outcome.mutable_part_rows()->Add(sums.part_rows.begin(), sums.part_rows.end());
  return outcome;
}

/// Adds what the parts that a segment got did, `numbers`, to what the update's parts did. False: that is not known.
[[nodiscard]] bool add_part_rows(const std::vector<uint32_t>& numbers, const engine::UpdateOutput& output,
                                 std::vector<uint64_t>& sums) {
  if (output.rows_applied == 0) {
    return true;
  }
  if (numbers.size() == 1) {
    sums[numbers.front()] += output.rows_applied;
    return true;
  }
  if (numbers.empty() || output.part_rows.size() != numbers.size()) {
    return false;
  }
  for (size_t part = 0; part < numbers.size(); ++part) {
    sums[numbers[part]] += output.part_rows[part];
  }
  return true;
}

}  // namespace

UpdateTracker::UpdateTracker(const NodePlacement& placement, NodeId node)
    : placement_(placement), node_(node), outputs_of_(placement.segment_count(), 0) {}

void UpdateTracker::on_enqueued(Timestamp last, std::vector<bool> concerned, PartNumbers numbers,
                                std::shared_ptr<const OutcomeRecord> recorded) {
  under_way_.push_back(UnderWay{
      last, placement_.segment_count(), std::move(concerned), std::move(numbers), {last, {}}, std::move(recorded)});
}

void UpdateTracker::on_output(SegmentIndex segment, engine::UpdateOutput output) {
  const uint64_t position = outputs_of_[raw(segment)]++ - taken_;
  CHECK(position < under_way_.size());
  UnderWay& admission = under_way_[position];
  CHECK(admission.last == output.timestamp);
  --admission.segments_missing;
  if (output.rows_matched > 0) {
    admission.record.segments.emplace_back(segment, std::move(output));
  }
}

std::optional<UpdateTracker::Applied> UpdateTracker::take_applied() {
  if (under_way_.empty() || under_way_.front().segments_missing > 0) {
    return std::nullopt;
  }
  UnderWay& first = under_way_.front();
  std::sort(first.record.segments.begin(), first.record.segments.end(),
            [](const auto& left, const auto& right) { return left.first < right.first; });
  Applied applied{first.last,
                  outcomes_of(first.concerned, first.numbers, first.recorded ? *first.recorded : first.record),
                  std::move(first.record), std::move(first.recorded)};
  under_way_.pop_front();
  ++taken_;
  return applied;
}

Outcomes UpdateTracker::outcomes_of(const std::vector<bool>& concerned, const PartNumbers& numbers,
                                    const OutcomeRecord& record) const {
  Outcomes outcomes;
  auto segment = record.segments.begin();
  for (uint32_t hosted = 0; hosted < concerned.size(); ++hosted) {
    engine::UpdateOutput sums{.part_rows = std::vector<uint64_t>(numbers.part_count)};
    bool are_counted = numbers.part_count > 0;
    for (; segment != record.segments.end() && placement_.hosted_index_of(segment->first) == hosted; ++segment) {
      sums.rows_matched += segment->second.rows_matched;
      sums.rows_applied += segment->second.rows_applied;
      sums.refused_no_room += segment->second.refused_no_room;
      sums.refused_overflow += segment->second.refused_overflow;
      for (const engine::FailedRows& failed : segment->second.failed) {
        count_refused(sums, failed.sqlstate, failed.row_count);
      }
      are_counted =
          are_counted && add_part_rows(numbers.by_segment[raw(segment->first)], segment->second, sums.part_rows);
    }
    if (!are_counted) {
      sums.part_rows.clear();
    }
    if (concerned[hosted]) {
      outcomes.push_back(outcome_of(node_, placement_.hosted()[hosted], sums));
    }
  }
  return outcomes;
}

}  // namespace daedalus::node

#include "daedalus/node/update_pipeline.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::node {

namespace {

using SegmentOutput = std::pair<SegmentIndex, engine::UpdateOutput>;

/// A record of a log that did not count by parts yet says nothing of them.
bool agree(const SegmentOutput& now, const SegmentOutput& then) {
  if (!then.second.part_rows.empty() || now.second.part_rows.empty()) {
    return now == then;
  }
  SegmentOutput without = now;
  without.second.part_rows.clear();
  return without == then;
}

}  // namespace

UpdatePipeline::UpdatePipeline(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                               const NodePlacement& placement, NodeId node, SegmentPort& segments)
    : placer_(std::move(schema), map, placement),
      segments_(segments),
      tracker_(placement, node),
      waiting_(placement.segment_count()) {}

Result<LogRecord> UpdatePipeline::accept(Admission admission) {
  LogRecord record{admission.epoch, admission.range, admission.identity, nullptr};
  if (!admission.identity.is_no_op) {
    record.body = std::make_shared<const std::string>(std::move(admission.body));
  }
  auto placed = placer_.place(record);
  if (!placed) {
    return placed.error();
  }
  appending_.push_back(Appending{record.range.last, std::move(*placed), nullptr});
  return record;
}

void UpdatePipeline::start_after(Timestamp through, std::vector<Timestamp> slots_known) {
  CHECK(slots_known.size() == waiting_.size());
  enqueued_ = through;
  slots_known_ = std::move(slots_known);
}

void UpdatePipeline::replay(Timestamp last, PlacedUpdate placed, std::shared_ptr<const OutcomeRecord> recorded) {
  CHECK(appending_.empty());
  enqueue(Appending{last, std::move(placed), std::move(recorded)});
}

std::optional<SegmentIndex> UpdatePipeline::disagreement(const UpdateTracker::Applied& applied) const {
  if (applied.recorded == nullptr) {
    return std::nullopt;
  }
  const auto decided_anew = [&](const OutcomeRecord& record) {
    std::vector<SegmentOutput> of;
    std::copy_if(record.segments.begin(), record.segments.end(), std::back_inserter(of),
                 [&](const auto& entry) { return applied.last > slots_known_[raw(entry.first)]; });
    return of;
  };
  const auto now = decided_anew(applied.record);
  const auto then = decided_anew(*applied.recorded);
  const auto [one, other] = std::mismatch(now.begin(), now.end(), then.begin(), then.end(), agree);
  if (one == now.end() && other == then.end()) {
    return std::nullopt;
  }
  return one != now.end() ? one->first : other->first;
}

void UpdatePipeline::on_appended(Timestamp through) {
  while (!appending_.empty() && appending_.front().last <= through) {
    Appending next = std::move(appending_.front());
    appending_.pop_front();
    enqueue(std::move(next));
  }
}

void UpdatePipeline::enqueue(Appending work) {
  for (uint32_t i = 0; i < work.placed.parts.size(); ++i) {
    waiting_[i].push_back(
        engine::Update{work.last, std::move(work.placed.parts[i]), recorded_slots(work, SegmentIndex{i})});
  }
  tracker_.on_enqueued(work.last, std::move(work.placed.concerned), std::move(work.placed.numbers),
                       std::move(work.recorded));
  flush();
  enqueued_ = work.last;
}

std::optional<engine::SlotRuns> UpdatePipeline::recorded_slots(const Appending& work, SegmentIndex segment) const {
  if (is_planted(Fault::kSlotsChosenAgain) || slots_known_.empty() || work.last > slots_known_[raw(segment)]) {
    return std::nullopt;
  }
  if (work.recorded != nullptr) {
    for (const auto& [of, output] : work.recorded->segments) {
      if (of == segment) {
        return output.slots;
      }
    }
  }
  return engine::SlotRuns{};
}

void UpdatePipeline::on_output(SegmentIndex segment, engine::UpdateOutput output) {
  tracker_.on_output(segment, std::move(output));
}

void UpdatePipeline::flush() {
  for (uint32_t i = 0; i < waiting_.size(); ++i) {
    flush(SegmentIndex{i});
  }
}

size_t UpdatePipeline::waiting_max() const {
  size_t longest = appending_.size();
  for (const auto& queue : waiting_) {
    longest = std::max(longest, queue.size());
  }
  return longest;
}

void UpdatePipeline::flush(SegmentIndex segment) {
  std::deque<engine::Update>& queue = waiting_[raw(segment)];
  while (!queue.empty() && segments_.enqueue(segment, queue.front())) {
    queue.pop_front();
  }
}

}  // namespace daedalus::node

#include "daedalus/node/update_pipeline.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::node {

UpdatePipeline::UpdatePipeline(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                               NodePlacement& placement, NodeId node, SegmentPort& segments)
    : schema_(std::move(schema)),
      placement_columns_(map.placement_columns()),
      placement_(placement),
      segments_(segments),
      tracker_(placement, node),
      waiting_(placement.segment_count()) {}

Result<LogRecord> UpdatePipeline::accept(Admission admission) {
  LogRecord record{admission.epoch, admission.range, admission.identity, nullptr};
  if (!admission.identity.is_no_op) {
    record.body = std::make_shared<const std::string>(std::move(admission.body));
  }
  if (auto made = make_work(record, nullptr); !made) {
    return made.error();
  }
  return record;
}

Result<void> UpdatePipeline::make_work(const LogRecord& record, std::shared_ptr<const OutcomeRecord> recorded) {
  Appending work{record.range.last, {}, Parts(placement_.segment_count()), std::move(recorded)};
  if (record.body != nullptr) {
    work.concerned.resize(placement_.hosted().size());
    auto made = parts_of(record, &work.concerned);
    if (!made) {
      return made.error();
    }
    work.parts = std::move(*made);
  }
  appending_.push_back(std::move(work));
  return {};
}

void UpdatePipeline::start_after(Timestamp through, std::vector<Timestamp> slots_known) {
  CHECK(slots_known.size() == placement_.segment_count());
  enqueued_ = through;
  slots_known_ = std::move(slots_known);
}

Result<void> UpdatePipeline::replay(const LogRecord& record, std::shared_ptr<const OutcomeRecord> recorded) {
  if (auto made = make_work(record, std::move(recorded)); !made) {
    return made;
  }
  on_appended(record.range.last);
  return {};
}

Result<Outcomes> UpdatePipeline::outcomes_of(const LogRecord& record, const OutcomeRecord& recorded) {
  if (record.body == nullptr) {
    return Outcomes{};
  }
  std::vector<bool> concerned(placement_.hosted().size());
  if (auto parts = parts_of(record, &concerned); !parts) {
    return parts.error();
  }
  return tracker_.outcomes_of(concerned, recorded);
}

std::optional<SegmentIndex> UpdatePipeline::disagreement(const UpdateTracker::Applied& applied) const {
  if (applied.recorded == nullptr) {
    return std::nullopt;
  }
  const auto decided_anew = [&](const OutcomeRecord& record) {
    std::vector<std::pair<SegmentIndex, engine::UpdateOutput>> of;
    std::copy_if(record.segments.begin(), record.segments.end(), std::back_inserter(of),
                 [&](const auto& entry) { return applied.last > slots_known_[raw(entry.first)]; });
    return of;
  };
  const auto now = decided_anew(applied.record);
  const auto then = decided_anew(*applied.recorded);
  const auto [one, other] = std::mismatch(now.begin(), now.end(), then.begin(), then.end());
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
  for (uint32_t i = 0; i < work.parts.size(); ++i) {
    waiting_[i].push_back(engine::Update{work.last, std::move(work.parts[i]), recorded_slots(work, SegmentIndex{i})});
  }
  tracker_.on_enqueued(work.last, std::move(work.concerned), std::move(work.recorded));
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

Result<UpdatePipeline::Parts> UpdatePipeline::parts_of(const LogRecord& record, std::vector<bool>* concerned) {
  auto update = contract::to_update(*schema_, placement_columns_, *record.body);
  if (!update) {
    return update.error();
  }
  Parts parts(placement_.segment_count());
  const auto send_to_selected = [&](auto part) {
    const auto shared = std::make_shared<const decltype(part)>(std::move(part));
    for (const SegmentIndex segment : placement_.segments_of(shared->predicate)) {
      parts[raw(segment)].push_back(shared);
    }
  };
  for (contract::UpdatePart& part : *update) {
    if (const auto* insert = std::get_if<contract::InsertPart>(&part)) {
      if (auto placed = place_rows(*insert, record.range.last, record.body, &parts); !placed) {
        return placed.error();
      }
    } else if (auto* modify = std::get_if<contract::ModifyPart>(&part)) {
      send_to_selected(std::move(*modify));
    } else {
      send_to_selected(std::move(std::get<contract::DeletePart>(part)));
    }
  }
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) {
      (*concerned)[placement_.hosted_index_of(SegmentIndex{i})] = true;
    }
  }
  return parts;
}

Result<void> UpdatePipeline::place_rows(const contract::InsertPart& part, Timestamp timestamp,
                                        const std::shared_ptr<const std::string>& body, Parts* parts) {
  std::vector<std::vector<std::string_view>> rows_of(parts->size());
  semantics::PackedRows rows(part.rows);
  semantics::RowIdentity identity{timestamp, part.first_ordinal};
  while (true) {
    auto row = rows.next();
    if (!row) {
      return row.error();
    }
    if (!row->has_value()) {
      break;
    }
    auto segment = placement_.segment_of(**row, identity);
    if (!segment) {
      return segment.error();
    }
    if (segment->has_value()) {
      rows_of[raw(**segment)].push_back(**row);
    }
    ++identity.ordinal;
  }
  for (uint32_t i = 0; i < parts->size(); ++i) {
    if (!rows_of[i].empty()) {
      (*parts)[i].push_back(engine::InsertRows{body, std::move(rows_of[i])});
    }
  }
  return {};
}

void UpdatePipeline::flush(SegmentIndex segment) {
  std::deque<engine::Update>& queue = waiting_[raw(segment)];
  while (!queue.empty() && segments_.enqueue(segment, queue.front())) {
    queue.pop_front();
  }
}

}  // namespace daedalus::node

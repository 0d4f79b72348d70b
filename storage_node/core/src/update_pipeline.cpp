#include "daedalus/node/update_pipeline.hpp"

#include <algorithm>
#include <utility>
#include <variant>

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
  Appending appending{admission.range.last, {}, Parts(placement_.segment_count())};
  if (!admission.identity.is_no_op) {
    record.body = std::make_shared<const std::string>(std::move(admission.body));
    appending.concerned.resize(placement_.hosted().size());
    auto made = parts_of(admission, record.body, &appending.concerned);
    if (!made) {
      return made.error();
    }
    appending.parts = std::move(*made);
  }
  appending_.push_back(std::move(appending));
  return record;
}

void UpdatePipeline::on_appended(Timestamp through) {
  while (!appending_.empty() && appending_.front().last <= through) {
    Appending next = std::move(appending_.front());
    appending_.pop_front();
    tracker_.on_enqueued(next.last, std::move(next.concerned));
    for (uint32_t i = 0; i < next.parts.size(); ++i) {
      waiting_[i].push_back(engine::Update{next.last, std::move(next.parts[i])});
      flush(SegmentIndex{i});
    }
    enqueued_ = next.last;
  }
}

void UpdatePipeline::on_output(SegmentIndex segment, const engine::UpdateOutput& output) {
  tracker_.on_output(segment, output);
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

Result<UpdatePipeline::Parts> UpdatePipeline::parts_of(const Admission& admission,
                                                       const std::shared_ptr<const std::string>& body,
                                                       std::vector<bool>* concerned) {
  auto update = contract::to_update(*schema_, placement_columns_, *body);
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
      if (auto placed = place_rows(*insert, admission.range.last, body, &parts); !placed) {
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

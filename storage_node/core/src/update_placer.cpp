#include "daedalus/node/update_placer.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::node {

UpdatePlacer::UpdatePlacer(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                           const NodePlacement& placement)
    : schema_(std::move(schema)), placement_columns_(map.placement_columns()), placement_(placement) {}

Result<PlacedUpdate> UpdatePlacer::place(const LogRecord& record) {
  PlacedUpdate placed;
  placed.parts.resize(placement_.segment_count());
  if (record.body == nullptr) {
    return placed;
  }
  placed.concerned.resize(placement_.hosted().size());
  auto update = contract::to_update(*schema_, placement_columns_, *record.body);
  if (!update) {
    return update.error();
  }
  const auto send_to_selected = [&](auto part) {
    const auto shared = std::make_shared<const decltype(part)>(std::move(part));
    for (const SegmentIndex segment : placement_.segments_of(shared->predicate)) {
      placed.parts[raw(segment)].push_back(shared);
    }
  };
  for (contract::UpdatePart& part : *update) {
    if (const auto* insert = std::get_if<contract::InsertPart>(&part)) {
      if (auto rows = place_rows(*insert, record.range.last, record.body, &placed); !rows) {
        return rows.error();
      }
    } else if (auto* modify = std::get_if<contract::ModifyPart>(&part)) {
      send_to_selected(std::move(*modify));
    } else {
      send_to_selected(std::move(std::get<contract::DeletePart>(part)));
    }
  }
  for (uint32_t i = 0; i < placed.parts.size(); ++i) {
    if (!placed.parts[i].empty()) {
      placed.concerned[placement_.hosted_index_of(SegmentIndex{i})] = true;
    }
  }
  return placed;
}

Result<ReplayedRecord> UpdatePlacer::place_replayed(LogRecord record, std::shared_ptr<const OutcomeRecord> recorded) {
  auto placed = place(record);
  if (!placed) {
    const Error& why = placed.error();
    return Error{ErrorCategory::kFatal, "XX001",
                 fmt::format("update {} of the log makes no sense: {}", raw(record.range.last), why.message), why.hint,
                 0};
  }
  return ReplayedRecord{std::move(record), std::move(recorded), std::move(*placed)};
}

Result<void> UpdatePlacer::place_rows(const contract::InsertPart& part, Timestamp timestamp,
                                      const std::shared_ptr<const std::string>& body, PlacedUpdate* placed) {
  std::vector<std::vector<std::string_view>> rows_of(placed->parts.size());
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
  for (uint32_t i = 0; i < rows_of.size(); ++i) {
    if (!rows_of[i].empty()) {
      placed->parts[i].push_back(engine::InsertRows{body, std::move(rows_of[i])});
    }
  }
  return {};
}

}  // namespace daedalus::node

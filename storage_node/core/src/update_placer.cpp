#include "daedalus/node/update_placer.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::node {

namespace {

/// Whoever has one part more than numbers got the one with this number.
void note_number(uint32_t number, PlacedUpdate* placed) {
  for (size_t segment = 0; segment < placed->numbers.by_segment.size(); ++segment) {
    std::vector<uint32_t>& numbers = placed->numbers.by_segment[segment];
    if (placed->parts[segment].size() > numbers.size()) {
      numbers.push_back(number);
    }
  }
}

}  // namespace

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
  if (update->size() > 1 && update->size() <= semantics::kCountedPartsMax) {
    placed.numbers.part_count = static_cast<uint32_t>(update->size());
    placed.numbers.by_segment.resize(placed.parts.size());
  }
  for (uint32_t number = 0; number < update->size(); ++number) {
    if (auto done = place_part(std::move((*update)[number]), record, &placed); !done) {
      return done.error();
    }
    note_number(number, &placed);
  }
  for (uint32_t i = 0; i < placed.parts.size(); ++i) {
    if (!placed.parts[i].empty()) {
      placed.concerned[placement_.hosted_index_of(SegmentIndex{i})] = true;
    }
  }
  return placed;
}

Result<void> UpdatePlacer::place_part(contract::UpdatePart part, const LogRecord& record, PlacedUpdate* placed) {
  const auto send_to_selected = [&](auto selecting) {
    const auto shared = std::make_shared<const decltype(selecting)>(std::move(selecting));
    for (const SegmentIndex segment : placement_.segments_of(shared->predicate)) {
      placed->parts[raw(segment)].push_back(shared);
    }
  };
  if (const auto* insert = std::get_if<contract::InsertPart>(&part)) {
    return place_rows(*insert, record.range.last, record.body, placed);
  }
  if (auto* modify = std::get_if<contract::ModifyPart>(&part)) {
    send_to_selected(std::move(*modify));
  } else {
    send_to_selected(std::move(std::get<contract::DeletePart>(part)));
  }
  return {};
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

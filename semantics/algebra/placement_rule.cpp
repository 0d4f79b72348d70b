#include "daedalus/semantics/placement_rule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::semantics {

namespace {

void sort_unique(std::vector<uint32_t>& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

uint32_t cells_of(const std::vector<uint32_t>& grid) {
  uint64_t cells = 1;
  for (const uint32_t axis : grid) {
    CHECK(axis > 0);
    cells *= axis;
    CHECK(cells <= UINT32_MAX);
  }
  return static_cast<uint32_t>(cells);
}

}  // namespace

PlacementRule::PlacementRule(PlacementLevel level, std::vector<uint32_t> columns, std::vector<uint32_t> grid)
    : level_(level), columns_(std::move(columns)), grid_(std::move(grid)), place_count_(cells_of(grid_)) {
  CHECK(grid_.size() == std::max<size_t>(1, columns_.size()));
}

uint32_t PlacementRule::coordinate(size_t axis, uint64_t key) const {
  return level_ == PlacementLevel::kPartition ? hash_partition(key, grid_[axis]) : hash_segment(key, grid_[axis]);
}

template <typename KeyOf>
uint32_t PlacementRule::place(RowIdentity row, KeyOf key_of) const {
  if (columns_.empty()) {
    return level_ == PlacementLevel::kPartition ? round_robin_partition(row, place_count_)
                                                : round_robin_segment(row, place_count_);
  }
  return cell([&](size_t axis) { return key_of(columns_[axis]); });
}

template <typename KeyOf>
uint32_t PlacementRule::cell(KeyOf key_of) const {
  uint32_t place = 0;
  for (size_t axis = 0; axis < columns_.size(); ++axis) {
    place = place * grid_[axis] + coordinate(axis, key_of(axis));
  }
  return place;
}

uint32_t PlacementRule::place_of_keys(std::span<const uint64_t> keys) const {
  DCHECK(!columns_.empty() && keys.size() == columns_.size());
  return cell([&](size_t axis) { return keys[axis]; });
}

uint32_t PlacementRule::place_of(std::span<const uint64_t> keys, RowIdentity row) const {
  return place(row, [&](uint32_t column) { return keys[column]; });
}

uint32_t PlacementRule::place_of(const Schema& schema, const std::vector<Value>& values, RowIdentity row) const {
  return place(row, [&](uint32_t column) { return placement_key(schema.columns[column].type, values[column]); });
}

std::vector<uint32_t> PlacementRule::coordinates(size_t axis, const std::optional<std::vector<uint64_t>>& pin) const {
  std::vector<uint32_t> found;
  if (!pin) {
    found.resize(grid_[axis]);
    std::iota(found.begin(), found.end(), 0);
    return found;
  }
  found.reserve(pin->size());
  for (const uint64_t key : *pin) {
    found.push_back(coordinate(axis, key));
  }
  sort_unique(found);
  return found;
}

std::vector<uint32_t> PlacementRule::places_of(const Pins& pins) const {
  CHECK(pins.size() == columns_.size());
  if (columns_.empty()) {
    return coordinates(0, std::nullopt);
  }
  std::vector<uint32_t> places{0};
  for (size_t axis = 0; axis < columns_.size(); ++axis) {
    const std::vector<uint32_t> along = coordinates(axis, pins[axis]);
    std::vector<uint32_t> finer;
    finer.reserve(places.size() * along.size());
    for (const uint32_t place : places) {
      for (const uint32_t coordinate : along) {
        finer.push_back(place * grid_[axis] + coordinate);
      }
    }
    places = std::move(finer);
  }
  return places;
}

std::vector<uint32_t> PlacementRule::places_of(const Schema& schema, const Predicate& predicate) const {
  if (place_count_ == 1) {
    return {0};
  }
  Pins pins;
  for (const uint32_t column : columns_) {
    auto& pin = pins.emplace_back();
    if (const auto values = pinned_values(predicate, column)) {
      pin.emplace();
      for (const Value& value : *values) {
        pin->push_back(placement_key(schema.columns[column].type, value));
      }
    }
  }
  return places_of(pins);
}

std::vector<uint32_t> PlacementRule::places_of_rows(RowIdentity first, uint32_t row_count) const {
  CHECK(columns_.empty() && level_ == PlacementLevel::kPartition);
  std::vector<uint32_t> places;
  const uint64_t end = uint64_t{first.ordinal} + row_count;
  for (uint64_t ordinal = first.ordinal; ordinal < end;
       ordinal = (ordinal / kPlacementBlockRows + 1) * kPlacementBlockRows) {
    places.push_back(round_robin_partition({first.timestamp, static_cast<uint32_t>(ordinal)}, place_count_));
  }
  sort_unique(places);
  return places;
}

}  // namespace daedalus::semantics

// The one rule by which rows are placed (docs/wire.md, "Placement"): over the partitions of a table, and over the
// segments of a partition. Aggregators route by it, nodes place rows by it, and both ask it what a predicate leaves.
//
// Decides which place a row has, and which places may hold what is asked for. Refuses to know nodes, maps and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/semantics/placement.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Rows are spread over partitions, and over segments within them; each level takes different bits of a key.
enum class PlacementLevel : uint8_t { kPartition, kSegment };

/// Without columns, a row's place follows from its identity (round_robin). With n columns, places are the cells of a
/// grid of n axes, numbered so that the last axis runs fastest, and the key in the i-th column decides the coordinate
/// on the i-th axis.
class PlacementRule {
 public:
  /// Pins list for each column the keys that rows may have there; nothing where they may have any.
  using Pins = std::vector<std::optional<std::vector<uint64_t>>>;

  /// `grid`: places along each axis; without columns, their number. Preconditions (CHECKed): one axis per column, or
  /// one without columns; none of 0 places; 2^32 - 1 cells at most.
  PlacementRule(PlacementLevel level, std::vector<uint32_t> columns, std::vector<uint32_t> grid);

  [[nodiscard]] const std::vector<uint32_t>& columns() const { return columns_; }
  [[nodiscard]] uint32_t place_count() const { return place_count_; }

  /// The place of one row to insert. `keys`: by position in the schema, as read_placement_keys() gives them.
  [[nodiscard]] uint32_t place_of(std::span<const uint64_t> keys, RowIdentity row) const;
  /// Gives the same place from all values of the row.
  [[nodiscard]] uint32_t place_of(const Schema& schema, const std::vector<Value>& values, RowIdentity row) const;

  /// The place of rows with these keys, one for each of the rule's columns. Precondition (DCHECKed): it has some.
  [[nodiscard]] uint32_t place_of_keys(std::span<const uint64_t> keys) const;

  /// Places that may hold rows with these keys, ascending. Precondition (CHECKed): one pin per column.
  [[nodiscard]] std::vector<uint32_t> places_of(const Pins& pins) const;
  /// Places that may hold rows that the predicate selects, ascending. May be empty.
  [[nodiscard]] std::vector<uint32_t> places_of(const Schema& schema, const Predicate& predicate) const;
  /// Places of `row_count` rows that an update inserts from `first` on, ascending. Precondition (CHECKed): partitions,
  /// and no columns. Cost: one step per block of rows.
  [[nodiscard]] std::vector<uint32_t> places_of_rows(RowIdentity first, uint32_t row_count) const;

 private:
  template <typename KeyOf>
  [[nodiscard]] uint32_t place(RowIdentity row, KeyOf key_of) const;
  /// Gives the place of the cell that the key on each axis leads to.
  template <typename KeyOf>
  [[nodiscard]] uint32_t cell(KeyOf key_of) const;
  [[nodiscard]] uint32_t coordinate(size_t axis, uint64_t key) const;
  [[nodiscard]] std::vector<uint32_t> coordinates(size_t axis, const std::optional<std::vector<uint64_t>>& pin) const;

  PlacementLevel level_;
  std::vector<uint32_t> columns_;
  std::vector<uint32_t> grid_;
  uint32_t place_count_;
};

}  // namespace daedalus::semantics

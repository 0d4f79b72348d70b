// From the values of a shape to the partitions they concern (docs/wire.md, "Shapes"), without reading the rest.
//
// Decides which of a shape's values say where rows are. Refuses to know whether values are right: whoever binds them to
// the shape does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/contract/partitions.hpp"
#include "daedalus/semantics/placement_rule.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::contract {

class ShapeRouting {
 public:
  /// `places` are a shape's clauses; `rule` is the map's partition_rule().
  ShapeRouting(const semantics::Schema& schema, semantics::PlacementRule rule, const semantics::Predicate& places);

  /// Partitions that may hold rows that the shape with these values selects, ascending, at least one: partitions_of()
  /// of what bind_values() gives, and some for values that it refuses. Error 08P01 when they are cut short. Cost: a
  /// step for each value up to the last that counts, no decoding.
  [[nodiscard]] Result<Partitions> partitions_of(std::string_view values) const;

 private:
  /// The values of one literal.
  struct Run {
    semantics::Type type;
    size_t count = 0;
    std::optional<size_t> axis;  ///< The axis of the rule, where they pin its column.
  };

  /// Gives the keys of each run that pins a column, in their order, to `take(axis, key)`; false where values are cut
  /// short.
  template <typename Take>
  [[nodiscard]] bool walk(std::string_view values, Take take) const;

  semantics::PlacementRule rule_;
  std::vector<Run> runs_;       ///< Up to the last that pins a column.
  bool names_a_place_ = false;  ///< Each column is pinned by one value.
  Partitions all_;              ///< The partitions of a shape that pins nothing.
};

}  // namespace daedalus::contract

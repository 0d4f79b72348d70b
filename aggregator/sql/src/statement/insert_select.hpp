// INSERT … SELECT whose rows are in the statement itself: FROM unnest() or VALUES.
//
// Decides what each target column gets. Refuses to know how rows are sent: insert.cpp does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Says whether the source of an INSERT is such a query.
[[nodiscard]] bool brings_rows(const grammar::Node& source);

/// The columns that the values go to, in the order of the values.
struct InsertTargets {
  std::span<const uint32_t> columns;
  std::span<const int32_t> locations;  ///< Offsets of their names; empty: none written, there may be fewer values.
};

/// A value for each of the first target columns, all rows as long.
struct SelectedRows {
  size_t width = 0;
  std::vector<std::vector<semantics::Value>> rows;
};

/// Errors: those of a SELECT; 42601 more or fewer values than columns, 42804 a value of another type, 54000 too many
/// rows; of each value what assigning it to its column meets.
[[nodiscard]] Result<SelectedRows> select_rows(Scope& scope, const contract::PartitionMap& map,
                                               const grammar::SelectStatement& select, const InsertTargets& targets);

}  // namespace daedalus::aggregator::sql

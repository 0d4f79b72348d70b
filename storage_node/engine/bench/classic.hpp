// The baselines that sweep too: a row store read one record at a time, with an index over the queries.
//
// What a Clock Scan is without columns and vectors. Small and readable, but nothing in it is slow without need: the
// ratios to it are honest only then.
#pragma once

#include <string>
#include <vector>

#include "row_store.hpp"

namespace daedalus::engine::bench {

enum class Classic : uint8_t {
  kOneAttribute,  ///< "classic": a query is found by its most selective equality.
  kComposite,     ///< "classic+": one with flight and day by both at once.
};

/// Answers all queries in one pass over the rows; planning and results written out included.
[[nodiscard]] std::vector<Answer> classic_sweep(const RowStore& store, const std::vector<ReadyQuery>& queries,
                                                Classic kind);

}  // namespace daedalus::engine::bench

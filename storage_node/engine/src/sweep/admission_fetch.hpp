// Defines what admission will read of queries that still wait, fetched ahead.
//
// Decides nothing. A query is a chain of objects that some other thread has made one by one: followed only when it is
// admitted, each link would be waited for. So every link is asked for a few admissions before the one behind it.
// Updates come in the thousands, and their links lie in a row: nothing was gained there.
#pragma once

#include <cstdint>
#include <variant>

#include "daedalus/engine/operation.hpp"
#include "prefetch.hpp"
#include "ring.hpp"

namespace daedalus::engine {

using Operation = std::variant<Query, Update>;

/// Fetches one more link of each of the next queries' chains. To be called once an admission. Precondition:
/// operations.front() is not null. Cost: a few ns.
void fetch_next(const SpscRing<Operation>& operations);

}  // namespace daedalus::engine

// Queries of one cycle that aggregate the same rows in the same way: dashboards that many look at.
//
// Decides which of them takes rows for the others. Refuses to know how rows are found.
#pragma once

#include <vector>

#include "query_run.hpp"

namespace daedalus::engine {

/// Lets twins follow the first of them. Cost: a hash of each aggregating query, a comparison of those with equal ones.
void join_twins(std::vector<QueryRun>& queries);

}  // namespace daedalus::engine

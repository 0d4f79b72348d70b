// Some partitions of a table, as operations name them.
#pragma once

#include <boost/container/small_vector.hpp>

#include "daedalus/base/units.hpp"

namespace daedalus::contract {

/// Ascending, each once. Most operations concern one; a few more need no memory of their own either.
using Partitions = boost::container::small_vector<PartitionId, 4>;

}  // namespace daedalus::contract

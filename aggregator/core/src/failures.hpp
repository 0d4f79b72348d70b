// The failures an aggregator itself finds, in the words that reach the user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::aggregator {

/// 08P01: what came does not follow the protocol.
[[nodiscard]] Error malformed(std::string message);
/// 53000 RETRY: something has reached its maximum.
[[nodiscard]] Error overloaded(std::string message);
/// 57014 REJECTED: whoever asked does not want the answer any longer.
[[nodiscard]] Error aborted(std::string message);
/// 57014 RETRY: there was no answer in time.
[[nodiscard]] Error too_late(std::string message);
/// 08006 RETRY: a node is not there.
[[nodiscard]] Error unreachable(NodeId node, const std::string& endpoint, const std::string& problem);

/// A part of the answer that cannot come.
struct Missing {
  NodeId node{};
  std::vector<PartitionId> partitions;
  std::string reason;
};

/// Adds one entry per partition.
void add_missing(const Missing& missing, wire::v1::Error& error);

[[nodiscard]] wire::v1::Result error_result(const Error& error, int64_t retry_after_ns = 0);

}  // namespace daedalus::aggregator

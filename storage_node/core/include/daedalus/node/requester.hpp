// Who is to be answered, and the vocabulary that the node's small machines share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::node {

using rpc::Requester;

/// Position of a segment among those of this node: hosted partitions ascending, segments within each.
enum class SegmentIndex : uint32_t {};

/// No peer is that far ahead; what is was not sent by a writer.
constexpr uint64_t kTimestampMax = 1ull << 62;

/// Holds what an update did here, one entry per hosted partition it had a part in.
using Outcomes = std::vector<wire::v1::PartitionOutcome>;

/// Which of an update's parts each segment got, in their order: what rows are counted by.
struct PartNumbers {
  uint32_t part_count = 0;  ///< The update has so many; 0: it has one part, or too many, and only sums are told.
  std::vector<std::vector<uint32_t>> by_segment;
};

/// An epoch, who holds it, where the holder takes submissions (host:port), and from where on it can send again.
struct EpochRecord {
  Epoch epoch{};
  std::string holder;
  std::string endpoint;
  /// The first update that the holder could still send when it raised the epoch; 0: no holder ever said. A node that
  /// lacks one before it is incomplete, in every later life, too.
  Timestamp kept_from{};

  friend bool operator==(const EpochRecord&, const EpochRecord&) = default;
};

}  // namespace daedalus::node

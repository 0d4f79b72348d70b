// Defines what a void node says to queries: nothing, at once. It shows what whoever asks it costs without it.
//
// Everything but SELECT is as on any node: it takes part in epochs, tells its status, and takes updates as far as its
// memory goes. DEFINE needs no answer, and shapes are of no interest: no body of a query is ever read.
#pragma once

#include <cstdint>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::node {

class VoidAnswers {
 public:
  /// `partitions` are those that the node holds, `segments` is the number of segments of each.
  VoidAnswers(NodeId node, const std::vector<PartitionId>& partitions, uint32_t segments);

  /// Returns whether it is for this to answer `operation`, or to pass over it.
  [[nodiscard]] static bool concerns(const wire::v1::Operation& operation);
  /// Ends a query without rows, with the stamps of a node without updates; no other operation is answered.
  void answer(rpc::PeerId peer, const wire::v1::Operation& operation, rpc::Outbox& out) const;

 private:
  wire::v1::QueryEnd end_;
};

}  // namespace daedalus::node

#include "void_answers.hpp"

namespace daedalus::node {

VoidAnswers::VoidAnswers(NodeId node, const std::vector<PartitionId>& partitions, uint32_t segments) {
  for (const PartitionId partition : partitions) {
    for (uint32_t segment = 0; segment < segments; ++segment) {
      wire::v1::SegmentStamp& stamp = *end_.add_stamps();
      stamp.set_node(raw(node));
      stamp.set_partition(raw(partition));
      stamp.set_segment(segment);
    }
  }
}

bool VoidAnswers::concerns(const wire::v1::Operation& operation) {
  return operation.header().kind() == wire::v1::OPERATION_KIND_SELECT ||
         operation.header().kind() == wire::v1::OPERATION_KIND_DEFINE;
}

void VoidAnswers::answer(rpc::PeerId peer, const wire::v1::Operation& operation, rpc::Outbox& out) const {
  if (operation.header().kind() == wire::v1::OPERATION_KIND_SELECT) {
    *rpc::add_result({peer, operation.header().sequence()}, out).mutable_end() = end_;
  }
}

}  // namespace daedalus::node

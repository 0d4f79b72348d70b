#include "daedalus/node/query_shapes.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::node {

void QueryShapes::define(rpc::PeerId peer, uint32_t slot, const std::string& body) {
  const bool is_small = body.size() <= kNodeHandles.bytes_max;
  peers_.at(peer).define(slot, body.size(), is_small ? shape_of(body) : Result<Shared>(Shared()));
}

Result<QueryShapes::Shared> QueryShapes::shape_of(const std::string& body) {
  if (const auto found = known_.find(body); found != known_.end()) {
    if (Shared shape = found->second.lock()) {
      return shape;
    }
  }
  wire::v1::ShapeBody message;
  if (!message.ParseFromString(body) || !message.has_select()) {
    return rejected("08P01", "the body of a DEFINE is not the shape of a SELECT");
  }
  Result<contract::SelectShape> read = contract::to_shape(*schema_, message.select());
  if (!read) {
    return read.error();
  }
  Shared shape = std::make_shared<const contract::SelectShape>(std::move(*read));
  forget_unused();
  known_[body] = shape;
  return shape;
}

void QueryShapes::forget_unused() {
  if (known_.size() >= known_max_) {
    std::erase_if(known_, [](const auto& known) { return known.second.expired(); });
    known_max_ = std::max<size_t>(64, 2 * known_.size());
  }
}

size_t QueryShapes::count() const {
  return static_cast<size_t>(
      std::count_if(known_.begin(), known_.end(), [](const auto& known) { return !known.second.expired(); }));
}

}  // namespace daedalus::node

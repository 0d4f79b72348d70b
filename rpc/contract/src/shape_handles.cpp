#include "daedalus/contract/shape_handles.hpp"

#include <iterator>

namespace daedalus::contract {

void announce(const HandleLimits& limits, wire::v1::Hello& hello) {
  hello.set_shape_handles_max(limits.handles_max);
  hello.set_shape_bytes_max(limits.bytes_max);
}

HandleLimits announced(const wire::v1::Hello& hello) { return {hello.shape_handles_max(), hello.shape_bytes_max()}; }

std::optional<SentHandles::Use> SentHandles::use(const std::shared_ptr<const ShapeBytes>& shape) {
  if (const auto found = places_.find(shape.get()); found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return Use{found->second->number, false};
  }
  if (limits_.handles_max == 0 || shape->bytes().size() > limits_.bytes_max) {
    return std::nullopt;
  }
  if (entries_.size() < limits_.handles_max) {
    entries_.push_front({static_cast<uint32_t>(entries_.size()) + 1, shape});
  } else {
    places_.erase(entries_.back().shape.get());
    entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
    entries_.front().shape = shape;
  }
  places_.emplace(shape.get(), entries_.begin());
  return Use{entries_.front().number, true};
}

}  // namespace daedalus::contract

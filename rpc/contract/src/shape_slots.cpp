#include "daedalus/contract/shape_slots.hpp"

#include <iterator>

namespace daedalus::contract {

void announce(const SlotLimits& limits, wire::v1::Hello& hello) {
  hello.set_shape_slots_max(limits.slots_max);
  hello.set_shape_bytes_max(limits.bytes_max);
}

SlotLimits announced(const wire::v1::Hello& hello) { return {hello.shape_slots_max(), hello.shape_bytes_max()}; }

std::optional<SentSlots::Use> SentSlots::use(const std::shared_ptr<const ShapeBytes>& shape) {
  if (const auto found = places_.find(shape.get()); found != places_.end()) {
    slots_.splice(slots_.begin(), slots_, found->second);
    return Use{found->second->number, false};
  }
  if (limits_.slots_max == 0 || shape->bytes().size() > limits_.bytes_max) {
    return std::nullopt;
  }
  if (slots_.size() < limits_.slots_max) {
    slots_.push_front({static_cast<uint32_t>(slots_.size()) + 1, shape});
  } else {
    places_.erase(slots_.back().shape.get());
    slots_.splice(slots_.begin(), slots_, std::prev(slots_.end()));
    slots_.front().shape = shape;
  }
  places_.emplace(shape.get(), slots_.begin());
  return Use{slots_.front().number, true};
}

}  // namespace daedalus::contract

// The slots of one connection that shapes are kept in (docs/wire.md, "Shapes"): what its sender believes is in them,
// and what its receiver finds there.
//
// Decides which slot a shape goes to and which one makes room. Refuses to know what a shape means.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/contract/shape.hpp"
#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::contract {

/// Bytes of one shape that our receivers take: several times those of a statement that fetches 27 columns under 9
/// conditions.
constexpr uint32_t kShapeBytesMax = 4u << 10;

/// The slots that a receiver keeps for one connection, as its hello says.
struct SlotLimits {
  uint32_t slots_max = 0;
  uint32_t bytes_max = 0;  ///< The most bytes of one definition, as it travels.
};

void announce(const SlotLimits& limits, wire::v1::Hello& hello);
[[nodiscard]] SlotLimits announced(const wire::v1::Hello& hello);

/// The sender's side. Least recently used shapes make room.
class SentSlots {
 public:
  explicit SentSlots(SlotLimits limits) : limits_(limits) {}

  struct Use {
    uint32_t slot = 0;
    bool is_new = false;  ///< It has to be defined first.
  };
  /// Returns the slot where the receiver finds the shape; nothing when it has to travel whole. Cost O(1) beside
  /// comparing one shape.
  [[nodiscard]] std::optional<Use> use(const std::shared_ptr<const ShapeBytes>& shape);

 private:
  struct Slot {
    uint32_t number = 0;
    std::shared_ptr<const ShapeBytes> shape;
  };
  using Slots = std::list<Slot>;
  struct Hash {
    size_t operator()(const ShapeBytes* shape) const { return shape->hash(); }
  };
  struct Equal {
    bool operator()(const ShapeBytes* left, const ShapeBytes* right) const { return left == right || *left == *right; }
  };

  SlotLimits limits_;
  Slots slots_;                                                                 ///< Most recently used first.
  std::unordered_map<const ShapeBytes*, Slots::iterator, Hash, Equal> places_;  ///< Keys are the slots' own.
};

/// The receiver's side: what `Shape` was made of each definition, or why there is none.
template <typename Shape>
class ReceivedSlots {
 public:
  explicit ReceivedSlots(SlotLimits limits) : limits_(limits) {}

  /// Defines the slot; what was in it is gone. A definition that is wrong, or larger than a slot, leaves its error in
  /// it.
  void define(uint32_t slot, size_t bytes, Result<std::shared_ptr<const Shape>> shape) {
    if (slot == 0 || slot > limits_.slots_max) {
      return;  // There is no such slot: whoever uses it is told so.
    }
    if (slots_.size() < slot) {
      slots_.resize(slot, empty_);
    }
    if (bytes > limits_.bytes_max) {
      shape = rejected("08P01", fmt::format("a shape of {} bytes, a slot takes {}", bytes, limits_.bytes_max));
    }
    slots_[slot - 1] = std::move(shape);
  }

  /// Errors: 08P01 the slot is empty or there is none such; or what was wrong with its definition.
  [[nodiscard]] const Result<std::shared_ptr<const Shape>>& at(uint32_t slot) const {
    return slot == 0 || slot > slots_.size() ? empty_ : slots_[slot - 1];
  }

 private:
  SlotLimits limits_;
  Result<std::shared_ptr<const Shape>> empty_ = rejected("08P01", "nothing has been defined in this shape's slot");
  std::vector<Result<std::shared_ptr<const Shape>>> slots_;
};

}  // namespace daedalus::contract

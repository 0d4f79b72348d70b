// The handles of one connection that shapes are kept in (docs/wire.md, "Shapes"): what its sender believes is in them,
// and what its receiver finds there.
//
// Decides which handle a shape goes to and which one makes room. Refuses to know what a shape means.
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

/// The handles that a receiver keeps for one connection, as its hello says.
struct HandleLimits {
  uint32_t handles_max = 0;
  uint32_t bytes_max = 0;  ///< The most bytes of one definition, as it travels.
};

void announce(const HandleLimits& limits, wire::v1::Hello& hello);
[[nodiscard]] HandleLimits announced(const wire::v1::Hello& hello);

/// The sender's side. Least recently used shapes make room.
class SentHandles {
 public:
  explicit SentHandles(HandleLimits limits) : limits_(limits) {}

  struct Use {
    uint32_t handle = 0;
    bool is_new = false;  ///< It has to be defined first.
  };
  /// Returns the handle where the receiver finds the shape; nothing when it has to travel whole. Cost O(1) beside
  /// comparing one shape.
  [[nodiscard]] std::optional<Use> use(const std::shared_ptr<const ShapeBytes>& shape);

 private:
  struct Entry {
    uint32_t number = 0;
    std::shared_ptr<const ShapeBytes> shape;
  };
  using Entries = std::list<Entry>;
  struct Hash {
    size_t operator()(const ShapeBytes* shape) const { return shape->hash(); }
  };
  struct Equal {
    bool operator()(const ShapeBytes* left, const ShapeBytes* right) const { return left == right || *left == *right; }
  };

  HandleLimits limits_;
  Entries entries_;                                                               ///< Most recently used first.
  std::unordered_map<const ShapeBytes*, Entries::iterator, Hash, Equal> places_;  ///< Keys are the handles' own.
};

/// The receiver's side: what `Shape` was made of each definition, or why there is none.
template <typename Shape>
class ReceivedHandles {
 public:
  explicit ReceivedHandles(HandleLimits limits) : limits_(limits) {}

  /// Defines the handle; what was in it is gone. A definition that is wrong, or larger than a handle, leaves its error
  /// in it.
  void define(uint32_t handle, size_t bytes, Result<std::shared_ptr<const Shape>> shape) {
    if (handle == 0 || handle > limits_.handles_max) {
      return;  // There is no such handle: whoever uses it is told so.
    }
    if (entries_.size() < handle) {
      entries_.resize(handle, empty_);
    }
    if (bytes > limits_.bytes_max) {
      shape = rejected("08P01", fmt::format("a shape of {} bytes, a slot takes {}", bytes, limits_.bytes_max));
    }
    entries_[handle - 1] = std::move(shape);
  }

  /// Errors: 08P01 the handle is empty or there is none such; or what was wrong with its definition.
  [[nodiscard]] const Result<std::shared_ptr<const Shape>>& at(uint32_t handle) const {
    return handle == 0 || handle > entries_.size() ? empty_ : entries_[handle - 1];
  }

 private:
  HandleLimits limits_;
  Result<std::shared_ptr<const Shape>> empty_ = rejected("08P01", "nothing has been defined in this shape's slot");
  std::vector<Result<std::shared_ptr<const Shape>>> entries_;
};

}  // namespace daedalus::contract

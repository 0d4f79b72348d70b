// One call of the driver, from its first line to its end.
#pragma once

#include <optional>

#include "daedalus/node/node_core.hpp"

namespace daedalus::node {

/// Whatever a call does, at its end the last results that it has added say the node's mark, the segments know what
/// nobody asks for any more, and the driver knows when to wake the core.
class NodeCore::Call {
 public:
  Call(NodeCore& core, Effects& effects, std::optional<Instant> now = std::nullopt)
      : core_(core), effects_(effects), now_(now), results_before_(effects.results.size()) {}
  ~Call() { core_.end_call(results_before_, now_, effects_); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  NodeCore& core_;
  Effects& effects_;
  std::optional<Instant> now_;  ///< Nothing: the driver has not said it.
  size_t results_before_;
};

}  // namespace daedalus::node

// Watches how long the network's thread is away from its sockets: the CPU time of each call that the loop makes.
//
// Decides what is too long and says who it was. Refuses to do anything about it: a long turn is a bug of the handler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace daedalus::rpc {

class TurnWatch {
 public:
  using Describe = std::function<std::string()>;

  /// Beyond `turn_ns_max` of its own CPU time a turn is reported.
  explicit TurnWatch(int64_t turn_ns_max) : turn_ns_max_(turn_ns_max) {}

  /// Ends a turn that began when the one before ended. `describe` is called when it was too long. The loop itself costs
  /// a few microseconds between turns and counts, too. Cost: one system call.
  void end_turn(const Describe& describe);

  [[nodiscard]] uint64_t long_turns() const { return long_turns_; }

 private:
  const int64_t turn_ns_max_;
  int64_t last_end_ns_ = -1;  ///< CPU time of this thread; negative before the first turn.
  uint64_t long_turns_ = 0;
};

}  // namespace daedalus::rpc

// Commands that the session carries out itself: settings, functions of the session, blocks and their savepoints.
#pragma once

#include <cstddef>
#include <string>

#include "session_core.hpp"

namespace daedalus::postgres {

class CommandMachine {
 public:
  explicit CommandMachine(SessionCore& core) : core_(core) {}

  void run(const EmptyCommand& command);
  void run(const SetCommand& command);
  void run(const ResetCommand& command);
  void run(const ShowCommand& command, Portal& portal);
  void run(const SessionQuery& query, Portal& portal);
  void run(const DiscardCommand& command);

  // ---- blocks ----
  void run(const BeginCommand& command);
  void run(const SetBlockCommand& command);
  void run(const EndCommand& command);
  void run(const SavepointCommand& command);
  void run(const LockCommand& command);

 private:
  void make_savepoint(const std::string& name);
  void release_savepoint(size_t index);
  void go_back_to_savepoint(size_t index);
  /// Tells a client that so many of its writes stay, though its block or a part of it ends without them.
  void warn_of_effects(uint64_t count);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

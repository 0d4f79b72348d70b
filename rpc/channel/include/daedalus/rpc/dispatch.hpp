// From a Channel's events to a PeerHandler's calls: the same for every driver.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daedalus/rpc/channel.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::rpc {

/// The record of what the owner of one connection has been told about it.
struct PeerRecord {
  PeerId id;
  std::string address;
  std::optional<LinkId> link;
  bool up = false;       ///< on_up has been called, on_down has not.
  bool ever_up = false;  ///< on_up has been called.
};

/// Hands the channel's events to `handler` until there are none. on_up and on_down come in pairs around everything
/// else; once the owner has closed the channel nothing but on_down follows. A dialled connection that closes before it
/// was up is reported by on_dial_failed. Returns the reason when the channel has closed. `is_enough`, if there is one,
/// is asked after each event, which it is told by name; what is left then waits for the next call.
[[nodiscard]] std::optional<std::string> dispatch(Channel& channel, PeerRecord& record, PeerHandler& handler,
                                                  const std::function<bool(const char*)>& is_enough = {});

}  // namespace daedalus::rpc

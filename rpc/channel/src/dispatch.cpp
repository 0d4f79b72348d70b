#include "daedalus/rpc/dispatch.hpp"

#include <utility>

namespace daedalus::rpc {

namespace {

/// One handler per kind of event.
struct Dispatcher {
  PeerRecord& record;
  PeerHandler& handler;
  std::optional<std::string> closed;

  void operator()(ChannelUp& up) {
    record.up = true;
    record.ever_up = true;
    handler.on_up(record.id, PeerInfo{std::move(up.hello), record.address, record.link});
  }
  void operator()(wire::v1::Operation& operation) { handler.on_operation(record.id, std::move(operation)); }
  void operator()(wire::v1::Result& result) { handler.on_result(record.id, std::move(result)); }
  void operator()(ChannelClosed& event) {
    closed = std::move(event.reason);
    if (record.up) {
      record.up = false;
      handler.on_down(record.id, *closed);
    } else if (record.link) {
      handler.on_dial_failed(*record.link, *closed);
    }
  }
};

}  // namespace

std::optional<std::string> dispatch(Channel& channel, PeerRecord& record, PeerHandler& handler) {
  Dispatcher dispatcher{record, handler, std::nullopt};
  while (channel.has_events()) {
    for (ChannelEvent& event : channel.take_events()) {
      if (channel.closed_by_owner() && !std::holds_alternative<ChannelClosed>(event)) {
        continue;
      }
      std::visit(dispatcher, event);
    }
  }
  return std::move(dispatcher.closed);
}

}  // namespace daedalus::rpc

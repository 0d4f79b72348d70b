#include "daedalus/rpc/dispatch.hpp"

#include <functional>
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

/// Returns the name that an event has in logs.
struct EventName {
  const char* operator()(const ChannelUp& /*up*/) const { return "HELLO"; }
  const char* operator()(const ChannelClosed& /*closed*/) const { return "end of the connection"; }
  const char* operator()(const wire::v1::Operation& operation) const {
    return wire::v1::OperationKind_Name(operation.header().kind()).c_str();
  }
  const char* operator()(const wire::v1::Result& result) const {
    switch (result.kind_case()) {
      case wire::v1::Result::kRows:
        return "rows";
      case wire::v1::Result::kEnd:
        return "end";
      case wire::v1::Result::kConfirmed:
        return "confirmed";
      case wire::v1::Result::kRefused:
        return "refused";
      case wire::v1::Result::kError:
        return "error";
      case wire::v1::Result::kDescribed:
        return "described";
      case wire::v1::Result::kStatus:
        return "status";
      case wire::v1::Result::kEpoch:
        return "epoch";
      case wire::v1::Result::kMarked:
        return "marked";
      case wire::v1::Result::kHeld:
        return "held";
      case wire::v1::Result::KIND_NOT_SET:
        return "empty result";
    }
    return "result";
  }
};

}  // namespace

std::optional<std::string> dispatch(Channel& channel, PeerRecord& record, PeerHandler& handler,
                                    const std::function<bool(const char*)>& is_enough) {
  Dispatcher dispatcher{record, handler, std::nullopt};
  while (std::optional<ChannelEvent> event = channel.next_event()) {
    if (channel.closed_by_owner() && !std::holds_alternative<ChannelClosed>(*event)) {
      continue;
    }
    const char* const name = std::visit(EventName{}, *event);
    std::visit(dispatcher, *event);
    channel.reuse(std::move(*event));
    if (is_enough && is_enough(name)) {
      break;
    }
  }
  return std::move(dispatcher.closed);
}

}  // namespace daedalus::rpc

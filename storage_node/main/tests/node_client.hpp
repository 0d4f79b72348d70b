// A peer of a real node that asks one thing at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/rpc/asio_network.hpp"

namespace daedalus::node {

class NodeClient final : public rpc::PeerHandler {
 public:
  explicit NodeClient(const std::string& endpoint);

  /// The greeting of the node; empty before the first answer.
  [[nodiscard]] const wire::v1::Hello& hello() const { return hello_; }
  /// Sends with the next sequence and collects answers up to the last; empty after half a minute without. A SELECT
  /// demands the last update that this client was told to be confirmed.
  [[nodiscard]] std::vector<wire::v1::Result> ask(wire::v1::OperationKind kind, const std::string& body = {},
                                                  const wire::v1::UpdateHeader* update = nullptr);
  /// Sends a SELECT that waits for this prefix, and does not wait for its answer.
  void leave_waiting(const std::string& body, uint64_t prefix_min);
  /// Serves until the connection is lost; the reason, or nothing after half a minute.
  [[nodiscard]] std::optional<std::string> wait_for_goodbye();

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;

 private:
  template <typename Condition>
  bool serve_until(Condition condition);
  wire::v1::Operation next_operation(wire::v1::OperationKind kind, const std::string& body);
  void send(wire::v1::Operation operation);

  std::unique_ptr<rpc::AsioNetwork> network_;
  std::optional<rpc::PeerId> peer_;
  wire::v1::Hello hello_;
  uint64_t confirmed_ = 0;
  std::optional<std::string> goodbye_;
  uint64_t sequence_ = 0;
  std::vector<wire::v1::Result> results_;
};

}  // namespace daedalus::node

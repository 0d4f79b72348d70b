#include "node_client.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::node {

namespace {

constexpr int64_t kPatienceNs = 30 * kSecond;
constexpr int64_t kSliceNs = 2 * kMillisecond;

}  // namespace

NodeClient::NodeClient(const std::string& endpoint) {
  rpc::AsioOptions options;
  options.hello.set_role(wire::v1::ROLE_AGGREGATOR);
  options.hello.set_name("test");
  network_ = std::make_unique<rpc::AsioNetwork>(options, *this);
  network_->dial(endpoint);
}

std::vector<wire::v1::Result> NodeClient::ask(wire::v1::OperationKind kind, const std::string& body,
                                              const wire::v1::UpdateHeader* update) {
  results_.clear();
  if (!serve_until([this] { return peer_.has_value(); })) {
    return {};
  }
  wire::v1::Operation operation = next_operation(kind, body);
  operation.mutable_header()->set_prefix_min(confirmed_);
  if (update != nullptr) {
    *operation.mutable_header()->mutable_update() = *update;
  }
  send(std::move(operation));
  if (!serve_until([this] { return !results_.empty() && !results_.back().has_rows(); })) {
    return {};
  }
  return std::exchange(results_, {});
}

void NodeClient::leave_waiting(const std::string& body, uint64_t prefix_min) {
  wire::v1::Operation operation = next_operation(wire::v1::OPERATION_KIND_SELECT, body);
  operation.mutable_header()->set_prefix_min(prefix_min);
  send(std::move(operation));
}

std::optional<std::string> NodeClient::wait_for_goodbye() {
  serve_until([this] { return goodbye_.has_value(); });
  return goodbye_;
}

void NodeClient::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  peer_ = peer;
  hello_ = info.hello;
}

void NodeClient::on_down(rpc::PeerId /*peer*/, const std::string& reason) {
  peer_.reset();
  goodbye_ = reason;
}

void NodeClient::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation&& /*operation*/) {}

void NodeClient::on_result(rpc::PeerId /*peer*/, wire::v1::Result&& result) {
  confirmed_ = std::max(confirmed_, result.confirmed().timestamp());
  results_.push_back(std::move(result));
}

wire::v1::Operation NodeClient::next_operation(wire::v1::OperationKind kind, const std::string& body) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(++sequence_);
  operation.mutable_header()->set_kind(kind);
  operation.mutable_header()->set_map_version(1);
  operation.set_body(body);
  return operation;
}

void NodeClient::send(wire::v1::Operation operation) {
  rpc::Outbox out;
  out.operations.emplace_back(*peer_, std::move(operation));
  network_->send(std::move(out));
}

template <typename Condition>
bool NodeClient::serve_until(Condition condition) {
  const Instant deadline = after(network_->now(), kPatienceNs);
  while (!condition() && network_->now() < deadline) {
    network_->run_for(kSliceNs);
  }
  return condition();
}

}  // namespace daedalus::node

// A handler that writes down what it is told, and answers every operation.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::rpc {

inline wire::v1::Hello hello(const std::string& name) {
  wire::v1::Hello hello;
  hello.set_role(wire::v1::ROLE_STORAGE_NODE);
  hello.set_name(name);
  hello.set_cluster_id("flights");
  return hello;
}

inline wire::v1::Operation operation(uint64_t sequence, size_t body_size = 20) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(sequence);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_SELECT);
  operation.set_body(std::string(body_size, 'b'));
  return operation;
}

/// Answers operation n with an end of n rows, on the same peer.
class Recorder : public PeerHandler {
 public:
  void on_up(PeerId peer, const PeerInfo& info) override {
    CHECK(up.emplace(peer, info).second);
    log.push_back("up " + info.hello.name());
  }
  void on_down(PeerId peer, const std::string& reason) override {
    CHECK(up.erase(peer) == 1);
    log.push_back("down: " + reason);
  }
  void on_operation(PeerId peer, wire::v1::Operation&& operation) override {
    CHECK(up.contains(peer));
    const uint64_t sequence = operation.header().sequence();
    operations[peer].push_back(sequence);
    ++operation_count;
    Outbox outbox;
    outbox.results.emplace_back(peer, wire::v1::Result());
    outbox.results.back().second.set_sequence(sequence);
    outbox.results.back().second.mutable_end()->set_row_count(sequence);
    network->send(std::move(outbox));
  }
  void on_result(PeerId peer, wire::v1::Result&& result) override {
    CHECK(up.contains(peer));
    results[peer].push_back(result.sequence());
    last_result = result;
    ++result_count;
  }
  void on_dial_failed(LinkId link, const std::string& reason) override {
    log.push_back(fmt::format("link {} failed: {}", raw(link), reason));
  }

  void send(PeerId peer, uint64_t sequence, size_t body_size = 20) {
    Outbox outbox;
    outbox.operations.emplace_back(peer, operation(sequence, body_size));
    network->send(std::move(outbox));
  }
  [[nodiscard]] PeerId only_peer() const {
    CHECK(up.size() == 1);
    return up.begin()->first;
  }
  [[nodiscard]] std::string last_line() const { return log.empty() ? "" : log.back(); }

  Network* network = nullptr;
  std::map<PeerId, PeerInfo> up;
  std::map<PeerId, std::vector<uint64_t>> operations;
  std::map<PeerId, std::vector<uint64_t>> results;
  wire::v1::Result last_result;
  uint64_t operation_count = 0;
  uint64_t result_count = 0;
  std::vector<std::string> log;
};

}  // namespace daedalus::rpc

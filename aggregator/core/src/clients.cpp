#include "clients.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/features.hpp"

namespace daedalus::aggregator {

void reply(const Upstream& upstream, wire::v1::Result result, rpc::Outbox& out) {
  result.set_sequence(upstream.sequence);
  out.results.emplace_back(upstream.peer, std::move(result));
}

void Clients::on_up(rpc::PeerId peer, const wire::v1::Hello& hello) {
  const bool is_new = clients_
                          .emplace(peer, Client{.role = hello.role(),
                                                .knows_moments = contract::knows_moments(hello),
                                                .last_sequence = 0,
                                                .operations = {}})
                          .second;
  CHECK(is_new);
}

std::vector<OperationRef> Clients::on_down(rpc::PeerId peer) {
  const auto client = clients_.find(peer);
  if (client == clients_.end()) {
    return {};
  }
  const auto& operations = client->second.operations;
  std::vector<std::pair<uint64_t, OperationRef>> sent(operations.begin(), operations.end());
  std::sort(sent.begin(), sent.end());
  clients_.erase(client);
  std::vector<OperationRef> waiting;
  for (const auto& [sequence, operation] : sent) {
    waiting.push_back(operation);
  }
  return waiting;
}

bool Clients::take_sequence(Upstream upstream) {
  Client& client = clients_.at(upstream.peer);
  if (upstream.sequence <= client.last_sequence) {
    return false;
  }
  client.last_sequence = upstream.sequence;
  return true;
}

uint32_t Clients::in_flight(rpc::PeerId peer) const {
  const auto client = clients_.find(peer);
  return client == clients_.end() ? 0 : static_cast<uint32_t>(client->second.operations.size());
}

void Clients::assign(Upstream upstream, OperationRef operation) {
  if (const auto client = clients_.find(upstream.peer); client != clients_.end()) {
    client->second.operations.insert_or_assign(upstream.sequence, operation);
  }
}

void Clients::finish(Upstream upstream) {
  if (const auto client = clients_.find(upstream.peer); client != clients_.end()) {
    client->second.operations.erase(upstream.sequence);
  }
}

std::optional<OperationRef> Clients::find(Upstream upstream) const {
  const auto client = clients_.find(upstream.peer);
  if (client == clients_.end()) {
    return std::nullopt;
  }
  const auto operation = client->second.operations.find(upstream.sequence);
  return operation == client->second.operations.end() ? std::nullopt : std::optional(operation->second);
}

uint32_t Clients::in_flight() const {
  size_t total = 0;
  for (const auto& [peer, client] : clients_) {
    total += client.operations.size();
  }
  return static_cast<uint32_t>(total);
}

}  // namespace daedalus::aggregator

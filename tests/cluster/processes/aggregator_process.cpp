#include "aggregator_process.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

AggregatorProcess::AggregatorProcess(const ClusterConfiguration& configuration, uint32_t index,
                                     rpc::SimulatedNetwork& network)
    : configuration_(configuration), index_(index), network_(network), saboteur_(configuration.fault) {
  start(network.start(configuration.aggregators[index], hello(), *this));
}

wire::v1::Hello AggregatorProcess::hello() const {
  return make_hello(configuration_, wire::v1::ROLE_AGGREGATOR, configuration_.aggregators[index_]);
}

void AggregatorProcess::start(rpc::SimulatedEndpoint& endpoint) {
  endpoint_ = &endpoint;
  aggregator::AggregatorOptions options;
  options.name = configuration_.aggregators[index_];
  options.version = "simulated";
  options.cluster_id = kClusterId;
  std::map<rpc::LinkId, NodeId> links;
  for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
    options.endpoints[NodeId{node}] = configuration_.nodes[node];
    links[endpoint_->dial(configuration_.nodes[node])] = NodeId{node};
  }
  core_ = std::make_unique<aggregator::AggregatorCore>(options, configuration_.schema, configuration_.map, links);
  endpoint_->set_on_turn_end([this] {
    rpc::Outbox out;
    core_->flush(endpoint_->now(), out);
    carry_out(std::move(out));
  });
}

void AggregatorProcess::crash_and_restart() {
  is_turn_posted_ = false;
  network_.crash(configuration_.aggregators[index_]);
  start(network_.restart(configuration_.aggregators[index_], hello(), *this));
}

void AggregatorProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  if (info.hello.role() == wire::v1::ROLE_STORAGE_NODE) {
    nodes_[peer] = info.hello.node();
  }
  rpc::Outbox out;
  core_->on_up(peer, info, endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_down(rpc::PeerId peer, const std::string& reason) {
  rpc::Outbox out;
  core_->on_down(peer, reason, endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_operation(rpc::PeerId peer, wire::v1::Operation operation) {
  rpc::Outbox out;
  core_->on_operation(peer, std::move(operation), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  if (const auto node = nodes_.find(peer); node != nodes_.end()) {
    saboteur_.on_node_result(node->second, result);
  }
  rpc::Outbox out;
  core_->on_result(peer, std::move(result), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::carry_out(rpc::Outbox out) {
  core_->step(semantics::WorkBudget(kStepUnits), *endpoint_, out);
  CHECK(core_->take_compile_requests().empty());  // No SQL here: bodies come compiled.
  for (const auto& request : core_->take_dial_requests()) {
    core_->on_dialled(request.endpoint, endpoint_->dial(request.endpoint));
  }
  for (const rpc::LinkId link : core_->take_drop_requests()) {
    endpoint_->drop_link(link, "replaced");
  }
  saboteur_.on_outbox(out);
  endpoint_->send(std::move(out));
  endpoint_->arm(core_->next_deadline(), [this] {
    rpc::Outbox late;
    core_->on_deadline(endpoint_->now(), late);
    core_->flush(endpoint_->now(), late);
    carry_out(std::move(late));
  });
  if (core_->has_work(*endpoint_) && !is_turn_posted_) {
    is_turn_posted_ = true;
    endpoint_->post([this] {
      is_turn_posted_ = false;
      carry_out({});
    });
  }
}

}  // namespace daedalus::testing

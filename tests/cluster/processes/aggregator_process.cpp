#include "aggregator_process.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/language.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kWallClockAtStartUs = 1'371'299'696'000'000;  // 2013-06-15 12:34:56

}  // namespace

AggregatorProcess::AggregatorProcess(const ClusterConfiguration& configuration, std::string name,
                                     rpc::SimulatedNetwork& network)
    : AggregatorProcess(configuration, std::move(name), configuration.map, true, network) {}

AggregatorProcess::AggregatorProcess(const ClusterConfiguration& configuration, std::string name,
                                     std::shared_ptr<const contract::PartitionMap> map, bool tells_map,
                                     rpc::SimulatedNetwork& network)
    : configuration_(configuration),
      name_(std::move(name)),
      map_(std::move(map)),
      tells_map_(tells_map),
      network_(network),
      saboteur_(configuration.sabotage),
      compiler_(std::make_shared<aggregator::Compiler>(configuration.schema, map_)) {
  start(network.start(name_, hello(), *this));
}

wire::v1::Hello AggregatorProcess::hello() const {
  wire::v1::Hello hello = make_hello(configuration_, wire::v1::ROLE_AGGREGATOR, name_);
  hello.set_map_version(tells_map_ ? map_->version : 0);
  contract::announce(*configuration_.language, hello);
  return hello;
}

void AggregatorProcess::start(rpc::SimulatedEndpoint& endpoint) {
  endpoint_ = &endpoint;
  aggregator::AggregatorOptions options;
  options.name = name_;
  options.version = "simulated";
  options.cluster_id = kClusterId;
  options.language = configuration_.language;
  // From some rows to all that a simulated table has: answers go on piece by piece, or come whole.
  options.ahead_bytes_max = uint64_t{1} << network_.random().between(8, 20);
  std::map<rpc::LinkId, NodeId> links;
  for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
    options.endpoints[NodeId{node}] = configuration_.nodes[node];
    links[endpoint_->dial(configuration_.nodes[node])] = NodeId{node};
  }
  core_ = std::make_unique<aggregator::AggregatorCore>(options, configuration_.schema, map_, links, compiler_);
  endpoint_->set_on_turn_end([this] {
    aggregator::Effects out;
    core_->flush(endpoint_->now(), out);
    carry_out(std::move(out));
  });
}

void AggregatorProcess::crash_and_restart() {
  is_turn_posted_ = false;
  network_.crash(name_);
  if (front_door_) {
    front_door_->vanish();
    front_door_.reset();
  }
  start(network_.restart(name_, hello(), *this));
  started_at_ = network_.now();
}

void AggregatorProcess::accept(rpc::PeerId session, std::shared_ptr<ByteLine> line, DoorWitness& witness) {
  if (!front_door_) {
    postgres::SessionOptions options;
    options.database = configuration_.schema->table_name;
    options.schema = configuration_.schema;
    options.map_version = map_->version;
    options.trusts_loopback = true;
    front_door_ = std::make_unique<FrontDoor>(
        FrontDoor::Host{network_, *endpoint_, *core_, *compiler_, [this] { return read_wall_clock(); },
                        [this](aggregator::Effects effects) { carry_out(std::move(effects)); }},
        std::move(options), witness);
  }
  front_door_->accept(session, std::move(line));
}

uint64_t AggregatorProcess::output_waiting(rpc::PeerId peer) const {
  return front_door_ && front_door_->has(peer) ? front_door_->output_waiting(peer) : endpoint_->output_waiting(peer);
}

int64_t AggregatorProcess::read_wall_clock() {
  const int64_t now_us = wall_clock_us();
  wall_clock_read_.emplace_back(network_.now(), now_us);
  return now_us;
}

int64_t AggregatorProcess::wall_clock_us() const {
  return kWallClockAtStartUs + network_.now().ns / kMicrosecond + wall_ahead_us_;
}

std::vector<int64_t> AggregatorProcess::wall_clock_read(Instant from, Instant to) const {
  std::vector<int64_t> found;
  for (const auto& [when, read_us] : wall_clock_read_) {
    if (when >= from && when <= to) {
      found.push_back(read_us);
    }
  }
  return found;
}

void AggregatorProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  if (info.hello.role() == wire::v1::ROLE_STORAGE_NODE) {
    nodes_[peer] = info.hello.node();
  }
  aggregator::Effects out;
  core_->on_up(peer, info, endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_down(rpc::PeerId peer, const std::string& reason) {
  aggregator::Effects out;
  core_->on_down(peer, reason, endpoint_->now(), out);
  nodes_.erase(peer);
  carry_out(std::move(out));
}

bool AggregatorProcess::reaches(uint32_t node) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [=](const auto& entry) { return entry.second == node; });
}

bool AggregatorProcess::heard_from_writer(Instant from, Instant to) const {
  const auto heard = heard_from_writer_.lower_bound(from);
  return heard != heard_from_writer_.end() && *heard <= to;
}

void AggregatorProcess::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) {
  const auto kind = operation.header().kind();
  if (kind == wire::v1::OPERATION_KIND_MARK || kind == wire::v1::OPERATION_KIND_UPDATE) {
    heard_from_writer_.insert(network_.now());
  }
  aggregator::Effects out;
  core_->on_operation(peer, std::move(operation), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_result(rpc::PeerId peer, wire::v1::Result&& result) {
  if (const auto node = nodes_.find(peer); node != nodes_.end()) {
    saboteur_.on_node_result(node->second, result);
  } else {
    heard_from_writer_.insert(network_.now());
  }
  aggregator::Effects out;
  core_->on_result(peer, std::move(result), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_dial_failed(rpc::LinkId link, const std::string& reason) {
  aggregator::Effects out;
  core_->on_dial_failed(link, reason, out);
  carry_out(std::move(out));
}

/// In place of worker threads: each statement is compiled, and takes its time. The core knows of those it gave up.
void AggregatorProcess::compile(std::vector<aggregator::CompileRequest> requests) {
  for (aggregator::CompileRequest& request : requests) {
    auto compiled = compiler_->compile(request.statement, read_wall_clock());
    const int64_t pause_ns = network_.random().between(0, 2 * kMillisecond);
    endpoint_->post_at(
        after(network_.now(), pause_ns),
        [this, ticket = request.ticket, shared = std::make_shared<decltype(compiled)>(std::move(compiled))] {
          aggregator::Effects out;
          core_->on_compiled(ticket, std::move(*shared), endpoint_->now(), out);
          carry_out(std::move(out));
        });
  }
}

void AggregatorProcess::carry_out(aggregator::Effects effects) {
  core_->step(semantics::WorkBudget(kStepUnits), *this, endpoint_->now(), effects);
  for (const auto& request : std::exchange(effects.dials, {})) {
    core_->on_dialled(request.endpoint, endpoint_->dial(request.endpoint), effects);
  }
  compile(std::move(effects.compilations));
  for (const rpc::LinkId link : effects.drops) {
    endpoint_->drop_link(link, "replaced");
  }
  saboteur_.on_outbox(effects);
  if (front_door_) {
    front_door_->give_to_sessions(effects);
  }
  const Instant wake_at = effects.wake_at;
  endpoint_->send(std::move(effects));
  endpoint_->arm(wake_at, [this] {
    aggregator::Effects late;
    core_->on_deadline(endpoint_->now(), late);
    core_->flush(endpoint_->now(), late);
    carry_out(std::move(late));
  });
  if (core_->has_work(*this) && !is_turn_posted_) {
    is_turn_posted_ = true;
    endpoint_->post([this] {
      is_turn_posted_ = false;
      carry_out({});
    });
  }
}

}  // namespace daedalus::testing

#include "node_process.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::testing {

namespace {

constexpr int64_t kSyncNs = kMillisecond;

}  // namespace

NodeProcess::NodeProcess(const ClusterConfiguration& configuration, NodeId id, rpc::SimulatedNetwork& network)
    : configuration_(configuration), id_(id), network_(network), codec_(*configuration.schema) {
  start(network.start(name(), hello(), *this));
}

const std::string& NodeProcess::name() const { return configuration_.nodes[raw(id_)]; }

wire::v1::Hello NodeProcess::hello() const {
  wire::v1::Hello hello = make_hello(configuration_, wire::v1::ROLE_STORAGE_NODE, name());
  hello.set_node(raw(id_));
  return hello;
}

void NodeProcess::start(rpc::SimulatedEndpoint& endpoint) {
  endpoint_ = &endpoint;
  node::NodeOptions options;
  options.node = id_;
  options.cluster_id = kClusterId;
  options.endpoint = name();
  options.version = "simulated";
  options.segments = configuration_.segments;
  options.has_log = configuration_.has_log;
  options.found_epoch = disk_;
  for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
    options.addresses.emplace_back(NodeId{node}, configuration_.nodes[node]);
  }
  engine::SegmentOptions segment_options;
  segment_options.memory_bytes = configuration_.segment_bytes;
  segment_options.chunk_rows = 64;
  segment_options.answer_part_bytes = 512;
  const auto& partitions = configuration_.map->partitions;
  const auto hosted = std::count(partitions.begin(), partitions.end(), std::vector<NodeId>{id_});
  core_.reset();  // It lets go of its segments before they go.
  segments_.clear();
  for (uint32_t segment = 0; segment < configuration_.segments * hosted; ++segment) {
    segments_.push_back(std::make_unique<engine::Segment>(*configuration_.schema, codec_.codec(), segment_options));
  }
  awake_.assign(segments_.size(), false);
  appended_at_ = {};
  admitted_.clear();
  core_ = std::make_unique<node::NodeCore>(options, configuration_.schema, *configuration_.map, *this);
}

void NodeProcess::crash(rpc::Notice notice) {
  is_turn_posted_ = false;
  network_.crash(name(), notice);
}

void NodeProcess::come_back() { start(network_.restart(name(), hello(), *this)); }

void NodeProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  node::Effects out;
  core_->on_up(peer, info, endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  node::Effects out;
  core_->on_down(peer, endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::on_operation(rpc::PeerId peer, wire::v1::Operation operation) {
  node::Effects out;
  core_->on_operation(peer, std::move(operation), endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::on_result(rpc::PeerId /*peer*/, wire::v1::Result /*result*/) {}

// ---- segments ----

bool NodeProcess::enqueue(node::SegmentIndex segment, engine::Query query) {
  wake(raw(segment));
  return segments_[raw(segment)]->enqueue(std::move(query));
}

bool NodeProcess::enqueue(node::SegmentIndex segment, engine::Update update) {
  const Timestamp timestamp = update.timestamp;
  wake(raw(segment));
  const bool is_taken = segments_[raw(segment)]->enqueue(std::move(update));
  if (is_taken && raw(segment) == 0) {
    admitted_.push_back(timestamp);
  }
  return is_taken;
}

node::SegmentReport NodeProcess::report(node::SegmentIndex segment) const {
  return {segments_[raw(segment)]->statistics(), -1};
}

void NodeProcess::wake(uint32_t segment) {
  if (!awake_[segment]) {
    awake_[segment] = true;
    const int64_t pause_ns = network_.random().between(0, 3 * kMillisecond);
    endpoint_->post_at(after(network_.now(), pause_ns), [this, segment] { sweep(segment); });
  }
}

void NodeProcess::sweep(uint32_t segment) {
  awake_[segment] = false;
  node::Effects out;
  do {
    segments_[segment]->step(network_.now(), {.chunks_max = 1});
    while (auto output = segments_[segment]->dequeue()) {
      core_->on_output(node::SegmentIndex{segment}, std::move(*output), network_.now(), out);
    }
  } while (segments_[segment]->is_mid_cycle());
  if (segments_[segment]->has_work()) {
    wake(segment);
  }
  carry_out(std::move(out));
}

// ---- effects ----

void NodeProcess::carry_out(node::Effects effects) {
  core_->step(semantics::WorkBudget(kStepUnits), *endpoint_, effects);
  while (!effects.epochs.empty()) {
    for (const node::EpochRecord& record : std::exchange(effects.epochs, {})) {
      disk_ = record;
      core_->on_epoch_persisted(record.epoch, endpoint_->now(), effects);
    }
  }
  write_log(effects.log);
  const Instant wake_at = effects.wake_at;
  endpoint_->send(std::move(effects));
  endpoint_->arm(wake_at, [this] {
    node::Effects late;
    core_->on_deadline(endpoint_->now(), late);
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

void NodeProcess::write_log(const std::vector<node::LogRecord>& records) {
  if (records.empty()) {
    return;
  }
  const Timestamp last = records.back().range.last;
  appended_at_ = after(std::max(appended_at_, network_.now()), network_.random().between(0, 3 * kMillisecond));
  endpoint_->post_at(appended_at_, [this, last] {
    node::Effects effects;
    core_->on_appended(last, endpoint_->now(), effects);
    carry_out(std::move(effects));
  });
  // Whatever is written later is synced later: all wait equally long.
  endpoint_->post_at(after(appended_at_, kSyncNs), [this, last] {
    node::Effects effects;
    core_->on_durable(last, endpoint_->now(), effects);
    carry_out(std::move(effects));
  });
}

}  // namespace daedalus::testing

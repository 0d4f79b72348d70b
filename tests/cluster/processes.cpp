#include "processes.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

constexpr const char* kClusterId = "simulated";
/// Little enough that answers of a few rows take several turns.
constexpr int64_t kStepUnits = 300;
constexpr int64_t kSyncNs = kMillisecond;

wire::v1::Hello make_hello(const ClusterConfiguration& configuration, wire::v1::Role role, const std::string& name) {
  wire::v1::Hello hello;
  hello.set_role(role);
  hello.set_name(name);
  hello.set_software_version("simulated");
  if (role == wire::v1::ROLE_AGGREGATOR || role == wire::v1::ROLE_STORAGE_NODE) {
    hello.set_cluster_id(kClusterId);
    hello.set_schema_fingerprint(configuration.schema->fingerprint);
    hello.set_map_version(configuration.map->version);
  }
  return hello;
}

WriterOptions writer_options(const ClusterConfiguration& configuration) {
  return {
      .name = "writer", .endpoint = configuration.writer, .submissions_known_max = configuration.submissions_known_max};
}

}  // namespace

// ---- storage node ----

NodeProcess::NodeProcess(const ClusterConfiguration& configuration, NodeId id, rpc::SimulatedNetwork& network)
    : network_(network), codec_(*configuration.schema) {
  node::NodeOptions options;
  options.node = id;
  options.cluster_id = kClusterId;
  options.endpoint = configuration.nodes[raw(id)];
  options.version = "simulated";
  options.segments = configuration.segments;
  options.has_log = configuration.has_log;
  for (uint32_t node = 0; node < configuration.nodes.size(); ++node) {
    options.addresses.emplace_back(NodeId{node}, configuration.nodes[node]);
  }
  engine::SegmentOptions segment_options;
  segment_options.memory_bytes = configuration.segment_bytes;
  segment_options.chunk_rows = 64;
  segment_options.answer_part_bytes = 512;
  for (uint32_t segment = 0; segment < configuration.segments; ++segment) {
    segments_.push_back(std::make_unique<engine::Segment>(*configuration.schema, codec_.codec(), segment_options));
  }
  awake_.assign(segments_.size(), false);
  core_ = std::make_unique<node::NodeCore>(options, configuration.schema, *configuration.map, *this);
  wire::v1::Hello hello = make_hello(configuration, wire::v1::ROLE_STORAGE_NODE, options.endpoint);
  hello.set_node(raw(id));
  endpoint_ = &network.start(options.endpoint, hello, *this);
}

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
    network_.at(after(network_.now(), pause_ns), [this, segment] { sweep(segment); });
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

void NodeProcess::carry_out(node::Effects effects) {
  core_->step(semantics::WorkBudget(kStepUnits), *endpoint_, effects);
  while (!effects.epochs.empty()) {
    for (const node::EpochRecord& record : std::exchange(effects.epochs, {})) {
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
  network_.at(appended_at_, [this, last] {
    node::Effects effects;
    core_->on_appended(last, endpoint_->now(), effects);
    carry_out(std::move(effects));
  });
  // Whatever is written later is synced later: both wait equally long.
  network_.at(after(appended_at_, kSyncNs), [this, last] {
    node::Effects effects;
    core_->on_durable(last, endpoint_->now(), effects);
    carry_out(std::move(effects));
  });
}

// ---- aggregator ----

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
    aggregator::Effects out;
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
  aggregator::Effects out;
  core_->on_up(peer, info, endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_down(rpc::PeerId peer, const std::string& reason) {
  aggregator::Effects out;
  core_->on_down(peer, reason, endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_operation(rpc::PeerId peer, wire::v1::Operation operation) {
  aggregator::Effects out;
  core_->on_operation(peer, std::move(operation), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  if (const auto node = nodes_.find(peer); node != nodes_.end()) {
    saboteur_.on_node_result(node->second, result);
  }
  aggregator::Effects out;
  core_->on_result(peer, std::move(result), endpoint_->now(), out);
  carry_out(std::move(out));
}

void AggregatorProcess::carry_out(aggregator::Effects effects) {
  core_->step(semantics::WorkBudget(kStepUnits), *endpoint_, effects);
  CHECK(effects.compilations.empty());  // No SQL here: bodies come compiled.
  for (const auto& request : std::exchange(effects.dials, {})) {
    core_->on_dialled(request.endpoint, endpoint_->dial(request.endpoint), effects);
  }
  for (const rpc::LinkId link : std::exchange(effects.drops, {})) {
    endpoint_->drop_link(link, "replaced");
  }
  saboteur_.on_outbox(effects);
  const Instant wake_at = effects.wake_at;
  endpoint_->send(std::move(effects));
  endpoint_->arm(wake_at, [this] {
    aggregator::Effects late;
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

// ---- logical writer ----

WriterProcess::WriterProcess(const ClusterConfiguration& configuration, rpc::SimulatedNetwork& network,
                             OnOutcome on_outcome)
    : configuration_(configuration),
      on_outcome_(std::move(on_outcome)),
      model_(writer_options(configuration)),
      transcript_(writer_options(configuration)) {
  endpoint_ = &network.start(configuration.writer,
                             make_hello(configuration, wire::v1::ROLE_WRITER, configuration.writer), *this);
  for (const std::string& aggregator : configuration.aggregators) {
    endpoint_->dial(aggregator);
  }
}

void WriterProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  if (info.link) {
    rpc::Outbox out;
    transcript_.up(endpoint_->now(), peer);
    model_.on_up(peer, endpoint_->now(), out);
    carry_out(std::move(out), {});
  }
}

void WriterProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  rpc::Outbox out;
  transcript_.down(endpoint_->now(), peer);
  model_.on_down(peer, endpoint_->now(), out);
  carry_out(std::move(out), {});
}

void WriterProcess::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation /*operation*/) {}

void WriterProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  rpc::Outbox out;
  WriterEffects effects;
  transcript_.result(endpoint_->now(), peer, result);
  model_.on_result(peer, result, endpoint_->now(), out, effects);
  carry_out(std::move(out), effects);
}

std::optional<SubmitRefusal> WriterProcess::submit(const Submission& submission, const std::string& body,
                                                   const std::vector<wire::v1::Route>& routes) {
  rpc::Outbox out;
  WriterEffects effects;
  transcript_.submit(endpoint_->now(), submission, body, routes, configuration_.map->version);
  auto refusal = model_.submit(submission, body, routes, configuration_.map->version, endpoint_->now(), out, effects);
  if (refusal) {
    transcript_.refused(*refusal);
  }
  carry_out(std::move(out), effects);
  return refusal;
}

void WriterProcess::carry_out(rpc::Outbox out, const WriterEffects& effects) {
  transcript_.effects(out, effects, model_.next_deadline());
  endpoint_->send(std::move(out));
  if (effects.probe) {
    endpoint_->post([this] {
      rpc::Outbox next;
      WriterEffects then;
      transcript_.probed(endpoint_->now(), false);
      model_.on_probed(false, endpoint_->now(), next, then);
      carry_out(std::move(next), then);
    });
  }
  for (const SubmissionOutcome& outcome : effects.outcomes) {
    on_outcome_(outcome);
  }
  endpoint_->arm(model_.next_deadline(), [this] {
    rpc::Outbox late;
    transcript_.deadline(endpoint_->now());
    model_.on_deadline(endpoint_->now(), late);
    carry_out(std::move(late), {});
  });
}

// ---- application ----

ClientProcess::ClientProcess(const ClusterConfiguration& configuration, std::string name,
                             rpc::SimulatedNetwork& network) {
  endpoint_ = &network.start(name, make_hello(configuration, wire::v1::ROLE_CLIENT, name), *this);
  for (const std::string& aggregator : configuration.aggregators) {
    endpoint_->dial(aggregator);
  }
}

void ClientProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/) { next_sequence_[peer] = 1; }

void ClientProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  next_sequence_.erase(peer);
  for (auto entry = in_flight_.begin(); entry != in_flight_.end();) {
    if (entry->first.first == peer) {
      entry->second.is_lost = true;
      answers_.push_back(std::move(entry->second));
      entry = in_flight_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void ClientProcess::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation /*operation*/) {}

bool ClientProcess::ask(const Workload::Query& query, Timestamp prefix_promised, int64_t remaining_ns, uint64_t which) {
  if (next_sequence_.empty()) {
    return false;
  }
  auto& [peer, sequence] =
      *std::next(next_sequence_.begin(), static_cast<std::ptrdiff_t>(which % next_sequence_.size()));
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(sequence);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_SELECT);
  operation.mutable_header()->set_remaining_ns(static_cast<uint64_t>(remaining_ns));
  for (const auto& route : query.routes) {
    *operation.mutable_header()->add_routes() = route;
  }
  operation.mutable_header()->set_map_version(1);
  operation.set_body(query.body);
  GivenAnswer& given = in_flight_[{peer, sequence++}].given;
  given.question = query.question;
  given.prefix_promised = prefix_promised;
  rpc::Outbox out;
  out.operations.emplace_back(peer, std::move(operation));
  endpoint_->send(std::move(out));
  return true;
}

void ClientProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  const auto entry = in_flight_.find({peer, result.sequence()});
  CHECK(entry != in_flight_.end());  // Nothing may follow the end of an answer.
  Answer& answer = entry->second;
  GivenAnswer& given = answer.given;
  if (result.has_rows()) {
    given.columns.insert(given.columns.end(), result.rows().columns().begin(), result.rows().columns().end());
    given.rows += result.rows().rows();
    given.row_count += result.rows().row_count();
    return;
  }
  if (result.has_end()) {
    answer.has_end = true;
    given.end = result.end();
  } else {
    CHECK(result.has_error());
    answer.error = result.error();
  }
  answers_.push_back(std::move(answer));
  in_flight_.erase(entry);
}

}  // namespace daedalus::testing

#include "node_process.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <random>
#include <thread>
#include <utility>

#include "daedalus/allocator/allocator.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/language.hpp"
#include "daedalus/durability/checkpoint_load.hpp"
#include "daedalus/durability/data_directory.hpp"
#include "daedalus/durability/epoch_file.hpp"
#include "daedalus/machine/machine.hpp"
#include "daedalus/machine/memory.hpp"
#include "daedalus/node/placement.hpp"
#include "recovery_report.hpp"

namespace daedalus::node {

namespace {

/// Time that operations under way get when the process is asked to stop.
constexpr int64_t kDrainNsMax = 2 * kSecond;
/// Answers stop long before it (MergeLimits); a peer that lets so much of the rest wait is too slow.
constexpr uint64_t kPeerOutputSizeMax = 128u << 20;
/// From so many bytes on, rows of an answer leave their segment ahead of the rest: a quarter of a message's maximum, so
/// that small answers stay whole and large ones flow.
constexpr uint64_t kAnswerPartSize = 256u << 10;

/// Between two looks at what segments have put out during recovery.
constexpr std::chrono::microseconds kReplayPause(50);

wire::v1::Hello make_hello(const NodeConfiguration& configuration, const std::string& version) {
  wire::v1::Hello hello;
  hello.set_role(wire::v1::ROLE_STORAGE_NODE);
  hello.set_name(fmt::format("node-{}", raw(configuration.node)));
  hello.set_software_version(version);
  hello.set_cluster_id(configuration.cluster.cluster_id);
  hello.set_schema_fingerprint(configuration.schema_library->schema().fingerprint);
  hello.set_map_version(configuration.map.version);
  hello.set_node(raw(configuration.node));
  contract::announce(node::kNodeHandles, hello);
  contract::announce(semantics::Language::own(), hello);
  contract::announce_features(hello);
  return hello;
}

void log_placement(SegmentIndex segment, const engine::SegmentStatistics& statistics) {
  const engine::MemoryPlacement& placement = statistics.placement;
  const auto huge = static_cast<double>(placement.huge_page_bytes);
  const std::string text =
      fmt::format("segment {}: {} MiB on {}, {:.0f} % in huge pages, {:.2f} bytes for each of a row's {}", raw(segment),
                  placement.bytes >> 20,
                  placement.numa_node < 0
                      ? std::string("no NUMA node of its own")
                      : fmt::format("NUMA node {}{}", placement.numa_node, placement.is_verified ? ", verified" : ""),
                  placement.bytes == 0 ? 0.0 : 100 * huge / static_cast<double>(placement.bytes),
                  statistics.memory_ratio(), statistics.row_bytes);
  if (placement.problem.empty()) {
    spdlog::info(text);
  } else {
    spdlog::warn("{}; {}", text, placement.problem);
  }
}

/// Not drawn twice, and never 0.
uint64_t new_incarnation() {
  std::random_device source;
  return uint64_t{source()} << 32 | source() | 1;
}

NodeOptions make_options(const NodeConfiguration& configuration, const std::string& version) {
  NodeOptions options;
  options.node = configuration.node;
  options.cluster_id = configuration.cluster.cluster_id;
  options.endpoint = configuration.endpoint;
  options.version = version;
  options.process_id = static_cast<uint64_t>(::getpid());
  options.allocator = allocator_use;
  options.incarnation = new_incarnation();
  options.durability = configuration.durability;
  for (const configuration::NodeEndpoint& node : configuration.cluster.nodes) {
    options.addresses.emplace_back(node.node, node.endpoint);
  }
  options.segments = configuration.segments;
  options.queries.answer_bytes_max = configuration.answer_bytes_max;
  options.queries.answer_budget = std::make_shared<ByteBudget>(configuration.answer_bytes);
  return options;
}

}  // namespace

NodeProcess::NodeProcess(const NodeConfiguration& configuration, const std::string& version, NodeKind kind)
    : configuration_(configuration),
      version_(version),
      data_(configuration.data_dir),
      hello_(make_hello(configuration, version)),
      schema_(configuration.schema_library, &configuration.schema_library->schema()) {
  if (kind == NodeKind::kVoid) {
    void_answers_.emplace(configuration.node, hosted_partitions(configuration.map, configuration.node),
                          configuration.segments);
  }
}

Result<void> NodeProcess::run() {
  if (auto started = start(); !started) {
    return started.error();
  }
  spdlog::info("ready");
  network_->run();
  spdlog::info("stopped");
  return {};
}

Result<void> NodeProcess::start() {
  rpc::AsioOptions network_options;
  network_options.hello = hello_;
  network_options.limits.output_size_max = kPeerOutputSizeMax;
  NodeOptions options = make_options(configuration_, version_);
  network_options.output_budget = options.queries.answer_budget;
  network_ = std::make_unique<rpc::AsioNetwork>(network_options, *this);
  // The port comes first: a second process on it must not touch memory or files.
  const auto address = network_->listen(configuration_.listen);
  if (!address) {
    return address.error();
  }
  if (auto locked = lock_.take(data_); !locked) {
    return locked;
  }
  auto found_epoch = durability::read_epoch(data_);
  if (!found_epoch) {
    return found_epoch.error();
  }
  options.found_epoch = *found_epoch;
  if (const auto memory = machine_memory()) {
    if (auto fits = check_available(configuration_.demand, *memory); !fits) {
      return fits.error();
    }
  }
  if (auto made = make_segments(options); !made) {
    return made;
  }
  core_ = std::make_unique<NodeCore>(std::move(options), schema_, configuration_.map, *segments_);
  network_->set_on_turn_end([this] { on_turn_end(); });
  start_segments();
  if (auto recovered = recover(); !recovered) {
    return recovered;
  }
  network_->on_stop_signal([this] { begin_drain(); });
  spdlog::info("node {} of cluster {} listens on {}: {} segments of {} MiB and {} rows, {} partitions",
               raw(configuration_.node), configuration_.cluster.cluster_id, *address, configuration_.demand.count,
               configuration_.segment_bytes >> 20, configuration_.demand.shape.rows_max(),
               configuration_.demand.count / configuration_.segments);
  log_problem();
  return {};
}

Result<void> NodeProcess::make_segments(const NodeOptions& options) {
  engine::SegmentOptions segment_options;
  segment_options.memory_bytes = configuration_.segment_bytes;
  segment_options.window_bytes = configuration_.demand.window_bytes;
  segment_options.share_factor_max = configuration_.share_factor;
  segment_options.updates_per_cycle_max = configuration_.updates_per_cycle;
  segment_options.cycle_ns_target = configuration_.cycle_ns_target;
  segment_options.operations_in_flight_max =
      std::max(segment_options.operations_in_flight_max, 2 * configuration_.share_factor);
  segment_options.answer_bytes_max = configuration_.answer_bytes_max;
  segment_options.compute_ns_max = configuration_.compute_ns_max;
  segment_options.compute_ns_per_row = configuration_.compute_ns_per_row;
  segment_options.answer_owner = fmt::format("node {}", raw(configuration_.node));
  segment_options.answer_part_bytes = kAnswerPartSize;
  segment_options.answer_budget = options.queries.answer_budget;
  const SegmentsDemand& demand = configuration_.demand;
  try {
    if (configuration_.durability != Durability::kOff) {
      hooks_ =
          std::make_unique<CheckpointHooks>(demand.count, demand.shape, static_cast<uint32_t>(schema_->columns.size()));
    }
    segments_ = std::make_unique<ThreadedSegments>(
        *schema_, configuration_.schema_library->codec(), segment_options, demand.count,
        [this](uint32_t segment) { return hooks_ ? hooks_->of(segment) : nullptr; });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCategory::kFatal, "53200",
                 fmt::format("there is no memory for {} segments of {} MiB", configuration_.demand.count,
                             configuration_.segment_bytes >> 20),
                 "lower segments or segment_mib", 0};
  }
  return {};
}

void NodeProcess::start_segments() {
  segments_->start(
      configuration_.cores.empty() ? usable_cpus() : configuration_.cores,
      [this] {
        network_->post("outputs of segments", [this] {
          segments_->drain([this](SegmentIndex segment, engine::Output output) {
            core_->on_output(segment, std::move(output), network_->now(), effects_);
          });
        });
      },
      log_placement);
  // Touching memory takes seconds where there is much of it. Whoever is served before that waits for it, and an update
  // that waits may time out and yet take effect.
  segments_->await_settled();
  if (segments_->unpinned() > 0) {
    spdlog::warn("{} scan threads run unpinned: their core is not there", segments_->unpinned());
  }
}

// ---- what the data directory holds ----

Result<void> NodeProcess::recover() {
  if (configuration_.durability == Durability::kOff) {
    return {};
  }
  if (auto same = durability::check_directory(data_, identity_of(configuration_)); !same) {
    return same;
  }
  if (auto claimed = durability::claim_language(data_, semantics::Language::own()); !claimed) {
    return claimed;
  }
  RecoveryReport report(network_->now());
  auto loaded = durability::load_newest_checkpoint(
      data_, segments_->all(), durability::RecoveryOrder::kSideBySide,
      [&](const durability::LoadState& state) { report.on_loading(state, network_->now()); });
  if (!loaded) {
    return loaded.error();
  }
  const durability::LoadedCheckpoint from = loaded->value_or(
      durability::LoadedCheckpoint{.slots_known = std::vector<Timestamp>(configuration_.demand.count)});
  report.on_loaded(network_->now());
  core_->start_after(from.log.after, from.slots_known);
  auto end = durability::replay_log(
      data_, *core_, from.log, durability::RecoveryOrder::kSideBySide,
      [this](durability::Meanwhile meanwhile) { let_segments_work(meanwhile); },
      [&](const durability::ReplayProgress& progress) { report.on_progress(progress, network_->now()); });
  if (!end) {
    return end.error();
  }
  report.on_end(network_->now());
  tell_mark();
  open_log(std::move(*end), *loaded ? std::optional((*loaded)->number) : std::nullopt);
  return {};
}

/// To whoever connects from now on.
void NodeProcess::tell_mark() {
  if (raw(core_->mark()) > hello_.durable()) {
    hello_.set_durable(raw(core_->mark()));
    network_->set_hello(hello_);
  }
}

void NodeProcess::let_segments_work(durability::Meanwhile meanwhile) {
  segments_->wake();
  bool is_any = false;
  segments_->drain([&](SegmentIndex segment, engine::Output output) {
    is_any = true;
    core_->on_output(segment, std::move(output), network_->now(), effects_);
  });
  if (!is_any && meanwhile == durability::Meanwhile::kNothing) {
    std::this_thread::sleep_for(kReplayPause);
  }
}

void NodeProcess::open_log(durability::NodeLogEnd end, std::optional<uint64_t> restored) {
  LogEvents events;
  events.appended = [this](Timestamp through) {
    network_->post("appended", [this, through] { core_->on_appended(through, network_->now(), effects_); });
  };
  events.durable = [this](Timestamp through) {
    network_->post("durable", [this, through] { core_->on_durable(through, network_->now(), effects_); });
  };
  events.stuck = [this](std::optional<Error> error) {
    network_->post("log", [this, error = std::move(error)] { core_->on_log_stuck(error); });
  };
  auto log = std::make_unique<durability::NodeLog>(data_, durability::NodeLogOptions{}, std::move(end));
  log->append_outcomes(std::exchange(effects_.outcomes, {}), core_->applied());
  log_ = std::make_unique<LogThread>(data_, std::move(log), LogThreadOptions{.sync_ns_max = configuration_.sync_ns_max},
                                     std::move(events));
  checkpoints_ = std::make_unique<CheckpointThread>(
      data_, *hooks_, *segments_, *log_,
      CheckpointThread::Options{.log_bytes = configuration_.checkpoint_log_bytes, .restored = restored});
}

void NodeProcess::keep_log() {
  if (log_ == nullptr) {
    return;
  }
  checkpoints_->on_forgotten(core_->forgotten());
  core_->on_stored(
      {.checkpoint = checkpoints_->lowest(), .log_bytes = log_->bytes(), .checkpoint_bytes = checkpoints_->bytes()});
  if (!effects_.log.empty() || core_->applied() > applied_told_) {
    applied_told_ = core_->applied();
    log_->give(std::exchange(effects_.log, {}), std::exchange(effects_.outcomes, {}), core_->applied());
  }
}

void NodeProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  core_->on_up(peer, info, network_->now(), effects_);
}

void NodeProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  core_->on_down(peer, network_->now(), effects_);
}

void NodeProcess::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) {
  if (void_answers_ && VoidAnswers::concerns(operation)) {
    void_answers_->answer(peer, operation, effects_);
    return;
  }
  core_->on_operation(peer, std::move(operation), network_->now(), effects_);
}

void NodeProcess::on_result(rpc::PeerId peer, wire::v1::Result&& /*result*/) {
  effects_.closes.emplace_back(peer, "a storage node asks nothing, so nothing can be a result");
}

void NodeProcess::on_turn_end() {
  core_->step(semantics::WorkBudget(merging::kStepUnits), *network_, effects_);
  persist_epochs();
  keep_log();
  tell_mark();
  log_problem();
  network_->send(std::move(effects_));  // Its outbox; empty, but not without memory, afterwards.
  segments_->wake();
  stop_when_drained();
  arm();
  if (core_->has_work(*network_)) {
    network_->post("answers in progress", [] {});  // The next turn goes on, after a look at the sockets.
  }
}

void NodeProcess::persist_epochs() {
  for (EpochRecord& record : std::exchange(effects_.epochs, {})) {
    disk_.run([this, record = std::move(record)] {
      const Result<void> written = durability::write_epoch(data_, record);
      network_->post("an epoch on disk", [this, record, written] { on_epoch_written(record, written); });
    });
  }
}

void NodeProcess::on_epoch_written(const EpochRecord& record, const Result<void>& written) {
  if (!written) {
    spdlog::error("epoch {} of {} is refused: {}; {}", raw(record.epoch), record.holder, written.error().message,
                  written.error().hint);
    core_->on_epoch_failed(record.epoch, written.error(), effects_);
    return;
  }
  spdlog::info("epoch {} is held by {} at {}", raw(record.epoch), record.holder, record.endpoint);
  core_->on_epoch_persisted(record.epoch, network_->now(), effects_);
}

void NodeProcess::log_problem() {
  if (!is_problem_logged_ && core_->problem()) {
    is_problem_logged_ = true;
    spdlog::critical("{}; {}", core_->problem()->message, core_->problem()->hint);
  }
}

void NodeProcess::begin_drain() {
  spdlog::info("asked to stop: {} operations under way have {} ms to end", core_->under_way(),
               kDrainNsMax / kMillisecond);
  drain_deadline_ = after(network_->now(), kDrainNsMax);
  core_->drain();
}

void NodeProcess::stop_when_drained() {
  if (drain_deadline_ && (core_->under_way() == 0 || network_->now() >= *drain_deadline_)) {
    network_->shutdown("the storage node stops");
  }
}

void NodeProcess::arm() {
  network_->arm(std::min(effects_.wake_at, drain_deadline_.value_or(kNever)),
                [this] { core_->on_deadline(network_->now(), effects_); });
}

}  // namespace daedalus::node

#include "node_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/language.hpp"
#include "daedalus/durability/checkpoint_load.hpp"
#include "daedalus/durability/epoch_file.hpp"
#include "daedalus/durability/replay.hpp"
#include "slot_rows.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kSyncNs = kMillisecond;
constexpr uint32_t kChunkRows = 64;
/// Between two checkpoints, and between two steps of one.
constexpr int64_t kCheckpointNsMax = 300 * kMillisecond;
constexpr int64_t kCheckpointStepNsMax = 3 * kMillisecond;
constexpr int64_t kRetryNs = 30 * kMillisecond;
/// Little, so that every run has many files.
constexpr durability::NodeLogOptions kLogOptions{.update_file_bytes = 2000, .outcome_file_bytes = 300};

/// Takes from a result what an older build does not say.
void forget_moments(wire::v1::Result& result) {
  result.clear_mark();
  if (result.has_end()) {
    result.mutable_end()->clear_moment();
  }
  if (result.has_confirmed()) {
    for (wire::v1::NodeWatermark& watermark : *result.mutable_confirmed()->mutable_watermarks()) {
      watermark.clear_mark();
    }
  }
}

}  // namespace

NodeProcess::NodeProcess(const ClusterConfiguration& configuration, NodeId id, rpc::SimulatedNetwork& network)
    : configuration_(configuration),
      id_(id),
      network_(network),
      codec_(*configuration.schema),
      disk_([this](uint64_t bound) { return network_.random().below(bound); }) {
  for (const char* folder : {durability::kUpdatesFolder, durability::kOutcomesFolder, durability::kCheckpointFolder}) {
    CHECK(disk_.make_folder(folder));
  }
  CHECK(disk_.sync_folder(""));
  start();
  CHECK(!recover());
  endpoint_ = &network_.start(name(), hello(), *this);
  begin_checkpoints();
}

const std::string& NodeProcess::name() const { return configuration_.nodes[raw(id_)]; }

wire::v1::Hello NodeProcess::hello() const {
  wire::v1::Hello hello = make_hello(configuration_, wire::v1::ROLE_STORAGE_NODE, name());
  hello.set_node(raw(id_));
  contract::announce(language(), hello);
  if (is_older()) {
    hello.clear_features();
  }
  hello.set_durable(raw(core_->mark()));
  return hello;
}

const semantics::Language& NodeProcess::language() const {
  return raw(id_) == 0 ? semantics::Language::own() : *configuration_.language;
}

bool NodeProcess::is_older() const { return &language() != configuration_.language; }

node::NodeOptions NodeProcess::options() {
  node::NodeOptions options;
  options.language = &language();
  options.node = id_;
  options.cluster_id = kClusterId;
  options.endpoint = name();
  options.version = "simulated";
  options.segments = configuration_.segments;
  options.incarnation = ++life_;
  options.durability = configuration_.has_log ? node::Durability::kSync : node::Durability::kOff;
  auto found_epoch = durability::read_epoch(disk_);
  CHECK(found_epoch);
  options.found_epoch = *found_epoch;
  for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
    options.addresses.emplace_back(NodeId{node}, configuration_.nodes[node]);
  }
  return options;
}

void NodeProcess::make_segments() {
  engine::SegmentOptions segment_options;
  segment_options.memory_bytes = configuration_.segment_bytes;
  segment_options.chunk_rows = kChunkRows;
  segment_options.answer_part_bytes = 512;
  const auto& partitions = configuration_.map->partitions;
  const auto hosted = std::count(partitions.begin(), partitions.end(), std::vector<NodeId>{id_});
  checkpoints_.reset();
  segments_.clear();
  copiers_.clear();
  if (!shape_) {
    shape_ = engine::Segment(*configuration_.schema, codec_.codec(), segment_options).statistics();
  }
  const engine::SegmentStatistics& shape = *shape_;
  const auto slots = static_cast<uint32_t>(shape.rows_max);
  buffers_ = std::make_unique<durability::ChunkBuffers>(
      2, durability::chunk_content_size(kChunkRows, static_cast<uint32_t>(configuration_.schema->columns.size()),
                                        shape.row_bytes));
  for (uint32_t segment = 0; segment < configuration_.segments * hosted; ++segment) {
    copiers_.push_back(std::make_unique<durability::ChunkCopier>(
        segment, durability::ChunkCopier::Shape{slots / kChunkRows, slots}, *buffers_));
    segment_options.checkpoint_hook = configuration_.has_log ? copiers_.back().get() : nullptr;
    segments_.push_back(std::make_unique<engine::Segment>(*configuration_.schema, codec_.codec(), segment_options));
  }
  awake_.assign(segments_.size(), false);
}

void NodeProcess::start() {
  core_.reset();  // It lets go of its segments before they go.
  make_segments();
  appended_at_ = {};
  is_stuck_ = false;
  admitted_.clear();
  holds_ = {};
  core_ = std::make_unique<node::NodeCore>(options(), configuration_.schema, *configuration_.map, *this);
}

std::optional<Error> NodeProcess::recover() {
  if (!configuration_.has_log) {
    return std::nullopt;
  }
  std::vector<engine::Segment*> segments;
  for (const auto& segment : segments_) {
    segments.push_back(segment.get());
  }
  const auto loaded = durability::load_newest_checkpoint(disk_, segments, durability::RecoveryOrder::kOneByOne,
                                                         [](const durability::LoadState&) {});
  if (!loaded) {
    return loaded.error();
  }
  const auto from =
      loaded->value_or(durability::LoadedCheckpoint{.slots_known = std::vector<Timestamp>(segments_.size())});
  core_->start_after(from.log.after, from.slots_known);
  is_recovering_ = true;
  auto end = durability::replay_log(
      disk_, *core_, from.log, durability::RecoveryOrder::kOneByOne,
      [this](durability::Meanwhile) { let_segments_work(); }, [](const durability::ReplayProgress&) {});
  is_recovering_ = false;
  if (!end) {
    return end.error();
  }
  log_ = std::make_unique<durability::NodeLog>(disk_, kLogOptions, std::move(*end));
  log_->append_outcomes(std::exchange(replayed_.outcomes, {}), core_->applied());
  std::vector<durability::ChunkCopier*> copiers;
  for (const auto& copier : copiers_) {
    copiers.push_back(copier.get());
  }
  checkpoints_ = std::make_unique<durability::CheckpointWriter>(disk_, *buffers_, copiers, [this] { wake_all(); });
  const auto opened = checkpoints_->open(*loaded ? std::optional((*loaded)->number) : std::nullopt);
  return opened ? std::nullopt : std::optional(opened.error());
}

void NodeProcess::let_segments_work() {
  for (uint32_t segment = 0; segment < segments_.size(); ++segment) {
    segments_[segment]->step(network_.now());
    while (auto output = segments_[segment]->dequeue()) {
      core_->on_output(node::SegmentIndex{segment}, std::move(*output), network_.now(), replayed_);
    }
  }
}

void NodeProcess::crash(rpc::Notice notice) {
  is_turn_posted_ = false;
  network_.crash(name(), notice);
  disk_.crash();
  configuration_.faults->count(FaultPoint::kTornWrite, disk_.torn_writes() - torn_counted_);
  torn_counted_ = disk_.torn_writes();
  log_.reset();
  checkpoints_.reset();
  core_.reset();
}

std::optional<Error> NodeProcess::come_back() {
  disk_.restart();
  if (const auto epoch = durability::read_epoch(disk_); !epoch) {
    return epoch.error();
  }
  start();
  if (raw(core_->epoch().epoch) < granted_) {
    core_.reset();
    return Error{ErrorCategory::kFatal, "XX000",
                 fmt::format("it has granted epoch {} and does not know that any more", granted_), "", 0};
  }
  if (auto failed = recover()) {
    core_.reset();
    return failed;
  }
  endpoint_ = &network_.restart(name(), hello(), *this);
  begin_checkpoints();
  return std::nullopt;
}

std::vector<std::map<uint64_t, std::string>> NodeProcess::rows_by_slot(const semantics::Selection& selection) const {
  std::vector<std::map<uint64_t, std::string>> rows;
  for (const auto& segment : segments_) {
    rows.push_back(slot_rows(*segment, selection, network_.now()));
  }
  return rows;
}

void NodeProcess::slow_down(int64_t sync_ns_max, Instant end) {
  sync_ns_max_ = sync_ns_max;
  slow_until_ = end;
}

void NodeProcess::slow_sweeps(int64_t pause_ns_max, Instant end) {
  sweep_pause_ns_max_ = pause_ns_max;
  sweeps_slow_until_ = end;
}

void NodeProcess::put_back(const std::map<std::string, std::string>& image) {
  disk_.put_back(image);
  granted_ = 0;
}

void NodeProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  node::Effects out;
  core_->on_up(peer, info, endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  node::Effects out;
  holds_.on_down(peer, endpoint_->now());
  core_->on_down(peer, endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) {
  count_arrival(operation.header());
  holds_.on_operation(peer, operation);
  node::Effects out;
  core_->on_operation(peer, std::move(operation), endpoint_->now(), out);
  carry_out(std::move(out));
}

void NodeProcess::count_arrival(const wire::v1::OperationHeader& header) const {
  const uint64_t first = header.kind() == wire::v1::OPERATION_KIND_UPDATE ? header.update().timestamp()
                                                                          : header.update().first_timestamp();
  if (first > raw(core_->accepted()) + 1) {
    configuration_.faults->count(FaultPoint::kOvertaken);
  } else if (first > 0 && header.update().timestamp() <= raw(core_->accepted())) {
    configuration_.faults->count(FaultPoint::kDuplicate);
  }
}

void NodeProcess::on_result(rpc::PeerId /*peer*/, wire::v1::Result&& /*result*/) {}

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

void NodeProcess::keep_from(node::SegmentIndex segment, Timestamp moment) {
  holds_.on_kept_from(moment);
  segments_[raw(segment)]->keep_from(moment);
}

node::SegmentReport NodeProcess::report(node::SegmentIndex segment) const {
  return {segments_[raw(segment)]->statistics(), -1};
}

void NodeProcess::note(const std::string& what) const { configuration_.events->note(network_.now(), name(), what); }

void NodeProcess::wake(uint32_t segment) {
  if (!awake_[segment] && !is_recovering_) {
    awake_[segment] = true;
    const int64_t slow_ns_max = network_.now() < sweeps_slow_until_ ? sweep_pause_ns_max_ : 0;
    const int64_t pause_ns = network_.random().between(0, 3 * kMillisecond + slow_ns_max);
    endpoint_->post_at(after(network_.now(), pause_ns), [this, segment] { sweep(segment); });
  }
}

void NodeProcess::sweep(uint32_t segment) {
  awake_[segment] = false;
  node::Effects out;
  do {
    segments_[segment]->step(endpoint_->now(), {.chunks_max = 1});
    while (auto output = segments_[segment]->dequeue()) {
      core_->on_output(node::SegmentIndex{segment}, std::move(*output), endpoint_->now(), out);
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
  endpoint_->set_hello(hello());
  persist_epochs(effects);
  keep_log(effects.log, effects.outcomes);
  const Instant wake_at = effects.wake_at;
  for (auto& [peer, result] : effects.results) {
    if (is_older()) {
      forget_moments(result);
    }
    holds_.on_result(peer, result, endpoint_->now());
    if (result.has_epoch() && result.epoch().granted() && result.epoch().epoch() > granted_) {
      granted_ = result.epoch().epoch();
      note(fmt::format("grants epoch {} to {}", granted_, result.epoch().holder()));
    }
  }
  if (!broken_hold_) {
    broken_hold_ = holds_.complaint(endpoint_->now());
  }
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

void NodeProcess::persist_epochs(node::Effects& effects) {
  while (!effects.epochs.empty()) {
    for (const node::EpochRecord& record : std::exchange(effects.epochs, {})) {
      if (const auto written = durability::write_epoch(disk_, record); !written) {
        core_->on_epoch_failed(record.epoch, written.error(), effects);
      } else {
        core_->on_epoch_persisted(record.epoch, endpoint_->now(), effects);
      }
    }
  }
}

void NodeProcess::keep_log(const std::vector<node::LogRecord>& records,
                           const std::vector<node::OutcomeRecord>& outcomes) {
  if (log_ == nullptr || (records.empty() && outcomes.empty())) {
    return;
  }
  log_->append(records);
  log_->append_outcomes(outcomes, core_->applied());
  if (is_stuck_) {
    return;  // Whatever waits is tried together.
  }
  appended_at_ = after(std::max(appended_at_, network_.now()), network_.random().between(0, 3 * kMillisecond));
  endpoint_->post_at(appended_at_, [this] { write_log(); });
}

void NodeProcess::write_log() {
  const auto written = log_->write();
  // Some may have been, before the disk refused; and to end a file, it is synced.
  node::Effects effects;
  core_->on_appended(log_->written(), endpoint_->now(), effects);
  core_->on_durable(log_->durable(), endpoint_->now(), effects);
  if (!written) {
    on_refused(written.error());
    carry_out(std::move(effects));
    return;
  }
  prepare_files();
  // Whatever is written later is synced later: all wait equally long.
  const int64_t sync_ns =
      network_.now() < slow_until_ ? network_.random().between(kSyncNs, std::max(kSyncNs, sync_ns_max_)) : kSyncNs;
  endpoint_->post_at(after(network_.now(), sync_ns), [this] { sync_log(); });
  carry_out(std::move(effects));
}

/// As a thread beside the log's does.
void NodeProcess::prepare_files() {
  for (durability::RecordLog* log : {&log_->updates(), &log_->outcomes()}) {
    if (log->wants_prepared() && network_.random().chance(0.3)) {
      if (auto file = durability::prepare_file(disk_, log->prepared_name(), log->file_bytes())) {
        log->give_prepared(std::move(*file));
      }
    }
  }
}

void NodeProcess::sync_log() {
  Result<void> synced = log_->sync();
  if (synced && network_.random().chance(0.3)) {
    synced = log_->sync_outcomes();
  }
  if (!synced) {
    on_refused(synced.error());
    return;
  }
  node::Effects effects;
  if (std::exchange(is_stuck_, false)) {
    core_->on_log_stuck(std::nullopt);
  }
  core_->on_durable(log_->durable(), endpoint_->now(), effects);
  carry_out(std::move(effects));
}

// ---- checkpoints ----

void NodeProcess::begin_checkpoints() {
  if (configuration_.has_log) {
    endpoint_->post_at(after(network_.now(), network_.random().between(0, kCheckpointNsMax)),
                       [this] { make_checkpoint(); });
  }
}

void NodeProcess::wake_all() {
  for (uint32_t segment = 0; segment < segments_.size(); ++segment) {
    wake(segment);
  }
}

void NodeProcess::make_checkpoint() {
  using State = durability::CheckpointWriter::State;
  int64_t pause_ns_max = kCheckpointStepNsMax;
  if (checkpoints_->state() == State::kIdle) {
    checkpoints_->begin();
    for (const auto& segment : segments_) {
      CHECK(segment->begin_checkpoint());
    }
    wake_all();
  } else if (checkpoints_->state() == State::kWriting) {
    checkpoints_->step();
  } else {
    commit_checkpoint();
    pause_ns_max = checkpoints_->state() == State::kIdle ? kCheckpointNsMax : pause_ns_max;
  }
  endpoint_->post_at(after(network_.now(), network_.random().between(0, pause_ns_max)), [this] { make_checkpoint(); });
}

/// As soon as the log has all that its chunks have.
void NodeProcess::commit_checkpoint() {
  if (log_->settled() < checkpoints_->highest()) {
    if (!is_stuck_) {
      static_cast<void>(log_->sync_outcomes());
    }
    return;
  }
  if (checkpoints_->commit(durability::log_note(log_->outcomes().last_durable_record()))) {
    note(fmt::format("checkpoint {} is current: {} to {}", checkpoints_->status().number,
                     raw(checkpoints_->status().lowest), raw(checkpoints_->status().highest)));
    on_checkpoint_();
    static_cast<void>(log_->release(std::min(checkpoints_->status().lowest, core_->forgotten())));
  }
}

void NodeProcess::on_refused(const Error& error) {
  note("its disk refuses: " + error.message);
  is_stuck_ = true;
  core_->on_log_stuck(error);
  endpoint_->post_at(after(network_.now(), kRetryNs), [this] { write_log(); });
}

}  // namespace daedalus::testing

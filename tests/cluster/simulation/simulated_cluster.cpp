// The cluster, and its traffic.
#include "simulated_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::testing {

namespace {

/// Submission ids of the client, and of the writer's own process.
const std::string kClient(16, 'c');
const std::string kWritersOwn(16, 'w');
constexpr int64_t kSubmissionPatienceNs = 20 * kSecond;
/// How far back a moment lies that a question names.
constexpr uint64_t kMomentsBack = 12;
/// Above the time in which the writer repeats its mark.
constexpr int64_t kFreshnessNsMin = 700 * kMillisecond;
constexpr int64_t kFreshnessNsMax = 3 * kSecond;

/// Sessions draw their ids; those of others are one letter again and again.
bool is_of_session(const SubmissionKey& submission) {
  const std::string& client = submission.first;
  return client != std::string(client.size(), client.front());
}

rpc::SimulationOptions network_options(const RunOptions& options) {
  rpc::SimulationOptions network;
  network.seed = options.seed;
  network.reset_probability = options.has_faults ? 0.0003 : 0;
  return network;
}

/// Room in any segment for every row that may come there, in chunks of 64 rows.
uint64_t segment_bytes(const RunOptions& options) {
  if (options.is_tight) {
    return 8u << 10;
  }
  const uint64_t segments = options.topology.nodes * options.topology.partitions_per_node * options.topology.segments;
  const uint64_t of_one = [&]() -> uint64_t {
    switch (options.shape) {
      case TableShape::kSmall:
        return 64u << 10;
      case TableShape::kWide:
        return 4u << 20;
      case TableShape::kManyColumns:
        return 2u << 20;
    }
    return 0;
  }();
  return std::max<uint64_t>(of_one, of_one * 8 / segments);
}

/// This build's, and one version more, with which the operator came that asks for a remainder.
const semantics::Language& later_language() {
  static const semantics::Language language = [] {
    const semantics::Language& own = semantics::Language::own();
    const semantics::ArgumentKind kinds[] = {{semantics::TypeKind::kBigint}, {semantics::TypeKind::kBigint}};
    const auto remainder = semantics::resolve_function("%", /*is_operator=*/true, kinds);
    CHECK(remainder.has_value());
    std::vector<uint64_t> hashes = own.hashes();
    hashes.push_back(own.hash() + 1);
    std::vector<semantics::LaterNumber> later = own.later();
    later.push_back({semantics::LanguageKind::kFunction, static_cast<uint32_t>((*remainder)->id), own.version() + 1});
    return semantics::Language(std::move(hashes), later);
  }();
  return language;
}

ClusterConfiguration configure(const RunOptions& options) {
  ClusterConfiguration configuration;
  if (options.has_older_node) {
    configuration.language = &later_language();
  }
  configuration.schema = std::make_shared<const semantics::Schema>(simulated_schema(options.shape));
  configuration.segments = options.topology.segments;
  configuration.segment_bytes = segment_bytes(options);
  configuration.sabotage = options.sabotage;
  configuration.keeps_transcripts = options.keeps_transcript;
  configuration.has_log = options.has_log;
  configuration.journals_late = options.journals_late;
  configuration.events = std::make_shared<EventLog>(options.on_event);
  configuration.shape_handles = options.shape_handles;
  configuration.map = std::make_shared<const contract::PartitionMap>(map_of(options.topology));
  for (uint32_t node = 0; node < options.topology.nodes; ++node) {
    configuration.nodes.push_back(fmt::format("node-{}:1", node));
  }
  for (uint32_t aggregator = 0; aggregator < options.topology.aggregators; ++aggregator) {
    configuration.aggregators.push_back(fmt::format("aggregator-{}:1", aggregator));
  }
  configuration.writer = "writer:1";
  return configuration;
}

}  // namespace

SimulatedCluster::SimulatedCluster(const RunOptions& options)
    : options_(options),
      network_(network_options(options)),
      configuration_(configure(options)),
      workload_(*configuration_.schema, *configuration_.map, network_.random()),
      table_(*configuration_.schema, *configuration_.map, configuration_.segments) {
  for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
    nodes_.push_back(std::make_unique<NodeProcess>(configuration_, NodeId{node}, network_));
  }
  if (options.is_tight) {
    table_.set_room(nodes_.front()->rows_per_segment());
    note("table", fmt::format("{} rows in a segment", nodes_.front()->rows_per_segment()));
  }
  power_points_.resize(nodes_.size());
  for (const std::string& aggregator : configuration_.aggregators) {
    aggregators_.push_back(std::make_unique<AggregatorProcess>(configuration_, aggregator, network_));
  }
  start_writer(writer_options(configuration_));
  client_ = std::make_unique<ClientProcess>(configuration_, "client:1", configuration_.aggregators, kClient, network_,
                                            [this](const SubmissionReport& report) { on_report(report); });
}

SimulatedCluster::~SimulatedCluster() = default;

RunReport SimulatedCluster::run() {
  if (!network_.run_until([this] { return writer().model().phase() == WriterModel::Phase::kActive; }, 60 * kSecond)) {
    violation("the writer did not become active within a minute of quiet network");
    return std::move(report_);
  }
  traffic_end_ = after(network_.now(), options_.duration_ns);
  schedule_traffic();
  if (options_.has_faults) {
    schedule_faults();
  }
  schedule_story();
  network_.run_for(options_.duration_ns);
  settle();
  judge_first_writer();
  judge_answers(*client_);
  if (older_client_) {
    judge_answers(*older_client_);
  }
  sessions_->judge();
  judge_order();
  judge_nodes();
  judge_final_state();
  judge_slots();
  const auto& faults = submissions_.faults();
  report_.violations.insert(report_.violations.end(), faults.begin(), faults.end());
  report_.updates_confirmed = submissions_.confirmed_count();
  report_.event_hash = network_.event_hash();
  for (uint64_t resets = network_.resets(); resets > 0; --resets) {
    count(FaultPoint::kResetMidway);
  }
  report_.faults = *configuration_.faults;
  report_.sessions = sessions_->counts();
  report_.last_events = configuration_.events->last();
  report_.transcript = writers_.front()->transcript().text();
  return std::move(report_);
}

void SimulatedCluster::violation(std::string text) {
  note("judge", "VIOLATION: " + text);
  report_.violations.push_back(std::move(text));
}

void SimulatedCluster::note(const std::string& who, const std::string& what) {
  configuration_.events->note(network_.now(), who, what);
}

// ---- traffic ----

void SimulatedCluster::at_any_time(void (SimulatedCluster::*what)()) {
  network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)),
              [this, what] { (this->*what)(); });
}

void SimulatedCluster::schedule_traffic() {
  for (uint32_t update = 0; update < options_.updates; ++update) {
    at_any_time(&SimulatedCluster::submit_update);
  }
  for (uint32_t query = 0; query < options_.queries; ++query) {
    at_any_time(&SimulatedCluster::ask);
  }
  for (uint32_t query = 0; query < options_.too_wide_queries; ++query) {
    at_any_time(&SimulatedCluster::ask_too_wide);
  }
  for (uint32_t hold = 0; hold < options_.holds; ++hold) {
    at_any_time(&SimulatedCluster::hold);
  }
  for (uint32_t act = 0; act < options_.session_reads; ++act) {
    at_any_time(&SimulatedCluster::read_by_session);
  }
  for (uint32_t act = 0; act < options_.session_writes; ++act) {
    at_any_time(&SimulatedCluster::write_by_session);
  }
}

void SimulatedCluster::submit_update() {
  if (is_paused_) {
    return;
  }
  if (network_.random().chance(0.1)) {
    submit_by_clock();
    return;
  }
  const auto update = workload_.next_update();
  const uint64_t number = submissions_.add(update.parts, update.body);
  note("application", fmt::format("submits {}: {}", number, update.text.value_or("(what SQL cannot say)")));
  if (network_.random().chance(0.5) || writer().is_down() || network_.frozen(configuration_.writer)) {
    submit_from_client(number, update);
  } else {
    submit_from_writer(number, update);
  }
}

/// An INSERT with now(): each sending may be compiled by another clock, and the first that is numbered counts.
void SimulatedCluster::submit_by_clock() {
  const auto update = workload_.next_update_by_clock(draw_wall_clock());
  const uint64_t number =
      submissions_.add_by_clock(update.parts, update.body, update.by_clock->otherwise, update.by_clock->otherwise_body);
  by_clock_[number] = {update.by_clock->before_us, network_.now()};
  note("application", fmt::format("submits {}: {}", number, *update.text));
  submissions_.expect_returned(number, update.returning);
  client_->submit(number, update, true, kSubmissionPatienceNs);
}

void SimulatedCluster::judge_clock(uint64_t submission, bool is_otherwise) {
  const auto found = by_clock_.find(submission);
  if (found == by_clock_.end()) {
    return;
  }
  const auto [before_us, submitted_at] = found->second;
  ++(is_otherwise ? report_.updates_after : report_.updates_before);
  for (const auto& aggregator : aggregators_) {
    for (const int64_t read_us : aggregator->wall_clock_read(submitted_at, network_.now())) {
      if ((read_us >= before_us) == is_otherwise) {
        return;
      }
    }
  }
  violation(fmt::format("submission {} was compiled by a time that no wall clock said", submission));
}

void SimulatedCluster::submit_from_client(uint64_t number, const Workload::Update& update) {
  const bool is_short = options_.has_faults && network_.random().chance(0.1);
  const bool is_text = network_.random().chance(0.6);
  if (is_text) {
    submissions_.expect_returned(number, update.returning);
  }
  client_->submit(number, update, is_text,
                  is_short ? network_.random().between(1, 50) * kMillisecond : kSubmissionPatienceNs);
}

void SimulatedCluster::on_report(const SubmissionReport& report) {
  note("client",
       fmt::format("is told of {}: {}", report.number, report.confirmed ? "confirmed" : report.error->message()));
  if (report.confirmed) {
    submissions_.on_told_confirmed(report.number, *report.confirmed);
  } else if (report.error->category() == wire::v1::ERROR_CATEGORY_UNKNOWN) {
    ++report_.updates_unknown;
  } else {
    submissions_.on_denied(report.number, report.error->message());
    if (report.error->category() == wire::v1::ERROR_CATEGORY_REJECTED) {
      violation("a sound update was rejected: " + report.error->message());
    }
  }
}

void SimulatedCluster::submit_from_writer(uint64_t number, const Workload::Update& update) {
  WriterProcess& writer = this->writer();
  Submission submission{.key = {kWritersOwn, number},
                        .epoch = writer.model().epoch(),
                        .numbered_after = raw(writer.model().last_numbered())};
  if (network_.random().chance(0.05)) {
    submit_too_early(submission, update);
  }
  if (const auto refusal = writer.submit(submission, update.body, update.routes)) {
    submissions_.on_denied(number, refusal->error.message);
    return;
  }
  submission.is_repeated = true;
  submitted_.emplace_back(submission, update);
  if (network_.random().chance(0.1)) {
    CHECK(!writer.submit(submission, update.body, update.routes));  // Repeated under its id: no second effect.
  }
  if (network_.random().chance(0.1)) {
    repeat_old();
  }
}

/// By a client that knows another writer, or the time before it.
void SimulatedCluster::submit_too_early(Submission submission, const Workload::Update& update) {
  if (writer().model().phase() != WriterModel::Phase::kActive) {
    return;
  }
  submission.epoch = writer().model().first_epoch() - 1;
  submission.is_repeated = network_.random().chance(0.5);
  const auto refusal = writer().submit(submission, update.body, update.routes);
  if (!refusal || refusal->is_stale == submission.is_repeated) {
    violation(fmt::format("submission {} of another epoch was not refused as such", submission.key.second));
  }
}

/// Repeats a submission that may have been forgotten since: its outcome is told, or that nobody knows it; it is never
/// taken for new.
void SimulatedCluster::repeat_old() {
  const auto& [submission, update] = submitted_[network_.random().below(submitted_.size())];
  const auto refusal = writer().submit(submission, update.body, update.routes);
  const bool is_raising = writer().model().phase() == WriterModel::Phase::kIdle ||
                          writer().model().phase() == WriterModel::Phase::kInquiring ||
                          writer().model().phase() == WriterModel::Phase::kProbing ||
                          writer().model().phase() == WriterModel::Phase::kRaising;
  // A writer with an old journal does not know it, and may have no room for what looks new.
  const bool may_be_put_off = is_raising || is_blind_;
  if (may_be_put_off && refusal && refusal->error.category == ErrorCategory::kRetry) {
    return;  // Nothing came of this sending; of others nothing is said.
  }
  if (refusal && refusal->error.category != ErrorCategory::kUnknown) {
    violation(fmt::format("submission {}, repeated, was refused: {}", submission.key.second, refusal->error.message));
  }
}

ClientProcess::Manner SimulatedCluster::draw_manner() {
  rpc::Random& random = network_.random();
  ClientProcess::Manner manner;
  manner.is_text = random.chance(0.5);
  manner.is_prepared = random.chance(0.5);
  manner.prefix_promised = submissions_.confirmed();
  if (random.chance(0.25)) {
    // Demands a number that has been given but may be anywhere; with an answer that is of it, no node was asked too
    // early.
    manner.prefix_demanded = table_.last();
  }
  manner.is_of_session = random.chance(0.4);
  const uint64_t confirmed = raw(manner.prefix_promised);
  const bool may_name =
      !manner.is_of_session && !options_.has_older_node;  // An older node answers at none of the past.
  if (may_name && confirmed > 0 && random.chance(0.15)) {
    manner.at = Timestamp{confirmed - random.below(std::min(confirmed, kMomentsBack))};
    manner.prefix_promised = manner.prefix_demanded = {};
  }
  if (random.chance(0.1)) {
    manner.freshness_ns = random.between(kFreshnessNsMin, kFreshnessNsMax);
  }
  if (options_.has_faults && random.chance(0.15)) {
    manner.remaining_ns = random.between(1, 30) * kMillisecond;
  }
  if (options_.has_faults && random.chance(0.1)) {
    manner.abort_after_ns = random.between(0, 10 * kMillisecond);
  }
  manner.has_older_map = options_.story == Story::kOlderMap && !manner.is_text && random.chance(0.1);
  if (manner.has_older_map) {
    count(FaultPoint::kOlderMapAtClient);
  }
  return manner;
}

void SimulatedCluster::ask() {
  auto query = workload_.next_query();
  const ClientProcess::Manner manner = draw_manner();
  if (manner.is_text && network_.random().chance(0.25)) {
    query = workload_.until(query, draw_wall_clock());
  }
  note("application", "asks: " + query.text);
  client_->ask(query, manner, network_.random().next());
}

// ---- sessions of PostgreSQL's protocol ----

std::unique_ptr<SessionTraffic> SimulatedCluster::make_sessions() {
  return std::make_unique<SessionTraffic>(
      SessionTraffic::World{network_, configuration_, aggregators_, workload_, submissions_,
                            [this](const ClientProcess::Answer& answer) { return complaints(answer); },
                            [this](const ClientProcess::Answer& answer) { return refusal_complaints(answer); },
                            [this](const std::string& who, const std::string& what) { note(who, what); },
                            [this](std::string text) { violation(std::move(text)); }, options_.has_faults});
}

void SimulatedCluster::write_by_session() {
  if (!is_paused_) {
    sessions_->write();
  }
}

uint64_t SimulatedCluster::number_of(const SubmissionKey& submission, const std::string& body) {
  return is_of_session(submission) ? sessions_->submission_of(submission, body) : submission.second;
}

uint64_t SimulatedCluster::number_of(const SubmissionKey& submission) const {
  return is_of_session(submission) ? sessions_->submission_of(submission) : submission.second;
}

/// Around what some aggregator's wall clock says now.
int64_t SimulatedCluster::draw_wall_clock() {
  constexpr int64_t kDayUs = 24LL * 3600 * 1'000'000;
  rpc::Random& random = network_.random();
  const int64_t now_us = aggregators_[random.below(aggregators_.size())]->wall_clock_us();
  return now_us + (random.chance(0.5) ? random.between(-5'000'000, 5'000'000) : random.between(-20, 20) * kDayUs);
}

void SimulatedCluster::ask_too_wide() {
  ClientProcess::Manner manner;
  manner.is_text = network_.random().chance(0.5);
  manner.is_prepared = network_.random().chance(0.5);
  manner.prefix_promised = submissions_.confirmed();
  client_->ask(workload_.too_wide_query(), manner, network_.random().next());
}

}  // namespace daedalus::testing

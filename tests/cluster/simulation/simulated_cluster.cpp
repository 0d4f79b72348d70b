#include "simulated_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "plain_answer.hpp"

namespace daedalus::testing {

namespace {

const std::string kClient(16, 'c');

rpc::SimulationOptions network_options(const RunOptions& options) {
  rpc::SimulationOptions network;
  network.seed = options.seed;
  network.reset_probability = options.has_faults ? 0.0003 : 0;
  return network;
}

/// Room for every row that a run inserts, in chunks of 64 rows.
uint64_t segment_bytes(TableShape shape) {
  switch (shape) {
    case TableShape::kSmall:
      return 64u << 10;
    case TableShape::kWide:
      return 4u << 20;
    case TableShape::kManyColumns:
      return 1u << 20;
  }
  return 0;
}

ClusterConfiguration configure(const RunOptions& options) {
  ClusterConfiguration configuration;
  configuration.schema = std::make_shared<const semantics::Schema>(simulated_schema(options.shape));
  configuration.segment_bytes = segment_bytes(options.shape);
  configuration.fault = options.planted;
  const Placement placement = options.seed % 2 == 0 ? Placement::kHash : Placement::kRoundRobin;
  configuration.map = std::make_shared<const contract::PartitionMap>(small_map(options.nodes, placement));
  for (uint32_t node = 0; node < options.nodes; ++node) {
    configuration.nodes.push_back(fmt::format("node-{}:1", node));
  }
  for (uint32_t aggregator = 0; aggregator < options.aggregators; ++aggregator) {
    configuration.aggregators.push_back(fmt::format("aggregator-{}:1", aggregator));
  }
  configuration.writer = "writer:1";
  return configuration;
}

}  // namespace

TableShape shape_of(uint64_t seed) {
  switch (seed % 32) {
    case 5:
      return TableShape::kWide;
    case 10:
      return TableShape::kManyColumns;
    default:
      return TableShape::kSmall;
  }
}

SimulatedCluster::SimulatedCluster(const RunOptions& options)
    : options_(options),
      network_(network_options(options)),
      configuration_(configure(options)),
      workload_(*configuration_.schema, *configuration_.map, network_.random()),
      table_(*configuration_.schema, *configuration_.map, configuration_.segments) {
  for (uint32_t node = 0; node < options.nodes; ++node) {
    nodes_.push_back(std::make_unique<NodeProcess>(configuration_, NodeId{node}, network_));
  }
  for (uint32_t aggregator = 0; aggregator < options.aggregators; ++aggregator) {
    aggregators_.push_back(std::make_unique<AggregatorProcess>(configuration_, aggregator, network_));
  }
  writer_ = std::make_unique<WriterProcess>(configuration_, network_,
                                            [this](const SubmissionOutcome& outcome) { on_outcome(outcome); });
  client_ = std::make_unique<ClientProcess>(configuration_, "client:1", network_);
}

SimulatedCluster::~SimulatedCluster() = default;

RunReport SimulatedCluster::run() {
  if (!network_.run_until([this] { return writer_->model().phase() == WriterModel::Phase::kActive; }, 60 * kSecond)) {
    violation("the writer did not become active within a minute of quiet network");
    return std::move(report_);
  }
  schedule_updates();
  schedule_queries();
  if (options_.has_faults) {
    schedule_faults();
  }
  network_.run_for(options_.duration_ns);
  settle();
  judge_answers();
  judge_order();
  judge_final_state();
  report_.event_hash = network_.event_hash();
  report_.transcript = writer_->transcript().text();
  return std::move(report_);
}

// ---- traffic ----

void SimulatedCluster::schedule_updates() {
  for (uint32_t update = 0; update < options_.updates; ++update) {
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)), [this] { submit_update(); });
  }
}

void SimulatedCluster::submit_update() {
  const auto update = workload_.next_update();
  const Timestamp before = writer_->model().last_numbered();
  Submission submission{
      .key = {kClient, next_submission_++}, .epoch = writer_->model().epoch(), .numbered_after = raw(before)};
  if (network_.random().chance(0.05)) {
    submit_too_early(submission, update);
  }
  if (writer_->submit(submission, update.body, update.routes)) {
    return;  // Refused: it has no number, and nobody was promised anything.
  }
  table_.apply(update.parts);
  CHECK(table_.last() == next(before));
  unconfirmed_.insert(table_.last());
  timestamps_[submission.key.second] = table_.last();
  submission.is_repeated = true;
  submitted_.emplace_back(submission, update);
  if (network_.random().chance(0.1)) {
    CHECK(!writer_->submit(submission, update.body, update.routes));  // Repeated under its id: no second effect.
  }
  if (network_.random().chance(0.1)) {
    repeat_old();
  }
}

/// By a client that knows another writer, or the time before it.
void SimulatedCluster::submit_too_early(Submission submission, const Workload::Update& update) {
  const Timestamp before = writer_->model().last_numbered();
  submission.epoch -= 1;
  submission.is_repeated = network_.random().chance(0.5);
  const auto refusal = writer_->submit(submission, update.body, update.routes);
  if (writer_->model().last_numbered() != before || !refusal || refusal->is_stale == submission.is_repeated) {
    violation(fmt::format("submission {} of another epoch was not refused as such", submission.key.second));
  }
}

/// What may have been forgotten since: its outcome is told, or that nobody knows it; it is never taken for new.
void SimulatedCluster::repeat_old() {
  const auto& [submission, update] = submitted_[network_.random().below(submitted_.size())];
  const Timestamp before = writer_->model().last_numbered();
  const auto refusal = writer_->submit(submission, update.body, update.routes);
  if (writer_->model().last_numbered() != before || (refusal && refusal->error.category != ErrorCategory::kUnknown)) {
    violation(fmt::format("submission {}, repeated, {}", submission.key.second,
                          refusal ? "was refused: " + refusal->error.message : "got another number"));
  }
}

void SimulatedCluster::on_outcome(const SubmissionOutcome& outcome) {
  const Timestamp timestamp = timestamps_.at(outcome.submission.second);
  if (!outcome.confirmed) {
    violation(fmt::format("update {} ended in error: {}", raw(timestamp), outcome.error->message));
    return;
  }
  add(judge_.confirmation(timestamp, *outcome.confirmed));
  if (unconfirmed_.erase(timestamp) == 0) {
    return;  // The outcome of a repeated submission, told again.
  }
  ++report_.updates_confirmed;
  confirmed_ = unconfirmed_.empty() ? table_.last() : Timestamp{raw(*unconfirmed_.begin()) - 1};
}

void SimulatedCluster::schedule_queries() {
  for (uint32_t query = 0; query < options_.queries; ++query) {
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)), [this] { ask(); });
  }
  for (uint32_t query = 0; query < options_.too_wide_queries; ++query) {
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)), [this] {
      client_->ask(workload_.too_wide_query(), confirmed_, 5 * kSecond, network_.random().next());
    });
  }
}

void SimulatedCluster::ask() {
  client_->ask(workload_.next_query(), confirmed_, 5 * kSecond, network_.random().next());
}

// ---- faults ----

void SimulatedCluster::schedule_faults() {
  for (int fault_number = 0; fault_number < 7; ++fault_number) {
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)), [this] { fault(); });
  }
}

void SimulatedCluster::fault() {
  rpc::Random& random = network_.random();
  const std::string aggregator = configuration_.aggregators[random.below(options_.aggregators)];
  const std::string others[] = {configuration_.nodes[random.below(options_.nodes)],
                                configuration_.nodes[random.below(options_.nodes)], configuration_.writer, "client:1"};
  const std::string& other = others[random.below(4)];
  const Instant end = after(network_.now(), random.between(10 * kMillisecond, 3 * kSecond));
  const auto notice = static_cast<rpc::Notice>(random.below(3));
  switch (random.below(5)) {
    case 0:
      network_.reset(aggregator, other, notice);
      break;
    case 1:
      network_.cut(aggregator, other, notice);
      network_.at(end, [this, aggregator, other] { network_.heal(aggregator, other); });
      break;
    case 2:
      network_.blackhole(aggregator, other);
      network_.at(end, [this, aggregator, other] { network_.heal(aggregator, other); });
      break;
    case 3:
      network_.blackhole(other, aggregator);
      network_.at(end, [this, aggregator, other] { network_.heal(aggregator, other); });
      break;
    default:
      aggregators_[random.below(options_.aggregators)]->crash_and_restart();
  }
}

// ---- judgement ----

void SimulatedCluster::settle() {
  network_.heal_all();
  network_.set_reset_probability(0);
  network_.run_for(10 * kSecond);  // Silent connections are found dead and dialled again.
  const auto is_settled = [this] {
    return writer_->model().settled_through() == writer_->model().last_numbered() && client_->in_flight() == 0 &&
           unconfirmed_.empty();
  };
  if (!network_.run_until(is_settled, 60 * kSecond)) {
    violation(
        fmt::format("after the network healed, nodes settled at {} of {}, {} updates are unconfirmed, {} queries open",
                    raw(writer_->model().settled_through()), raw(writer_->model().last_numbered()), unconfirmed_.size(),
                    client_->in_flight()));
  }
}

void SimulatedCluster::judge_answers() {
  for (const auto& answer : client_->answers()) {
    judge(answer);
  }
  client_->answers().clear();
}

void SimulatedCluster::judge_too_wide(const ClientProcess::Answer& answer) {
  if (answer.has_end) {
    violation("a query whose rows could be larger than a row may be was answered");
  } else if (answer.error && answer.error->sqlstate() == "54000") {
    ++report_.queries_too_wide;
  } else {
    ++report_.queries_failed;
  }
}

void SimulatedCluster::judge(const ClientProcess::Answer& answer) {
  if (answer.given.question.kind == Question::Kind::kTooWide) {
    judge_too_wide(answer);
    return;
  }
  if (!answer.has_end) {
    ++report_.queries_failed;
    if (answer.error && answer.error->message().empty()) {
      violation("a query failed without a word");
    }
    return;
  }
  ++report_.queries_complete;
  add(judge_.answer(answer.given));
}

void SimulatedCluster::add(const std::vector<std::string>& violations) {
  report_.violations.insert(report_.violations.end(), violations.begin(), violations.end());
}

void SimulatedCluster::judge_order() {
  for (const auto& node : nodes_) {
    const auto& admitted = node->admitted();
    for (size_t index = 1; index < admitted.size(); ++index) {
      if (admitted[index] <= admitted[index - 1]) {
        violation(fmt::format("a node admitted {} after {}", raw(admitted[index]), raw(admitted[index - 1])));
      }
    }
    if (node->core().accepted() != table_.last() || node->core().applied() != table_.last()) {
      violation(fmt::format("a node ended at accepted {}, applied {} of {}", raw(node->core().accepted()),
                            raw(node->core().applied()), raw(table_.last())));
    }
    if (node->core().problem()) {
      violation("a node declared itself broken: " + node->core().problem()->message);
    }
  }
}

void SimulatedCluster::judge_final_state() {
  const auto query = workload_.whole_table();
  for (uint64_t which = 0; which < options_.aggregators; ++which) {
    if (!client_->ask(query, table_.last(), 10 * kSecond, which) ||
        !network_.run_until([this] { return client_->in_flight() == 0; }, 20 * kSecond) || client_->answers().empty() ||
        !client_->answers().back().has_end) {
      const bool is_answered = client_->in_flight() == 0 && !client_->answers().empty();
      violation("the whole table cannot be read in the end: " + (is_answered && client_->answers().back().error
                                                                     ? client_->answers().back().error->message()
                                                                     : std::string("no answer")));
      return;
    }
    const auto& answer = client_->answers().back();
    judge(answer);
    const auto everything = table_.select({}, table_.everything_at(table_.last()));
    if (given_rows(query.question, answer.given.rows) != answer_rows(table_.schema(), query.question, everything)) {
      violation("the table ended different from every update applied once, in order");
    }
  }
}

void SimulatedCluster::violation(std::string text) { report_.violations.push_back(std::move(text)); }

}  // namespace daedalus::testing

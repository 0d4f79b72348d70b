#include "simulated_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::testing {

namespace {

const std::string kClient(16, 'c');

rpc::SimulationOptions network_options(const RunOptions& options) {
  rpc::SimulationOptions network;
  network.seed = options.seed;
  network.reset_probability = options.has_faults ? 0.0003 : 0;
  return network;
}

ClusterConfiguration configure(const RunOptions& options) {
  ClusterConfiguration configuration;
  configuration.schema = std::make_shared<const semantics::Schema>(small_schema());
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

std::vector<std::string> sorted_rows(const std::string& rows) {
  std::vector<std::string> sorted;
  semantics::PackedRows packed(rows);
  for (auto row = packed.next(); row && *row; row = packed.next()) {
    std::string& copy = sorted.emplace_back();
    const auto size = static_cast<uint32_t>((*row)->size());
    copy.append(reinterpret_cast<const char*>(&size), sizeof size).append(**row);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

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
  const uint64_t timestamp = raw(before) + 1;
  expected_[timestamp] = table_.apply(update.body);
  timestamps_[submission.key.second] = timestamp;
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
  const uint64_t timestamp = timestamps_[outcome.submission.second];
  if (!outcome.confirmed) {
    violation(fmt::format("update {} ended in error: {}", timestamp, outcome.error->message));
    return;
  }
  const auto expected = expected_.find(timestamp);
  if (expected == expected_.end()) {
    return;  // The outcome of a repeated submission, told again.
  }
  PlainOutcome sum;
  for (const auto& part : outcome.confirmed->outcomes()) {
    sum.rows_matched += part.rows_matched();
    sum.rows_applied += part.rows_applied();
    for (const auto& refused : part.refused()) {
      sum.rows_overflowed += refused.reason() == wire::v1::ROW_REFUSAL_OVERFLOW ? refused.row_count() : 0;
    }
  }
  const PlainOutcome& plain = expected->second;
  if (!outcome.confirmed->outcome_forgotten() &&
      (sum.rows_matched != plain.rows_matched || sum.rows_applied != plain.rows_applied ||
       sum.rows_overflowed != plain.rows_overflowed)) {
    violation(fmt::format("update {} matched/applied/overflowed {}/{}/{} rows instead of {}/{}/{}", timestamp,
                          sum.rows_matched, sum.rows_applied, sum.rows_overflowed, plain.rows_matched,
                          plain.rows_applied, plain.rows_overflowed));
  }
  expected_.erase(expected);
  ++report_.updates_confirmed;
  confirmed_ = expected_.empty() ? table_.last() : Timestamp{expected_.begin()->first - 1};
}

void SimulatedCluster::schedule_queries() {
  for (uint32_t query = 0; query < options_.queries; ++query) {
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns)), [this] { ask(); });
  }
}

void SimulatedCluster::ask() {
  auto query = workload_.next_query();
  client_->ask(query.body, query.routes, std::move(query.predicate), confirmed_, 5 * kSecond, network_.random().next());
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
           expected_.empty();
  };
  if (!network_.run_until(is_settled, 60 * kSecond)) {
    violation(
        fmt::format("after the network healed, nodes settled at {} of {}, {} updates are unconfirmed, {} queries open",
                    raw(writer_->model().settled_through()), raw(writer_->model().last_numbered()), expected_.size(),
                    client_->in_flight()));
  }
}

void SimulatedCluster::judge_answers() {
  for (const auto& answer : client_->answers()) {
    judge(answer);
  }
  client_->answers().clear();
}

void SimulatedCluster::judge(const ClientProcess::Answer& answer) {
  if (!answer.end) {
    ++report_.queries_failed;
    if (answer.error && answer.error->message().empty()) {
      violation("a query failed without a word");
    }
    return;
  }
  ++report_.queries_complete;
  std::map<SegmentKey, Timestamp> prefixes;
  for (const auto& stamp : answer.end->stamps()) {
    const Timestamp prefix{stamp.applied()};
    prefixes[{stamp.partition(), stamp.segment()}] = prefix;
    // A segment that had no part in the confirmed updates may not know of them yet.
    if (prefix < answer.prefix_promised &&
        table_.changed({stamp.partition(), stamp.segment()}, prefix, answer.prefix_promised)) {
      violation(fmt::format("a query sent after update {} was confirmed saw prefix {} of partition {} segment {}",
                            raw(answer.prefix_promised), raw(prefix), stamp.partition(), stamp.segment()));
    }
  }
  const auto expected = table_.select(answer.predicate, prefixes);
  if (sorted_rows(answer.rows) != expected || answer.row_count != expected.size() ||
      answer.end->row_count() != expected.size()) {
    violation(
        fmt::format("an answer has {} rows and is not the {} rows of its prefixes", answer.row_count, expected.size()));
  }
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
    if (!client_->ask(query.body, query.routes, {}, table_.last(), 10 * kSecond, which) ||
        !network_.run_until([this] { return client_->in_flight() == 0; }, 20 * kSecond) || client_->answers().empty() ||
        !client_->answers().back().end) {
      const bool is_answered = client_->in_flight() == 0 && !client_->answers().empty();
      violation("the whole table cannot be read in the end: " + (is_answered && client_->answers().back().error
                                                                     ? client_->answers().back().error->message()
                                                                     : std::string("no answer")));
      return;
    }
    judge(client_->answers().back());
    if (sorted_rows(client_->answers().back().rows) != table_.select({}, table_.last())) {
      violation("the table ended different from every update applied once, in order");
    }
  }
}

void SimulatedCluster::violation(std::string text) { report_.violations.push_back(std::move(text)); }

}  // namespace daedalus::testing

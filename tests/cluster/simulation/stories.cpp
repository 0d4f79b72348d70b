// Tells what happens once in a run: a node that is lost, a writer that takes over, processes with an older partition
// map.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

const std::string kOlderClient(16, 'o');
/// How long a second writer waits for a quiet moment before it takes over all the same.
constexpr int64_t kQuietNs = 4 * kSecond;
constexpr int64_t kStoryLookNs = 50 * kMillisecond;
constexpr int64_t kStoryDownNsMax = 1500 * kMillisecond;
/// How long aggregators take at most to find a node that has started again.
constexpr int64_t kFoundAgainNs = 3 * kSecond;
constexpr double kAskedBehindConfirmation = 0.15;

}  // namespace

void SimulatedCluster::schedule_story() {
  const Instant when =
      after(network_.now(), network_.random().between(options_.duration_ns / 5, options_.duration_ns * 3 / 5));
  switch (options_.story) {
    case Story::kNone:
      return;
    case Story::kNodeIsLost:
      network_.at(when, [this] { options_.has_log ? kill_everybody() : lose_node(); });
      return;
    case Story::kTakeOver:
      network_.at(when, [this] { prepare_take_over(); });
      return;
    case Story::kOlderMap:
      start_older();
      return;
    case Story::kDiskLies:
      network_.at(when, [this] { prepare_lie(); });
      return;
    case Story::kOldJournal:
      network_.at(when, [this] { prepare_old_journal(); });
      return;
    case Story::kRottenJournal:
      network_.at(when, [this] { watch_for_rot(); });
  }
}

// ---- a node that is lost ----

void SimulatedCluster::lose_node() {
  rpc::Random& random = network_.random();
  lost_node_ = static_cast<uint32_t>(random.below(nodes_.size()));
  lost_at_ = network_.now();
  count(FaultPoint::kRowsLost);
  kill_node(*lost_node_);
}

void SimulatedCluster::kill_node(uint32_t node) {
  kill_node(node, network_.random().chance(0.5) ? FaultPoint::kNodeKilled : FaultPoint::kNodeVanishes);
}

void SimulatedCluster::kill_node(uint32_t node, FaultPoint how) {
  if (nodes_[node]->is_down()) {
    return;
  }
  count(how);
  note(configuration_.nodes[node], "killed");
  nodes_[node]->crash(how == FaultPoint::kNodeKilled ? rpc::Notice::kBoth : rpc::Notice::kNobody);
  bring_back(node, after(network_.now(), network_.random().between(10 * kMillisecond, kStoryDownNsMax)));
}

void SimulatedCluster::bring_back(uint32_t node, Instant when) {
  network_.at(when, [this, node] {
    if (!nodes_[node]->is_down() || (has_refused_to_start_ && lied_node_ == node)) {
      return;
    }
    if (const auto failed = nodes_[node]->come_back()) {
      if (nodes_[node]->disk().is_down()) {
        bring_back(node, after(network_.now(), network_.random().between(10 * kMillisecond, kStoryDownNsMax)));
      } else {
        on_refused_to_start(node, *failed);
      }
      return;
    }
    note_confirmed(nodes_[node]->core().durable());  // Nobody may be left who knows better.
    note(configuration_.nodes[node],
         fmt::format("is back with updates up to {}", raw(nodes_[node]->core().accepted())));
    ask_behind_restart(node, after(network_.now(), kFoundAgainNs));
  });
}

/// Not where another is to take over: to have two with one journal each is another story. Nor while its journal is not
/// the newest.
void SimulatedCluster::kill_writer(FaultPoint how) {
  if (options_.story == Story::kTakeOver || writers_.size() > 1 || writer().is_down() || newest_journal_ || is_blind_) {
    return;
  }
  count(how);
  submissions_.on_writer_killed(
      writer().crash(how == FaultPoint::kWriterKilled ? rpc::Notice::kBoth : rpc::Notice::kNobody));
  network_.at(after(network_.now(), network_.random().between(10 * kMillisecond, kStoryDownNsMax)),
              [this] { writer().come_back(); });
}

void SimulatedCluster::kill_everybody() {
  count(FaultPoint::kEverybodyKilled);
  kill_writer(FaultPoint::kWriterKilled);
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    kill_node(node);
  }
  for (const auto& aggregator : aggregators_) {
    aggregator->crash_and_restart();
  }
}

// ---- a second writer ----

void SimulatedCluster::start_writer(WriterOptions options) {
  const auto index = static_cast<uint32_t>(writers_.size());
  const auto look = [this, index] {  // Before it is told of anything that it does as the writer.
    if (index > current_writer_ && writers_[index]->model().phase() == WriterModel::Phase::kActive) {
      on_taken_over(writers_[index]->model().confirmed_through());
    }
    look_at_old_journal();
  };
  WriterProcess::Listener listener;
  listener.on_numbered = [this, index, look](const SubmissionKey& submission, const std::string& body,
                                             Timestamp timestamp) {
    look();
    const uint64_t number = number_of(submission, body);
    note(configuration_.writer,
         fmt::format("{} numbers submission {} as update {}", index == 0 ? "first" : "second", number, raw(timestamp)));
    judge_clock(number, submissions_.on_compiled(number, body));
    if (is_blind_ && timestamp <= writer().model().blind_through()) {
      submissions_.on_numbered_over(number, timestamp);
    } else {
      submissions_.on_numbered(index, number, timestamp);
    }
  };
  listener.on_confirmed = [this](Timestamp through) { note_confirmed(through); };
  listener.on_outcome = [this, look](const SubmissionOutcome& outcome) {
    look();
    const uint64_t number = number_of(outcome.submission);
    note(configuration_.writer,
         fmt::format("outcome of submission {}: {}", number,
                     outcome.confirmed ? fmt::format("update {} is confirmed", outcome.confirmed->timestamp())
                                       : outcome.error->message));
    if (outcome.confirmed) {
      submissions_.on_confirmed(number, *outcome.confirmed);
      if (network_.random().chance(kAskedBehindConfirmation)) {
        ask_behind_confirmation();
      }
    } else if ((writers_.size() == 1 && !newest_journal_ && !is_blind_) ||
               outcome.error->category != ErrorCategory::kUnknown) {
      violation(fmt::format("submission {} ended in error: {}", number, outcome.error->message));
    }
  };
  writers_.push_back(
      std::make_unique<WriterProcess>(configuration_, std::move(options), network_, std::move(listener)));
}

/// Half of the time a moment is waited for in which nothing is under way: otherwise updates may have reached some nodes
/// only, and the second writer must stop.
void SimulatedCluster::prepare_take_over() {
  is_paused_ = network_.random().chance(0.6);
  if (!is_paused_) {
    take_over();
    return;
  }
  const Instant latest = after(network_.now(), kQuietNs);
  const auto look = std::make_shared<std::function<void()>>();
  *look = [this, latest, again = std::weak_ptr(look)] {
    const auto self = again.lock();
    const bool is_quiet = writer().model().settled_through() == writer().model().last_numbered();
    if (is_quiet || network_.now() >= latest) {
      take_over();
    } else {
      network_.at(after(network_.now(), kStoryLookNs), [self] { (*self)(); });
    }
  };
  (*look)();
}

void SimulatedCluster::take_over() {
  const bool is_quiet = writer().model().settled_through() == writer().model().last_numbered();
  count(is_quiet ? FaultPoint::kTakeOverInQuiet : FaultPoint::kTakeOverMidway);
  adopt();
}

/// A second writer begins behind what all nodes have.
void SimulatedCluster::adopt() {
  WriterOptions options = writer_options(configuration_);
  options.name = "writer-2";
  options.endpoint = "writer-2:1";
  options.take_over = true;
  start_writer(options);
  watch_second_writer();
}

void SimulatedCluster::watch_second_writer() {
  const WriterModel& second = writers_.back()->model();
  if (current_writer_ == 0 && second.phase() == WriterModel::Phase::kActive) {
    on_taken_over(second.confirmed_through());
  } else if (current_writer_ == 0 && second.phase() != WriterModel::Phase::kFailed) {
    network_.at(after(network_.now(), kStoryLookNs), [this] { watch_second_writer(); });
  }
  is_paused_ &= second.phase() != WriterModel::Phase::kActive && second.phase() != WriterModel::Phase::kFailed;
}

void SimulatedCluster::on_taken_over(Timestamp last) {
  current_writer_ = 1;
  report_.is_taken_over = true;
  remember_history();
  submissions_.on_take_over(current_writer_, last);
}

bool SimulatedCluster::is_rotten() const { return options_.story == Story::kRottenJournal && newest_journal_; }

bool SimulatedCluster::is_stopped() const {
  return lost_node_ || writers_.back()->model().phase() == WriterModel::Phase::kFailed;
}

// ---- an older partition map ----

void SimulatedCluster::start_older() {
  count(FaultPoint::kOlderMapAtAggregator);
  const bool tells_map = network_.random().chance(0.5);
  const std::string name = "aggregator-older:1";
  older_aggregator_ = std::make_unique<AggregatorProcess>(
      configuration_, name, std::make_shared<const contract::PartitionMap>(older_map(*configuration_.map)), tells_map,
      network_);
  writer().dial(name);
  older_client_ = std::make_unique<ClientProcess>(configuration_, "client-older:1", std::vector{name}, kOlderClient,
                                                  network_, [this](const SubmissionReport& report) {
                                                    on_report(report);
                                                    if (report.confirmed) {
                                                      violation("an aggregator with an older map took an update");
                                                    }
                                                  });
  for (int operation = 0; operation < 20; ++operation) {
    at_any_time(&SimulatedCluster::use_older);
  }
}

void SimulatedCluster::use_older() {
  if (network_.random().chance(0.3)) {
    const auto update = workload_.next_update();
    older_client_->submit(submissions_.add(update.parts, update.body), update, network_.random().chance(0.7),
                          2 * kSecond);
    return;
  }
  ClientProcess::Manner manner = draw_manner();
  // It has the map of its aggregator: it is for the nodes to see it.
  manner.has_older_map = !manner.is_text;
  older_client_->ask(workload_.next_query(), manner, 0);
}

}  // namespace daedalus::testing

// A writer's journal is what it was once: its folder was put back from a copy.
//
// A writer that looks at what nodes have says so and stops; with the newest journal it goes on, and nothing is lost.
// One that does not look (no writer of ours) numbers other updates under timestamps that nodes have: nodes refuse them,
// and it stops.
#include <fmt/format.h>

#include <algorithm>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kLookNs = 5 * kMillisecond;
constexpr int64_t kOldJournalNsMax = 300 * kMillisecond;
constexpr const char* kBrokenCluster = "F0000";

}  // namespace

void SimulatedCluster::prepare_old_journal() { watch_for_old_journal(); }

void SimulatedCluster::watch_for_old_journal() {
  if (is_time_for_old_journal()) {
    put_old_journal_back();
  } else if (network_.now() < traffic_end_) {
    network_.at(after(network_.now(), kLookNs), [this] { watch_for_old_journal(); });
  }
}

/// Nodes have more than it, and where its writer does not look, they still know what: all have the same for good, and
/// none has been told to forget any outcome that it lacks.
bool SimulatedCluster::is_time_for_old_journal() {
  if (writer().is_down() || writer().model().phase() != WriterModel::Phase::kActive) {
    return false;
  }
  const WriterModel& model = writer().model();
  if (!old_journal_ || (!options_.writer_looks && model.confirmed_said() > old_journal_confirmed_)) {
    old_journal_ = model.journal();
    old_journal_confirmed_ = model.confirmed_through();
  }
  const Timestamp old = old_journal_->last_numbered;
  const auto has_more = [&](const auto& node) { return !node->is_down() && node->core().accepted() > old; };
  if (options_.writer_looks) {
    return std::any_of(nodes_.begin(), nodes_.end(), has_more) && network_.random().chance(0.05);
  }
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
    return has_more(node) && node->core().durable() == model.last_numbered();
  });
}

void SimulatedCluster::put_old_journal_back() {
  submissions_.on_writer_killed(writer().crash(rpc::Notice::kBoth));
  newest_journal_ = writer().journal();
  writer().put_back(*old_journal_, options_.writer_looks);
  note("writer", fmt::format("its journal is put back to {} of {}", raw(old_journal_->last_numbered),
                             raw(newest_journal_->last_numbered)));
  network_.at(after(network_.now(), network_.random().between(kMillisecond, kOldJournalNsMax)), [this] {
    writer().come_back();
    look_at_old_journal();
  });
}

/// As soon as the writer with the old journal has looked, and before it numbers anything.
void SimulatedCluster::look_at_old_journal() {
  if (!newest_journal_ || writer().is_down()) {
    return;
  }
  const WriterModel& model = writer().model();
  if (model.phase() == WriterModel::Phase::kFailed) {
    network_.at(network_.now(), [this] { put_newest_journal_back(); });
  } else if (model.phase() == WriterModel::Phase::kActive) {
    is_blind_ = model.blind_through() != Timestamp{};
    if (is_blind_) {
      count(FaultPoint::kOldJournalUnseen);
    }
    // No node has more than what it begins with, so nobody was told of more as confirmed.
    remember_history();
    submissions_.on_writer_killed(is_blind_ ? model.blind_through() : old_journal_->last_numbered);
    newest_journal_.reset();
  } else {
    network_.at(after(network_.now(), kLookNs), [this] { look_at_old_journal(); });
  }
}

void SimulatedCluster::put_newest_journal_back() {
  if (!newest_journal_) {
    return;
  }
  const Error& failure = *writer().model().failure();
  note("writer", "stops: " + failure.message);
  if (failure.sqlstate != kBrokenCluster || failure.message.find("journal is not the newest") == std::string::npos) {
    violation("a writer with an old journal stopped for another reason: " + failure.message);
  }
  if (options_.story == Story::kOldJournal) {
    count(FaultPoint::kOldJournal);
  }
  static_cast<void>(writer().crash(rpc::Notice::kBoth));
  writer().put_back(*newest_journal_, true);
  newest_journal_.reset();
  network_.at(after(network_.now(), network_.random().between(kMillisecond, kOldJournalNsMax)),
              [this] { writer().come_back(); });
}

/// Submits until the writer has failed: the updates that it numbers are refused, however little else is submitted.
void SimulatedCluster::provoke_blind_writer() {
  const auto has_failed = [this] { return writer().model().phase() == WriterModel::Phase::kFailed; };
  for (int attempt = 0; attempt < 10 && is_blind_ && !has_failed(); ++attempt) {
    const auto update = workload_.next_update();
    submit_from_writer(submissions_.add(update.parts, update.body), update);
    network_.run_until(has_failed, 2 * kSecond);
    is_blind_ = has_failed() || writer().model().blind_through() != Timestamp{};
  }
}

void SimulatedCluster::judge_blind_writer() {
  const auto& failure = writer().model().failure();
  if (!failure || failure->sqlstate != kBrokenCluster || failure->message.find("one number") == std::string::npos) {
    violation("a writer that numbered over what nodes have was not stopped" +
              (failure ? ": " + failure->message : std::string()));
  }
}

}  // namespace daedalus::testing

// Judges what can be judged once the network has healed: answers, order, and what the cluster has come to.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plain_answer.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

/// A filter that no row meets: the id is never NULL.
semantics::Expression nothing() {
  return semantics::Expression::make_call(semantics::Operator::kIsNull, {semantics::Expression::make_column(kId)});
}

constexpr const char* kNotInState = "55000";
constexpr const char* kAborted = "57014";
/// The SQLSTATE of a query whose moment cannot be had.
constexpr const char* kOutOfReach = "72000";
/// The SQLSTATE of a node that was sent two updates under one number.
constexpr const char* kBroken = "XX001";
constexpr int64_t kSettleNsMax = 60 * kSecond;
/// Once no update can be confirmed any more, sessions wait out the time of each statement that they still have to say.
constexpr int64_t kStoppedSettleNsMax = 300 * kSecond;

}  // namespace

void SimulatedCluster::settle() {
  note("network", "heals; the cluster settles");
  network_.heal_all();
  network_.set_reset_probability(0);
  for (auto& points : power_points_) {
    points.clear();
  }
  network_.run_for(10 * kSecond);  // Silent connections are found dead and dialled again.
  find_lost_node();
  provoke_blind_writer();
  const int64_t settle_ns_max = is_stopped() ? kStoppedSettleNsMax : kSettleNsMax;
  if (!network_.run_until([this] { return is_settled(); }, settle_ns_max)) {
    violation(
        fmt::format("after the network healed, nodes settled at {} of {}, {} updates are unconfirmed, {} operations "
                    "open",
                    raw(writer().model().settled_through()), raw(writer().model().last_numbered()),
                    submissions_.unconfirmed(), client_->in_flight()));
  }
}

bool SimulatedCluster::is_settled() const {
  if (client_->in_flight() > 0 || (older_client_ && older_client_->in_flight() > 0) || !sessions_->is_idle()) {
    return false;
  }
  const WriterModel& last = writers_.back()->model();
  return is_stopped() || (last.phase() == WriterModel::Phase::kActive &&
                          last.settled_through() == last.last_numbered() && submissions_.unconfirmed() == 0);
}

// ---- answers ----

void SimulatedCluster::judge_answers(ClientProcess& client) {
  for (const auto& answer : client.answers()) {
    judge(answer);
  }
  client.answers().clear();
}

void SimulatedCluster::judge(const ClientProcess::Answer& answer) {
  if (answer.has_end) {
    judge_complete(answer);
  } else if (!answer.is_lost) {
    judge_refusal(answer);
  } else {
    ++report_.queries_failed;
  }
}

void SimulatedCluster::judge_complete(const ClientProcess::Answer& answer) {
  ++report_.queries_complete;
  for (std::string& found : complaints(answer)) {
    violation(std::move(found));
  }
}

std::vector<std::string> SimulatedCluster::complaints(const ClientProcess::Answer& answer) {
  if (answer.given.question.is_too_wide) {
    return {"a query whose rows could be larger than a row may be was answered"};
  }
  std::vector<std::string> found;
  if (answer.manner.has_older_map || (older_aggregator_ && answer.aggregator == "aggregator-older:1")) {
    found.emplace_back("a query that was made for an older partition map was answered");
  }
  GivenAnswer given = answer.given;
  for (const auto& stamp : given.end.stamps()) {
    given.names_moment &= !options_.has_older_node || stamp.node() != 0;
    if (options_.has_older_node && stamp.node() == 0 && answer.given.question.remainder) {
      found.emplace_back("an older node answered what it does not know");
    }
    if (lost_node_ == stamp.node() && answer.asked_at >= lost_at_) {
      found.push_back(fmt::format("node {}, which has lost its rows, took part in an answer", stamp.node()));
    }
  }
  if (!is_fresh(answer)) {
    found.push_back(fmt::format("{} answered a query although it had not heard from the writer for {} ms",
                                answer.aggregator, answer.manner.freshness_ns / kMillisecond));
  }
  given.confirmed_at_most = confirmed_at(answer.ended_at);
  if (!could_know(answer)) {
    given.prefix_promised = {};
  }
  const std::vector<std::string> faults =
      given.question.before_us ? faults_by_wall_clock(answer, std::move(given)) : faults_of(answer, given);
  found.insert(found.end(), faults.begin(), faults.end());
  if (found.empty()) {
    count_moment(answer);
  }
  return found;
}

/// Nodes answer from what they have applied. What they lose of it before it is synced comes again out of the journal,
/// but for a writer that has none of it: an answer of before may then be of a history that is no more. It is to be the
/// whole answer of one history all the same.
std::vector<std::string> SimulatedCluster::faults_of(const ClientProcess::Answer& answer,
                                                     const GivenAnswer& given) const {
  std::vector<std::string> faults = judge_.answer(given);
  for (const LostHistory& lost : lost_histories_) {
    if (!faults.empty() && answer.asked_at < lost.lost_at && Judge(lost.table).answer(given).empty()) {
      return {};
    }
  }
  return faults;
}

/// Before a writer goes on without the newest journal.
void SimulatedCluster::remember_history() { lost_histories_.push_back({table_, network_.now()}); }

/// now() is what the wall clock of its aggregator said while the question was under way, wherever it was set.
std::vector<std::string> SimulatedCluster::faults_by_wall_clock(const ClientProcess::Answer& answer,
                                                                GivenAnswer given) const {
  const auto process = std::find_if(aggregators_.begin(), aggregators_.end(),
                                    [&](const auto& each) { return each->name() == answer.aggregator; });
  const int64_t before_us = *std::exchange(given.question.before_us, std::nullopt);
  std::vector<std::string> found = {"a statement with now() was answered without a look at the wall clock"};
  for (const int64_t read_us : (*process)->wall_clock_read(answer.asked_at, answer.ended_at)) {
    GivenAnswer meant = given;
    if (read_us >= before_us) {
      meant.question.filter = nothing();
    }
    found = faults_of(answer, meant);
    if (found.empty()) {
      break;
    }
  }
  return found;
}

/// Nodes, writers and aggregators that were there then know what has been confirmed. A node whose directory is an older
/// one does not know, nor does an aggregator that was started since, until it hears of it from others.
bool SimulatedCluster::could_know(const ClientProcess::Answer& answer) const {
  const auto process = std::find_if(aggregators_.begin(), aggregators_.end(),
                                    [&](const auto& each) { return each->name() == answer.aggregator; });
  const bool is_new = process != aggregators_.end() && (*process)->started_at() > lied_at_;
  const auto& stamps = answer.given.end.stamps();
  return !lied_node_ || !is_new || answer.asked_at < lied_at_ ||
         std::none_of(stamps.begin(), stamps.end(), [&](const auto& stamp) { return stamp.node() == *lied_node_; });
}

bool SimulatedCluster::is_by_abort(const ClientProcess::Answer& answer) const {
  return answer.error->category() == wire::v1::ERROR_CATEGORY_REJECTED && answer.error->sqlstate() == kAborted &&
         answer.is_aborted;
}

bool SimulatedCluster::is_by_older_node(const ClientProcess::Answer& answer) const {
  return options_.has_older_node && answer.given.question.remainder && answer.error->sqlstate() == "0A000" &&
         answer.error->message().find("node 0 is older") != std::string::npos;
}

void SimulatedCluster::judge_refusal(const ClientProcess::Answer& answer) {
  if (answer.given.question.is_too_wide && answer.error->sqlstate() == "54000") {
    ++report_.queries_too_wide;
    return;
  }
  if (is_by_older_node(answer)) {
    ++report_.queries_too_new;
    return;
  }
  report_.moments.out_of_reach += answer.error->sqlstate() == kOutOfReach ? 1 : 0;
  ++(is_by_abort(answer) ? report_.queries_aborted : report_.queries_failed);
  for (std::string& found : refusal_complaints(answer)) {
    violation(std::move(found));
  }
}

std::vector<std::string> SimulatedCluster::refusal_complaints(const ClientProcess::Answer& answer) const {
  const wire::v1::Error& error = *answer.error;
  const bool is_by_loss = error.category() == wire::v1::ERROR_CATEGORY_FATAL && error.sqlstate() == kNotInState &&
                          lost_node_ && !error.missing().empty();
  const bool is_broken = is_blind_ && error.sqlstate() == kBroken;
  const bool is_out_of_reach = error.sqlstate() == kOutOfReach;
  std::vector<std::string> found;
  // Rows that have come cannot be taken back, so no other moment helps once a node has lost this one: it has started
  // again, or no word of those who hold the moment has reached it for too long.
  const bool may_lose_moment = options_.has_faults && !answer.given.rows.empty();
  if (is_out_of_reach && !answer.manner.at && answer.manner.freshness_ns == 0 && !may_lose_moment) {
    found.push_back("a query was refused for its moment, of which it said nothing: " + error.message());
  }
  if (is_out_of_reach && answer.manner.is_held && !options_.has_faults) {
    found.push_back("a query at a moment that is held was refused: " + error.message());
  }
  if (error.message().empty()) {
    found.emplace_back("a query failed without a word");
  }
  if (error.category() != wire::v1::ERROR_CATEGORY_RETRY && !is_by_abort(answer) && !is_by_loss && !is_broken &&
      !is_out_of_reach) {
    found.push_back(fmt::format("a sound query ended with {}: {}", error.sqlstate(), error.message()));
  }
  if (answer.manner.has_older_map && answer.aggregator != "aggregator-older:1" && error.sqlstate() != kNotInState &&
      error.sqlstate() != kAborted) {
    found.push_back(fmt::format("a query for an older partition map was refused with {}", error.sqlstate()));
  }
  return found;
}

// ---- nodes and writers ----

void SimulatedCluster::judge_order() {
  for (const auto& node : nodes_) {
    const auto& admitted = node->admitted();
    for (size_t index = 1; index < admitted.size(); ++index) {
      if (admitted[index] <= admitted[index - 1]) {
        violation(fmt::format("a node admitted {} after {}", raw(admitted[index]), raw(admitted[index - 1])));
      }
    }
  }
}

void SimulatedCluster::judge_nodes() {
  for (uint32_t index = 0; index < nodes_.size(); ++index) {
    if (const auto& broken = nodes_[index]->broken_hold()) {
      violation(fmt::format("node {} does not keep its word: {}", index, *broken));
    }
    if (nodes_[index]->is_down()) {
      continue;  // It was judged when it did not start whether it may be.
    }
    const node::NodeCore& node = nodes_[index]->core();
    if (lost_node_ == index && lied_node_) {
      if (!node.problem() || node.problem()->sqlstate != kNotInState) {
        violation("a node that has lost rows does not say so");
      }
      continue;
    }
    if (lost_node_ == index) {
      if (!node.problem() || node.problem()->sqlstate != kNotInState || raw(node.accepted()) != 0) {
        violation("a node that has lost its rows does not say so");
      }
      continue;
    }
    if (is_blind_ && node.problem() && node.problem()->sqlstate == kBroken) {
      continue;
    }
    if (node.problem()) {
      violation("a node declared itself broken: " + node.problem()->message);
    }
    if (!is_stopped() && (node.accepted() != table_.last() || node.applied() != table_.last())) {
      violation(fmt::format("a node ended at accepted {}, applied {} of {}", raw(node.accepted()), raw(node.applied()),
                            raw(table_.last())));
    }
  }
}

/// The first writer goes on until it learns that there is another: what it numbers is refused, and then it stops.
void SimulatedCluster::judge_first_writer() {
  if (is_blind_) {
    judge_blind_writer();
    return;
  }
  if (writers_.size() == 1) {
    const bool waits_for_node = lied_node_ && lost_node_ && writer().model().phase() != WriterModel::Phase::kFailed;
    if (writer().model().phase() != WriterModel::Phase::kActive && !waits_for_node) {
      const std::optional<Error>& failure = writer().model().failure();
      violation("the only writer has stopped: " + (failure ? failure->message : "it has not raised its epoch"));
    }
    return;
  }
  const WriterModel& second = writers_.back()->model();
  if (second.phase() == WriterModel::Phase::kFailed) {
    judge_stop();
  }
  WriterProcess& first = *writers_.front();
  if (first.is_down()) {
    return;
  }
  const auto update = workload_.next_update();
  const uint64_t number = submissions_.add(update.parts, update.body);
  const Submission submission{.key = {std::string(16, 'f'), number},
                              .epoch = first.model().epoch(),
                              .numbered_after = raw(first.model().last_numbered())};
  if (const auto refusal = first.submit(submission, update.body, update.routes)) {
    submissions_.on_denied(number, refusal->error.message);
  }
  network_.run_until([&] { return first.model().phase() == WriterModel::Phase::kFailed; }, 10 * kSecond);
  if (first.model().phase() != WriterModel::Phase::kFailed) {
    violation("a writer that another has taken over from was not refused");
  }
}

/// A second writer stops for one reason only: nodes have accepted different updates.
void SimulatedCluster::judge_stop() {
  const auto accepts_another = [&](const auto& node) {
    return node->core().accepted() != nodes_.front()->core().accepted();
  };
  const WriterModel& second = writers_.back()->model();
  if (std::none_of(nodes_.begin(), nodes_.end(), accepts_another) || second.failure()->sqlstate != "F0000") {
    violation("a second writer stopped without need: " + second.failure()->message);
  }
}

// ---- what is there in the end ----

std::optional<ClientProcess::Answer> SimulatedCluster::read(const Workload::Query& query, uint64_t which) {
  const ClientProcess::Manner manner{.is_text = which % 2 == 1,
                                     .is_prepared = which % 4 == 1,
                                     .prefix_promised = submissions_.confirmed(),
                                     .remaining_ns = 10 * kSecond};
  client_->answers().clear();
  if (!client_->ask(query, manner, which) ||
      !network_.run_until([this] { return !client_->answers().empty(); }, 20 * kSecond)) {
    violation("a query in the end has no answer");
    return std::nullopt;
  }
  judge(client_->answers().front());
  return client_->answers().front();
}

/// Without a writer, a node may never hear of what others have confirmed, even where it has no part in it: queries that
/// are promised it wait there in vain. An aggregator may know of a confirmation that never got to whoever waited for
/// it.
bool SimulatedCluster::lacks_for_ever(const std::string& aggregator) const {
  Timestamp confirmed = submissions_.highest_confirmed();
  for (const auto& process : aggregators_) {
    confirmed = process->name() == aggregator ? std::max(confirmed, process->core().confirmed()) : confirmed;
  }
  return is_stopped() && std::any_of(nodes_.begin(), nodes_.end(),
                                     [&](const auto& node) { return node->core().accepted() < confirmed; });
}

void SimulatedCluster::judge_final_state() {
  if (lost_node_) {
    judge_lost_node();
    return;
  }
  const auto query = workload_.whole_table();
  for (uint64_t which = 0; which < aggregators_.size(); ++which) {
    const auto answer = read(query, which);
    if (!answer) {
      return;
    }
    if (!answer->has_end && lacks_for_ever(answer->aggregator) && answer->error &&
        answer->error->category() == wire::v1::ERROR_CATEGORY_RETRY) {
      continue;
    }
    if (!answer->has_end && is_blind_ && answer->error && answer->error->sqlstate() == kBroken) {
      continue;
    }
    if (!answer->has_end) {
      violation("the whole table cannot be read in the end through " + answer->aggregator + ": " +
                (answer->error ? answer->error->message() : std::string("the connection was lost")));
      return;
    }
    const auto everything =
        answer_to(table_.schema(), query.question, table_.select({}, table_.everything_at(table_.last())));
    if (!is_stopped() && !is_answer(everything, answer->given.rows)) {
      violation("the table ended different from every update applied once, in order");
    }
  }
}

/// With a node that is lost the writer does not go on: what it has not told the others they may wait for in vain.
bool SimulatedCluster::may_wait(const ClientProcess::Answer& answer) const {
  return answer.error && answer.error->category() == wire::v1::ERROR_CATEGORY_RETRY &&
         std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
           return !node->is_down() && !node->core().problem() && node->core().accepted() < table_.last();
         });
}

/// Judges the lost node: its rows can be neither read nor written, and everything says so; the rest goes on.
void SimulatedCluster::judge_lost_node() {
  const auto whole = read(workload_.whole_table(), 0);
  const bool may_be_later = nodes_[*lost_node_]->is_down();  // Nobody knows why it is away.
  if (whole && (whole->has_end || (!may_be_later && whole->error->category() != wire::v1::ERROR_CATEGORY_FATAL))) {
    violation("the whole table was read, or might be later, although a node has lost its rows");
  }
  const PlainPlacement& placement = table_.placement();
  if (!placement.partition_column()) {
    return;
  }
  for (int64_t place = 0; place < kPlaces; ++place) {
    const Row row = {semantics::Value{int64_t{0}}, semantics::Value{place}, {}, {}};
    const bool is_lost = placement.node_of(placement.place_of(row, 1, 0).first) == *lost_node_;
    const auto answer = read(workload_.rows_at(place), static_cast<uint64_t>(place));
    if (answer && answer->has_end == is_lost && (is_lost || !lied_node_ || !may_wait(*answer))) {
      violation(fmt::format("place {} {} after node {} has lost its rows", place,
                            is_lost ? "was read" : "cannot be read", *lost_node_));
    }
  }
}

}  // namespace daedalus::testing

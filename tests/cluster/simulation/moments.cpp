// Moments: questions at one that is named or held, questions as soon as an update is told to be confirmed, and up to
// where the judge lets answers be.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

/// Between two questions at a moment that is held: now and then longer than a hold lasts that nobody renews.
constexpr int64_t kHeldPauseNsMax = 2'500 * kMillisecond;
/// A few rows.
constexpr int64_t kSliceBytesMax = 400;
/// How far back a moment lies that a node is asked at once it has started.
constexpr uint64_t kReplayedBack = 8;
constexpr int64_t kRestartLookNs = kMillisecond;

}  // namespace

// ---- traffic ----

void SimulatedCluster::ask_behind_confirmation() {
  if (!client_) {
    return;
  }
  ClientProcess::Manner manner;
  manner.is_text = network_.random().chance(0.5);
  manner.prefix_promised = submissions_.confirmed();
  const auto query = network_.random().chance(0.5) ? workload_.whole_table() : workload_.next_query();
  note("application", fmt::format("asks behind {}: {}", raw(manner.prefix_promised), query.text));
  for (size_t which = 0; which < client_->aggregators(); ++which) {
    report_.moments.behind += client_->ask(query, manner, which) ? 1 : 0;
  }
}

void SimulatedCluster::hold() {
  const Timestamp promised = submissions_.confirmed();
  client_->hold(network_.random().next(), [this, promised](rpc::PeerId aggregator, std::optional<Timestamp> moment) {
    report_.moments.holds += moment ? 1 : 0;
    note("application", moment ? fmt::format("holds moment {}", raw(*moment)) : "holds no moment");
    if (moment) {
      read_held(aggregator, *moment, promised);
    }
  });
}

void SimulatedCluster::read_held(rpc::PeerId aggregator, Timestamp moment, Timestamp promised) {
  rpc::Random& random = network_.random();
  Instant when = network_.now();
  for (int64_t questions = random.between(2, 4); questions > 0; --questions) {
    network_.at(when, [this, aggregator, moment, promised] {
      ask_held(aggregator, moment, promised);
      ask_behind_held(aggregator, moment);
    });
    when = after(when, random.between(0, kHeldPauseNsMax));
  }
  network_.at(when, [this, aggregator] { client_->let_go(aggregator); });
}

void SimulatedCluster::ask_held(rpc::PeerId aggregator, Timestamp moment, Timestamp promised) {
  rpc::Random& random = network_.random();
  ClientProcess::Manner manner;
  manner.prefix_promised = promised;
  manner.at = moment;
  manner.is_held = true;
  if (random.chance(0.4)) {
    manner.slice_bytes = static_cast<uint64_t>(random.between(1, kSliceBytesMax));
    client_->ask(workload_.whole_table(), manner, aggregator);
    return;
  }
  manner.is_text = random.chance(0.5);
  client_->ask(random.chance(0.5) ? workload_.whole_table() : workload_.next_query(), manner, aggregator);
}

void SimulatedCluster::ask_behind_held(rpc::PeerId aggregator, Timestamp moment) {
  rpc::Random& random = network_.random();
  const auto newest = static_cast<int64_t>(raw(submissions_.confirmed()));
  for (int64_t questions = random.between(0, 3); questions > 0; --questions) {
    ClientProcess::Manner manner;
    manner.is_text = random.chance(0.5);
    manner.at = Timestamp{static_cast<uint64_t>(random.between(static_cast<int64_t>(raw(moment)), newest))};
    client_->ask(random.chance(0.5) ? workload_.whole_table() : workload_.next_query(), manner, aggregator);
  }
}

void SimulatedCluster::ask_behind_restart(uint32_t node, Instant give_up_at) {
  const auto reaches = [=](const auto& aggregator) { return aggregator->reaches(node); };
  if (options_.has_older_node || nodes_[node]->is_down() || network_.now() > give_up_at) {
    return;
  }
  if (std::none_of(aggregators_.begin(), aggregators_.end(), reaches)) {
    network_.at(after(network_.now(), kRestartLookNs), [=, this] { ask_behind_restart(node, give_up_at); });
    return;
  }
  const uint64_t durable = raw(nodes_[node]->core().durable());
  ClientProcess::Manner manner;
  manner.is_text = network_.random().chance(0.5);
  manner.at = Timestamp{durable - network_.random().below(std::min(durable, kReplayedBack) + 1)};
  note("application", fmt::format("asks at moment {} behind the start of node {}", raw(*manner.at), node));
  for (size_t which = 0; which < client_->aggregators(); ++which) {
    report_.moments.behind_restart += client_->ask(workload_.whole_table(), manner, which) ? 1 : 0;
  }
}

// ---- judgement ----

void SimulatedCluster::count_moment(const ClientProcess::Answer& answer) {
  MomentCounts& counts = report_.moments;
  ++counts.at_moment;
  counts.of_session += answer.manner.is_of_session ? 1 : 0;
  counts.firm += answer.manner.at && !answer.manner.is_held ? 1 : 0;
  counts.held += answer.manner.is_held ? 1 : 0;
  counts.sliced += answer.manner.slice_bytes > 0 ? 1 : 0;
  counts.fresh += answer.manner.freshness_ns > 0 ? 1 : 0;
}

/// An aggregator that was to bound how old the moment is had heard from the writer within that time.
bool SimulatedCluster::is_fresh(const ClientProcess::Answer& answer) const {
  const int64_t freshness_ns = answer.manner.freshness_ns;
  const auto process = std::find_if(aggregators_.begin(), aggregators_.end(),
                                    [&](const auto& each) { return each->name() == answer.aggregator; });
  return freshness_ns == 0 || answer.manner.at || process == aggregators_.end() ||
         (*process)->heard_from_writer(Instant{answer.asked_at.ns - freshness_ns}, answer.ended_at);
}

void SimulatedCluster::note_confirmed(Timestamp through) {
  if (confirmed_since_.empty() || through > confirmed_since_.rbegin()->second) {
    confirmed_since_[network_.now()] = through;
  }
}

Timestamp SimulatedCluster::confirmed_at(Instant when) const {
  const auto later = confirmed_since_.upper_bound(when);
  return later == confirmed_since_.begin() ? Timestamp{} : std::prev(later)->second;
}

}  // namespace daedalus::testing

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
      ClientProcess::Manner manner;
      manner.is_text = network_.random().chance(0.5);
      manner.prefix_promised = promised;
      manner.at = moment;
      manner.is_held = true;
      const auto query = network_.random().chance(0.5) ? workload_.whole_table() : workload_.next_query();
      client_->ask(query, manner, aggregator);
    });
    when = after(when, random.between(0, kHeldPauseNsMax));
  }
  network_.at(when, [this, aggregator] { client_->let_go(aggregator); });
}

// ---- judgement ----

void SimulatedCluster::count_moment(const ClientProcess::Answer& answer) {
  MomentCounts& counts = report_.moments;
  ++counts.at_moment;
  counts.of_session += answer.manner.is_of_session ? 1 : 0;
  counts.firm += answer.manner.at && !answer.manner.is_held ? 1 : 0;
  counts.held += answer.manner.is_held ? 1 : 0;
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

// Draws what befalls connections, processes and disks at any time: that part of the catalogue.
#include <fmt/format.h>

#include <algorithm>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kLeapNsMax = 5 * kSecond;
constexpr int64_t kFrozenNsMax = 3 * kSecond;
constexpr int64_t kWallClockUsMax = 30LL * 24 * 3600 * 1'000'000;
constexpr int64_t kDelayNsMax = 200 * kMillisecond;
constexpr int64_t kSlowSweepNsMax = 100 * kMillisecond;
/// As SimulationOptions has it.
constexpr int64_t kUsualDelayNsMin = 50 * kMicrosecond;
constexpr int64_t kUsualDelayNsMax = 2 * kMillisecond;

}  // namespace

void SimulatedCluster::schedule_faults() {
  const auto& catalogue = fault_catalogue();
  for (size_t index = 0; index < catalogue.size(); ++index) {
    const FaultEntry& entry = catalogue[index];
    const bool is_drawn =
        entry.occasion == Occasion::kAnyTime || (entry.occasion == Occasion::kAnyTimeWithLog && options_.has_log);
    for (double left = is_drawn ? entry.per_run : 0; left > 0; left -= 1) {
      const Instant when = after(network_.now(), network_.random().between(0, options_.duration_ns));
      if (network_.random().chance(std::min(left, 1.0))) {
        network_.at(when, [this, index] { inject(static_cast<FaultPoint>(index)); });
      }
    }
  }
  if (options_.has_log) {
    schedule_power_losses();
  }
}

void SimulatedCluster::count(FaultPoint point) { configuration_.faults->count(point); }

void SimulatedCluster::inject(FaultPoint point) {
  const auto any_node = [this] { return static_cast<uint32_t>(network_.random().below(nodes_.size())); };
  switch (point) {
    case FaultPoint::kAggregatorKilled:
      return kill_aggregator(network_.random().below(aggregators_.size()));
    case FaultPoint::kNodeSlow:
      return slow_down(any_node());
    case FaultPoint::kNodeClockLeaps:
      return leap(point, configuration_.nodes[any_node()]);
    case FaultPoint::kAggregatorClockLeaps:
      return leap(point, aggregators_[network_.random().below(aggregators_.size())]->name());
    case FaultPoint::kWriterClockLeaps:
      return leap(point, configuration_.writer);
    case FaultPoint::kWallClockSetAhead:
    case FaultPoint::kWallClockSetBack:
      return set_wall_clock(point);
    case FaultPoint::kNodeFrozen:
      return freeze(point, configuration_.nodes[any_node()]);
    case FaultPoint::kAggregatorFrozen:
      return freeze(point, aggregators_[network_.random().below(aggregators_.size())]->name());
    case FaultPoint::kWriterFrozen:
      return freeze(point, configuration_.writer);
    case FaultPoint::kNodeKilled:
    case FaultPoint::kNodeVanishes:
      return is_rotten() ? void() : kill_node(any_node(), point);
    case FaultPoint::kWriterKilled:
    case FaultPoint::kWriterVanishes:
      return kill_writer(point);
    case FaultPoint::kSyncFails:
    case FaultPoint::kDiskFull:
    case FaultPoint::kDiskSlow:
      return trouble_disk(point, any_node());
    default:
      return trouble_connection(point);
  }
}

/// Between an aggregator and another process.
void SimulatedCluster::trouble_connection(FaultPoint point) {
  rpc::Random& random = network_.random();
  const auto any_node = [&] { return configuration_.nodes[random.below(configuration_.nodes.size())]; };
  const std::string aggregator = configuration_.aggregators[random.below(aggregators_.size())];
  const std::string others[] = {any_node(), any_node(), configuration_.writer, "client:1"};
  const std::string& other = others[random.below(4)];
  const Instant end = after(network_.now(), random.between(10 * kMillisecond, 3 * kSecond));
  const auto notice = static_cast<rpc::Notice>(random.below(3));
  count(point);
  note("fault", fmt::format("{}: {}, {}", fault_catalogue()[static_cast<size_t>(point)].name, aggregator, other));
  switch (point) {
    case FaultPoint::kResetSeenByBoth:
      return network_.reset(aggregator, other, rpc::Notice::kBoth);
    case FaultPoint::kResetSeenByOne:
      return random.chance(0.5) ? network_.reset(aggregator, other, rpc::Notice::kOnlyFirst)
                                : network_.reset(other, aggregator, rpc::Notice::kOnlyFirst);
    case FaultPoint::kResetSeenByNobody:
      return network_.reset(aggregator, other, rpc::Notice::kNobody);
    case FaultPoint::kDelay:
      network_.set_delay(aggregator, other, kUsualDelayNsMin, random.between(kMillisecond, kDelayNsMax));
      network_.at(end, [this, aggregator, other] {
        network_.set_delay(aggregator, other, kUsualDelayNsMin, kUsualDelayNsMax);
      });
      return;
    case FaultPoint::kCut:
      network_.cut(aggregator, other, notice);
      break;
    case FaultPoint::kSilentThere:
      network_.blackhole(aggregator, other);
      break;
    default:
      network_.blackhole(other, aggregator);
  }
  network_.at(end, [this, aggregator, other] { network_.heal(aggregator, other); });
}

void SimulatedCluster::kill_aggregator(uint64_t which) {
  count(FaultPoint::kAggregatorKilled);
  note(aggregators_[which]->name(), "killed and started again");
  aggregators_[which]->crash_and_restart();
}

void SimulatedCluster::slow_down(uint32_t node) {
  count(FaultPoint::kNodeSlow);
  note(configuration_.nodes[node], "is slow");
  nodes_[node]->slow_sweeps(network_.random().between(kMillisecond, kSlowSweepNsMax),
                            after(network_.now(), network_.random().between(10 * kMillisecond, 2 * kSecond)));
}

void SimulatedCluster::set_wall_clock(FaultPoint point) {
  AggregatorProcess& aggregator = *aggregators_[network_.random().below(aggregators_.size())];
  const bool is_small = network_.random().chance(0.5);
  const int64_t by_us = network_.random().between(1, is_small ? 5'000'000 : kWallClockUsMax);
  count(point);
  note(aggregator.name(), fmt::format("{} by {} ms", fault_catalogue()[static_cast<size_t>(point)].name, by_us / 1000));
  aggregator.set_wall_clock(point == FaultPoint::kWallClockSetAhead ? by_us : -by_us);
}

/// As when it is stopped by a signal, or its machine by a hypervisor: its clock goes on meanwhile.
void SimulatedCluster::freeze(FaultPoint point, const std::string& process) {
  const int64_t duration_ns = network_.random().between(10 * kMillisecond, kFrozenNsMax);
  if (network_.running(process)) {
    count(point);
    note(process, fmt::format("stands still for {} ms", duration_ns / kMillisecond));
    network_.freeze(process, duration_ns);
  }
}

void SimulatedCluster::leap(FaultPoint point, const std::string& process) {
  const int64_t ahead_ns = network_.random().between(0, kLeapNsMax);
  if (network_.running(process)) {
    count(point);
    note(process, fmt::format("its clock leaps {} ms", ahead_ns / kMillisecond));
    network_.leap(process, ahead_ns);
  }
}

}  // namespace daedalus::testing

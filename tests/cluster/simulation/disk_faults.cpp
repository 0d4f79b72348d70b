// Disks that fail, and disks that lie.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kSlowSyncNsMax = 300 * kMillisecond;
constexpr int64_t kDiskDownNsMax = 1500 * kMillisecond;
constexpr double kPowerLostAtCheckpoint = 0.002;
/// FaultEntry::per_run of each comes to this.
constexpr uint64_t kPowerPointsDealt = 2;

}  // namespace

void SimulatedCluster::trouble_disk(FaultPoint point, uint32_t node) {
  rpc::Random& random = network_.random();
  durability::SimulatedDisk& disk = nodes_[node]->disk();
  const Instant end = after(network_.now(), random.between(10 * kMillisecond, 2 * kSecond));
  count(point);
  note(configuration_.nodes[node], fault_catalogue()[static_cast<size_t>(point)].name);
  if (point == FaultPoint::kSyncFails) {
    disk.fail_syncs(static_cast<uint32_t>(random.between(1, 3)));
  } else if (point == FaultPoint::kDiskFull) {
    disk.set_room(disk.bytes() + random.below(2000));
    network_.at(end, [&disk] { disk.set_room({}); });
  } else {
    nodes_[node]->slow_down(random.between(kMillisecond, kSlowSyncNsMax), end);
  }
}

// ---- power ----

void SimulatedCluster::schedule_power_losses() {
  const Instant end = after(network_.now(), options_.duration_ns);
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    nodes_[node]->disk().set_observer(
        [this, node](durability::DiskOperation operation, durability::Moment moment, const std::string& name) {
          return loses_power(node, operation, moment, name);
        });
    nodes_[node]->set_on_checkpoint([this, node, end] {
      if (network_.now() < end && network_.random().chance(kPowerLostAtCheckpoint)) {
        count(FaultPoint::kPowerLostAtCheckpoint);
        note(configuration_.nodes[node], "loses its power when a checkpoint has become current");
        network_.at(network_.now(), [this, node] { kill_node(node); });
      }
    });
  }
  for (uint64_t dealt = 0; dealt < kPowerPointsDealt; ++dealt) {
    const size_t point = (options_.seed * kPowerPointsDealt + dealt) % power_points().size();
    const auto node = static_cast<uint32_t>(network_.random().below(nodes_.size()));
    network_.at(after(network_.now(), network_.random().between(0, options_.duration_ns * 3 / 4)),
                [this, node, point] { power_points_[node].push_back(point); });
  }
}

bool SimulatedCluster::loses_power(uint32_t node, durability::DiskOperation operation, durability::Moment moment,
                                   const std::string& name) {
  std::vector<size_t>& points = power_points_[node];
  if (points.empty() || is_rotten()) {
    return false;
  }
  const auto found = std::find_if(points.begin(), points.end(), [&](size_t index) {
    const PowerPoint& point = power_points()[index];
    return point.operation == operation && point.moment == moment && point.kind == kind_of_file(name);
  });
  if (found == points.end()) {
    return false;
  }
  count(power_lost_at(*found));
  note(configuration_.nodes[node],
       fmt::format("{} ({})", fault_catalogue()[static_cast<size_t>(power_lost_at(*found))].name, name));
  points.erase(found);
  network_.at(network_.now(), [this, node] { kill_node(node, FaultPoint::kNodeVanishes); });
  return true;
}

// ---- a disk that lies ----

void SimulatedCluster::prepare_lie() {
  constexpr uint64_t kFirst = static_cast<uint64_t>(FaultPoint::kFlippedUpdates);
  constexpr uint64_t kLies = static_cast<uint64_t>(FaultPoint::kOldDirectory) - kFirst + 1;
  const auto lie = static_cast<FaultPoint>(kFirst + options_.seed / 8 % kLies);
  const auto node = static_cast<uint32_t>(network_.random().below(nodes_.size()));
  Image image;
  if (lie == FaultPoint::kOldDirectory) {
    image = nodes_[node]->disk().image();
  } else if (lie == FaultPoint::kMisdirectedWrite) {
    lied_node_ = node;  // Whenever it is killed from now on.
    lied_at_ = network_.now();
    nodes_[node]->disk().misdirect_next_write();
  }
  const int64_t pause_ns = network_.random().between(0, lie == FaultPoint::kOldDirectory ? 4 * kSecond : kSecond);
  network_.at(after(network_.now(), pause_ns), [this, node, lie, image] { tell_lie(lie, node, image); });
}

void SimulatedCluster::tell_lie(FaultPoint lie, uint32_t node, const Image& image) {
  lied_node_ = node;
  lied_at_ = network_.now();
  if (!nodes_[node]->is_down()) {
    nodes_[node]->crash(rpc::Notice::kBoth);
  }
  note(configuration_.nodes[node], fmt::format("killed, and {}", fault_catalogue()[static_cast<size_t>(lie)].name));
  if (lie == FaultPoint::kOldDirectory) {
    count(lie);
    nodes_[node]->put_back(image);
  } else if (lie == FaultPoint::kMisdirectedWrite) {
    count(lie);
  } else {
    flip_bit(lie, node);
  }
  bring_back(node, after(network_.now(), network_.random().between(10 * kMillisecond, kDiskDownNsMax)));
}

void SimulatedCluster::flip_bit(FaultPoint lie, uint32_t node) {
  static constexpr const char* kKinds[] = {"updates", "outcomes", "checkpoint data", "manifest", "epoch"};
  const std::string kind = kKinds[static_cast<size_t>(lie) - static_cast<size_t>(FaultPoint::kFlippedUpdates)];
  durability::SimulatedDisk& disk = nodes_[node]->disk();
  std::vector<std::string> files;
  for (const std::string& file : disk.names()) {
    if (kind_of_file(file) == kind && !disk.content(file).empty()) {
      files.push_back(file);
    }
  }
  if (files.empty()) {
    return;
  }
  const std::string& file = files[network_.random().below(files.size())];
  const uint64_t bit = network_.random().below(disk.content(file).size() * 8);
  count(lie);
  note(configuration_.nodes[node], fmt::format("bit {} of byte {} of {}", bit % 8, bit / 8, file));
  disk.flip(file, bit);
}

/// Finds whether the node whose disk has lied has rows that it should have: as long as it says so, it is lost.
void SimulatedCluster::find_lost_node() {
  if (lied_node_ && !lost_node_ &&
      (has_refused_to_start_ || nodes_[*lied_node_]->is_down() || nodes_[*lied_node_]->core().problem())) {
    lost_node_ = lied_node_;
    lost_at_ = has_refused_to_start_ ? lost_at_ : network_.now();
    note(configuration_.nodes[*lied_node_], "is lost");
  }
}

/// It has to say which file is damaged.
void SimulatedCluster::on_refused_to_start(uint32_t node, const Error& error) {
  note(configuration_.nodes[node], "refuses to start: " + error.message);
  const auto files = nodes_[node]->disk().names();
  const bool names_file = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return error.message.find(file) != std::string::npos;
  });
  if (lied_node_ != node || !names_file) {
    violation(fmt::format("node {} could not start again: {}", node, error.message));
  }
  if (lied_node_ == node && !has_refused_to_start_) {
    has_refused_to_start_ = true;
    lost_at_ = network_.now();
  }
}

}  // namespace daedalus::testing

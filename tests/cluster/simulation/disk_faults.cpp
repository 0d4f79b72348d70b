// Disks that fail, and disks that lie.
#include "disk_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kSlowSyncNsMax = 300 * kMillisecond;
constexpr int64_t kDownNsMax = 1500 * kMillisecond;

/// The kind of a file: updates, outcomes, checkpoint data, manifest, epoch.
std::string kind_of(const std::string& file) {
  if (file.starts_with("checkpoint")) {
    return file.find("manifest") == std::string::npos ? "checkpoint data" : "manifest";
  }
  return file.substr(0, file.find('/'));
}

}  // namespace

void SimulatedCluster::schedule_disk_faults() {
  for (const DiskFaultRate& rate : kDiskFaultRates) {
    double left = rate.fault == DiskFault::kPowerLostAtCheckpoint ? 0 : rate.per_run;
    for (; left > 0; left -= 1) {
      const auto node = static_cast<uint32_t>(network_.random().below(nodes_.size()));
      const Instant when = after(network_.now(), network_.random().between(0, options_.duration_ns));
      if (network_.random().chance(std::min(left, 1.0))) {
        network_.at(when, [this, node, &rate] { trouble_disk(rate, node); });
      }
    }
    const Instant end = after(network_.now(), options_.duration_ns);
    for (uint32_t node = 0; rate.fault == DiskFault::kPowerLostAtCheckpoint && node < nodes_.size(); ++node) {
      nodes_[node]->set_on_checkpoint([this, node, end, &rate] {
        if (network_.now() < end && network_.random().chance(rate.per_run)) {
          note(configuration_.nodes[node], rate.name);
          network_.at(network_.now(), [this, node] { kill_node(node); });
        }
      });
    }
  }
}

void SimulatedCluster::trouble_disk(const DiskFaultRate& rate, uint32_t node) {
  rpc::Random& random = network_.random();
  durability::SimulatedDisk& disk = nodes_[node]->disk();
  const Instant end = after(network_.now(), random.between(10 * kMillisecond, 2 * kSecond));
  note(configuration_.nodes[node], fmt::format("its disk {}", rate.name));
  switch (rate.fault) {
    case DiskFault::kFailedSyncs:
      disk.fail_syncs(static_cast<uint32_t>(random.between(1, 3)));
      return;
    case DiskFault::kFull:
      disk.set_room(disk.bytes() + random.below(2000));
      network_.at(end, [&disk] { disk.set_room({}); });
      return;
    case DiskFault::kSlow:
      nodes_[node]->slow_down(random.between(kMillisecond, kSlowSyncNsMax), end);
      return;
    case DiskFault::kPowerLostAtCheckpoint:
      return;
  }
}

// ---- a disk that lies ----

void SimulatedCluster::prepare_lie() {
  const auto node = static_cast<uint32_t>(network_.random().below(nodes_.size()));
  uint32_t sum = 0;
  for (const DiskLieWeight& each : kDiskLieWeights) {
    sum += each.weight;
  }
  uint64_t drawn = network_.random().below(sum);
  const DiskLieWeight* lie = kDiskLieWeights.data();
  for (; drawn >= lie->weight; ++lie) {
    drawn -= lie->weight;
  }
  Image image;
  if (lie->lie == DiskLie::kOldDirectory) {
    image = nodes_[node]->disk().image();
  } else if (lie->lie == DiskLie::kMisdirectedWrite) {
    nodes_[node]->disk().misdirect_next_write();
  }
  const int64_t pause_ns = network_.random().between(0, lie->lie == DiskLie::kOldDirectory ? 4 * kSecond : kSecond);
  network_.at(after(network_.now(), pause_ns), [this, node, lie, image] { tell_lie(*lie, node, image); });
}

void SimulatedCluster::tell_lie(const DiskLieWeight& lie, uint32_t node, const Image& image) {
  lied_node_ = node;
  if (!nodes_[node]->is_down()) {
    nodes_[node]->crash(rpc::Notice::kBoth);
  }
  note(configuration_.nodes[node], fmt::format("killed, and {}", lie.name));
  if (lie.lie == DiskLie::kFlippedBit) {
    flip_bit(node);
  } else if (lie.lie == DiskLie::kOldDirectory) {
    nodes_[node]->put_back(image);
  }
  bring_back(node, after(network_.now(), network_.random().between(10 * kMillisecond, kDownNsMax)));
}

void SimulatedCluster::flip_bit(uint32_t node) {
  durability::SimulatedDisk& disk = nodes_[node]->disk();
  std::map<std::string, std::vector<std::string>> kinds;
  for (const std::string& file : disk.names()) {
    if (!disk.content(file).empty()) {
      kinds[kind_of(file)].push_back(file);
    }
  }
  if (kinds.empty()) {
    return;
  }
  const auto& [kind, files] =
      *std::next(kinds.begin(), static_cast<std::ptrdiff_t>(network_.random().below(kinds.size())));
  const std::string& file = files[network_.random().below(files.size())];
  const uint64_t bit = network_.random().below(disk.content(file).size() * 8);
  note(configuration_.nodes[node], fmt::format("bit {} of byte {} of {} ({})", bit % 8, bit / 8, file, kind));
  disk.flip(file, bit);
}

/// Whether the node whose disk has lied has rows that it should have: as long as it says so, it is lost.
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

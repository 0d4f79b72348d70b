#include "fault_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

using durability::DiskOperation;
using durability::Moment;

namespace {

/// So many of the power points are dealt to a run.
constexpr double kPowerPointsPerRun = 2;

std::vector<PowerPoint> make_power_points() {
  struct Kind {
    const char* name;
    std::vector<DiskOperation> operations;
  };
  const Kind kinds[] = {
      {"updates",
       {DiskOperation::kCreate, DiskOperation::kWrite, DiskOperation::kSync, DiskOperation::kRename,
        DiskOperation::kRemove, DiskOperation::kSyncFolder}},
      {"outcomes",
       {DiskOperation::kCreate, DiskOperation::kWrite, DiskOperation::kSync, DiskOperation::kRename,
        DiskOperation::kRemove, DiskOperation::kSyncFolder}},
      {"checkpoint data",
       {DiskOperation::kCreate, DiskOperation::kWrite, DiskOperation::kSync, DiskOperation::kRemove,
        DiskOperation::kSyncFolder}},
      {"manifest",
       {DiskOperation::kCreate, DiskOperation::kWrite, DiskOperation::kSync, DiskOperation::kRename,
        DiskOperation::kRemove}},
      {"epoch",
       {DiskOperation::kCreate, DiskOperation::kWrite, DiskOperation::kSync, DiskOperation::kRename,
        DiskOperation::kSyncFolder}},
  };
  std::vector<PowerPoint> points;
  for (const Kind& kind : kinds) {
    for (const DiskOperation operation : kind.operations) {
      for (const Moment moment : {Moment::kBefore, Moment::kAfter}) {
        points.push_back({kind.name, operation, moment});
      }
    }
  }
  return points;
}

std::string name_of(const PowerPoint& point) {
  static constexpr const char* kOperations[] = {"creating", "writing to", "syncing",
                                                "renaming", "removing",   "syncing the folder of"};
  return fmt::format("power is lost {} {} {}", point.moment == Moment::kBefore ? "before" : "after",
                     kOperations[static_cast<size_t>(point.operation)], point.kind);
}

std::vector<FaultEntry> make_catalogue() {
  constexpr double kOneInSixteen = 1.0 / 16;
  constexpr double kOneInEight = 1.0 / 8;
  constexpr double kLie = kOneInEight / 7;
  std::vector<FaultEntry> all = {
      {"a connection is lost, and both sides see it", Occasion::kAnyTime, 0.4},
      {"a connection is lost, and one side sees it", Occasion::kAnyTime, 0.4},
      {"a connection is lost, and nobody sees it", Occasion::kAnyTime, 0.4},
      {"a connection is lost in the midst of a message", Occasion::kByItself, 0},  // 3 in 10,000 pieces.
      {"messages are late", Occasion::kAnyTime, 0.5},
      {"an update overtakes the one before it", Occasion::kByItself, 0},
      {"an update comes a second time", Occasion::kByItself, 0},
      {"nothing passes between two processes", Occasion::kAnyTime, 0.5},
      {"nothing passes one way", Occasion::kAnyTime, 0.5},
      {"nothing passes the other way", Occasion::kAnyTime, 0.5},
      {"an aggregator is killed and started again", Occasion::kAnyTime, 0.7},
      {"a node is slow", Occasion::kAnyTime, 0.4},
      {"a node's clock leaps", Occasion::kAnyTime, 0.3},
      {"an aggregator's clock leaps", Occasion::kAnyTime, 0.3},
      {"the writer's clock leaps", Occasion::kAnyTime, 0.3},
      {"an aggregator's wall clock is set ahead", Occasion::kAnyTime, 0.5},
      {"an aggregator's wall clock is set back", Occasion::kAnyTime, 0.5},
      {"a node stands still for a while", Occasion::kAnyTime, 0.1},
      {"an aggregator stands still for a while", Occasion::kAnyTime, 0.1},
      {"the writer stands still for a while", Occasion::kAnyTime, 0.1},
      {"a node is killed", Occasion::kAnyTimeWithLog, 0.5},
      {"a node's machine vanishes", Occasion::kAnyTimeWithLog, 0.5},
      {"the writer is killed", Occasion::kAnyTimeWithLog, 0.5},
      {"the writer's machine vanishes", Occasion::kAnyTimeWithLog, 0.5},
      {"a disk fails a few syncs", Occasion::kAnyTimeWithLog, 1},
      {"a disk is full", Occasion::kAnyTimeWithLog, 0.7},
      {"a disk is slow to sync", Occasion::kAnyTimeWithLog, 1.5},
      {"a write is torn", Occasion::kByItself, 0},
      {"power is lost when a checkpoint has become current", Occasion::kByItself, 0},  // 2 in 1,000 of them.
      {"a node without durability is killed", Occasion::kStory, kOneInSixteen},
      {"all processes are killed", Occasion::kStory, kOneInSixteen},
      {"a second writer takes over when nothing is under way", Occasion::kStory, kOneInEight},
      {"a second writer takes over", Occasion::kStory, kOneInEight},
      {"an aggregator has an older map", Occasion::kStory, kOneInEight},
      {"a client has an older map", Occasion::kStory, kOneInEight},
      {"an old journal is put back, and its writer looks at what nodes have", Occasion::kStory, kOneInSixteen},
      {"an old journal is put back, and its writer does not look", Occasion::kStory, kOneInSixteen},
      {"a bit turns in the writer's journal", Occasion::kStory, kOneInSixteen * 2 / 3},
      {"a bit turns in the writer's journal, at an end that may be torn", Occasion::kStory, kOneInSixteen / 3},
      {"a bit turns in the log of updates", Occasion::kStory, kLie},
      {"a bit turns in the log of outcomes", Occasion::kStory, kLie},
      {"a bit turns in a checkpoint's data", Occasion::kStory, kLie},
      {"a bit turns in a manifest", Occasion::kStory, kLie},
      {"a bit turns in the epoch", Occasion::kStory, kLie},
      {"a write goes elsewhere in its file", Occasion::kStory, kLie},
      {"an old directory is put back", Occasion::kStory, kLie},
  };
  CHECK(all.size() == static_cast<size_t>(FaultPoint::kPowerLost));
  const auto count = static_cast<double>(power_points().size());
  for (const PowerPoint& point : power_points()) {
    all.push_back({name_of(point), Occasion::kDealt, kPowerPointsPerRun / count});
  }
  return all;
}

}  // namespace

const std::vector<PowerPoint>& power_points() {
  static const std::vector<PowerPoint> kPoints = make_power_points();
  return kPoints;
}

const std::vector<FaultEntry>& fault_catalogue() {
  static const std::vector<FaultEntry> kCatalogue = make_catalogue();
  return kCatalogue;
}

FaultPoint power_lost_at(size_t power_point) {
  return static_cast<FaultPoint>(static_cast<size_t>(FaultPoint::kPowerLost) + power_point);
}

std::string kind_of_file(const std::string& name) {
  if (name.starts_with("checkpoint")) {
    return name.find("manifest") == std::string::npos ? "checkpoint data" : "manifest";
  }
  const std::string kind = name.substr(0, name.find('/'));
  return kind.empty() || kind == "epoch.new" ? "epoch" : kind;
}

void FaultCounts::add(const FaultCounts& other) {
  for (size_t point = 0; point < counts_.size(); ++point) {
    counts_[point] += other.counts_[point];
  }
}

std::vector<std::string> FaultCounts::never() const {
  std::vector<std::string> names;
  for (size_t point = 0; point < counts_.size(); ++point) {
    if (counts_[point] == 0) {
      names.push_back(fault_catalogue()[point].name);
    }
  }
  return names;
}

std::string FaultCounts::text() const {
  std::string lines;
  for (size_t point = 0; point < counts_.size(); ++point) {
    lines += fmt::format("{:>8}  {}\n", counts_[point], fault_catalogue()[point].name);
  }
  return lines;
}

}  // namespace daedalus::testing

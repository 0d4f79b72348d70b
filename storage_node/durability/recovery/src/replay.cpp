#include "daedalus/durability/replay.hpp"

#include <utility>

namespace daedalus::durability {

namespace {

/// Enough for every segment to fill its cycles; little beside the memory of a node.
constexpr size_t kWaitingMax = 1024;

}  // namespace

Result<NodeLogEnd> replay_log(Disk& disk, node::NodeCore& core, const LogFloor& floor, const LetSegmentsWork& let_work,
                              const std::function<void(const ReplayProgress&)>& report) {
  ReplayProgress progress{.reached = floor.after};
  auto end =
      read_node_log(disk, floor, [&](node::LogRecord record, std::shared_ptr<const node::OutcomeRecord> recorded) {
        if (record.range.last <= floor.after) {
          return core.remember(record, *recorded);
        }
        progress.reached = record.range.last;
        ++progress.records;
        progress.bytes += record.body == nullptr ? 0 : record.body->size();
        const Result<void> replayed = core.replay(std::move(record), std::move(recorded));
        while (core.waiting_max() > kWaitingMax) {
          let_work();
        }
        report(progress);
        return replayed;
      });
  if (!end) {
    return end;
  }
  while (core.applied() < core.accepted()) {
    let_work();
  }
  if (core.problem()) {
    return *core.problem();
  }
  core.on_recovered();
  return end;
}

}  // namespace daedalus::durability

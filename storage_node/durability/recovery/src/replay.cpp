#include "daedalus/durability/replay.hpp"

#include <optional>
#include <thread>
#include <utility>

#include "replay_ahead.hpp"

namespace daedalus::durability {

namespace {

/// Enough for every segment to fill its cycles; little beside the memory of a node.
constexpr size_t kWaitingMax = 1024;

/// Gives a core what was read of its log.
class Replay {
 public:
  Replay(Disk& disk, node::NodeCore& core, const LogFloor& floor, const LetSegmentsWork& let_work,
         const std::function<void(const ReplayProgress&)>& report)
      : disk_(disk), core_(core), floor_(floor), let_work_(let_work), report_(report), placer_(core.placer()) {
    progress_.reached = floor.after;
  }

  Result<NodeLogEnd> run(RecoveryOrder order) {
    auto end = order == RecoveryOrder::kSideBySide
                   ? read_ahead()
                   : read([this](node::ReplayedRecord record) { apply(std::move(record)); });
    if (!end) {
      return end;
    }
    while (core_.applied() < core_.accepted()) {
      let_work_(Meanwhile::kNothing);
    }
    if (core_.problem()) {
      return *core_.problem();
    }
    core_.on_recovered();
    return end;
  }

 private:
  template <typename Take>
  Result<NodeLogEnd> read(Take&& take) {
    return read_node_log(disk_, floor_,
                         [&](node::LogRecord record, std::shared_ptr<const node::OutcomeRecord> recorded) {
                           auto placed = placer_.place_replayed(std::move(record), std::move(recorded));
                           if (!placed) {
                             return Result<void>(placed.error());
                           }
                           take(std::move(*placed));
                           return Result<void>();
                         });
  }

  Result<NodeLogEnd> read_ahead() {
    ReplayAhead ahead;
    std::optional<Result<NodeLogEnd>> end;
    std::jthread reader([&] {
      end = read([&](node::ReplayedRecord record) { ahead.put(std::move(record)); });
      ahead.end();
    });
    while (auto batch = ahead.take()) {
      for (node::ReplayedRecord& record : *batch) {
        apply(std::move(record));
      }
      let_work_(Meanwhile::kSomething);
    }
    reader.join();
    return std::move(*end);
  }

  void apply(node::ReplayedRecord record) {
    if (record.record.range.last <= floor_.after) {
      return core_.remember(record);
    }
    progress_.reached = record.record.range.last;
    ++progress_.records;
    progress_.bytes += record.record.body == nullptr ? 0 : record.record.body->size();
    core_.replay(std::move(record));
    while (core_.waiting_max() > kWaitingMax) {
      let_work_(Meanwhile::kNothing);
    }
    report_(progress_);
  }

  Disk& disk_;
  node::NodeCore& core_;
  const LogFloor& floor_;
  const LetSegmentsWork& let_work_;
  const std::function<void(const ReplayProgress&)>& report_;
  node::UpdatePlacer placer_;  ///< The reader's.
  ReplayProgress progress_;
};

}  // namespace

Result<NodeLogEnd> replay_log(Disk& disk, node::NodeCore& core, const LogFloor& floor, RecoveryOrder order,
                              const LetSegmentsWork& let_work,
                              const std::function<void(const ReplayProgress&)>& report) {
  return Replay(disk, core, floor, let_work, report).run(order);
}

}  // namespace daedalus::durability

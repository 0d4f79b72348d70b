// A node's log: what it took, and in a log of its own what came of it.
//
// Decides what is written where, and what a checkpoint may rely on. Refuses to know threads and time: the owner calls
// write() and sync() where waiting for the disk harms nobody, and tells the core how far they are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/node_records.hpp"
#include "daedalus/durability/record_log.hpp"
#include "daedalus/node/effects.hpp"

namespace daedalus::durability {

constexpr const char* kUpdatesFolder = "updates";
constexpr const char* kOutcomesFolder = "outcomes";

struct NodeLogOptions {
  uint64_t update_file_bytes = 16u << 20;
  uint64_t outcome_file_bytes = 4u << 20;
};

/// Says where both logs end.
struct NodeLogEnd {
  LogEnd updates;
  LogEnd outcomes;
  Chain chain = 0;
};

class NodeLog {
 public:
  NodeLog(Disk& disk, const NodeLogOptions& options, NodeLogEnd end);

  /// Preconditions: in the order of timestamps.
  void append(const std::vector<node::LogRecord>& records);
  /// Everything up to `applied` has come out; of it, what is in `outcomes` had an effect.
  void append_outcomes(const std::vector<node::OutcomeRecord>& outcomes, Timestamp applied);

  /// Errors as RecordLog's: nothing is lost, and all may be called again.
  [[nodiscard]] Result<void> write();
  [[nodiscard]] Result<void> sync();
  [[nodiscard]] Result<void> sync_outcomes();
  /// Learns that everything up to `through` is in a checkpoint.
  [[nodiscard]] Result<void> release(Timestamp through);

  /// Updates, of both logs what they say.
  [[nodiscard]] Timestamp written() const { return updates_.written(); }
  [[nodiscard]] Timestamp durable() const { return updates_.durable(); }
  /// Both what was taken and what came of it are durable up to here.
  [[nodiscard]] Timestamp settled() const;
  [[nodiscard]] bool has_unwritten() const { return updates_.has_unwritten(); }
  [[nodiscard]] bool has_unsynced() const { return updates_.has_unsynced(); }
  /// Outcomes wait to be written and synced.
  [[nodiscard]] bool has_unsettled() const { return outcomes_.durable() < outcomes_.appended(); }
  [[nodiscard]] uint64_t bytes() const { return updates_.bytes() + outcomes_.bytes(); }
  [[nodiscard]] RecordLog& updates() { return updates_; }
  [[nodiscard]] RecordLog& outcomes() { return outcomes_; }

 private:
  RecordLog updates_;
  RecordLog outcomes_;
  Chain chain_;
  Timestamp applied_{};  ///< Outcomes were given up to here.
};

/// Holds what of both logs has to be there.
struct LogFloor {
  Timestamp after{};         ///< Everything later than this.
  Timestamp updates_min{};   ///< They end no earlier than this,
  Timestamp outcomes_min{};  ///< nor outcomes than this: a checkpoint relies on them.
};

/// Gets what a node took, in order, and what came of it where that is known.
using TakeUpdate =
    std::function<Result<void>(node::LogRecord record, std::shared_ptr<const node::OutcomeRecord> recorded)>;

/// Reads both logs: all that ends after `floor.after`, and what there still is before that, as far back as its outcomes
/// are known. Errors (XX001) name file, offset and what to do. Memory: the outcomes, and one file of updates.
[[nodiscard]] Result<NodeLogEnd> read_node_log(Disk& disk, const LogFloor& floor, const TakeUpdate& take);

}  // namespace daedalus::durability

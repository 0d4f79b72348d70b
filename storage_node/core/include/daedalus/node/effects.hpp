// Defines what a step of the node's core wants done, and how far its log is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/engine/operation.hpp"
#include "daedalus/node/ledger.hpp"
#include "daedalus/node/requester.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::node {

/// One update, or one no-op range, as the log takes it: whole, in the order of timestamps.
struct LogRecord {
  Epoch epoch{};
  TimestampRange range;
  Identity identity;
  std::shared_ptr<const std::string> body;  ///< Nothing for a no-op range.
};

/// Holds what an update did in each segment it had a part in: what its replay comes out as again. Up to `last` all
/// other updates had none.
struct OutcomeRecord {
  Timestamp last{};
  std::vector<std::pair<SegmentIndex, engine::UpdateOutput>> segments;  ///< Ascending.
};

/// Messages to send, and besides them what takes the driver some time: it reports to the core when that is done.
struct Effects : rpc::Outbox {
  std::vector<EpochRecord> epochs;      ///< To be synced to disk, in this order: NodeCore::on_epoch_persisted().
  std::vector<LogRecord> log;           ///< To be appended, in this order: NodeCore::on_appended(), on_durable().
  std::vector<OutcomeRecord> outcomes;  ///< To be kept behind those, in this order; nobody waits for them.
  Instant wake_at = kNever;             ///< When to call NodeCore::on_deadline(); replaces what was said before.
};

/// When an update is confirmed, and whether a restart brings it back.
enum class Durability : uint8_t {
  kOff,    ///< When it is applied; rows are in memory only.
  kAsync,  ///< When it is applied; it is synced a while later, and then watermarks say so.
  kSync,   ///< When it is applied and synced.
};

[[nodiscard]] constexpr const char* to_text(Durability durability) {
  return durability == Durability::kOff ? "off" : durability == Durability::kAsync ? "async" : "sync";
}

/// Holds what is on disk, as NodeStatus tells it.
struct StorageFigures {
  Timestamp checkpoint{};  ///< Recovery begins there, or above.
  uint64_t log_bytes = 0;
  uint64_t checkpoint_bytes = 0;
};

/// How far the log is. Without one (durability off) appending is done at once, and what is applied is as durable as it
/// gets.
class LogProgress {
 public:
  explicit LogProgress(Durability durability) : durability_(durability) {}

  void on_durable(Timestamp through) { durable_ = std::max(durable_, through); }

  [[nodiscard]] Durability durability() const { return durability_; }
  [[nodiscard]] bool has_log() const { return durability_ != Durability::kOff; }
  /// Returns whether a confirmation waits for the log.
  [[nodiscard]] bool is_awaited() const { return durability_ == Durability::kSync; }
  /// How much of a prefix that has been applied is durable.
  [[nodiscard]] Timestamp durable(Timestamp applied) const { return has_log() ? std::min(applied, durable_) : applied; }

 private:
  Durability durability_;
  Timestamp durable_{};
};

}  // namespace daedalus::node

// What a step of the node's core wants done, and how far its log is.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

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

/// Messages to send, and besides them what takes the driver some time: it reports to the core when that is done.
struct Effects : rpc::Outbox {
  std::vector<EpochRecord> epochs;  ///< To be synced to disk, in this order: NodeCore::on_epoch_persisted().
  std::vector<LogRecord> log;       ///< To be appended, in this order: NodeCore::on_appended(), on_durable().
  Instant wake_at = kNever;         ///< When to call NodeCore::on_deadline(); replaces what was said before.
};

/// How far the log is. Without one (durability off) appending is done at once, and what is applied is as durable as it
/// gets.
class LogProgress {
 public:
  explicit LogProgress(bool has_log) : has_log_(has_log) {}

  void on_durable(Timestamp through) { durable_ = std::max(durable_, through); }

  [[nodiscard]] bool has_log() const { return has_log_; }
  /// How much of a prefix that has been applied is durable.
  [[nodiscard]] Timestamp durable(Timestamp applied) const { return has_log_ ? std::min(applied, durable_) : applied; }

 private:
  bool has_log_;
  Timestamp durable_{};
};

}  // namespace daedalus::node

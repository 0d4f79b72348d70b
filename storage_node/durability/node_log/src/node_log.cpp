#include "daedalus/durability/node_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "daedalus/durability/log_reader.hpp"

namespace daedalus::durability {

using node::LogRecord;
using node::OutcomeRecord;

NodeLog::NodeLog(Disk& disk, const NodeLogOptions& options, NodeLogEnd end)
    : updates_(disk, {LogKind::kUpdates, kUpdatesFolder, options.update_file_bytes}, std::move(end.updates)),
      outcomes_(disk, {LogKind::kOutcomes, kOutcomesFolder, options.outcome_file_bytes}, std::move(end.outcomes)),
      chain_(end.chain) {}

void NodeLog::append(const std::vector<LogRecord>& records) {
  for (const LogRecord& record : records) {
    updates_.append(record.range.last, encode_update(record, chain_));
    chain_ = next_chain(chain_, record);
  }
}

void NodeLog::append_outcomes(const std::vector<OutcomeRecord>& outcomes, Timestamp applied) {
  for (std::span<const OutcomeRecord> rest = outcomes; !rest.empty();) {
    const auto record = rest.first(outcomes_that_fit(rest));
    outcomes_.append(record.back().last, encode_outcomes(record));
    rest = rest.subspan(record.size());
  }
  applied_ = std::max(applied_, applied);
}

Result<void> NodeLog::write() { return updates_.write(); }

Result<void> NodeLog::sync() { return updates_.sync(); }

Result<void> NodeLog::sync_outcomes() {
  // Never ahead of the updates: an outcome of what was lost would be obeyed by what comes in its place.
  if (updates_.durable() < outcomes_.appended()) {
    return {};
  }
  if (auto written = outcomes_.write(); !written) {
    return written;
  }
  return outcomes_.sync();
}

Result<void> NodeLog::release(Timestamp through) {
  if (auto released = updates_.release(through); !released) {
    return released;
  }
  return outcomes_.release(through);
}

Timestamp NodeLog::settled() const {
  if (is_planted(Fault::kCheckpointBeforeOutcomes)) {
    return updates_.durable();
  }
  if (is_planted(Fault::kCheckpointBeforeUpdates)) {
    return updates_.appended();
  }
  return std::min(updates_.durable(), has_unsettled() ? outcomes_.durable() : applied_);
}

namespace {

class NodeLogReader {
 public:
  NodeLogReader(Disk& disk, const LogFloor& floor, const TakeUpdate& take)
      : disk_(disk), floor_(floor), after_(floor.after), take_(take) {}

  Result<NodeLogEnd> read();

 private:
  [[nodiscard]] Result<void> take_outcomes(std::string_view payload);
  [[nodiscard]] Result<void> take_update(Timestamp last, std::string_view payload);
  [[nodiscard]] std::shared_ptr<const OutcomeRecord> outcome_of(Timestamp last);

  /// Error where a log lacks records that were durable: what rotted at its end looks like a torn tail.
  [[nodiscard]] Result<void> check_end(const char* folder, const LogEnd& end, Timestamp least) const;

  Disk& disk_;
  const LogFloor& floor_;
  Timestamp after_;
  const TakeUpdate& take_;
  std::deque<OutcomeRecord> outcomes_;
  Timestamp known_after_{};    ///< Nobody knows any more what came of updates up to here,
  Timestamp known_through_{};  ///< An update up to here without an outcome had no effect.
  std::optional<Chain> chain_;
};

Result<NodeLogEnd> NodeLogReader::read() {
  NodeLogEnd end;
  auto outcomes = read_log(disk_, {LogKind::kOutcomes, kOutcomesFolder, after_, true},
                           [this](Timestamp /*last*/, std::string_view payload) { return take_outcomes(payload); });
  if (!outcomes) {
    return outcomes.error();
  }
  end.outcomes = std::move(*outcomes);
  if (auto whole = check_end(kOutcomesFolder, end.outcomes, floor_.outcomes_min); !whole) {
    return whole.error();
  }
  known_after_ = end.outcomes.first_after;
  known_through_ = end.outcomes.last;
  auto updates = read_log(disk_, {LogKind::kUpdates, kUpdatesFolder, after_, true},
                          [this](Timestamp last, std::string_view payload) { return take_update(last, payload); });
  if (!updates) {
    return updates.error();
  }
  end.updates = std::move(*updates);
  if (!end.updates.last_payload.empty()) {
    // This decodes it even if none was wanted: whatever follows it is to say so.
    const auto last = decode_update(end.updates.last_record, end.updates.last_payload);
    if (!last) {
      return last.error();
    }
    end.chain = next_chain(last->before, last->record);
  }
  // Outcomes are never synced ahead of their updates.
  const Timestamp updates_min = std::max(floor_.updates_min, end.outcomes.last_record);
  if (auto whole = check_end(kUpdatesFolder, end.updates, updates_min); !whole) {
    return whole.error();
  }
  return end;
}

Result<void> NodeLogReader::check_end(const char* folder, const LogEnd& end, Timestamp least) const {
  if (end.last_record >= least) {
    return {};
  }
  const std::string file = end.files.empty() ? std::string(folder) : end.files.back().name;
  return Error{ErrorCategory::kFatal, kDataCorrupted,
               fmt::format("{} is damaged at byte {}: the log ends at {}, and had {} on disk", disk_.path_of(file),
                           end.end, raw(end.last_record), raw(least)),
               kDamagedHint, 0};
}

Result<void> NodeLogReader::take_outcomes(std::string_view payload) {
  auto decoded = decode_outcomes(payload);
  if (!decoded) {
    return decoded.error();
  }
  for (OutcomeRecord& outcome : *decoded) {
    outcomes_.push_back(std::move(outcome));
  }
  return {};
}

Result<void> NodeLogReader::take_update(Timestamp last, std::string_view payload) {
  auto decoded = decode_update(last, payload);
  if (!decoded) {
    return decoded.error();
  }
  if (chain_ && *chain_ != decoded->before) {
    return Error{ErrorCategory::kFatal, kDataCorrupted, "a record does not follow the one before it", "", 0};
  }
  chain_ = next_chain(decoded->before, decoded->record);
  if (last <= after_ && last <= known_after_) {
    return {};  // Nobody knows what came of it.
  }
  return take_(std::move(decoded->record), outcome_of(last));
}

std::shared_ptr<const OutcomeRecord> NodeLogReader::outcome_of(Timestamp last) {
  if (last > known_through_ || last <= known_after_) {
    return nullptr;
  }
  OutcomeRecord outcome{last, {}};
  while (!outcomes_.empty() && outcomes_.front().last <= last) {
    if (outcomes_.front().last == last) {
      outcome = std::move(outcomes_.front());
    }
    outcomes_.pop_front();
  }
  return std::make_shared<const OutcomeRecord>(std::move(outcome));
}

}  // namespace

Result<NodeLogEnd> read_node_log(Disk& disk, const LogFloor& floor, const TakeUpdate& take) {
  return NodeLogReader(disk, floor, take).read();
}

}  // namespace daedalus::durability

// Takes the answers of aggregators: confirmations, watermarks and refusals.
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/planted_faults.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

using wire::v1::WriteRefusal;

namespace {

constexpr int64_t kRetryNsMin = kMillisecond;

}  // namespace

// ---- answers ----

void WriterModel::on_result(rpc::PeerId peer, const wire::v1::Result& result, Instant now, rpc::Outbox& out,
                            WriterEffects& effects) {
  take_answer(peer, result, now, out, effects);
  tell(effects);
  send_marks(now, out);
}

void WriterModel::take_answer(rpc::PeerId peer, const wire::v1::Result& result, Instant now, rpc::Outbox& out,
                              WriterEffects& effects) {
  take_marks(result);
  if (marks_.on_answer(peer, result.sequence(), !result.has_marked())) {
    return;
  }
  if (result.has_described()) {
    effects.described = result.described();
    return;
  }
  const std::pair<rpc::PeerId, uint64_t> id{peer, result.sequence()};
  if (epoch_request_ == id) {
    if (result.has_epoch()) {
      on_epoch(result.epoch(), now, out, effects);
    } else if (result.has_error()) {
      epoch_refusal_ = result.error().message();  // epoch_retry_ asks again.
    }
    return;
  }
  const auto sent = sent_.find(id);
  if (sent == sent_.end() || phase_ != Phase::kActive) {
    return;  // Late: everything about it is settled.
  }
  Kept& kept = kept_.at(sent->second);
  kept.is_answered |= kept.sequences.back() == id;
  if (result.has_confirmed()) {
    on_confirmed(sent->second, result.confirmed(), now, effects);
  } else if (result.has_refused()) {
    on_refused(peer, result.refused(), now, out, effects);
  }
}

void WriterModel::on_confirmed(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed, Instant now,
                               WriterEffects& effects) {
  take_watermarks(confirmed, now);
  Kept& kept = kept_.at(timestamp);
  if (!kept.is_confirmed) {
    kept.is_confirmed = true;
    last_progress_ = now;
    remember_outcome(kept.submission, confirmed);
    effects.recorded.emplace_back(kept.submission, confirmed);
    untold_.emplace(timestamp, Untold{kept.submission, confirmed});
    while (kept_.contains(next(confirmed_through_)) && kept_.at(next(confirmed_through_)).is_confirmed) {
      confirmed_through_ = next(confirmed_through_);
    }
  }
  forget_settled();
}

void WriterModel::take_marks(const wire::v1::Result& result) {
  const auto& watermarks = result.has_marked() ? result.marked().watermarks() : result.confirmed().watermarks();
  for (const wire::v1::NodeWatermark& node : watermarks) {
    marks_.learn(node.node(), Timestamp{node.mark()});
  }
}

void WriterModel::tell(WriterEffects& effects) {
  while (!untold_.empty() && may_tell(untold_.begin()->first, untold_.begin()->second.confirmed)) {
    auto& [submission, confirmed] = untold_.begin()->second;
    effects.outcomes.push_back({std::move(submission), std::move(confirmed), {}});
    untold_.erase(untold_.begin());
  }
}

/// Aggregators of an older build do not take marks; where there are no others, nodes are not asked for them.
bool WriterModel::may_tell(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed) const {
  if (timestamp > confirmed_through_) {
    return false;
  }
  if (!marks_.has_takers()) {
    return !next_sequence_.empty();
  }
  return std::all_of(confirmed.outcomes().begin(), confirmed.outcomes().end(),
                     [&](const auto& outcome) { return marks_.knows(outcome.node(), timestamp); });
}

void WriterModel::take_watermarks(const wire::v1::WriteConfirmed& confirmed, Instant now) {
  const Timestamp before = settled_through();
  for (const auto& node : confirmed.watermarks()) {
    const auto known = watermarks_.find(node.node());
    if (known != watermarks_.end() && known->second.incarnation == node.incarnation()) {
      known->second.durable = std::max(known->second.durable, Timestamp{node.durable()});
    }
  }
  if (settled_through() > before) {
    last_progress_ = now;
  }
}

Timestamp WriterModel::settled_through() const {
  Timestamp lowest{UINT64_MAX};
  for (const auto& [node, watermark] : watermarks_) {
    lowest = std::min(lowest, watermark.durable);
  }
  return lowest;
}

void WriterModel::forget_settled() {
  const Timestamp settled = is_planted(Fault::kJournalTruncatedAtConfirmed) ? confirmed_through_ : settled_through();
  while (!kept_.empty() && kept_.begin()->first <= settled && kept_.begin()->second.is_confirmed) {
    for (const auto& sequence : kept_.begin()->second.sequences) {
      sent_.erase(sequence);
    }
    bytes_kept_ -= kept_.begin()->second.bytes();
    kept_.erase(kept_.begin());
  }
}

void WriterModel::on_refused(rpc::PeerId peer, const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out,
                             WriterEffects& effects) {
  switch (refused.reason()) {
    case WriteRefusal::WRITE_REFUSAL_GAP:
      on_gap(refused, now, out);
      return;
    case WriteRefusal::WRITE_REFUSAL_OVERLOADED:
      room_again_ = std::min(room_again_, after(now, std::clamp(static_cast<int64_t>(refused.retry_after_ns()),
                                                                kRetryNsMin, options_.resend_after_ns)));
      return;
    case WriteRefusal::WRITE_REFUSAL_UNREACHABLE:
      return;  // Sent again when resend_after_ns have passed without progress.
    case WriteRefusal::WRITE_REFUSAL_STALE_MAP:
      pass_by(peer, now, out);  // It has another map, and has it as long as it runs.
      return;
    case WriteRefusal::WRITE_REFUSAL_NEW_INCARNATION:
      raise_again(now, out);
      return;
    case WriteRefusal::WRITE_REFUSAL_STALE_EPOCH:
      if (refused.epoch() <= epoch_) {
        raise_again(now, out);  // The node has never heard of this epoch: it has lost its own.
        return;
      }
      fail(taken_over(refused.holder(), refused.epoch()), effects);
      return;
    default:
      fail(Error{ErrorCategory::kFatal, "F0000",
                 fmt::format("node {} refused update {}: {}", refused.node(), refused.timestamp(),
                             refused.error().message()),
                 "start the cluster afresh and load it again", 0},
           effects);
  }
}

void WriterModel::on_gap(const wire::v1::WriteRefused& refused, Instant now, rpc::Outbox& out) {
  const Timestamp last_accepted{refused.last_accepted()};
  const auto known = watermarks_.find(refused.node());
  if (known != watermarks_.end() && last_accepted < known->second.durable) {
    return;  // Old news: in this life the node has come further since.
  }
  const auto served = gaps_.find(refused.node());
  if (served != gaps_.end() && served->second.last_accepted == last_accepted &&
      now < after(served->second.served, options_.resend_after_ns)) {
    return;  // Several updates see the same gap: it causes one go-back.
  }
  gaps_[refused.node()] = {last_accepted, now};
  resend_from(next(last_accepted), now, out);
}

void WriterModel::fail(Error error, WriterEffects& effects) {
  phase_ = Phase::kFailed;
  failure_ = std::move(error);
  marks_.stop();
  std::map<Timestamp, SubmissionKey> open;
  for (const auto& [timestamp, kept] : kept_) {
    if (!kept.is_confirmed) {
      open.emplace(timestamp, kept.submission);
    }
  }
  for (const auto& [timestamp, untold] : std::exchange(untold_, {})) {
    open.emplace(timestamp, untold.submission);
  }
  for (const auto& [timestamp, submission] : open) {
    effects.outcomes.push_back({submission, {}, unknown_outcome(timestamp)});
  }
}

Error WriterModel::unknown_outcome(Timestamp timestamp) const {
  return Error{ErrorCategory::kUnknown, "08007",
               fmt::format("update {} may or may not have taken effect: {}", raw(timestamp), failure_->message),
               failure_->hint, 0};
}

}  // namespace daedalus::testing

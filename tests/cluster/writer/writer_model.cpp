// Aggregators that come and go, and what is sent to them, and sent again.
#include "writer_model.hpp"

#include <algorithm>

#include "daedalus/semantics/placement.hpp"

namespace daedalus::testing {

namespace {

/// The first operation on every connection asks for schema and map.
constexpr uint64_t kDescribeSequence = 1;
/// Answers to the last so many sendings of one update are taken.
constexpr size_t kCarriersMax = 64;
/// Updates that an aggregator is still busy with are sent again after so many times the usual patience.
constexpr int64_t kPatienceForTheBusy = 8;

}  // namespace

// ---- aggregators come and go ----

WriterModel::WriterModel(WriterOptions options, const RecoveredJournal& journal)
    : options_(std::move(options)), adopts_(journal.adopts) {
  if (!journal.is_used) {
    return;
  }
  first_epoch_ = journal.first_epoch;
  base_ = journal.base;
  last_numbered_ = journaled_through_ = confirmed_through_ = journal.last_numbered;
  for (const auto& [timestamp, kept] : journal.updates) {
    bytes_kept_ += kept.bytes();
    kept_.emplace(timestamp, kept);
    if (!kept.is_confirmed) {
      confirmed_through_ = std::min(confirmed_through_, Timestamp{raw(timestamp) - 1});
    }
  }
  forgotten_through_ = journal.forgotten_through;
  for (const KnownSubmission& each : journal.submissions) {
    remember(each.key, Known{.timestamp = each.timestamp, .confirmed = each.confirmed});
  }
}

void RecoveredJournal::lose_outcomes_after(Timestamp last) {
  for (const auto& [timestamp, kept] : updates) {
    last = std::max(last, kept.confirmed_through);
  }
  for (auto& [timestamp, kept] : updates) {
    kept.is_confirmed &= timestamp <= last;
  }
  for (KnownSubmission& each : submissions) {
    if (each.timestamp > last && updates.contains(each.timestamp)) {
      each.confirmed.reset();
    }
  }
}

RecoveredJournal WriterModel::journal(Timestamp through) const {
  RecoveredJournal journal{.is_used = first_epoch_ != 0,
                           .adopts = adopts_,
                           .first_epoch = first_epoch_,
                           .base = base_,
                           .last_numbered = through,
                           .forgotten_through = forgotten_through_};
  for (const auto& [timestamp, kept] : kept_) {
    if (timestamp <= through) {
      KeptUpdate& each = journal.updates.emplace(timestamp, kept).first->second;
      each.is_sent = false;
      each.is_answered = true;
      each.sequences.clear();
    }
  }
  for (const SubmissionKey& key : known_order_) {
    if (const Known& known = known_.at(key); known.timestamp <= through) {
      journal.submissions.push_back({key, known.timestamp, known.confirmed});
    }
  }
  return journal;
}

void WriterModel::on_up(rpc::PeerId peer, bool takes_marks, Instant now, rpc::Outbox& out) {
  next_sequence_.emplace(peer, kDescribeSequence + 1);
  if (takes_marks) {
    marks_.on_up(peer);
  }
  wire::v1::Operation describe;
  describe.mutable_header()->set_sequence(kDescribeSequence);
  describe.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DESCRIBE);
  out.operations.emplace_back(peer, std::move(describe));
  if (phase_ == Phase::kIdle) {
    inquire(now, out);
    return;
  }
  for (auto& [timestamp, kept] : kept_) {
    if (!kept.is_sent && phase_ == Phase::kActive) {
      send(timestamp, now, out);
    }
  }
  send_marks(now, out);
}

void WriterModel::on_down(rpc::PeerId peer, Instant now, rpc::Outbox& out) {
  if (epoch_request_ && epoch_request_->first == peer) {
    epoch_request_.reset();
    epoch_retry_ = after(now, options_.epoch_retry_ns);
  }
  pass_by(peer, now, out);
  send_marks(now, out);
}

void WriterModel::pass_by(rpc::PeerId peer, Instant now, rpc::Outbox& out) {
  next_sequence_.erase(peer);
  marks_.on_down(peer);
  std::erase_if(sent_, [&](const auto& entry) { return entry.first.first == peer; });
  for (auto& [timestamp, kept] : kept_) {
    if (kept.is_sent && kept.via == peer && phase_ == Phase::kActive) {
      kept.is_sent = false;
      send(timestamp, now, out);
    }
  }
}

// ---- sending ----

void WriterModel::on_journaled(Timestamp through, Instant now, rpc::Outbox& out) {
  if (phase_ == Phase::kFailed) {
    return;  // Another may be the writer by now.
  }
  if (!is_any_journaled()) {
    last_progress_ = now;
  }
  while (journaled_through_ < std::min(through, last_numbered_)) {
    journaled_through_ = next(journaled_through_);
    send(journaled_through_, now, out);
  }
}

bool WriterModel::is_any_journaled() const { return !kept_.empty() && kept_.begin()->first <= journaled_through_; }

void WriterModel::send(Timestamp timestamp, Instant now, rpc::Outbox& out) {
  if (phase_ != Phase::kActive || timestamp > journaled_through_ || next_sequence_.empty()) {
    return;  // begin(), on_journaled() or on_up() sends it.
  }
  Kept& kept = kept_.at(timestamp);
  const auto peer =
      std::next(next_sequence_.begin(), static_cast<std::ptrdiff_t>(raw(timestamp) % next_sequence_.size()));
  wire::v1::Operation operation;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header.set_sequence(peer->second++);
  header.set_kind(wire::v1::OPERATION_KIND_UPDATE);
  header.set_map_version(kept.map_version);
  for (const auto& route : kept.routes) {
    *header.add_routes() = route;
  }
  header.mutable_update()->set_epoch(epoch_);
  header.mutable_update()->set_timestamp(raw(timestamp));
  header.mutable_update()->set_digest(semantics::digest(kept.body));
  header.mutable_update()->set_confirmed_through(raw(kept.confirmed_through));
  operation.set_body(kept.body);
  kept.via = peer->first;
  kept.is_sent = true;
  kept.is_answered = false;
  kept.sent_at = now;
  kept.sequences.emplace_back(peer->first, header.sequence());
  sent_.emplace(kept.sequences.back(), timestamp);
  if (kept.sequences.size() > kCarriersMax) {
    sent_.erase(kept.sequences.front());
    kept.sequences.pop_front();
  }
  out.operations.emplace_back(peer->first, std::move(operation));
}

void WriterModel::send_marks(Instant now, rpc::Outbox& out) {
  for (const Marks::Due& due : marks_.take_due(confirmed_through_, now)) {
    uint64_t& sequence = next_sequence_.at(due.peer);
    wire::v1::Operation operation;
    wire::v1::OperationHeader& header = *operation.mutable_header();
    header.set_sequence(sequence);
    header.set_kind(wire::v1::OPERATION_KIND_MARK);
    header.set_mark(raw(confirmed_through_));
    header.set_is_passed_on(due.is_passed_on);
    marks_.on_sent(due.peer, sequence++, confirmed_through_, now);
    out.operations.emplace_back(due.peer, std::move(operation));
  }
}

void WriterModel::resend_from(Timestamp first, Instant now, rpc::Outbox& out) {
  for (auto kept = kept_.lower_bound(first); kept != kept_.end(); ++kept) {
    if (kept->second.is_answered) {  // Otherwise it is on its way.
      send(kept->first, now, out);
    }
  }
}

void WriterModel::resend_unsettled(Instant now, rpc::Outbox& out) {
  const Timestamp settled = settled_through();
  for (const auto& [timestamp, kept] : kept_) {
    const bool is_lacked = timestamp > settled || !kept.is_confirmed;  // Its confirmation may be lost.
    const bool is_overdue = now >= after(kept.sent_at, kPatienceForTheBusy * options_.resend_after_ns);
    if (is_lacked && (kept.is_answered || is_overdue)) {
      send(timestamp, now, out);
    }
  }
}

void WriterModel::resend_refused(Instant now, rpc::Outbox& out) {
  for (const auto& [timestamp, kept] : kept_) {
    if (kept.is_answered && !kept.is_confirmed) {
      send(timestamp, now, out);
    }
  }
}

Instant WriterModel::next_deadline() const {
  const Instant resend = is_any_journaled() && phase_ == Phase::kActive
                             ? std::min(room_again_, after(last_progress_, options_.resend_after_ns))
                             : kNever;
  return std::min({resend, marks_.next_deadline(), phase_ == Phase::kFailed ? kNever : epoch_retry_});
}

void WriterModel::on_deadline(Instant now, rpc::Outbox& out) {
  if (now >= epoch_retry_) {
    // The one that was asked may not reach the nodes: the next in turn.
    epoch_asks_from_ = rpc::PeerId{raw(epoch_asks_from_) + 1};
  }
  if (phase_ == Phase::kInquiring && now >= epoch_retry_) {
    inquire(now, out);
  } else if (phase_ == Phase::kRaising && now >= epoch_retry_) {
    raise(now, out);
  } else if (phase_ == Phase::kActive) {
    send_again(now, out);
  }
  send_marks(now, out);
}

void WriterModel::send_again(Instant now, rpc::Outbox& out) {
  if (now >= room_again_) {
    room_again_ = kNever;
    resend_refused(now, out);
  }
  if (is_any_journaled() && now >= after(last_progress_, options_.resend_after_ns)) {
    last_progress_ = now;
    resend_unsettled(now, out);
  }
}

}  // namespace daedalus::testing

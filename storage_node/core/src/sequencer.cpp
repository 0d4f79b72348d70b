#include "daedalus/node/sequencer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::node {

using wire::v1::WriteRefusal;

void Sequencer::on_update(Requester from, NumberedUpdate update, Instant now, SequencerEffects& effects) {
  if (refused_at_the_door(from, update, effects)) {
    return;
  }
  // Not what somebody here still waits for, whatever another writer believes.
  ledger_.forget(std::min(update.confirmed_through, ledger_.confirmable()));
  const bool is_past = update.range.last <= accepted();
  if (!ledger_.agrees(update.range, update.identity) && !(is_past && is_planted(Fault::kPastNotCompared))) {
    break_on(from, update.range, effects);
    return;
  }
  if (is_past) {
    answer_or_wait(from, update, effects);
    return;
  }
  const TimestampRange rest{std::max(update.range.first, next(accepted())), update.range.last};
  if (!agrees_with_held(rest, update.identity)) {
    break_on(from, rest, effects);
    return;
  }
  if (is_next(rest)) {
    wait(from, rest.last);
    admit(rest, update.identity, std::move(update.body), effects);
    admit_held(effects);
  } else if (raw(rest.last) - raw(accepted()) > options_.window) {
    refuse(from, rest.last, wire::v1::WRITE_REFUSAL_GAP, effects);
  } else if (held_bytes_ + update.body.size() > options_.held_bytes_max) {
    refuse(from, rest.last, wire::v1::WRITE_REFUSAL_OVERLOADED, effects);
  } else {
    wait(from, rest.last);
    hold(rest, update.identity, std::move(update.body));
  }
  watch_gap(now);
}

void Sequencer::on_applied(Timestamp last, Outcomes outcomes, SequencerEffects& effects) {
  ledger_.complete(last, std::move(outcomes));
  confirm_waiters(effects);
}

void Sequencer::on_durable(Timestamp through, SequencerEffects& effects) {
  ledger_.on_durable(through);
  confirm_waiters(effects);
}

void Sequencer::confirm_waiters(SequencerEffects& effects) {
  while (!waiters_.empty() && waiters_.begin()->first <= ledger_.confirmable()) {
    const auto& [timestamp, requesters] = *waiters_.begin();
    for (const Requester& requester : requesters) {
      // Nobody asks whether it was a no-op: its outcome has just been recorded.
      confirm(requester, timestamp, Identity{.is_no_op = true, .digest = 0}, effects);
    }
    waiters_count_ -= static_cast<uint32_t>(requesters.size());
    waiters_.erase(waiters_.begin());
  }
}

void Sequencer::on_epoch(const EpochRecord& record, SequencerEffects& effects) {
  CHECK(record.epoch > epoch_.epoch);
  epoch_ = record;
  held_.clear();
  held_bytes_ = 0;
  gap_deadline_ = kNever;
  gap_after_.reset();
  refuse_waiters_after(accepted(), wire::v1::WRITE_REFUSAL_STALE_EPOCH, std::nullopt, effects);
}

void Sequencer::on_peer_down(rpc::PeerId peer) {
  for (auto entry = waiters_.begin(); entry != waiters_.end();) {
    waiters_count_ -=
        static_cast<uint32_t>(std::erase_if(entry->second, [&](const Requester& r) { return r.peer == peer; }));
    entry = entry->second.empty() ? waiters_.erase(entry) : std::next(entry);
  }
}

void Sequencer::on_deadline(Instant now, SequencerEffects& effects) {
  if (now < gap_deadline_) {
    return;
  }
  gap_deadline_ = kNever;
  // One held update's sender is told, and the writer sends again from there; the copy it sends is what waits from now
  // on. All others stay attached to what is held.
  const auto first = waiters_.upper_bound(accepted());
  if (first == waiters_.end()) {
    return;
  }
  refuse(first->second.front(), first->first, wire::v1::WRITE_REFUSAL_GAP, effects);
  first->second.erase(first->second.begin());
  --waiters_count_;
  if (first->second.empty()) {
    waiters_.erase(first);
  }
}

void Sequencer::declare_broken(Timestamp sound, const Error& error, SequencerEffects& effects) {
  broken_ = error;
  held_.clear();
  held_bytes_ = 0;
  gap_deadline_ = kNever;
  refuse_waiters_after(sound, wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH, broken_, effects);
}

bool Sequencer::refused_at_the_door(Requester from, const NumberedUpdate& update, SequencerEffects& effects) {
  if (broken_) {
    refuse(from, update.range.last, wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH, effects, broken_);
  } else if (update.epoch < epoch_.epoch) {
    refuse(from, update.range.last, wire::v1::WRITE_REFUSAL_STALE_EPOCH, effects);
  } else if (update.epoch > epoch_.epoch) {
    refuse(from, update.range.last, wire::v1::WRITE_REFUSAL_STALE_EPOCH, effects,
           Error{ErrorCategory::kFatal, "55000",
                 fmt::format("epoch {} was never granted by this node, which knows epoch {}", raw(update.epoch),
                             raw(epoch_.epoch)),
                 "raise the epoch on all nodes first"});
  } else if (waiters_count_ >= options_.waiters_max && !is_next(update.range)) {
    refuse(from, update.range.last, wire::v1::WRITE_REFUSAL_OVERLOADED, effects);
  } else {
    return false;
  }
  return true;
}

bool Sequencer::is_next(TimestampRange range) const {
  return range.first <= next(accepted()) && range.last > accepted();
}

void Sequencer::refuse(Requester to, Timestamp timestamp, WriteRefusal reason, SequencerEffects& effects,
                       std::optional<Error> error) const {
  const bool is_overloaded = reason == wire::v1::WRITE_REFUSAL_OVERLOADED;
  effects.refusals.push_back(Refusal{to, timestamp, reason, accepted(), epoch_,
                                     is_overloaded ? options_.retry_after_ns : 0, std::move(error)});
}

void Sequencer::break_on(Requester from, TimestampRange range, SequencerEffects& effects) {
  declare_broken(
      accepted(),
      Error{ErrorCategory::kFatal, "XX001",
            fmt::format("two different updates carry one number between {} and {}", raw(range.first), raw(range.last)),
            "there are two writers, or one lost its journal: start the cluster and load it afresh"},
      effects);
  refuse(from, range.last, wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH, effects, broken_);
}

void Sequencer::answer_or_wait(Requester from, const NumberedUpdate& update, SequencerEffects& effects) {
  if (update.range.last <= ledger_.confirmable()) {
    confirm(from, update.range.last, update.identity, effects);
  } else {
    wait(from, update.range.last);
  }
}

void Sequencer::wait(Requester from, Timestamp timestamp) {
  waiters_[timestamp].push_back(from);
  ++waiters_count_;
}

void Sequencer::confirm(Requester to, Timestamp timestamp, Identity identity, SequencerEffects& effects) const {
  const Outcomes* outcomes = ledger_.outcomes(timestamp);
  const bool is_forgotten = outcomes == nullptr && !identity.is_no_op;
  effects.confirmations.push_back(
      Confirmation{to, timestamp, outcomes == nullptr ? Outcomes{} : *outcomes, is_forgotten});
}

void Sequencer::admit(TimestampRange range, Identity identity, std::string body, SequencerEffects& effects) {
  ledger_.accept(range, identity);
  effects.admissions.push_back(Admission{epoch_.epoch, range, identity, std::move(body)});
}

void Sequencer::admit_held(SequencerEffects& effects) {
  while (!held_.empty() && held_.begin()->first <= next(accepted())) {
    auto [first, held] = std::move(*held_.begin());
    held_.erase(held_.begin());
    held_bytes_ -= held.body.size();
    if (held.last > accepted()) {  // Otherwise it came again and was admitted from there.
      admit(TimestampRange{next(accepted()), held.last}, held.identity, std::move(held.body), effects);
    }
  }
}

bool Sequencer::agrees_with_held(TimestampRange range, Identity identity) const {
  auto held = held_.upper_bound(range.last);
  while (held != held_.begin()) {
    --held;
    if (held->second.last < range.first) {
      break;  // Disjoint and ascending: all before it end earlier still.
    }
    if (held->second.identity != identity) {
      return false;
    }
  }
  return true;
}

void Sequencer::hold(TimestampRange range, Identity identity, std::string body) {
  // Everything held already agrees, so only the pieces between are new; an update is one piece or none.
  Timestamp first = range.first;
  while (first <= range.last) {
    auto after = held_.upper_bound(first);
    if (after != held_.begin() && std::prev(after)->second.last >= first) {
      first = next(std::prev(after)->second.last);
      continue;
    }
    const bool is_cut = after != held_.end() && after->first <= range.last;
    const Timestamp last = is_cut ? Timestamp{raw(after->first) - 1} : range.last;
    held_bytes_ += body.size();
    held_.emplace(first, Held{last, identity, std::move(body)});
    body.clear();
    first = next(last);
  }
}

void Sequencer::watch_gap(Instant now) {
  if (held_.empty()) {
    gap_deadline_ = kNever;
    gap_after_.reset();
  } else if (gap_after_ != accepted()) {
    gap_after_ = accepted();
    gap_deadline_ = after(now, options_.gap_ns);
  }
}

void Sequencer::refuse_waiters_after(Timestamp timestamp, WriteRefusal reason, std::optional<Error> error,
                                     SequencerEffects& effects) {
  for (auto entry = waiters_.upper_bound(timestamp); entry != waiters_.end(); entry = waiters_.erase(entry)) {
    for (const Requester& requester : entry->second) {
      refuse(requester, entry->first, reason, effects, error);
    }
    waiters_count_ -= static_cast<uint32_t>(entry->second.size());
  }
}

}  // namespace daedalus::node

#include "daedalus/merging/merge_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::merging {

namespace {

/// The units of one query in one turn: others that wait get theirs soon.
constexpr int64_t kTurnUnits = kStepUnits / 2;
/// The units of a query's first turn: enough for what most ask, and little enough that hundreds may have theirs in a
/// step.
constexpr int64_t kFirstTurnUnits = kStepUnits / 16;
/// The units of every step for what has been closed, so that its memory comes back however busy the rest is.
constexpr int64_t kDropUnits = kStepUnits / 4;

/// Mergers kept for answers to come: as many as are under way at once.
constexpr size_t kSpareMax = 256;

/// Rows that leave are copied into a message, into a frame and to the kernel, and summed up twice.
uint64_t send_units(uint64_t bytes) { return 1 + 4 * semantics::copy_units(bytes); }

}  // namespace

void MergeScheduler::open(QueryId id, rpc::Requester to, const semantics::Selection& selection,
                          semantics::AnswerForm form) {
  Merge merge;
  merge.to = to;
  if (!spare_.empty() && semantics::can_stream(selection)) {
    merge.merger = std::move(spare_.back());
    spare_.pop_back();
    merge.merger->restart();
  } else {
    // Whoever sends rows that pass as they come knows whether they have a bound.
    const uint64_t bytes_max = semantics::can_stream(selection) ? UINT64_MAX : limits_.answer_bytes_max;
    merge.merger =
        std::make_unique<semantics::AnswerMerger>(selection, form, semantics::AnswerLimit{bytes_max, limits_.owner});
  }
  merge.lease = ByteLease(budget_, static_cast<ByteBudget::Holder>(id));
  const bool is_new = merges_.emplace(id, std::move(merge)).second;
  CHECK(is_new);
}

void MergeScheduler::hold_back(QueryId id) { merges_.at(id).is_held_back = true; }

void MergeScheduler::release(QueryId id) {
  Merge& merge = merges_.at(id);
  merge.is_held_back = false;
  wait_for_turn(id, merge);
}

Result<void> MergeScheduler::add(QueryId id, uint32_t part, semantics::MergedRows rows, ByteLease lease) {
  Merge& merge = merges_.at(id);
  merge.lease.absorb(std::move(lease));
  if (Result<void> added = merge.merger->add(part, std::move(rows)); !added) {
    return added;
  }
  if (!merge.lease.resize(merge.merger->memory_bytes())) {
    return refusal(id, merge);
  }
  wait_for_turn(id, merge);
  return {};
}

void MergeScheduler::end_parts(QueryId id) {
  Merge& merge = merges_.at(id);
  merge.merger->end_parts();
  wait_for_turn(id, merge);
}

void MergeScheduler::wait_for_turn(QueryId id, Merge& merge) {
  if (!merge.is_waiting && !merge.is_held_back && merge.merger->has_work()) {
    merge.is_waiting = true;
    turns_.add(id, !merge.had_turn);
  }
}

void MergeScheduler::close(QueryId id) {
  const auto found = merges_.find(id);
  if (found == merges_.end()) {
    return;
  }
  if (const auto blocked = blocked_.find(found->second.to.peer); blocked != blocked_.end()) {
    blocked->second.erase(id);
    if (blocked->second.empty()) {
      blocked_.erase(blocked);
    }
  }
  budget_->leave(static_cast<ByteBudget::Holder>(id));
  if (found->second.merger->memory_bytes() > 0) {
    dropped_.push_back({std::move(found->second.merger), std::move(found->second.lease)});
  } else if (found->second.merger->may_restart() && spare_.size() < kSpareMax) {
    spare_.push_back(std::move(found->second.merger));
  }
  merges_.erase(found);
}

void MergeScheduler::step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, const Put& put) {
  unblock(gauge);
  while (!budget.is_spent()) {
    const std::optional<QueryId> id = turns_.next();
    if (!id) {
      break;
    }
    const auto found = merges_.find(*id);
    if (found == merges_.end()) {
      continue;
    }
    Merge& merge = found->second;
    if (has_room(merge.to, gauge)) {
      take_turn(*id, merge, budget, put);
    } else {
      blocked_[merge.to.peer].insert(*id);
    }
  }
  semantics::WorkBudget for_dropping(std::max(kDropUnits, budget.left()));
  drop_some(for_dropping);
}

void MergeScheduler::take_turn(QueryId id, Merge& merge, semantics::WorkBudget& budget, const Put& put) {
  const int64_t allowed = std::min(merge.had_turn ? kTurnUnits : kFirstTurnUnits, budget.left());
  semantics::WorkBudget turn(allowed);
  Piece piece{id, {}, false, std::nullopt};
  auto rows = merge.merger->step(turn, limits_.message_bytes_max);
  budget.spend(static_cast<uint64_t>(std::max<int64_t>(allowed - turn.left(), 1)));
  if (!rows) {
    piece.error = std::move(rows).error();
  } else if (!merge.lease.resize(merge.merger->memory_bytes())) {
    piece.error = refusal(id, merge);
  } else {
    piece.rows = std::move(*rows);
    piece.is_last = merge.merger->is_finished();
    budget.spend(send_units(piece.rows.rows.size()));
  }
  merge.is_waiting = false;
  merge.had_turn = true;
  if (!piece.error && !piece.is_last) {
    wait_for_turn(id, merge);
  }
  if (piece.error || piece.is_last || !piece.rows.rows.empty()) {
    put(std::move(piece));  // The merge may be gone after it.
  }
}

bool MergeScheduler::has_room(rpc::Requester to, const rpc::OutputGauge& gauge) const {
  return gauge.output_waiting(to.peer) < limits_.output_waiting_max || gauge.awaited_answer(to.peer) == to.sequence;
}

std::optional<QueryId> MergeScheduler::find_awaited(rpc::PeerId peer, const std::set<QueryId>& blocked,
                                                    const rpc::OutputGauge& gauge) const {
  if (const auto sequence = gauge.awaited_answer(peer)) {
    for (const QueryId id : blocked) {
      if (const auto found = merges_.find(id); found != merges_.end() && found->second.to.sequence == *sequence) {
        return id;
      }
    }
  }
  return std::nullopt;
}

void MergeScheduler::unblock(const rpc::OutputGauge& gauge) {
  for (auto peer = blocked_.begin(); peer != blocked_.end();) {
    if (gauge.output_waiting(peer->first) >= limits_.output_waiting_max) {
      if (const auto awaited = find_awaited(peer->first, peer->second, gauge)) {
        peer->second.erase(*awaited);
        turns_.add(*awaited, false);
      }
      peer = peer->second.empty() ? blocked_.erase(peer) : std::next(peer);
      continue;
    }
    for (const QueryId id : peer->second) {
      turns_.add(id, false);
    }
    peer = blocked_.erase(peer);
  }
}

void MergeScheduler::drop_some(semantics::WorkBudget& budget) {
  while (!dropped_.empty() && !budget.is_spent()) {
    Dropped& oldest = dropped_.front();
    const bool is_all = oldest.merger->drop(budget);
    budget.spend(1);
    oldest.lease.resize_anyway(is_all ? 0 : oldest.merger->memory_bytes());
    if (is_all) {
      dropped_.pop_front();
    }
  }
}

bool MergeScheduler::has_work(const rpc::OutputGauge& gauge) const {
  return !turns_.is_empty() || !dropped_.empty() ||
         std::any_of(blocked_.begin(), blocked_.end(), [&](const auto& peer) {
           return gauge.output_waiting(peer.first) < limits_.output_waiting_max ||
                  find_awaited(peer.first, peer.second, gauge).has_value();
         });
}

Error MergeScheduler::refusal(QueryId id, const Merge& merge) const {
  const uint64_t wanted = merge.merger->memory_bytes() - merge.lease.bytes();
  if (budget_->is_too_large_alone(static_cast<ByteBudget::Holder>(id), wanted)) {
    return semantics::answer_takes_too_much_memory({budget_->largest_holding(), limits_.owner});
  }
  return Error{ErrorCategory::kRetry, "53200",
               fmt::format("all answers together take more than {} bytes of this process", budget_->bytes_max()),
               "ask again when others have ended or been fetched, restrict the rows, or group by fewer columns", 0};
}

}  // namespace daedalus::merging

// Queries that run beside each other: while one is under way, what the client has sent behind it is looked at, and what
// is said of that waits behind its answer.
//
// Only what an error ahead of it can undo runs ahead: binding, describing, further queries, the statement without a
// name, and a Sync outside a block. Everything else (writes, commands, named statements, row limits) waits until all
// queries have ended. What stands behind a query that fails is forgotten up to the next Sync, as if nobody had looked
// at it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "session.hpp"

namespace daedalus::postgres {

bool PgSession::may_run_ahead(const Frame& frame) const {
  if (skips_to_sync_ && frame.type != 'S' && frame.type != 'X') {
    return true;
  }
  const SessionLimits& limits = options_.limits;
  if (slots_.size() >= limits.pipeline_max || slot_bytes_ >= limits.pipeline_bytes_max ||
      slots_.back().behind.size() >= limits.output_pause_size) {
    return false;
  }
  switch (frame.type) {
    case 'B':
    case 'D':
    case 'H':
      return true;
    case 'C': {
      const auto message = read_target(frame.body);
      return message && message->kind == 'P';
    }
    case 'P': {
      const auto message = read_parse(frame.body);
      return message && message->statement.empty();
    }
    case 'E':
      return is_plain_query(frame.body);
    case 'S':
      return !is_in_block() && !has_parsed_ahead_;
    default:
      return false;
  }
}

bool PgSession::is_plain_query(std::string_view execute) const {
  const auto message = read_execute(execute);
  if (!message || message->rows_max != 0 || block_.state == BlockState::kFailed || block_.is_repeatable) {
    return false;
  }
  const Portal* const portal = portals_.find(message->portal);
  return portal != nullptr && !portal->has_started && portal->statement->catalogue == nullptr &&
         std::holds_alternative<QueryCommand>(portal->statement->command);
}

void PgSession::start_slot(Portal& portal) {
  Slot& slot = slots_.emplace_back();
  slot.unnamed = statements_.find("");
  slot_bytes_ += portal.parameter_bytes;
  // What stays behind its name is at its end.
  Portal left;
  left.statement = portal.statement;
  left.parameter_bytes = portal.parameter_bytes;
  left.formats = portal.formats;
  left.level = portal.level;
  left.has_started = true;
  left.has_ended = true;
  slot.portal = std::make_unique<Portal>(std::exchange(portal, std::move(left)));
  start_query(*slot.portal);
  if (is_planted(Fault::kPipelinedTakenForOther) && slots_.size() > 1) {
    Portal* const ahead = slots_[slots_.size() - 2].portal.get();
    if (ahead != nullptr && ahead->sequence != 0) {
      std::swap(ahead->sequence, slot.portal->sequence);
    }
  }
}

Slot* PgSession::find_slot(uint64_t sequence) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.portal != nullptr && slot.portal->sequence == sequence;
  });
  return found == slots_.end() ? nullptr : &*found;
}

void PgSession::on_slot_result(Slot& slot, wire::v1::Result&& result) {
  const uint64_t before = answers_.bytes();
  take_result(*slot.portal, std::move(result));
  slot_row_bytes_ += answers_.bytes() - before;
  if (slot_row_bytes_ > options_.limits.pipeline_bytes_max && &slot != &slots_.front()) {
    put_off(slot);
  }
}

void PgSession::put_off(Slot& slot) {
  Portal& portal = *slot.portal;
  const uint64_t before = answers_.bytes();
  answers_.abort(portal);
  slot_row_bytes_ -= before - answers_.bytes();
  portal.encoder = nullptr;
  portal.has_ended = false;
  portal.failure.reset();
  slot.is_put_off = true;
}

void PgSession::pump_slots() {
  while (!slots_.empty() && phase_ != Phase::kOver) {
    if (slots_.front().portal != nullptr && !pump_first()) {
      return;
    }
    if (slots_.empty()) {
      return;
    }
    output_.text() += slots_.front().behind;
    drop_slot();
  }
}

bool PgSession::pump_first() {
  Slot& slot = slots_.front();
  Portal& portal = *slot.portal;
  if (std::exchange(slot.is_put_off, false)) {
    start_query(portal);
  }
  while (!portal.rows.empty()) {
    auto taken = answers_.take(portal, UINT64_MAX);
    slot_row_bytes_ -= taken->bytes.size();
    slot.rows_sent += taken->count;
    if (auto sent = output_.add_rows(portal.encoder, std::move(taken->bytes)); !sent) {
      fail_first(Failure{sent.error(), {}});
      return true;
    }
  }
  if (portal.failure) {
    fail_first(*portal.failure);
    return true;
  }
  if (portal.has_ended) {
    append_command_complete(fmt::format("SELECT {}", slot.rows_sent), output_.text());
  }
  return portal.has_ended;
}

/// Leaves the Sync that ends the errors as the first slot, or none where it has not come yet.
void PgSession::fail_first(const Failure& failure) {
  append_error(Severity::kError, failure.error, {failure.detail, failure.context}, output_.text());
  const auto unnamed = slots_.front().unnamed;
  while (!slots_.empty() && slots_.front().portal != nullptr) {
    drop_slot();
  }
  if (!slots_.empty()) {
    return;
  }
  // What a Parse behind it waits for, nobody waits for any longer.
  if (wait_ == Wait::kDescribe || wait_ == Wait::kLocate) {
    wait_ = Wait::kNothing;
    requests_.forget_work();
  } else if (wait_ == Wait::kCatalogue) {
    wait_ = Wait::kNothing;
    requests_.abandon_catalogue();
  }
  statements_.put_back_unnamed(unnamed);
  portals_.set_executed(nullptr);
  if (is_in_block()) {
    block_.state = BlockState::kFailed;
    portals_.drop_from(block_.savepoints.count());
  }
  skips_to_sync_ = true;
}

void PgSession::drop_slot() {
  Slot& slot = slots_.front();
  if (slot.portal != nullptr) {
    const uint64_t before = answers_.bytes();
    answers_.abort(*slot.portal);
    slot_row_bytes_ -= before - answers_.bytes();
    slot_bytes_ -= slot.portal->parameter_bytes;
  }
  slots_.pop_front();
  has_parsed_ahead_ = has_parsed_ahead_ && !slots_.empty();
}

}  // namespace daedalus::postgres

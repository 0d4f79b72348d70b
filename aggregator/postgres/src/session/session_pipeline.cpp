// Queries that run beside each other: while one is under way, what the client has sent behind it is looked at, and what
// is said of that waits behind its answer.
//
// Only what an error ahead of it can undo runs ahead: binding, describing, further queries, the statement without a
// name, and a Sync outside a block. Everything else (writes, commands, named statements, row limits) waits until all
// queries have ended. What stands behind a query that fails is forgotten up to the next Sync, as if nobody had looked
// at it.
#include <fmt/format.h>

#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

/// Whether an Execute wants the whole answer of a query of the table, of which nothing has been asked yet.
bool is_plain_query(std::string_view execute, const Portals& portals) {
  const auto message = read_execute(execute);
  if (!message || message->rows_max != 0) {
    return false;
  }
  const Portal* const portal = portals.find(message->portal);
  return portal != nullptr && !portal->has_started && portal->statement->catalogue == nullptr &&
         std::holds_alternative<QueryCommand>(portal->statement->command);
}

}  // namespace

bool PgSession::may_run_ahead(const Frame& frame) const {
  if (skips_to_sync_ && frame.type != 'S' && frame.type != 'X') {
    return true;
  }
  if (pipeline_.is_full() || settings_->encoding() != ClientEncoding::kUtf8) {
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
      return !block_.has_failed() && !block_.is_repeatable() && is_plain_query(frame.body, portals_);
    case 'S':
      return !block_.is_open() && !pipeline_.has_parsed_ahead();
    default:
      return false;
  }
}

void PgSession::start_slot(Portal& portal) {
  Portal* const ahead = pipeline_.last_query();
  Portal& query = pipeline_.add_query(portal, statements_.find(""));
  start_query(query);
  if (is_planted(Fault::kPipelinedTakenForOther) && ahead != nullptr && ahead->sequence != 0) {
    std::swap(ahead->sequence, query.sequence);
  }
}

void PgSession::on_slot_result(Pipeline::Slot& slot, wire::v1::Result&& result) {
  const uint64_t before = answers_.bytes();
  take_result(*slot.portal, std::move(result));
  pipeline_.on_rows(slot, answers_.bytes() - before);
}

void PgSession::pump_slots() {
  while (!pipeline_.empty() && !is_over()) {
    if (pipeline_.first().portal != nullptr && !pump_first()) {
      return;
    }
    if (pipeline_.empty()) {
      return;
    }
    output_.text() += pipeline_.first().behind;
    pipeline_.drop_first();
  }
}

bool PgSession::pump_first() {
  Pipeline::Slot& slot = pipeline_.first();
  Portal& portal = *slot.portal;
  if (std::exchange(slot.is_put_off, false)) {
    start_query(portal);
  }
  while (!portal.rows.empty()) {
    auto [rows, count] = pipeline_.take_rows();
    slot.rows_sent += count;
    if (auto sent = output_.add_rows(portal.encoder, std::move(rows)); !sent) {
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
  tell(Severity::kError, failure.error, {failure.detail, failure.context}, output_.text());
  const auto unnamed = pipeline_.first().unnamed;
  pipeline_.drop_queries();
  if (!pipeline_.empty()) {
    return;
  }
  // What a Parse behind it waits for, nobody waits for any longer.
  if (is_awaited<awaited::Description>() || is_awaited<awaited::Home>()) {
    requests_.forget_work();
  } else if (is_awaited<awaited::CatalogueDescription>()) {
    requests_.abandon_catalogue();
  }
  awaited_ = awaited::Message{};
  statements_.put_back_unnamed(unnamed);
  portals_.set_executed(nullptr);
  if (block_.is_open()) {
    block_.fail();
    portals_.drop_from(block_.savepoint_count());
  }
  skips_to_sync_ = true;
}

}  // namespace daedalus::postgres

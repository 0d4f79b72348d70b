#include "pipeline_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "query_machine.hpp"

namespace daedalus::postgres {

namespace {

/// Returns whether an Execute wants the whole answer of a query of the table, of which nothing has been asked yet.
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

bool PipelineMachine::may_run_ahead(const Frame& frame) const {
  if (core_.skips_to_sync && frame.type != 'S' && frame.type != 'X') {
    return true;
  }
  if (core_.pipeline.is_full() || core_.settings->encoding() != ClientEncoding::kUtf8) {
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
      return !core_.block.has_failed() && (!core_.block.is_repeatable() || core_.block.moment() != nullptr) &&
             is_plain_query(frame.body, core_.portals);
    case 'S':
      return !core_.block.is_open() && !core_.pipeline.has_parsed_ahead();
    default:
      return false;
  }
}

void PipelineMachine::start_entry(Portal& portal) {
  Portal* const ahead = core_.pipeline.last_query();
  Portal& query = core_.pipeline.add_query(portal, core_.statements.find(""));
  QueryMachine(core_).start_query(query);
  if (is_planted(Fault::kPipelinedTakenForOther) && ahead != nullptr && ahead->sequence != 0) {
    std::swap(ahead->sequence, query.sequence);
  }
}

void PipelineMachine::on_entry_result(Pipeline::Entry& entry, wire::v1::Result&& result) {
  const uint64_t before = core_.answers.bytes();
  QueryMachine(core_).take_result(*entry.portal, std::move(result));
  core_.pipeline.on_rows(entry, core_.answers.bytes() - before);
}

void PipelineMachine::pump_entries() {
  while (!core_.pipeline.empty() && !core_.is_over()) {
    if (core_.pipeline.first().portal != nullptr && !pump_first()) {
      return;
    }
    if (core_.pipeline.empty()) {
      return;
    }
    core_.output.text() += core_.pipeline.first().behind;
    core_.pipeline.drop_first();
  }
}

bool PipelineMachine::pump_first() {
  Pipeline::Entry& entry = core_.pipeline.first();
  Portal& portal = *entry.portal;
  if (std::exchange(entry.is_put_off, false)) {
    QueryMachine(core_).start_query(portal);
  }
  while (!portal.rows.empty()) {
    auto [rows, count] = core_.pipeline.take_rows();
    entry.rows_sent += count;
    if (auto sent = core_.output.add_rows(portal.encoder, std::move(rows)); !sent) {
      fail_first(Failure{sent.error(), {}});
      return true;
    }
  }
  if (portal.failure) {
    fail_first(*portal.failure);
    return true;
  }
  if (portal.has_ended) {
    append_command_complete(fmt::format("SELECT {}", entry.rows_sent), core_.output.text());
  }
  return portal.has_ended;
}

/// Leaves the Sync that ends the errors as the first entry, or none where it has not come yet.
void PipelineMachine::fail_first(const Failure& failure) {
  core_.tell(Severity::kError, failure.error, {failure.detail, failure.context}, core_.output.text());
  const auto unnamed = core_.pipeline.first().unnamed;
  core_.pipeline.drop_queries();
  if (!core_.pipeline.empty()) {
    return;
  }
  // A Parse behind it may wait for something: nobody does any longer.
  if (core_.is_awaited<awaited::Description>() || core_.is_awaited<awaited::Home>()) {
    core_.requests.forget_work();
  } else if (core_.is_awaited<awaited::CatalogueDescription>()) {
    core_.requests.abandon_catalogue();
  }
  core_.awaited = awaited::Message{};
  core_.statements.put_back_unnamed(unnamed);
  core_.portals.set_executed(nullptr);
  if (core_.block.is_open()) {
    core_.block.fail();
    core_.portals.drop_from(core_.block.savepoint_count());
  }
  core_.skips_to_sync = true;
}

}  // namespace daedalus::postgres

#include "update_fan_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

wire::v1::Result refusal(uint64_t timestamp, wire::v1::WriteRefusal reason, const Error& error) {
  wire::v1::Result result;
  wire::v1::WriteRefused& refused = *result.mutable_refused();
  refused.set_timestamp(timestamp);
  refused.set_reason(reason);
  *refused.mutable_error() = contract::from_error(error);
  return result;
}

/// Adds up what the parts of an update did over all partitions. Returns nothing where that is not known of one that has
/// rows.
std::vector<uint64_t> added_up(const std::vector<wire::v1::PartitionOutcome>& outcomes) {
  int part_count = 0;
  for (const wire::v1::PartitionOutcome& outcome : outcomes) {
    part_count = std::max(part_count, outcome.part_rows_size());
  }
  std::vector<uint64_t> sums(static_cast<size_t>(part_count));
  for (const wire::v1::PartitionOutcome& outcome : outcomes) {
    if (outcome.part_rows_size() == part_count) {
      std::transform(sums.begin(), sums.end(), outcome.part_rows().begin(), sums.begin(), std::plus<>());
    } else if (outcome.rows_applied() > 0) {
      return {};
    }
  }
  return sums;
}

}  // namespace

// ---- sending ----

std::vector<NodeId> UpdateFanOut::responsible_nodes(const std::vector<PartitionId>& partitions) const {
  std::vector<NodeId> nodes;
  for (const PartitionId partition : partitions) {
    const auto& holders = context_.map->partitions.at(raw(partition));
    nodes.insert(nodes.end(), holders.begin(), holders.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

void UpdateFanOut::start(Upstream upstream, wire::v1::Operation operation, Instant deadline, rpc::Outbox& out) {
  ++context_.updates_total;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  const uint64_t timestamp = header.update().timestamp();
  const auto partitions = contract::route(*context_.schema, *context_.map, header.routes(), Timestamp{timestamp});
  if (!partitions) {
    reply(upstream, error_result(partitions.error()), out);
    return;
  }
  if (updates_.size() >= context_.options.updates_max) {
    auto result = refusal(timestamp, wire::v1::WRITE_REFUSAL_OVERLOADED,
                          overloaded(fmt::format("the aggregator has {} updates in flight", updates_.size())));
    result.mutable_refused()->set_retry_after_ns(static_cast<uint64_t>(context_.options.retry_after_ns));
    reply(upstream, std::move(result), out);
    return;
  }
  const uint64_t id = context_.next_id++;
  const auto entry = updates_
                         .emplace(id, Update{.upstream = upstream,
                                             .deadline = deadline,
                                             .timestamp = timestamp,
                                             .digest = header.update().digest()})
                         .first;
  Update& update = entry->second;
  context_.clients.assign(upstream, {Machine::kUpdate, id});
  context_.deadlines.add(deadline, {Machine::kUpdate, id});

  header.set_map_version(context_.map->version);
  header.set_remaining_ns(0);  // A numbered update is never too late.
  const std::vector<NodeId> responsible = responsible_nodes(*partitions);
  std::vector<NodeId> lost;
  update.has_responsible = !responsible.empty();
  for (const NodeId node : context_.nodes.all()) {
    const bool has_part = std::binary_search(responsible.begin(), responsible.end(), node);
    if (!context_.nodes.is_up(node)) {
      (has_part ? lost : update.lost).push_back(node);
    } else if (has_part) {
      send_update(id, update, node, operation, out);
    } else {
      hold_no_op(id, update, node, header.update(), out);
    }
  }
  if (!lost.empty()) {
    send_unreachable(update, lost.front(), context_.nodes.problem(lost.front()), out);
    erase(entry);
    return;
  }
  for (const NodeId node : update.lost) {
    send_unreachable(update, node, context_.nodes.problem(node), out);
  }
  report_if_due(entry, out);
}

void UpdateFanOut::send_update(uint64_t id, Update& update, NodeId node, const wire::v1::Operation& operation,
                               rpc::Outbox& out) {
  flush_range(node, out);  // Whatever comes before it in the order leaves before it.
  const uint64_t sequence = context_.nodes.send(node, operation, UpdateTicket{id}, out);
  update.waiting.push_back({.node = node, .is_responsible = true, .sequence = sequence});
  ++update.responsible_waiting_count;
}

void UpdateFanOut::hold_no_op(uint64_t id, Update& update, NodeId node, const wire::v1::UpdateHeader& header,
                              rpc::Outbox& out) {
  Range& range = ranges_[node];
  if (range.last != 0 && (range.epoch != header.epoch() || range.last + 1 != header.timestamp())) {
    flush_range(node, out);
  }
  if (range.last == 0) {
    range.epoch = header.epoch();
    range.first = header.timestamp();
  }
  range.last = header.timestamp();
  range.confirmed_through = std::max(range.confirmed_through, header.confirmed_through());
  range.updates.push_back(id);
  update.waiting.push_back({.node = node, .is_responsible = false, .sequence = 0});
}

void UpdateFanOut::flush_range(NodeId node, rpc::Outbox& out) {
  const auto found = ranges_.find(node);
  if (found == ranges_.end() || found->second.last == 0) {
    return;
  }
  const Range range = std::exchange(found->second, Range{});
  if (is_planted(Fault::kNoOpLost)) {
    return;
  }
  wire::v1::Operation operation;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_NO_OP_RANGE);
  header.set_map_version(context_.map->version);
  header.mutable_update()->set_epoch(range.epoch);
  header.mutable_update()->set_first_timestamp(range.first);
  header.mutable_update()->set_timestamp(range.last);
  header.mutable_update()->set_confirmed_through(range.confirmed_through);
  std::optional<Ticket> ticket;
  if (!range.updates.empty()) {
    ticket = NoOpTicket{range.updates};
  }
  const uint64_t sequence = context_.nodes.send(node, std::move(operation), std::move(ticket), out);
  for (const uint64_t id : range.updates) {
    for (Waiting& waiting : updates_.at(id).waiting) {
      if (waiting.node == node) {
        waiting.sequence = sequence;
      }
    }
  }
}

void UpdateFanOut::flush(rpc::Outbox& out) {
  for (const NodeId node : context_.nodes.all()) {
    flush_range(node, out);
  }
}

// ---- answers ----

void UpdateFanOut::on_result(uint64_t update, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto found = updates_.find(update);
  CHECK(found != updates_.end());
  Update& state = found->second;
  const auto from = std::find_if(state.waiting.begin(), state.waiting.end(),
                                 [&](const Waiting& waiting) { return waiting.node == node; });
  CHECK(from != state.waiting.end());
  const Waiting answered = *from;
  state.waiting.erase(from);
  wire::v1::Result passed;
  switch (result.kind_case()) {
    case wire::v1::Result::kConfirmed:
      on_confirmed(found, answered, result.confirmed(), out);
      return;
    case wire::v1::Result::kRefused:
      on_refused(found, answered, result.refused(), out);
      return;
    case wire::v1::Result::kError:
      *passed.mutable_error() = result.error();
      passed.mutable_error()->set_message(fmt::format("storage node {}: {}", raw(node), result.error().message()));
      break;
    default:
      passed = error_result(Error{ErrorCategory::kFatal,
                                  "08P01",
                                  fmt::format("storage node {} answered an update with something else", raw(node)),
                                  {},
                                  0});
  }
  fail(found, std::move(passed), out);
}

void UpdateFanOut::on_refused(Updates::iterator update, Waiting from, const wire::v1::WriteRefused& refused,
                              rpc::Outbox& out) {
  wire::v1::Result passed;
  *passed.mutable_refused() = refused;
  passed.mutable_refused()->set_node(raw(from.node));
  passed.mutable_refused()->set_timestamp(update->second.timestamp);
  if (from.is_responsible) {
    fail(update, std::move(passed), out);
    return;
  }
  reply(update->second.upstream, std::move(passed), out);  // A note: those with a part decide.
  update->second.lost.push_back(from.node);
  report_if_due(update, out);
}

void UpdateFanOut::on_confirmed(Updates::iterator update, Waiting from, const wire::v1::WriteConfirmed& confirmed,
                                rpc::Outbox& out) {
  Update& state = update->second;
  state.has_news = true;
  if (from.is_responsible) {
    --state.responsible_waiting_count;
    state.outcomes.insert(state.outcomes.end(), confirmed.outcomes().begin(), confirmed.outcomes().end());
    state.outcome_forgotten |= confirmed.outcome_forgotten();
  }
  report_if_due(update, out);
}

void UpdateFanOut::report_if_due(Updates::iterator update, rpc::Outbox& out) {
  Update& state = update->second;
  const bool all_answered = state.waiting.empty();
  const bool responsible_answered =
      state.has_responsible ? state.responsible_waiting_count == 0 || is_planted(Fault::kConfirmedAtFirstNode)
                            : all_answered && state.lost.empty();
  if (responsible_answered && state.has_news && (!state.is_reported || all_answered)) {
    send_confirmed(state, out);
  }
  if (all_answered) {
    erase(update);
  }
}

void UpdateFanOut::send_confirmed(Update& update, rpc::Outbox& out) {
  std::stable_sort(update.outcomes.begin(), update.outcomes.end(), [](const auto& left, const auto& right) {
    return std::pair(left.partition(), left.node()) < std::pair(right.partition(), right.node());
  });
  wire::v1::Result result;
  wire::v1::WriteConfirmed& confirmed = *result.mutable_confirmed();
  confirmed.set_timestamp(update.timestamp);
  confirmed.mutable_outcomes()->Add(update.outcomes.begin(), update.outcomes.end());
  for (wire::v1::PartitionOutcome& outcome : *confirmed.mutable_outcomes()) {
    outcome.clear_part_rows();
  }
  if (!update.outcome_forgotten) {
    const std::vector<uint64_t> part_rows = added_up(update.outcomes);
    confirmed.mutable_part_rows()->Add(part_rows.begin(), part_rows.end());
  }
  confirmed.set_outcome_forgotten(update.outcome_forgotten);
  confirmed.set_digest(update.digest);
  context_.nodes.add_watermarks(*confirmed.mutable_watermarks());
  update.is_reported = true;
  update.has_news = false;
  // An earlier update may be open. A writer of an older build says no other mark in time for the next query.
  if (!context_.clients.knows_moments(update.upstream.peer) || is_planted(Fault::kMaximumForPrefix)) {
    context_.known.learn(update.timestamp);
  }
  reply(update.upstream, std::move(result), out);
}

void UpdateFanOut::on_node_lost(uint64_t update, NodeId node, const std::string& reason, rpc::Outbox& out) {
  const auto found = updates_.find(update);
  CHECK(found != updates_.end());
  Update& state = found->second;
  const auto lost = std::find_if(state.waiting.begin(), state.waiting.end(),
                                 [&](const Waiting& waiting) { return waiting.node == node; });
  CHECK(lost != state.waiting.end());
  const bool was_responsible = lost->is_responsible;
  state.waiting.erase(lost);
  send_unreachable(state, node, reason, out);
  if (was_responsible) {
    erase(found);
    return;
  }
  state.lost.push_back(node);
  report_if_due(found, out);
}

void UpdateFanOut::drop_range(NodeId node, const std::string& reason, rpc::Outbox& out) {
  const auto found = ranges_.find(node);
  if (found == ranges_.end()) {
    return;
  }
  const Range range = std::exchange(found->second, Range{});
  for (const uint64_t update : range.updates) {
    on_node_lost(update, node, reason, out);
  }
}

// ---- ends ----

void UpdateFanOut::send_unreachable(const Update& update, NodeId node, const std::string& reason, rpc::Outbox& out) {
  auto result = refusal(update.timestamp, wire::v1::WRITE_REFUSAL_UNREACHABLE,
                        unreachable(node, context_.nodes.endpoint(node), reason));
  result.mutable_refused()->set_node(raw(node));
  reply(update.upstream, std::move(result), out);
}

void UpdateFanOut::expire(uint64_t update, rpc::Outbox& out) {
  const auto found = updates_.find(update);
  const Update& state = found->second;
  CHECK(!state.waiting.empty());
  send_unreachable(state, state.waiting.front().node, "it has not answered in time", out);
  erase(found);
}

void UpdateFanOut::forget(uint64_t update) { erase(updates_.find(update)); }

void UpdateFanOut::fail(Updates::iterator update, wire::v1::Result result, rpc::Outbox& out) {
  reply(update->second.upstream, std::move(result), out);
  erase(update);
}

void UpdateFanOut::erase(Updates::iterator update) {
  const uint64_t id = update->first;
  for (const Waiting& waiting : update->second.waiting) {
    if (waiting.sequence == 0) {
      std::erase(ranges_.at(waiting.node).updates, id);  // The range itself still leaves: the node needs it.
      continue;
    }
    Ticket* ticket = context_.nodes.find(waiting.node, waiting.sequence);
    auto* no_op = ticket == nullptr ? nullptr : std::get_if<NoOpTicket>(ticket);
    if (no_op != nullptr) {
      std::erase(no_op->updates, id);
    }
    if (no_op == nullptr || no_op->updates.empty()) {
      context_.nodes.forget(waiting.node, waiting.sequence);
    }
  }
  context_.deadlines.remove(update->second.deadline, {Machine::kUpdate, id});
  context_.clients.finish(update->second.upstream);
  updates_.erase(update);
}

}  // namespace daedalus::aggregator

#include "status_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::aggregator {

wire::v1::DescribeReply describe(const Context& context, const WriterLink& writer) {
  wire::v1::DescribeReply reply;
  reply.set_cluster_id(context.options.cluster_id);
  reply.set_schema_fingerprint(context.schema->fingerprint);
  reply.set_table_name(context.schema->table_name);
  for (const semantics::Column& column : context.schema->columns) {
    *reply.add_columns() = contract::from_column(column);
  }
  reply.mutable_primary_key()->Add(context.schema->primary_key.begin(), context.schema->primary_key.end());
  *reply.mutable_map() = contract::from_partition_map(*context.map);
  reply.mutable_map()->clear_nodes();
  for (const auto& [node, endpoint] : context.options.endpoints) {
    wire::v1::NodeAddress& address = *reply.mutable_map()->add_nodes();
    address.set_node(raw(node));
    address.set_endpoint(endpoint);
  }
  reply.set_epoch(writer.epoch());
  reply.set_writer(writer.holder());
  reply.set_writer_endpoint(writer.endpoint());
  reply.set_durability(writer.durability());
  reply.set_confirmed(raw(context.known.mark()));
  wire::v1::Limits& limits = *reply.mutable_limits();
  limits.set_answer_bytes_max(context.options.answer_bytes_max);
  limits.set_clauses_max(semantics::kClausesMax);
  limits.set_literals_max(semantics::kLiteralsMax);
  limits.set_update_rows_max(contract::kUpdateRowsMax);
  limits.set_update_bytes_max(contract::kUpdateBytesMax);
  limits.set_statement_bytes_max(context.options.statement_size_max);
  limits.set_groups_max(semantics::kGroupsMax);
  return reply;
}

void StatusRounds::start(Upstream upstream, wire::v1::AggregatorStatus aggregator, Instant deadline, Instant now,
                         rpc::Outbox& out) {
  const uint64_t id = context_.next_id++;
  const auto entry =
      rounds_.emplace(id, Round{.upstream = upstream, .deadline = deadline, .aggregator = std::move(aggregator)}).first;
  Round& round = entry->second;
  context_.clients.assign(upstream, {Machine::kStatus, id});
  context_.deadlines.add(deadline, {Machine::kStatus, id});
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_STATUS);
  operation.mutable_header()->set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(deadline.ns - now.ns, 1)));
  for (const NodeId node : context_.nodes.all()) {
    if (!context_.nodes.is_up(node)) {
      add_unreachable(round, node, context_.nodes.problem(node));
      continue;
    }
    round.waiting[node] = context_.nodes.send(node, operation, StatusTicket{id}, out);
  }
  ask_writer(entry, std::move(operation), out);
  finish_if_done(entry, out);
}

void StatusRounds::ask_writer(Rounds::iterator round, wire::v1::Operation operation, rpc::Outbox& out) {
  const auto peer = writer_.peer();
  if (!peer) {
    round->second.writer = unreachable_writer(writer_.absence().message);
    return;
  }
  const WriterQuestion question{*peer, writer_.send(std::move(operation), out)};
  round->second.writer_question = question;
  asked_writer_.emplace(question, round->first);
}

wire::v1::WriterStatus StatusRounds::unreachable_writer(const std::string& problem) const {
  wire::v1::WriterStatus status;
  status.set_name(writer_.holder());
  status.set_epoch(writer_.epoch());
  status.set_problem(problem);
  return status;
}

void StatusRounds::add_unreachable(Round& round, NodeId node, const std::string& problem) {
  wire::v1::NodeStatus& status = round.nodes[node];
  status.set_reachable(false);
  status.set_problem(problem);
}

void StatusRounds::on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  found->second.waiting.erase(node);
  if (result.has_status() && result.status().nodes_size() == 1) {
    wire::v1::NodeStatus& status = found->second.nodes[node];
    status = result.status().nodes(0);
    status.set_reachable(true);
    writer_.learn(status.epoch(), status.writer(), status.writer_endpoint());
  } else {
    add_unreachable(found->second, node,
                    result.has_error() ? result.error().message() : "it answered STATUS with something else");
  }
  finish_if_done(found, out);
}

void StatusRounds::on_node_lost(uint64_t round, NodeId node, const std::string& reason, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  found->second.waiting.erase(node);
  add_unreachable(found->second, node, reason);
  finish_if_done(found, out);
}

bool StatusRounds::on_writer_result(rpc::PeerId peer, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto asked = asked_writer_.find({peer, result.sequence()});
  if (asked == asked_writer_.end()) {
    return false;
  }
  on_writer(rounds_.find(asked->second),
            result.has_status() && result.status().has_writer()
                ? result.status().writer()
                : unreachable_writer(result.has_error() ? result.error().message()
                                                        : "it answered STATUS with something else"),
            out);
  return true;
}

void StatusRounds::on_writer_lost(rpc::PeerId peer, const std::string& reason, rpc::Outbox& out) {
  for (auto asked = asked_writer_.lower_bound({peer, 0}); asked != asked_writer_.end() && asked->first.first == peer;
       asked = asked_writer_.lower_bound({peer, 0})) {
    on_writer(rounds_.find(asked->second), unreachable_writer(reason), out);
  }
}

void StatusRounds::on_writer(Rounds::iterator round, wire::v1::WriterStatus status, rpc::Outbox& out) {
  round->second.writer = std::move(status);
  asked_writer_.erase(*round->second.writer_question);
  round->second.writer_question.reset();
  finish_if_done(round, out);
}

void StatusRounds::expire(uint64_t round, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  for (const auto& [node, sequence] : found->second.waiting) {
    context_.nodes.forget(node, sequence);
    add_unreachable(found->second, node, "connected, but it did not answer in time");
  }
  found->second.waiting.clear();
  if (found->second.writer_question) {
    on_writer(found, unreachable_writer("connected, but it did not answer in time"), out);
    return;
  }
  finish_if_done(found, out);
}

void StatusRounds::forget(uint64_t round) { erase(rounds_.find(round)); }

void StatusRounds::finish_if_done(Rounds::iterator round, rpc::Outbox& out) {
  if (!round->second.waiting.empty() || round->second.writer_question) {
    return;
  }
  wire::v1::Result result;
  wire::v1::StatusReply& status = *result.mutable_status();
  status.set_cluster_id(context_.options.cluster_id);
  *status.mutable_aggregator() = std::move(round->second.aggregator);
  for (auto& [node, answer] : round->second.nodes) {
    wire::v1::NodeStatus& entry = *status.add_nodes();
    entry = std::move(answer);
    entry.set_node(raw(node));
    entry.set_endpoint(context_.nodes.endpoint(node));
  }
  *status.mutable_writer() = std::move(round->second.writer);
  reply(round->second.upstream, std::move(result), out);
  erase(round);
}

void StatusRounds::erase(Rounds::iterator round) {
  for (const auto& [node, sequence] : round->second.waiting) {
    context_.nodes.forget(node, sequence);
  }
  if (round->second.writer_question) {
    asked_writer_.erase(*round->second.writer_question);
  }
  context_.deadlines.remove(round->second.deadline, {Machine::kStatus, round->first});
  context_.clients.finish(round->second.upstream);
  rounds_.erase(round);
}

}  // namespace daedalus::aggregator

#include "epoch_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

void EpochRounds::start(Upstream upstream, const wire::v1::EpochBody& body, Instant deadline, Instant now,
                        rpc::Outbox& out) {
  const uint64_t id = context_.next_id++;
  const auto entry = rounds_.emplace(id, Round{.upstream = upstream, .deadline = deadline, .body = body}).first;
  Round& round = entry->second;
  round.reply.set_granted(true);
  context_.clients.assign(upstream, {Machine::kEpoch, id});
  context_.deadlines.add(deadline, {Machine::kEpoch, id});
  for (const NodeId node : context_.nodes.all()) {
    if (!context_.nodes.is_up(node)) {
      refuse(round,
             contract::from_error(unreachable(node, context_.nodes.endpoint(node), context_.nodes.problem(node))));
    }
  }
  // A claim that some nodes grant and others never hear of would only get in the way of the next one.
  if (body.inquire() || round.reply.granted()) {
    for (const NodeId node : context_.nodes.all()) {
      if (context_.nodes.is_up(node)) {
        wire::v1::Operation operation;
        operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_EPOCH);
        operation.mutable_header()->set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(deadline.ns - now.ns, 1)));
        operation.set_body(body.SerializeAsString());
        round.waiting[node] = context_.nodes.send(node, std::move(operation), EpochTicket{id}, out);
      }
    }
  }
  finish_if_done(entry, out);
}

void EpochRounds::on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  found->second.waiting.erase(node);
  if (result.has_epoch()) {
    take(found->second, node, result.epoch());
  } else {
    Error error = result.has_error()
                      ? contract::to_error(result.error())
                      : Error{ErrorCategory::kFatal, "08P01", "answered EPOCH with something else", {}, 0};
    error.message = fmt::format("storage node {}: {}", raw(node), error.message);
    refuse(found->second, contract::from_error(error));
  }
  finish_if_done(found, out);
}

void EpochRounds::take(Round& round, NodeId node, const wire::v1::EpochReply& answer) {
  writer_.learn(answer.epoch(), answer.holder(), answer.endpoint());
  if (answer.epoch() > round.reply.epoch()) {
    round.reply.set_epoch(answer.epoch());
    round.reply.set_holder(answer.holder());
    round.reply.set_endpoint(answer.endpoint());
  }
  round.reply.mutable_accepted()->MergeFrom(answer.accepted());
  if (answer.granted()) {
    return;
  }
  if (answer.has_error()) {
    refuse(round, answer.error());
    return;
  }
  refuse(round, contract::from_error(rejected(
                    "55006", fmt::format("storage node {} refused epoch {}: {} at {} holds epoch {}", raw(node),
                                         round.body.epoch(), answer.holder(), answer.endpoint(), answer.epoch()))));
}

void EpochRounds::refuse(Round& round, wire::v1::Error error) {
  round.reply.set_granted(false);
  if (!round.reply.has_error()) {
    *round.reply.mutable_error() = std::move(error);
  }
}

void EpochRounds::on_node_lost(uint64_t round, NodeId node, const std::string& reason, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  found->second.waiting.erase(node);
  refuse(found->second, contract::from_error(unreachable(node, context_.nodes.endpoint(node), reason)));
  finish_if_done(found, out);
}

void EpochRounds::expire(uint64_t round, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end() && !found->second.waiting.empty());
  const NodeId node = found->second.waiting.begin()->first;
  refuse(found->second, contract::from_error(unreachable(node, context_.nodes.endpoint(node), "no answer in time")));
  for (const auto& [silent, sequence] : found->second.waiting) {
    context_.nodes.forget(silent, sequence);
  }
  found->second.waiting.clear();
  finish_if_done(found, out);
}

void EpochRounds::forget(uint64_t round) { erase(rounds_.find(round)); }

void EpochRounds::finish_if_done(Rounds::iterator round, rpc::Outbox& out) {
  Round& state = round->second;
  if (!state.waiting.empty()) {
    return;
  }
  if (state.reply.granted() && !state.body.inquire()) {
    writer_.learn(state.body.epoch(), state.body.holder(), state.body.endpoint());
  }
  std::sort(state.reply.mutable_accepted()->begin(), state.reply.mutable_accepted()->end(),
            [](const auto& left, const auto& right) { return left.node() < right.node(); });
  wire::v1::Result result;
  *result.mutable_epoch() = std::move(state.reply);
  reply(state.upstream, std::move(result), out);
  erase(round);
}

void EpochRounds::erase(Rounds::iterator round) {
  for (const auto& [node, sequence] : round->second.waiting) {
    context_.nodes.forget(node, sequence);
  }
  context_.deadlines.remove(round->second.deadline, {Machine::kEpoch, round->first});
  context_.clients.finish(round->second.upstream);
  rounds_.erase(round);
}

}  // namespace daedalus::aggregator

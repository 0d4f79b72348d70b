#include "mark_rounds.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

void MarkRounds::start(Upstream upstream, uint64_t mark, Instant now, rpc::Outbox& out) {
  const uint64_t id = context_.next_id++;
  const Instant deadline = after(now, context_.options.mark_ns_max);
  const auto entry =
      rounds_.emplace(id, Round{.upstream = upstream, .deadline = deadline, .waiting = {}, .reply = {}}).first;
  Round& round = entry->second;
  context_.clients.assign(upstream, {Machine::kMark, id});
  context_.deadlines.add(deadline, {Machine::kMark, id});
  for (const NodeId node : context_.nodes.all()) {
    if (context_.nodes.knows_moments(node)) {
      wire::v1::Operation operation;
      operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_MARK);
      operation.mutable_header()->set_map_version(context_.map->version);
      operation.mutable_header()->set_mark(mark);
      round.waiting[node] = context_.nodes.send(node, std::move(operation), MarkTicket{id}, out);
    } else if (context_.nodes.is_up(node)) {
      // An older build is not asked, and the writer need not wait for its word.
      wire::v1::NodeWatermark& watermark = *round.reply.add_watermarks();
      watermark.set_node(raw(node));
      watermark.set_mark(mark);
    }
  }
  if (round.waiting.empty()) {
    finish(entry, out);
  }
}

void MarkRounds::on_result(uint64_t round, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  found->second.waiting.erase(node);
  found->second.reply.mutable_watermarks()->MergeFrom(result.marked().watermarks());
  if (found->second.waiting.empty()) {
    finish(found, out);
  }
}

void MarkRounds::on_node_lost(uint64_t round, NodeId node, rpc::Outbox& out) { on_result(round, node, {}, out); }

void MarkRounds::expire(uint64_t round, rpc::Outbox& out) {
  const auto found = rounds_.find(round);
  CHECK(found != rounds_.end());
  finish(found, out);
}

void MarkRounds::forget(uint64_t round) { erase(rounds_.find(round)); }

void MarkRounds::finish(Rounds::iterator round, rpc::Outbox& out) {
  std::sort(round->second.reply.mutable_watermarks()->begin(), round->second.reply.mutable_watermarks()->end(),
            [](const auto& left, const auto& right) { return left.node() < right.node(); });
  wire::v1::Result result;
  *result.mutable_marked() = std::move(round->second.reply);
  result.set_mark(raw(context_.known.mark()));
  reply(round->second.upstream, std::move(result), out);
  erase(round);
}

void MarkRounds::erase(Rounds::iterator round) {
  for (const auto& [node, sequence] : round->second.waiting) {
    context_.nodes.forget(node, sequence);
  }
  context_.deadlines.remove(round->second.deadline, {Machine::kMark, round->first});
  context_.clients.finish(round->second.upstream);
  rounds_.erase(round);
}

}  // namespace daedalus::aggregator

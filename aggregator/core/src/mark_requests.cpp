#include "mark_requests.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

void MarkRequests::start(Upstream upstream, uint64_t mark, Instant now, rpc::Outbox& out) {
  const uint64_t id = context_.next_id++;
  const Instant deadline = after(now, context_.options.mark_ns_max);
  const auto entry =
      requests_.emplace(id, Request{.upstream = upstream, .deadline = deadline, .waiting = {}, .reply = {}}).first;
  Request& request = entry->second;
  context_.clients.assign(upstream, {Machine::kMark, id});
  context_.deadlines.add(deadline, {Machine::kMark, id});
  for (const NodeId node : context_.nodes.all()) {
    if (context_.nodes.knows_moments(node)) {
      wire::v1::Operation operation;
      operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_MARK);
      operation.mutable_header()->set_map_version(context_.map->version);
      operation.mutable_header()->set_mark(mark);
      request.waiting[node] = context_.nodes.send(node, std::move(operation), MarkTicket{id}, out);
    } else if (context_.nodes.is_up(node)) {
      // An older build is not asked, and the writer need not wait for its word.
      wire::v1::NodeWatermark& watermark = *request.reply.add_watermarks();
      watermark.set_node(raw(node));
      watermark.set_mark(mark);
    }
  }
  if (request.waiting.empty()) {
    finish(entry, out);
  }
}

void MarkRequests::on_result(uint64_t request, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  const auto found = requests_.find(request);
  CHECK(found != requests_.end());
  found->second.waiting.erase(node);
  found->second.reply.mutable_watermarks()->MergeFrom(result.marked().watermarks());
  if (found->second.waiting.empty()) {
    finish(found, out);
  }
}

void MarkRequests::on_node_lost(uint64_t request, NodeId node, rpc::Outbox& out) { on_result(request, node, {}, out); }

void MarkRequests::expire(uint64_t request, rpc::Outbox& out) {
  const auto found = requests_.find(request);
  CHECK(found != requests_.end());
  finish(found, out);
}

void MarkRequests::forget(uint64_t request) { erase(requests_.find(request)); }

void MarkRequests::finish(Requests::iterator request, rpc::Outbox& out) {
  std::sort(request->second.reply.mutable_watermarks()->begin(), request->second.reply.mutable_watermarks()->end(),
            [](const auto& left, const auto& right) { return left.node() < right.node(); });
  wire::v1::Result result;
  *result.mutable_marked() = std::move(request->second.reply);
  result.set_mark(raw(context_.known.mark()));
  reply(request->second.upstream, std::move(result), out);
  erase(request);
}

void MarkRequests::erase(Requests::iterator request) {
  for (const auto& [node, sequence] : request->second.waiting) {
    context_.nodes.forget(node, sequence);
  }
  context_.deadlines.remove(request->second.deadline, {Machine::kMark, request->first});
  context_.clients.finish(request->second.upstream);
  requests_.erase(request);
}

}  // namespace daedalus::aggregator

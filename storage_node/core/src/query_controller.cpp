#include "daedalus/node/query_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

QueryControllerOptions with_owner(QueryControllerOptions options, NodeId node) {
  options.merges.answer_bytes_max = options.answer_bytes_max;
  options.merges.owner = fmt::format("node {}", raw(node));
  return options;
}

}  // namespace

QueryController::QueryController(QueryControllerOptions options, std::shared_ptr<const semantics::Schema> schema,
                                 NodeId node, const NodePlacement& placement, const UpdatePipeline& updates,
                                 SegmentPort& segments)
    : options_(with_owner(std::move(options), node)),
      schema_(std::move(schema)),
      node_(node),
      placement_(placement),
      updates_(updates),
      segments_(segments),
      merges_(options_.merges, options_.answer_budget) {}

void QueryController::start(PreparedQuery query, rpc::Outbox& out) {
  CHECK(!contains(query.requester));
  if (queries_.size() >= options_.queries_in_flight_max) {
    send_error(
        query.requester,
        retry("53000", fmt::format("node {} has {} queries under way, its maximum", raw(node_), queries_.size())),
        options_.retry_after_ns, out);
    return;
  }
  const std::vector<SegmentIndex> wanted = segments_for(*query.selection);
  const uint64_t handle = ++last_handle_;
  Running& running = queries_[handle];
  running.query = std::move(query);
  running.aborted = std::make_shared<std::atomic<bool>>(false);
  merges_.open(merging::MergeId{handle}, running.query.requester.peer, *schema_, *running.query.selection,
               semantics::AnswerForm::kPartial);
  by_requester_.emplace(running.query.requester, handle);
  deadlines_.emplace(running.query.deadline, handle);
  for (const SegmentIndex segment : wanted) {
    const bool is_taken = updates_.waiting(segment) == 0 &&
                          segments_.enqueue(segment, engine::Query{engine::QueryHandle{handle}, running.query.selection,
                                                                   running.query.deadline, running.aborted});
    if (!is_taken) {
      fail(handle, running,
           retry("53000",
                 fmt::format("segment {} of partition {} on node {} has no room for another operation",
                             placement_.segment_within(segment), raw(placement_.partition_of(segment)), raw(node_))),
           options_.retry_after_ns, out);
      break;
    }
    ++running.segments_missing;
  }
  if (running.segments_missing == 0) {
    forget(handle);
  }
}

std::vector<SegmentIndex> QueryController::segments_for(const semantics::Selection& selection) const {
  if (selection.slice) {
    const auto segment = placement_.segment_at(PartitionId{selection.slice->partition}, selection.slice->segment);
    CHECK(segment);  // A query that asks for another was refused before it got here.
    return {*segment};
  }
  std::vector<SegmentIndex> wanted = placement_.segments_of(selection.predicate);
  if (wanted.empty()) {
    wanted.push_back(SegmentIndex{0});  // Nothing here qualifies; a segment says so in the answer's proper form.
  }
  return wanted;
}

void QueryController::on_output(SegmentIndex segment, engine::QueryOutput output, rpc::Outbox& out) {
  const uint64_t handle = raw(output.handle);
  const auto found = queries_.find(handle);
  CHECK(found != queries_.end());
  Running& running = found->second;
  running.segments_missing -= output.is_last ? 1 : 0;
  if (!running.is_ended) {
    take(segment, std::move(output), running, out);
  }
  if (running.segments_missing > 0) {
    return;
  }
  if (running.is_ended) {
    forget(handle);
  } else {
    merges_.end_parts(merging::MergeId{handle});
  }
}

void QueryController::take(SegmentIndex segment, engine::QueryOutput output, Running& running, rpc::Outbox& out) {
  const uint64_t handle = raw(output.handle);
  if (output.error) {
    fail(handle, running, *output.error, 0, out);
    return;
  }
  running.bytes += output.rows.size();
  if (running.bytes > options_.answer_bytes_max) {
    fail(handle, running, semantics::answer_too_large({options_.answer_bytes_max, options_.merges.owner}), 0, out);
    return;
  }
  if (output.is_last) {
    running.stamps.push_back(stamp(segment, output.prefix));
    running.next_slot = output.next_slot;
  }
  const auto added = merges_.add(merging::MergeId{handle}, raw(segment), {std::move(output.rows), output.row_count},
                                 std::move(output.lease));
  if (!added) {
    fail(handle, running, added.error(), options_.retry_after_ns, out);
  }
}

void QueryController::step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out) {
  merges_.step(budget, gauge, [&](merging::MergeScheduler::Piece piece) { put(std::move(piece), out); });
}

void QueryController::put(merging::MergeScheduler::Piece piece, rpc::Outbox& out) {
  const auto found = queries_.find(raw(piece.id));
  CHECK(found != queries_.end() && !found->second.is_ended);
  Running& running = found->second;
  if (piece.error) {
    fail(found->first, running, *piece.error, options_.retry_after_ns, out);
  } else {
    if (piece.rows.row_count > 0) {
      auto* message = add_result(running.query.requester, out).mutable_rows();
      message->set_row_count(static_cast<uint32_t>(piece.rows.row_count));
      message->set_rows(std::move(piece.rows.rows));
      running.row_count += piece.rows.row_count;
    }
    if (piece.is_last) {
      send_end(running, out);
      end(found->first, running);
    }
  }
  if (running.is_ended && running.segments_missing == 0) {
    forget(found->first);
  }
}

void QueryController::send_end(Running& running, rpc::Outbox& out) {
  // By place, not by who was first: an end reads the same however the segments raced.
  std::sort(running.stamps.begin(), running.stamps.end(), [](const auto& a, const auto& b) {
    return std::pair(a.partition(), a.segment()) < std::pair(b.partition(), b.segment());
  });
  auto* last = add_result(running.query.requester, out).mutable_end();
  last->set_row_count(running.row_count);
  for (auto& segment_stamp : running.stamps) {
    *last->add_stamps() = std::move(segment_stamp);
  }
  set_next_slice(running, *last);
}

void QueryController::set_next_slice(const Running& running, wire::v1::QueryEnd& end) const {
  const std::optional<semantics::Slice>& slice = running.query.selection->slice;
  if (!slice || (!running.next_slot && slice->segment + 1 == placement_.segments_of_partition())) {
    return;
  }
  wire::v1::Slice& next = *end.mutable_next_slice();
  next.set_partition(slice->partition);
  next.set_segment(running.next_slot ? slice->segment : slice->segment + 1);
  next.set_first_slot(running.next_slot.value_or(0));
  next.set_answer_bytes(slice->answer_bytes);
}

void QueryController::abort(Requester requester, rpc::Outbox& out) {
  const auto found = by_requester_.find(requester);
  if (found != by_requester_.end()) {
    const uint64_t handle = found->second;
    fail(handle, queries_.at(handle), rejected("57014", "the query was aborted"), 0, out);
    forget_if_over(handle);
  }
}

void QueryController::on_peer_down(rpc::PeerId peer) {
  for (auto entry = by_requester_.lower_bound(Requester{peer, 0});
       entry != by_requester_.end() && entry->first.peer == peer;) {
    const uint64_t handle = entry->second;
    ++entry;
    end(handle, queries_.at(handle));
    forget_if_over(handle);
  }
}

void QueryController::on_deadline(Instant now, rpc::Outbox& out) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const uint64_t handle = deadlines_.begin()->second;
    fail(handle, queries_.at(handle), retry("57014", fmt::format("the query was too late on node {}", raw(node_))), 0,
         out);
    forget_if_over(handle);
  }
}

Instant QueryController::next_deadline() const { return deadlines_.empty() ? kNever : deadlines_.begin()->first; }

void QueryController::fail(uint64_t handle, Running& running, const Error& error, int64_t retry_after_ns,
                           rpc::Outbox& out) {
  send_error(running.query.requester, error, retry_after_ns, out);
  end(handle, running);
}

void QueryController::end(uint64_t handle, Running& running) {
  running.is_ended = true;
  running.aborted->store(true, std::memory_order_relaxed);
  merges_.close(merging::MergeId{handle});
  running.stamps.clear();
  by_requester_.erase(running.query.requester);
  deadlines_.erase({running.query.deadline, handle});
}

void QueryController::forget_if_over(uint64_t handle) {
  if (queries_.at(handle).segments_missing == 0) {
    forget(handle);
  }
}

void QueryController::forget(uint64_t handle) {
  // A segment may have asked for memory after the merge was closed.
  options_.answer_budget->leave(handle);
  queries_.erase(handle);
}

wire::v1::SegmentStamp QueryController::stamp(SegmentIndex segment, Timestamp prefix) const {
  wire::v1::SegmentStamp made;
  made.set_node(raw(node_));
  made.set_partition(raw(placement_.partition_of(segment)));
  made.set_segment(placement_.segment_within(segment));
  made.set_applied(raw(prefix));
  made.set_durable(raw(prefix));  // Durability is off: what is applied is as durable as it gets.
  return made;
}

}  // namespace daedalus::node

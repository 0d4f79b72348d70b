#include "daedalus/node/query_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "replies.hpp"

namespace daedalus::node {

QueryController::QueryController(QueryControllerOptions options, std::shared_ptr<const semantics::Schema> schema,
                                 NodeId node, const NodePlacement& placement, const UpdatePipeline& updates,
                                 SegmentPort& segments)
    : options_(options),
      schema_(std::move(schema)),
      node_(node),
      placement_(placement),
      updates_(updates),
      segments_(segments) {}

void QueryController::start(PreparedQuery query, rpc::Outbox& out) {
  CHECK(!contains(query.requester));
  if (queries_.size() >= options_.queries_in_flight_max) {
    send_error(
        query.requester,
        retry("53000", fmt::format("node {} has {} queries under way, its maximum", raw(node_), queries_.size())),
        options_.retry_after_ns, out);
    return;
  }
  std::vector<SegmentIndex> wanted = placement_.segments_of(query.selection->predicate);
  if (wanted.empty()) {
    wanted.push_back(SegmentIndex{0});  // Nothing here qualifies; a segment says so in the answer's proper form.
  }
  const uint64_t handle = ++last_handle_;
  Running& running = queries_[handle];
  running.query = std::move(query);
  running.aborted = std::make_shared<std::atomic<bool>>(false);
  if (!semantics::can_stream(*running.query.selection)) {
    running.merger.emplace(*schema_, *running.query.selection);
  }
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
    queries_.erase(handle);
  }
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
  if (!running.is_ended && running.segments_missing == 0) {
    finish(running, out);
    if (!running.is_ended) {
      end(handle, running);
    }
  }
  if (running.segments_missing == 0) {
    queries_.erase(found);
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
    fail(handle, running,
         Error{ErrorCategory::kRejected, "54000",
               fmt::format("the answer of node {} exceeds {} bytes", raw(node_), options_.answer_bytes_max),
               "select fewer rows or columns, or aggregate", 0},
         0, out);
    return;
  }
  if (output.is_last) {
    running.stamps.push_back(stamp(segment, output.prefix));
  }
  if (!running.merger) {
    send_rows(output.rows, running, out);
  } else if (auto added = running.merger->add(raw(segment), output.rows); !added) {
    fail(handle, running, added.error(), 0, out);
  }
}

void QueryController::finish(Running& running, rpc::Outbox& out) {
  if (running.merger) {
    auto merged = running.merger->finish_partial();
    if (!merged) {
      fail(by_requester_.at(running.query.requester), running, merged.error(), 0, out);
      return;
    }
    send_rows(merged->rows, running, out);
  }
  // By place, not by who was first: an end reads the same however the segments raced.
  std::sort(running.stamps.begin(), running.stamps.end(), [](const auto& a, const auto& b) {
    return std::pair(a.partition(), a.segment()) < std::pair(b.partition(), b.segment());
  });
  auto* last = add_result(running.query.requester, out).mutable_end();
  last->set_row_count(running.row_count);
  for (auto& segment_stamp : running.stamps) {
    *last->add_stamps() = std::move(segment_stamp);
  }
}

void QueryController::send_rows(std::string_view rows, Running& running, rpc::Outbox& out) {
  semantics::PackedRows walk(rows);
  const char* begin = rows.data();
  const char* end_of_last = begin;
  uint32_t count = 0;
  const auto flush = [&] {
    if (count > 0) {
      auto* message = add_result(running.query.requester, out).mutable_rows();
      message->set_rows(begin, static_cast<size_t>(end_of_last - begin));
      message->set_row_count(count);
      running.row_count += count;
    }
    begin = end_of_last;
    count = 0;
  };
  while (true) {
    const auto row = walk.next();
    CHECK(row);  // A segment or the merger made them.
    if (!row->has_value()) {
      break;
    }
    const char* const end_of_row = (*row)->data() + (*row)->size();
    if (static_cast<size_t>(end_of_row - begin) > kQueryRowsSizeMax) {
      flush();
    }
    end_of_last = end_of_row;
    ++count;
  }
  flush();
}

void QueryController::abort(Requester requester, rpc::Outbox& out) {
  const auto found = by_requester_.find(requester);
  if (found != by_requester_.end()) {
    fail(found->second, queries_.at(found->second), rejected("57014", "the query was aborted"), 0, out);
  }
}

void QueryController::on_peer_down(rpc::PeerId peer) {
  for (auto entry = by_requester_.lower_bound(Requester{peer, 0});
       entry != by_requester_.end() && entry->first.peer == peer;) {
    const uint64_t handle = entry->second;
    ++entry;
    end(handle, queries_.at(handle));
  }
}

void QueryController::on_deadline(Instant now, rpc::Outbox& out) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const uint64_t handle = deadlines_.begin()->second;
    fail(handle, queries_.at(handle), retry("57014", fmt::format("the query was too late on node {}", raw(node_))), 0,
         out);
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
  running.merger.reset();
  running.stamps.clear();
  by_requester_.erase(running.query.requester);
  deadlines_.erase({running.query.deadline, handle});
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

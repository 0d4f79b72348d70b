#include "daedalus/node/query_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

using merging::CandidateId;
using merging::QueryId;

/// A segment cannot answer at the moment any more.
constexpr const char* kMomentLost = "72000";

merging::GatherLimits gather_limits(const QueryControllerOptions& options, NodeId node) {
  merging::GatherLimits limits{options.merges, options.answer_bytes_max, options.retry_after_ns};
  limits.merges.answer_bytes_max = options.answer_bytes_max;
  limits.merges.owner = fmt::format("node {}", raw(node));
  return limits;
}

}  // namespace

QueryController::QueryController(QueryControllerOptions options, NodeId node, const NodePlacement& placement,
                                 const UpdatePipeline& updates, const LogProgress& log, SegmentPort& segments)
    : options_(std::move(options)),
      node_(node),
      placement_(placement),
      updates_(updates),
      log_(log),
      segments_(segments),
      gather_(gather_limits(options_, node), options_.answer_budget, *this) {}

void QueryController::start(PreparedQuery query, Instant now, rpc::Outbox& out) {
  CHECK(!contains(query.requester));
  if (queries_.size() >= options_.queries_in_flight_max) {
    send_error(
        query.requester,
        retry("53000", fmt::format("node {} has {} queries under way, its maximum", raw(node_), queries_.size())),
        options_.retry_after_ns, out);
    return;
  }
  const QueryId id{++last_id_};
  const std::shared_ptr<const semantics::Selection> selection = query.selection;
  by_requester_.emplace(query.requester, id);
  deadlines_.emplace(query.deadline, id);
  Running& running = queries_[id];
  running.query = std::move(query);
  running.segments = segments_for(running.query);
  gather_.start(id,
                merging::GatheredQuery{running.query.requester, selection, semantics::AnswerForm::kPartial, nullptr,
                                       nullptr, parts_of(running.segments), slice_after(*selection)},
                now, out);
}

std::vector<SegmentIndex> QueryController::segments_for(const PreparedQuery& query) const {
  if (const auto& slice = query.selection->slice) {
    const auto segment = placement_.segment_at(PartitionId{slice->partition}, slice->segment);
    CHECK(segment);  // A query that asks for another was refused before it got here.
    return {*segment};
  }
  std::vector<SegmentIndex> wanted = placement_.segments_of(query.predicate());
  if (wanted.empty()) {
    wanted.push_back(SegmentIndex{0});  // Nothing here qualifies; a segment says so in the answer's proper form.
  }
  return wanted;
}

merging::Parts QueryController::parts_of(const std::vector<SegmentIndex>& segments) const {
  merging::Parts parts;
  parts.reserve(segments.size());
  for (const SegmentIndex segment : segments) {
    parts.push_back(
        {{placement_.partition_of(segment)}, placement_.segment_within(segment), {CandidateId{raw(segment)}}});
  }
  return parts;
}

std::optional<wire::v1::Slice> QueryController::slice_after(const semantics::Selection& selection) const {
  const std::optional<semantics::Slice>& slice = selection.slice;
  if (!slice || slice->segment + 1 == placement_.segments_of_partition()) {
    return std::nullopt;
  }
  wire::v1::Slice next;
  next.set_partition(slice->partition);
  next.set_segment(slice->segment + 1);
  next.set_answer_bytes(slice->answer_bytes);
  return next;
}

uint64_t QueryController::segment_piece_bytes(const Running& running) {
  const uint64_t all = running.query.piece_bytes;
  return all == 0 ? 0 : std::max<uint64_t>(all / running.segments.size(), 1);
}

// ---- segments as candidates ----

std::optional<wire::v1::Error> QueryController::ask(QueryId id, uint32_t /*part*/, CandidateId candidate,
                                                    const wire::v1::Slice* /*piece*/, Instant /*now*/,
                                                    rpc::Outbox& /*out*/) {
  Running& running = queries_.at(id);
  const SegmentIndex segment{raw(candidate)};
  const bool is_taken = updates_.waiting(segment) == 0 &&
                        segments_.enqueue(segment, engine::Query{engine::QueryHandle{raw(id)}, running.query.selection,
                                                                 running.query.deadline, running.aborted,
                                                                 running.query.bound, running.query.compute_ns_max,
                                                                 running.query.moment, segment_piece_bytes(running)});
  if (!is_taken) {
    wire::v1::Error error =
        contract::from_error(retry("53000", fmt::format("{} has no room for another operation", name(candidate))));
    error.set_retry_after_ns(static_cast<uint64_t>(options_.retry_after_ns));
    return error;
  }
  ++running.segments_missing;
  return std::nullopt;
}

void QueryController::give_up(QueryId id, uint32_t /*part*/, CandidateId /*candidate*/, rpc::Outbox& /*out*/) {
  // Later outputs of the segments are dropped.
  queries_.at(id).aborted->store(true, std::memory_order_relaxed);
}

void QueryController::on_over(QueryId id) {
  const auto found = queries_.find(id);
  Running& running = found->second;
  running.is_over = true;
  by_requester_.erase(running.query.requester);
  deadlines_.erase({running.query.deadline, id});
  forget_if_let_go(found);
}

std::string QueryController::name(CandidateId candidate) const {
  const SegmentIndex segment{raw(candidate)};
  return fmt::format("segment {} of partition {} on node {}", placement_.segment_within(segment),
                     raw(placement_.partition_of(segment)), raw(node_));
}

void QueryController::add_missing(const merging::Part& /*part*/, CandidateId /*candidate*/,
                                  const std::string& /*reason*/, wire::v1::Error& /*error*/) const {
  // Whoever asked knows which partitions it asked this node for.
}

// ---- answers ----

std::optional<PreparedQuery> QueryController::on_output(SegmentIndex segment, engine::QueryOutput output, Instant now,
                                                        rpc::Outbox& out) {
  const QueryId id{raw(output.handle)};
  const auto found = queries_.find(id);
  CHECK(found != queries_.end());
  Running& running = found->second;
  running.segments_missing -= output.is_last ? 1 : 0;
  if (running.is_over) {
    forget_if_let_go(found);
    return std::nullopt;
  }
  if (output.error && is_outrun(id, running.query, *output.error)) {
    PreparedQuery outrun = running.query;
    gather_.forget(id, out);
    return outrun;
  }
  const auto place = std::lower_bound(running.segments.begin(), running.segments.end(), segment);
  const auto part = static_cast<uint32_t>(place - running.segments.begin());
  if (output.error) {
    gather_.on_failed(id, part, contract::from_error(failure_of(running.query, *std::move(output.error))), now, out);
    return std::nullopt;
  }
  // Made before the rows are moved and, with them, the query may be over.
  merging::PartEnd end = output.is_last ? end_of(running, segment, output) : merging::PartEnd{};
  gather_.on_rows(id, part, {std::move(output.rows), output.row_count}, std::move(output.lease),
                  raw(running.query.moment), out);
  if (output.is_last) {
    gather_.on_end(id, part, std::move(end), out);
  }
  return std::nullopt;
}

bool QueryController::is_outrun(QueryId id, const PreparedQuery& query, const Error& error) const {
  return error.sqlstate == kMomentLost && !query.is_firm && !gather_.has_sent_rows(id);
}

/// Whoever asks has not chosen the moment, and gets another one when the query comes again.
Error QueryController::failure_of(const PreparedQuery& query, Error error) {
  if (error.sqlstate == kMomentLost && !query.is_firm) {
    error.category = ErrorCategory::kRetry;
    error.hint =
        "Ask again: this node has started again, has not heard for too long that the answer is still read, or has "
        "taken an update that alone overwrites more than window_mib of a segment.";
  }
  return error;
}

merging::PartEnd QueryController::end_of(const Running& running, SegmentIndex segment,
                                         const engine::QueryOutput& output) const {
  merging::PartEnd end;
  end.stamps.push_back({.node = raw(node_),
                        .partition = raw(placement_.partition_of(segment)),
                        .segment = placement_.segment_within(segment),
                        .applied = raw(output.prefix),
                        .durable = raw(log_.durable(output.prefix))});
  end.moment = raw(running.query.moment);
  if (output.next_slot) {
    const auto& slice = running.query.selection->slice;
    wire::v1::Slice& next = end.rest.emplace_back();
    next.set_partition(raw(placement_.partition_of(segment)));
    next.set_segment(placement_.segment_within(segment));
    next.set_first_slot(*output.next_slot);
    next.set_answer_bytes(slice ? slice->answer_bytes : segment_piece_bytes(running));
  }
  return end;
}

// ---- ends ----

void QueryController::abort(Requester requester, rpc::Outbox& out) {
  const auto found = by_requester_.find(requester);
  if (found != by_requester_.end()) {
    gather_.fail(found->second, contract::from_error(rejected("57014", "the query was aborted")), out);
  }
}

void QueryController::on_peer_down(rpc::PeerId peer, rpc::Outbox& out) {
  for (auto entry = by_requester_.lower_bound(Requester{peer, 0});
       entry != by_requester_.end() && entry->first.peer == peer;) {
    const QueryId id = entry->second;
    ++entry;
    gather_.forget(id, out);
  }
}

void QueryController::on_deadline(Instant now, rpc::Outbox& out) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    gather_.expire(deadlines_.begin()->second,
                   contract::from_error(retry("57014", fmt::format("the query was too late on node {}", raw(node_)))),
                   out);
  }
}

Instant QueryController::next_deadline() const { return deadlines_.empty() ? kNever : deadlines_.begin()->first; }

void QueryController::forget_if_let_go(Queries::iterator query) {
  if (query->second.segments_missing == 0) {
    // A segment may have asked for memory after the merge was closed.
    options_.answer_budget->leave(raw(query->first));
    queries_.erase(query);
  }
}

}  // namespace daedalus::node

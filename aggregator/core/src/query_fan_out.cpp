#include "query_fan_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::aggregator {

// ---- asking ----

Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                   wire::v1::Operation operation) {
  if (const auto routed = contract::route(schema, map, operation.header().routes(), Timestamp{}); !routed) {
    return routed.error();
  }
  QueryRequest request;
  auto selection = contract::to_selection(schema, operation.body(), &request.form);
  if (!selection) {
    return selection.error();
  }
  auto columns = semantics::final_columns(schema, *selection);
  if (!columns) {
    return columns.error();
  }
  for (wire::v1::Route& route : contract::routes_of(schema, map, selection->predicate)) {
    *request.routes.Add() = std::move(route);
  }
  if (request.form == wire::v1::RESULT_FORM_PARTIAL) {
    request.body = std::move(*operation.mutable_body());
  } else {
    request.form = wire::v1::RESULT_FORM_FINAL;
    wire::v1::SelectBody body;
    if (!body.ParseFromString(operation.body())) {
      return malformed("the body of a SELECT does not parse");
    }
    body.set_form(wire::v1::RESULT_FORM_PARTIAL);
    request.body = body.SerializeAsString();
  }
  request.header = std::move(*operation.mutable_header());
  request.selection = std::move(*selection);
  request.columns = std::move(*columns);
  return request;
}

namespace {

/// A slice takes at most one part in so many of what an answer may.
constexpr uint64_t kAnswerToSlice = 2;

merging::MergeLimits merge_limits(const AggregatorOptions& options) {
  merging::MergeLimits limits = options.merges;
  limits.answer_bytes_max = options.answer_bytes_max;
  limits.owner = options.name;
  return limits;
}

/// What leaves the node must not be more than may leave here: the bound is added to the body. Encodings of one message
/// that follow each other are read as one.
void bound_slice(uint64_t bytes_max, QueryRequest& request) {
  if (request.selection.slice && request.selection.slice->answer_bytes > bytes_max) {
    request.selection.slice->answer_bytes = bytes_max;
    wire::v1::SelectBody bound;
    bound.mutable_slice()->set_answer_bytes(bytes_max);
    request.body += bound.SerializeAsString();
  }
}

/// Where a slice ends must lie behind where it began: whoever takes one after the other would never come to an end.
bool goes_on(const semantics::Slice& slice, const wire::v1::Slice& next) {
  return next.partition() == slice.partition &&
         (next.segment() > slice.segment || (next.segment() == slice.segment && next.first_slot() > slice.first_slot));
}

}  // namespace

QueryFanOut::QueryFanOut(Context& context)
    : context_(context), merges_(merge_limits(context.options), context.options.answer_budget) {}

std::vector<QueryFanOut::Part> QueryFanOut::divide(const std::vector<PartitionId>& partitions) const {
  std::vector<Part> parts;
  for (const PartitionId partition : partitions) {
    const NodeId node = context_.map->partitions.at(raw(partition)).front();
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& other) { return other.node == node; });
    if (part == parts.end()) {
      part = parts.emplace(parts.end());
      part->node = node;
    }
    part->partitions.push_back(partition);
  }
  return parts;
}

bool QueryFanOut::refuse(const QueryRequest& request, const std::vector<Part>& parts, rpc::Outbox& out) {
  if (queries_.size() >= context_.options.queries_max) {
    reply(request.upstream,
          error_result(overloaded(fmt::format("the aggregator has {} queries in flight", queries_.size())),
                       context_.options.retry_after_ns),
          out);
    return true;
  }
  wire::v1::Result refusal;
  for (const Part& part : parts) {
    if (context_.nodes.is_up(part.node)) {
      continue;
    }
    const std::string& problem = context_.nodes.problem(part.node);
    if (!refusal.has_error()) {
      refusal = error_result(unreachable(part.node, context_.nodes.endpoint(part.node), problem));
    }
    add_missing(Missing{part.node, part.partitions, problem}, *refusal.mutable_error());
  }
  if (refusal.has_error()) {
    reply(request.upstream, std::move(refusal), out);
    return true;
  }
  return false;
}

Result<std::vector<PartitionId>> QueryFanOut::partitions_of(const QueryRequest& request) const {
  const std::optional<semantics::Slice>& slice = request.selection.slice;
  if (!slice) {
    return contract::route(*context_.schema, *context_.map, request.routes, Timestamp{});
  }
  if (slice->partition >= context_.map->partition_count()) {
    return rejected("22023", fmt::format("there is no partition {}: the table has {}", slice->partition,
                                         context_.map->partition_count()));
  }
  return std::vector<PartitionId>{PartitionId{slice->partition}};
}

void QueryFanOut::start(QueryRequest request, Instant now, rpc::Outbox& out) {
  ++context_.queries_total;
  const auto partitions = partitions_of(request);
  if (!partitions) {
    reply(request.upstream, error_result(partitions.error()), out);
    context_.clients.finish(request.upstream);
    return;
  }
  std::vector<Part> parts = divide(*partitions);
  if (is_planted(Fault::kPartitionDropped) && parts.size() > 1) {
    parts.pop_back();
  }
  if (refuse(request, parts, out)) {
    context_.clients.finish(request.upstream);
    return;
  }
  const uint64_t id = context_.next_id++;
  Query& query = queries_[id];
  query.upstream = request.upstream;
  query.deadline = request.deadline;
  query.form = request.form;
  query.columns = std::move(request.columns);
  bound_slice(context_.options.answer_bytes_max / kAnswerToSlice, request);
  query.slice = request.selection.slice;
  query.parts = std::move(parts);
  query.waiting_count = query.parts.size();
  merges_.open(
      merging::MergeId{id}, query.upstream.peer, *context_.schema, request.selection,
      query.form == wire::v1::RESULT_FORM_FINAL ? semantics::AnswerForm::kFinal : semantics::AnswerForm::kPartial);
  context_.clients.assign(query.upstream, {Machine::kQuery, id});
  context_.deadlines.add(query.deadline, {Machine::kQuery, id});
  send_parts(id, query, request, now, out);
  if (query.waiting_count == 0) {
    merges_.end_parts(merging::MergeId{id});  // No partition can hold a row that qualifies.
  }
}

void QueryFanOut::send_parts(uint64_t id, Query& query, QueryRequest& request, Instant now, rpc::Outbox& out) {
  for (uint32_t index = 0; index < query.parts.size(); ++index) {
    wire::v1::Operation operation;
    wire::v1::OperationHeader& header = *operation.mutable_header();
    header.set_kind(wire::v1::OPERATION_KIND_SELECT);
    header.set_map_version(context_.map->version);
    *header.mutable_routes() = request.routes;
    header.set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(query.deadline.ns - now.ns, 1)));
    header.set_priority(request.header.priority());
    header.set_prefix_min(std::max(request.header.prefix_min(), raw(context_.confirmed)));
    header.set_request_id(request.header.request_id());
    header.set_principal(request.header.principal());
    operation.set_body(index + 1 == query.parts.size() ? std::move(request.body) : request.body);
    Part& part = query.parts[index];
    part.sequence = context_.nodes.send(part.node, std::move(operation), QueryTicket{id, index}, out);
  }
}

// ---- answers ----

void QueryFanOut::on_result(QueryTicket ticket, NodeId node, wire::v1::Result result, rpc::Outbox& out) {
  const auto query = queries_.find(ticket.query);
  CHECK(query != queries_.end());
  Part& part = query->second.parts.at(ticket.part);
  CHECK(part.node == node && !part.has_ended);
  switch (result.kind_case()) {
    case wire::v1::Result::kRows:
      on_rows(query, part, std::move(result), out);
      return;
    case wire::v1::Result::kEnd:
      on_end(query, part, result.end(), out);
      return;
    case wire::v1::Result::kError:
      on_error(query, part, std::move(*result.mutable_error()), out);
      return;
    default:
      fail(query,
           error_result(Error{ErrorCategory::kFatal,
                              "08P01",
                              fmt::format("storage node {} answered a query with something else", raw(node)),
                              {},
                              0}),
           out);
  }
}

void QueryFanOut::on_rows(Queries::iterator query, Part& part, wire::v1::Result result, rpc::Outbox& out) {
  wire::v1::QueryRows& rows = *result.mutable_rows();
  part.row_count += rows.row_count();
  semantics::MergedRows taken{std::move(*rows.mutable_rows()), rows.row_count()};
  if (is_planted(Fault::kAnswerMergedTwice)) {
    taken = {taken.rows + taken.rows, 2 * taken.row_count};
  }
  if (auto added = merges_.add(merging::MergeId{query->first}, raw(part.partitions.front()), std::move(taken));
      !added) {
    fail(query, error_result(added.error(), context_.options.retry_after_ns), out);
  }
}

void QueryFanOut::on_end(Queries::iterator query, Part& part, const wire::v1::QueryEnd& end, rpc::Outbox& out) {
  context_.nodes.forget(part.node, part.sequence);
  part.has_ended = true;
  std::string flaw;
  if (end.row_count() != part.row_count) {
    flaw =
        fmt::format("storage node {} announced {} rows and sent {}", raw(part.node), end.row_count(), part.row_count);
  }
  for (const PartitionId partition : part.partitions) {
    const bool has_stamp = std::any_of(end.stamps().begin(), end.stamps().end(),
                                       [&](const auto& stamp) { return stamp.partition() == raw(partition); });
    if (!has_stamp) {
      flaw = fmt::format("storage node {} ended its answer without partition {}", raw(part.node), raw(partition));
    }
  }
  if (query->second.slice && end.has_next_slice()) {
    query->second.next_slice = end.next_slice();
    if (!goes_on(*query->second.slice, end.next_slice())) {
      flaw = fmt::format("storage node {} ended a slice before where it began", raw(part.node));
    }
  }
  if (!flaw.empty()) {
    auto error = error_result(Error{ErrorCategory::kFatal, "XX000", flaw, {}, 0});
    add_missing(Missing{part.node, part.partitions, flaw}, *error.mutable_error());
    fail(query, std::move(error), out);
    return;
  }
  part.stamps = end.stamps();
  if (--query->second.waiting_count == 0) {
    merges_.end_parts(merging::MergeId{query->first});
  }
}

void QueryFanOut::on_error(Queries::iterator query, Part& part, wire::v1::Error error, rpc::Outbox& out) {
  context_.nodes.forget(part.node, part.sequence);
  part.has_ended = true;
  wire::v1::Result result;
  *result.mutable_error() = std::move(error);
  // A query that is wrong lacks nothing; any other failure leaves out what this node holds.
  if (result.error().category() != wire::v1::ERROR_CATEGORY_REJECTED && result.error().missing().empty()) {
    add_missing(Missing{part.node, part.partitions, result.error().message()}, *result.mutable_error());
  }
  fail(query, std::move(result), out);
}

void QueryFanOut::on_node_lost(QueryTicket ticket, NodeId node, const std::string& reason, rpc::Outbox& out) {
  const auto query = queries_.find(ticket.query);
  CHECK(query != queries_.end());
  auto error = error_result(unreachable(node, context_.nodes.endpoint(node), reason));
  add_missing(Missing{node, query->second.parts.at(ticket.part).partitions, reason}, *error.mutable_error());
  fail(query, std::move(error), out);
}

// ---- ends ----

void QueryFanOut::step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out) {
  merges_.step(budget, gauge, [&](merging::MergeScheduler::Piece piece) { put(std::move(piece), out); });
}

void QueryFanOut::put(merging::MergeScheduler::Piece piece, rpc::Outbox& out) {
  const auto query = queries_.find(raw(piece.id));
  CHECK(query != queries_.end());
  if (piece.error) {
    fail(query, error_result(*piece.error, context_.options.retry_after_ns), out);
    return;
  }
  query->second.bytes += piece.rows.rows.size();
  if (query->second.bytes > context_.options.answer_bytes_max) {
    fail(query, error_result(semantics::answer_too_large({context_.options.answer_bytes_max, context_.options.name})),
         out);
    return;
  }
  if (piece.rows.row_count > 0) {
    send_rows(query->second, std::move(piece.rows), out);
  }
  if (piece.is_last) {
    finish(query, out);
  }
}

void QueryFanOut::finish(Queries::iterator query, rpc::Outbox& out) {
  Query& state = query->second;
  if (state.form == wire::v1::RESULT_FORM_FINAL && !state.columns_sent) {
    send_rows(state, {}, out);
  }
  wire::v1::Result result;
  wire::v1::QueryEnd& end = *result.mutable_end();
  end.set_row_count(state.row_count);
  for (const Part& part : state.parts) {
    end.mutable_stamps()->MergeFrom(part.stamps);
  }
  set_next_slice(state, end);
  reply(state.upstream, std::move(result), out);
  erase(query, out);
}

void QueryFanOut::set_next_slice(const Query& query, wire::v1::QueryEnd& end) const {
  if (query.next_slice) {
    *end.mutable_next_slice() = *query.next_slice;
  } else if (query.slice && query.slice->partition + 1 < context_.map->partition_count()) {
    end.mutable_next_slice()->set_partition(query.slice->partition + 1);
    end.mutable_next_slice()->set_answer_bytes(query.slice->answer_bytes);
  }
}

void QueryFanOut::send_rows(Query& query, semantics::MergedRows rows, rpc::Outbox& out) {
  wire::v1::Result result;
  add_columns(query, *result.mutable_rows());
  result.mutable_rows()->set_rows(std::move(rows.rows));
  result.mutable_rows()->set_row_count(static_cast<uint32_t>(rows.row_count));
  query.row_count += rows.row_count;
  reply(query.upstream, std::move(result), out);
}

void QueryFanOut::add_columns(Query& query, wire::v1::QueryRows& rows) {
  rows.clear_columns();
  if (query.form != wire::v1::RESULT_FORM_FINAL || query.columns_sent) {
    return;
  }
  for (const semantics::Column& column : query.columns) {
    *rows.add_columns() = contract::from_column(column);
  }
  query.columns_sent = true;
}

void QueryFanOut::fail(Queries::iterator query, wire::v1::Result error, rpc::Outbox& out) {
  reply(query->second.upstream, std::move(error), out);
  erase(query, out);
}

void QueryFanOut::erase(Queries::iterator query, rpc::Outbox& out) {
  for (const Part& part : query->second.parts) {
    if (!part.has_ended) {
      context_.nodes.abort(part.node, part.sequence, out);
    }
  }
  context_.deadlines.remove(query->second.deadline, {Machine::kQuery, query->first});
  context_.clients.finish(query->second.upstream);
  merges_.close(merging::MergeId{query->first});
  queries_.erase(query);
}

void QueryFanOut::abort(uint64_t query, rpc::Outbox& out) {
  fail(queries_.find(query), error_result(aborted("the query was aborted by its client")), out);
}

void QueryFanOut::expire(uint64_t query, rpc::Outbox& out) {
  const auto found = queries_.find(query);
  auto error = error_result(too_late("the query was not answered within its time"));
  for (const Part& part : found->second.parts) {
    if (!part.has_ended) {
      add_missing(Missing{part.node, part.partitions, "no complete answer in time"}, *error.mutable_error());
    }
  }
  fail(found, std::move(error), out);
}

void QueryFanOut::forget(uint64_t query, rpc::Outbox& out) { erase(queries_.find(query), out); }

}  // namespace daedalus::aggregator

#include "query_fan_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::aggregator {

namespace {

constexpr size_t kSpareValuesMax = 1024;
/// Memory of those that are kept.
constexpr size_t kSpareValueMax = 1024;

/// A slice takes at most one part in so many of what an answer may.
constexpr uint64_t kAnswerToSlice = 2;

merging::GatherLimits gather_limits(const AggregatorOptions& options) {
  merging::GatherLimits limits{.merges = options.merges, .retry_after_ns = options.retry_after_ns};
  limits.merges.answer_bytes_max = options.answer_bytes_max;
  limits.merges.owner = options.name;
  limits.ahead_bytes_max = options.ahead_bytes_max;
  return limits;
}

/// Bounds what leaves the node to what may leave here.
void bound_slice(uint64_t bytes_max, QueryRequest& request) {
  const std::optional<semantics::Slice>& slice = request.select.selection->slice;
  if (slice && slice->answer_bytes > bytes_max) {
    semantics::Selection bounded = *request.select.selection;
    bounded.slice->answer_bytes = bytes_max;
    request.select.selection = std::make_shared<const semantics::Selection>(std::move(bounded));
  }
}

merging::CandidateId candidate_of(NodeId node) { return merging::CandidateId{raw(node)}; }
NodeId node_of(merging::CandidateId candidate) { return NodeId{raw(candidate)}; }

}  // namespace

QueryFanOut::QueryFanOut(Context& context)
    : context_(context), gather_(gather_limits(context.options), context.options.answer_budget, *this) {}

merging::Parts QueryFanOut::divide(const contract::Partitions& partitions) const {
  merging::Parts parts;
  for (const PartitionId partition : partitions) {
    // Queries read one of those that hold a partition; today there is one.
    const merging::CandidateId candidate = candidate_of(context_.map->partitions.at(raw(partition)).front());
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const merging::Part& other) { return other.candidates.front() == candidate; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), merging::Part{.partitions = {}, .candidates = {candidate}});
    }
    part->partitions.push_back(partition);
  }
  return parts;
}

Result<contract::Partitions> QueryFanOut::partitions_of(QueryRequest& request) const {
  if (request.partitions) {
    return std::move(*request.partitions);
  }
  if (request.select.rows != nullptr) {
    return contract::Partitions{};
  }
  const semantics::Selection& selection = *request.select.selection;
  const std::optional<semantics::Slice>& slice = selection.slice;
  if (request.select.shape_routing != nullptr) {
    return request.select.shape_routing->partitions_of(request.select.values);
  }
  if (!slice) {
    return contract::partitions_of(*context_.schema, context_.partitions, request.select.routing);
  }
  if (slice->partition >= context_.map->partition_count()) {
    return rejected("22023", fmt::format("there is no partition {}: the table has {}", slice->partition,
                                         context_.map->partition_count()));
  }
  return contract::Partitions{PartitionId{slice->partition}};
}

CompiledSelect QueryFanOut::spare_select() {
  CompiledSelect select;
  if (!spare_values_.empty()) {
    select.values = std::move(spare_values_.back());
    spare_values_.pop_back();
    select.values.clear();
  }
  return select;
}

void QueryFanOut::start(QueryRequest request, Instant now, rpc::Outbox& out) {
  ++context_.queries_total;
  auto partitions = partitions_of(request);
  if (!partitions) {
    reply(request.upstream, error_result(partitions.error()), out);
    context_.clients.finish(request.upstream);
    return;
  }
  merging::Parts parts = divide(*partitions);
  if (is_planted(Fault::kPartitionDropped) && parts.size() > 1) {
    parts.pop_back();
  }
  if (refuse(request, parts, now, out)) {
    context_.clients.finish(request.upstream);
    return;
  }
  const uint64_t id = context_.next_id++;
  bound_slice(context_.options.answer_bytes_max / kAnswerToSlice, request);
  Query& query = queries_[id];
  query.upstream = request.upstream;
  query.deadline = request.deadline;
  query.allowed_ns = request.deadline.ns - now.ns;
  query.terms = std::move(request.terms);
  query.moment = query.terms.at.value_or(std::max(query.terms.prefix_min, mark()));
  query.select = std::move(request.select);
  query.goes_on = semantics::can_stream(*query.select.selection) && !query.select.selection->slice;
  query.sequences.resize(parts.size());
  context_.clients.assign(query.upstream, {Machine::kQuery, id});
  context_.deadlines.add(query.deadline, {Machine::kQuery, id});
  const bool is_final = request.form == wire::v1::RESULT_FORM_FINAL;
  const std::shared_ptr<const semantics::Selection>& selection = query.select.selection;
  gather_.start(merging::QueryId{id},
                merging::GatheredQuery{request.upstream, selection,
                                       is_final ? semantics::AnswerForm::kFinal : semantics::AnswerForm::kPartial,
                                       query.select.columns, std::move(request.shape_columns), std::move(parts),
                                       slice_after(*selection), query.select.rows, query.select.counted,
                                       /*may_begin_anew=*/!query.terms.at, query.moment, query.goes_on},
                now, out);
}

wire::v1::Operation QueryFanOut::select_for(NodeId node, const Query& query, Instant now, rpc::Outbox& out) const {
  wire::v1::Operation operation = out.spare.operation();
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_SELECT);
  header.set_map_version(context_.map->version);
  header.set_prefix_min(query.moment);
  if (context_.nodes.knows_moments(node) && (query.terms.at || query.sequences.size() > 1)) {
    header.set_at(query.moment);
    header.set_is_firm(query.terms.is_firm);
  }
  header.set_compute_ms(query.terms.compute_ms);
  // An empty text that is set is allocated all the same.
  if (!query.terms.request_id.empty()) {
    header.set_request_id(query.terms.request_id);
  }
  if (!query.terms.principal.empty()) {
    header.set_principal(query.terms.principal);
  }
  header.set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(query.deadline.ns - now.ns, 1)));
  return operation;
}

Result<wire::v1::Operation> QueryFanOut::operation_for(NodeId node, const Query& query, const wire::v1::Slice* piece,
                                                       Instant now, rpc::Outbox& out) {
  wire::v1::Operation operation = select_for(node, query, now, out);
  const CompiledSelect& select = query.select;
  if (piece != nullptr) {
    operation.mutable_header()->set_at(query.moment);
    operation.mutable_header()->set_is_firm(true);
    return whole(select, piece, std::move(operation));
  }
  if (query.goes_on) {
    // Most answers have fewer bytes than all first pieces together, and come whole.
    operation.mutable_header()->set_piece_bytes(
        std::max<uint64_t>(context_.options.ahead_bytes_max / 2 / query.sequences.size(), 1));
  }
  const auto handle = select.shape == nullptr ? std::nullopt : context_.nodes.handle_of(node, select.shape, out);
  if (!handle) {
    return whole(select, nullptr, std::move(operation));
  }
  operation.mutable_header()->set_shape_handle(*handle);
  operation.set_body(select.values);
  return operation;
}

Result<wire::v1::Operation> QueryFanOut::whole(const CompiledSelect& select, const wire::v1::Slice* piece,
                                               wire::v1::Operation operation) const {
  Result<semantics::Selection> bound = semantics::Selection();
  if (select.shape != nullptr) {
    bound = contract::bind_values(*context_.schema, *select.shape, select.values);
    if (!bound) {
      return bound.error();
    }
  }
  const semantics::Selection& selection = select.shape != nullptr ? *bound : *select.selection;
  for (wire::v1::Route& route : contract::routes_of(*context_.schema, *context_.map, selection.predicate)) {
    *operation.mutable_header()->add_routes() = std::move(route);
  }
  wire::v1::SelectBody body =
      contract::from_selection(*context_.schema, selection, select.condition.get(), wire::v1::RESULT_FORM_PARTIAL);
  if (piece != nullptr) {
    *body.mutable_slice() = *piece;
  }
  operation.set_body(body.SerializeAsString());
  return operation;
}

std::optional<wire::v1::Slice> QueryFanOut::slice_after(const semantics::Selection& selection) const {
  const std::optional<semantics::Slice>& slice = selection.slice;
  if (!slice || slice->partition + 1 >= context_.map->partition_count()) {
    return std::nullopt;
  }
  wire::v1::Slice next;
  next.set_partition(slice->partition + 1);
  next.set_answer_bytes(slice->answer_bytes);
  return next;
}

// ---- nodes as candidates ----

std::optional<wire::v1::Error> QueryFanOut::ask(merging::QueryId id, uint32_t part, merging::CandidateId candidate,
                                                const wire::v1::Slice* piece, Instant now, rpc::Outbox& out) {
  Query& query = queries_.at(raw(id));
  const NodeId node = node_of(candidate);
  if (!context_.nodes.is_up(node)) {
    return unreachable_part(partitions_of(id, part), node, context_.nodes.problem(node));
  }
  if (piece != nullptr) {
    extend(raw(id), query, now);
    query.sequences.resize(std::max<size_t>(query.sequences.size(), part + 1));
  }
  auto operation = operation_for(node, query, piece, now, out);
  if (!operation) {
    return contract::from_error(operation.error());
  }
  query.sequences.at(part) = context_.nodes.send(node, std::move(*operation), QueryTicket{raw(id), part}, out);
  return std::nullopt;
}

void QueryFanOut::give_up(merging::QueryId id, uint32_t part, merging::CandidateId candidate, rpc::Outbox& out) {
  context_.nodes.abort(node_of(candidate), queries_.at(raw(id)).sequences.at(part), out);
}

void QueryFanOut::on_over(merging::QueryId id) {
  const auto query = queries_.find(raw(id));
  context_.deadlines.remove(query->second.deadline, {Machine::kQuery, query->first});
  context_.clients.finish(query->second.upstream);
  if (std::string& values = query->second.select.values;
      spare_values_.size() < kSpareValuesMax && values.capacity() <= kSpareValueMax) {
    spare_values_.push_back(std::move(values));
  }
  queries_.erase(query);
}

std::string QueryFanOut::name(merging::CandidateId candidate) const {
  return fmt::format("storage node {}", raw(candidate));
}

void QueryFanOut::add_missing(const merging::Part& part, merging::CandidateId candidate, const std::string& reason,
                              wire::v1::Error& error) const {
  aggregator::add_missing(Missing{node_of(candidate), {part.partitions.begin(), part.partitions.end()}, reason}, error);
}

std::vector<PartitionId> QueryFanOut::partitions_of(merging::QueryId id, uint32_t part) const {
  const merging::Part& wanted = gather_.part(id, part);
  return {wanted.partitions.begin(), wanted.partitions.end()};
}

wire::v1::Error QueryFanOut::unreachable_part(const std::vector<PartitionId>& partitions, NodeId node,
                                              const std::string& reason) const {
  wire::v1::Error error = contract::from_error(unreachable(node, context_.nodes.endpoint(node), reason));
  aggregator::add_missing(Missing{node, partitions, reason}, error);
  return error;
}

// ---- answers ----

void QueryFanOut::on_result(QueryTicket ticket, NodeId node, wire::v1::Result&& result, Instant now, rpc::Outbox& out) {
  const merging::QueryId id{ticket.query};
  const auto query = queries_.find(ticket.query);
  CHECK(query != queries_.end());
  const uint64_t sequence = query->second.sequences.at(ticket.part);
  switch (result.kind_case()) {
    case wire::v1::Result::kRows: {
      wire::v1::QueryRows& rows = *result.mutable_rows();
      semantics::MergedRows taken{gather_.spare_text(), rows.row_count()};
      taken.rows.swap(*rows.mutable_rows());
      learn_moment(query->second, rows.moment());
      gather_.on_rows(id, ticket.part, std::move(taken), {}, rows.moment(), out);
      return;
    }
    case wire::v1::Result::kEnd: {
      wire::v1::QueryEnd& end = *result.mutable_end();
      context_.nodes.forget(node, sequence);
      learn_moment(query->second, end.moment());
      merging::PartEnd part{end.row_count(), {}, {}, end.moment()};
      std::transform(end.stamps().begin(), end.stamps().end(), std::back_inserter(part.stamps), merging::Stamp::of);
      std::move(end.mutable_rest()->begin(), end.mutable_rest()->end(), std::back_inserter(part.rest));
      if (end.has_next_slice()) {
        part.rest.push_back(std::move(*end.mutable_next_slice()));
      }
      gather_.on_end(id, ticket.part, std::move(part), out);
      return;
    }
    case wire::v1::Result::kError: {
      context_.nodes.forget(node, sequence);
      wire::v1::Error& error = *result.mutable_error();
      if (error.ask_again_at() != 0 && ask_again(ticket, query->second, error.ask_again_at(), now, out)) {
        return;
      }
      // A query that is wrong lacks nothing, nor does one below a mark; any other failure leaves out what this node
      // holds.
      if (error.category() != wire::v1::ERROR_CATEGORY_REJECTED && error.ask_again_at() == 0 &&
          error.missing().empty()) {
        const std::string reason = error.message();
        aggregator::add_missing(Missing{node, partitions_of(id, ticket.part), reason}, error);
      }
      gather_.on_failed(id, ticket.part, std::move(error), now, out);
      return;
    }
    default:
      gather_.fail(
          id,
          contract::from_error(Error{ErrorCategory::kFatal,
                                     "08P01",
                                     fmt::format("storage node {} answered a query with something else", raw(node)),
                                     {},
                                     0}),
          out);
  }
}

void QueryFanOut::learn_moment(Query& query, uint64_t moment) { query.moment = moment == 0 ? query.moment : moment; }

bool QueryFanOut::ask_again(QueryTicket ticket, Query& query, uint64_t mark, Instant now, rpc::Outbox& out) {
  if (query.terms.at || mark <= query.moment) {
    return false;
  }
  query.moment = std::max(mark, this->mark());
  if (!std::exchange(query.is_asked_twice, true)) {
    ++context_.queries_asked_twice;
  }
  return gather_.begin_anew(merging::QueryId{ticket.query}, ticket.part, now, out);
}

std::optional<Timestamp> QueryFanOut::lowest_moment() const {
  std::optional<Timestamp> lowest;
  for (const auto& [id, query] : queries_) {
    const Timestamp moment{query.moment};
    lowest = std::min(lowest.value_or(moment), moment);
  }
  return lowest;
}

void QueryFanOut::on_node_lost(QueryTicket ticket, NodeId node, const std::string& reason, Instant now,
                               rpc::Outbox& out) {
  const merging::QueryId id{ticket.query};
  if (!gather_.contains(id)) {
    return;  // Another of its parts was asked of the same node, and has ended it.
  }
  gather_.on_failed(id, ticket.part, unreachable_part(partitions_of(id, ticket.part), node, reason), now, out);
}

// ---- ends ----

void QueryFanOut::abort(uint64_t query, rpc::Outbox& out) {
  gather_.fail(merging::QueryId{query}, contract::from_error(aborted("the query was aborted by its client")), out);
}

void QueryFanOut::expire(uint64_t query, Instant now, rpc::Outbox& out) {
  const merging::QueryId id{query};
  if (gather_.waits_for_reader(id)) {
    return extend(query, queries_.at(query), now);
  }
  gather_.expire(id, contract::from_error(too_late("the query was not answered within its time")), out);
}

void QueryFanOut::extend(uint64_t id, Query& query, Instant now) {
  context_.deadlines.remove(query.deadline, {Machine::kQuery, id});
  query.deadline = after(now, query.allowed_ns);
  context_.deadlines.add(query.deadline, {Machine::kQuery, id});
}

}  // namespace daedalus::aggregator

// SELECT: from the message to a query at one moment that may run, or the reason why not.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "daedalus/node/node_core.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

constexpr size_t kHeaderTextSizeMax = 128;
constexpr int64_t kParkRetryAfterNs = 20 * kMillisecond;
/// A slice takes at most one part in so many of what an answer may,
constexpr uint64_t kAnswerToSlice = 2;
/// and a piece one in so many: with recent rows it may come to twice its bytes, and to those of some chunks.
constexpr uint64_t kAnswerToPiece = 4;

Error not_yet(const char* what) {
  return rejected("0A000", fmt::format("{} is not supported by storage nodes yet", what), "leave it unset");
}

AskedMoment asked_moment(const wire::v1::OperationHeader& header) {
  return {.at = header.has_at() ? std::optional(Timestamp{header.at()}) : std::nullopt,
          .is_firm = header.is_firm(),
          .prefix_min = Timestamp{header.prefix_min()}};
}

Error partial_only() {
  return rejected("0A000", "a storage node answers in the partial form only", "ask an aggregator");
}

/// Returns why an answer cannot end before the table does, if anything is against it.
std::optional<Error> check_piece(const semantics::Selection& selection) {
  if (selection.slice) {
    return rejected("08P01", "the query asks for piece_bytes and for a slice", "ask for one of them");
  }
  if (!semantics::can_stream(selection)) {
    return rejected("08P01", "the query asks for piece_bytes and aggregates, groups, orders or limits its rows",
                    "leave piece_bytes at 0");
  }
  return std::nullopt;
}

}  // namespace

void NodeCore::on_select(Requester from, const wire::v1::Operation& operation, Instant now, Effects& effects) {
  ++queries_total_;
  auto query = prepare(from, operation, now);
  if (!query) {
    send_error(from, query.error(), 0, effects);
  } else if (const auto moment = read_mark_.moment_for(asked_moment(operation.header()))) {
    query->moment = *moment;
    query->is_firm = operation.header().is_firm();
    admit(std::move(*query), now, effects);
  } else {
    send_below_mark(from, operation.header().at(), effects);
  }
}

void NodeCore::send_below_mark(Requester to, uint64_t at, rpc::Outbox& out) const {
  Error error = retry("40001", fmt::format("the query asked for the table at {}, and node {} knows that all is "
                                           "confirmed up to {}",
                                           at, raw(options_.node), raw(mark())));
  error.hint = fmt::format("ask all nodes again at {}, or at a later moment", raw(mark()));
  wire::v1::Error& reply = *add_result(to, out).mutable_error();
  reply = contract::from_error(error);
  reply.set_ask_again_at(raw(mark()));
}

void NodeCore::admit(PreparedQuery query, Instant now, Effects& effects) {
  const Requester from = query.requester;
  const Timestamp moment = query.moment;
  if (moment <= queryable()) {
    queries_.start(std::move(query), now, effects);
  } else if (!parked_.park(std::move(query), moment)) {
    send_parking_full(from, parked_, effects);
  }
}

void NodeCore::send_parking_full(Requester to, const ParkedQueries& parked, rpc::Outbox& out) const {
  send_error(to,
             retry("53000", fmt::format("node {} has {} queries parked, its maximum, and has reached {}",
                                        raw(options_.node), parked.size(), raw(queryable()))),
             kParkRetryAfterNs, out);
}

std::optional<Error> NodeCore::check_header(const wire::v1::OperationHeader& header) const {
  if (header.request_id().size() > kHeaderTextSizeMax || header.principal().size() > kHeaderTextSizeMax) {
    return rejected("08P01", fmt::format("request_id or principal is longer than {} bytes", kHeaderTextSizeMax));
  }
  if (header.priority() != 0) {
    return not_yet("a priority");
  }
  if (header.credit_lease() != 0) {
    return not_yet("a lease of admission credit");
  }
  if (header.freshness_ns() != 0) {
    return not_yet("a bound of freshness");
  }
  if (header.is_firm() && !header.has_at()) {
    return rejected("08P01", "the query demands a moment and does not name it");
  }
  if (header.shape_handle() != 0 && header.kind() != wire::v1::OPERATION_KIND_SELECT) {
    return not_yet("a shape of anything but a SELECT");
  }
  return std::nullopt;
}

std::optional<Error> NodeCore::check_select(const wire::v1::OperationHeader& header) const {
  if (problem()) {
    return problem();
  }
  if (header.map_version() != map_.version && !is_planted(Fault::kStaleMapAccepted)) {
    return Error{ErrorCategory::kRetry, "55000",
                 fmt::format("the query was routed by partition map version {}, node {} has version {}",
                             header.map_version(), raw(options_.node), map_.version),
                 "describe the cluster and ask again", 0};
  }
  return std::nullopt;
}

std::optional<Error> NodeCore::check_slice(const semantics::Slice& slice) const {
  if (placement_.segment_at(PartitionId{slice.partition}, slice.segment)) {
    return std::nullopt;
  }
  return rejected("22023", fmt::format("node {} has no segment {} of partition {}: it has {} of each of {} partitions",
                                       raw(options_.node), slice.segment, slice.partition,
                                       placement_.segments_of_partition(), placement_.hosted().size()));
}

Result<PreparedQuery> NodeCore::shaped_query(Requester from, const wire::v1::Operation& operation) const {
  const auto& shape = shapes_.at(from.peer, operation.header().shape_handle());
  if (!shape) {
    return shape.error();
  }
  if ((*shape)->form != wire::v1::RESULT_FORM_PARTIAL) {
    return partial_only();
  }
  auto bound = contract::bind_values(*schema_, **shape, operation.body());
  if (!bound) {
    return bound.error();
  }
  return PreparedQuery{.requester = from,
                       .selection = {*shape, &(*shape)->selection},
                       .bound = std::make_shared<const semantics::Predicate>(std::move(*bound))};
}

Result<PreparedQuery> NodeCore::whole_query(Requester from, const wire::v1::Operation& operation) const {
  const auto body = contract::parse_select(operation.body());
  if (!body) {
    return body.error();
  }
  if (body->credit_bytes() != 0) {
    return not_yet("credit for result rows");
  }
  if (body->form() == wire::v1::RESULT_FORM_FINAL) {
    return partial_only();
  }
  auto selection = contract::to_selection(*schema_, *body, nullptr);
  if (!selection) {
    return selection.error();
  }
  if (selection->slice) {
    if (const auto error = check_slice(*selection->slice)) {
      return *error;
    }
    // Well below the bound of an answer, which the last row may not exceed.
    selection->slice->answer_bytes =
        std::min(selection->slice->answer_bytes, options_.queries.answer_bytes_max / kAnswerToSlice);
  }
  return PreparedQuery{.requester = from,
                       .selection = std::make_shared<const semantics::Selection>(std::move(*selection))};
}

Result<PreparedQuery> NodeCore::prepare(Requester from, const wire::v1::Operation& operation, Instant now) const {
  const wire::v1::OperationHeader& header = operation.header();
  if (const auto error = check_select(header)) {
    return *error;
  }
  auto query = header.shape_handle() != 0 ? shaped_query(from, operation) : whole_query(from, operation);
  if (!query) {
    return query.error();
  }
  const int64_t allowed_ns = header.remaining_ns() == 0
                                 ? options_.deadline_ns_default
                                 : static_cast<int64_t>(std::min<uint64_t>(header.remaining_ns(), INT64_MAX));
  query->deadline = after(now, allowed_ns);
  query->compute_ns_max = int64_t{header.compute_ms()} * kMillisecond;
  if (header.piece_bytes() != 0) {
    if (const auto error = check_piece(*query->selection)) {
      return *error;
    }
    const uint64_t most = std::max<uint64_t>(options_.queries.answer_bytes_max / kAnswerToPiece, 1);
    query->piece_bytes = std::min(header.piece_bytes(), most);
  }
  return query;
}

Timestamp NodeCore::queryable() const {
  return is_planted(Fault::kQueryAdmittedAtAccepted) ? accepted() : updates_.enqueued();
}

void NodeCore::unpark(Instant now, Effects& effects) {
  for (PreparedQuery& query : parked_.take_reached(queryable())) {
    queries_.start(std::move(query), now, effects);
  }
}

}  // namespace daedalus::node

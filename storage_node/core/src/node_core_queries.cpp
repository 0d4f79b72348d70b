// SELECT: from the message to a query that may run, or the reason why not.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/node/node_core.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

constexpr size_t kHeaderTextSizeMax = 128;
constexpr int64_t kParkRetryAfterNs = 20 * kMillisecond;
/// A slice takes at most one part in so many of what an answer may.
constexpr uint64_t kAnswerToSlice = 2;

Error not_yet(const char* what) {
  return rejected("0A000", fmt::format("{} is not supported by storage nodes yet", what), "leave it unset");
}

}  // namespace

void NodeCore::on_select(Requester from, const wire::v1::Operation& operation, Instant now, Effects& effects) {
  ++queries_total_;
  auto query = prepare(from, operation, now);
  if (!query) {
    send_error(from, query.error(), 0, effects);
  } else if (query->prefix_min <= updates_.enqueued()) {
    queries_.start(std::move(*query), now, effects);
  } else if (!parked_.park(std::move(*query))) {
    send_error(from,
               retry("53000", fmt::format("node {} has {} queries parked, its maximum, and has reached {}",
                                          raw(options_.node), parked_.size(), raw(updates_.enqueued()))),
               kParkRetryAfterNs, effects);
  }
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
  return std::nullopt;
}

std::optional<Error> NodeCore::check_select(const wire::v1::OperationHeader& header) const {
  if (problem()) {
    return problem();
  }
  if (header.map_version() != map_.version) {
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

Result<PreparedQuery> NodeCore::prepare(Requester from, const wire::v1::Operation& operation, Instant now) const {
  if (const auto error = check_select(operation.header())) {
    return *error;
  }
  const auto body = contract::parse_select(operation.body());
  if (!body) {
    return body.error();
  }
  if (body->credit_bytes() != 0) {
    return not_yet("credit for result rows");
  }
  auto form = wire::v1::RESULT_FORM_UNSPECIFIED;
  auto selection = contract::to_selection(*schema_, *body, &form);
  if (!selection) {
    return selection.error();
  }
  if (form != wire::v1::RESULT_FORM_PARTIAL) {
    return rejected("0A000", "a storage node answers in the partial form only", "ask an aggregator");
  }
  if (selection->slice) {
    if (const auto error = check_slice(*selection->slice)) {
      return *error;
    }
    // Well below the bound of an answer, which the last row may not exceed.
    selection->slice->answer_bytes =
        std::min(selection->slice->answer_bytes, options_.queries.answer_bytes_max / kAnswerToSlice);
  }
  const uint64_t remaining_ns = operation.header().remaining_ns();
  const int64_t allowed_ns = remaining_ns == 0
                                 ? options_.deadline_ns_default
                                 : static_cast<int64_t>(std::min(remaining_ns, static_cast<uint64_t>(INT64_MAX)));
  return PreparedQuery{from, std::make_shared<const semantics::Selection>(std::move(*selection)),
                       after(now, allowed_ns), Timestamp{operation.header().prefix_min()}};
}

void NodeCore::unpark(Instant now, Effects& effects) {
  for (PreparedQuery& query : parked_.take_reached(updates_.enqueued())) {
    queries_.start(std::move(query), now, effects);
  }
}

}  // namespace daedalus::node

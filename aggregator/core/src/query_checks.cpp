// Refuses queries whatever their rows are: for nodes that are away or older, and for moments that cannot be had.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "query_fan_out.hpp"

namespace daedalus::aggregator {

Result<void> QueryFanOut::check_language(const QueryRequest& request, const merging::Parts& parts) const {
  const semantics::Language& language = *context_.options.language;
  for (const merging::Part& part : parts) {
    for (const merging::CandidateId candidate : part.candidates) {
      const NodeId node = NodeId{raw(candidate)};
      if (!context_.nodes.is_up(node) || context_.nodes.language(node) == language.version()) {
        continue;
      }
      if (const auto lacking = language.lacking(context_.nodes.language(node), *request.select.selection)) {
        return rejected(
            "0A000",
            fmt::format("storage node {} is older than this aggregator: it does not know {}", raw(node), *lacking),
            "replace it by the build of the aggregator, or leave that out");
      }
    }
  }
  return {};
}

Result<void> QueryFanOut::check_moment(const QueryTerms& terms, const merging::Parts& parts, Instant now) const {
  if (!terms.at) {
    return context_.known.check_freshness(terms.freshness_ns, now);
  }
  if (!terms.is_firm) {
    return *terms.at >= mark() ? Result<void>()
                               : Error{ErrorCategory::kRetry, "40001",
                                       fmt::format("the query's moment {} lies below the mark {}", *terms.at, mark()),
                                       "ask again at the mark", 0};
  }
  for (const merging::Part& part : parts) {
    const NodeId node = NodeId{raw(part.candidates.front())};
    if (!context_.nodes.knows_moments(node)) {
      return rejected(
          "0A000",
          fmt::format("storage node {} is older than this aggregator: it answers at no moment of the past", raw(node)),
          "replace it by the build of the aggregator, or demand no moment");
    }
  }
  return {};
}

bool QueryFanOut::refuse(const QueryRequest& request, const merging::Parts& parts, Instant now, rpc::Outbox& out) {
  if (queries_.size() >= context_.options.queries_max) {
    reply(request.upstream,
          error_result(overloaded(fmt::format("the aggregator has {} queries in flight", queries_.size())),
                       context_.options.retry_after_ns),
          out);
    return true;
  }
  wire::v1::Result refusal;
  for (const merging::Part& part : parts) {
    const bool can_be_asked = std::any_of(part.candidates.begin(), part.candidates.end(),
                                          [&](auto candidate) { return context_.nodes.is_up(NodeId{raw(candidate)}); });
    if (can_be_asked) {
      continue;
    }
    const NodeId node = NodeId{raw(part.candidates.back())};
    const std::vector<PartitionId> partitions(part.partitions.begin(), part.partitions.end());
    if (refusal.has_error()) {
      aggregator::add_missing(Missing{node, partitions, context_.nodes.problem(node)}, *refusal.mutable_error());
    } else {
      *refusal.mutable_error() = unreachable_part(partitions, node, context_.nodes.problem(node));
    }
  }
  if (refusal.has_error()) {
    reply(request.upstream, std::move(refusal), out);
    return true;
  }
  if (const auto checked = check_language(request, parts); !checked) {
    reply(request.upstream, error_result(checked.error()), out);
    return true;
  }
  if (const auto checked = check_moment(request.terms, parts, now); !checked) {
    refusal = error_result(checked.error());
    if (checked.error().sqlstate == "40001") {
      refusal.mutable_error()->set_ask_again_at(mark());
    }
    refusal.set_mark(mark());
    reply(request.upstream, std::move(refusal), out);
    return true;
  }
  return false;
}

}  // namespace daedalus::aggregator

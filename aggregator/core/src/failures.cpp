#include "failures.hpp"

#include <fmt/format.h>

#include <utility>

#include "daedalus/contract/translate.hpp"

namespace daedalus::aggregator {

Error malformed(std::string message) { return rejected("08P01", std::move(message)); }

Error overloaded(std::string message) {
  return Error{ErrorCategory::kRetry, "53000", std::move(message), "try again a little later", 0};
}

Error aborted(std::string message) { return rejected("57014", std::move(message)); }

Error too_late(std::string message) { return Error{ErrorCategory::kRetry, "57014", std::move(message), {}, 0}; }

Error unreachable(NodeId node, const std::string& endpoint, const std::string& problem) {
  return Error{ErrorCategory::kRetry, "08006",
               fmt::format("storage node {} at {} is not reachable: {}", raw(node), endpoint, problem),
               "see `daedalus status`; what the node holds can be neither read nor written until it is back", 0};
}

void add_missing(const Missing& missing, wire::v1::Error& error) {
  for (const PartitionId partition : missing.partitions) {
    auto& entry = *error.add_missing();
    entry.set_node(raw(missing.node));
    entry.set_partition(raw(partition));
    entry.set_reason(missing.reason);
  }
}

wire::v1::Result error_result(const Error& error, int64_t retry_after_ns) {
  wire::v1::Result result;
  *result.mutable_error() = contract::from_error(error);
  result.mutable_error()->set_retry_after_ns(static_cast<uint64_t>(retry_after_ns));
  return result;
}

}  // namespace daedalus::aggregator

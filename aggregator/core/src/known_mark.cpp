#include "known_mark.hpp"

#include <fmt/format.h>

namespace daedalus::aggregator {

Result<void> KnownMark::check_freshness(uint64_t freshness_ns, Instant now) const {
  if (freshness_ns == 0) {
    return {};
  }
  constexpr const char* kHint = "see `daedalus status`; ask again when the writer is reachable, or allow older answers";
  if (!heard_at_) {
    return Error{ErrorCategory::kRetry, "72000", "the aggregator has not heard from the writer yet", kHint, 0};
  }
  const auto age_ns = static_cast<uint64_t>(std::max<int64_t>(now.ns - heard_at_->ns, 0));
  if (age_ns > freshness_ns) {
    return Error{ErrorCategory::kRetry, "72000",
                 fmt::format("the aggregator last heard from the writer {} ms ago, more than the {} ms allowed",
                             age_ns / kMillisecond, freshness_ns / kMillisecond),
                 kHint, 0};
  }
  return {};
}

}  // namespace daedalus::aggregator

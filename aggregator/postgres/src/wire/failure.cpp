#include "failure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/contract/translate.hpp"

namespace daedalus::postgres {

namespace {

/// So many missing partitions are named; the others are counted.
constexpr int kMissingNamedMax = 8;

std::string detail_of(const wire::v1::Error& error) {
  std::string detail = error.detail();
  for (int index = 0; index < std::min(error.missing_size(), kMissingNamedMax); ++index) {
    const auto& part = error.missing(index);
    detail += fmt::format("{}Partition {} of storage node {} is missing: {}.", detail.empty() ? "" : " ",
                          part.partition(), part.node(), part.reason());
  }
  if (error.missing_size() > kMissingNamedMax) {
    detail += fmt::format(" {} more are missing.", error.missing_size() - kMissingNamedMax);
  }
  return detail;
}

}  // namespace

Error cancelled_by_user() { return rejected("57014", "canceling statement due to user request"); }

Failure failure_of(const wire::v1::Error& error, bool has_timeout) {
  Failure failure{contract::to_error(error), detail_of(error)};
  if (failure.error.sqlstate == "57014" && has_timeout) {
    return {rejected("57014", "canceling statement due to statement timeout"), {}};
  }
  return failure;
}

}  // namespace daedalus::postgres

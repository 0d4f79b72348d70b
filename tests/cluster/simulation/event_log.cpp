#include "event_log.hpp"

#include <fmt/format.h>

namespace daedalus::testing {

namespace {

constexpr size_t kLinesMax = 100;

}  // namespace

void EventLog::note(Instant now, const std::string& who, const std::string& what) {
  lines_.push_back(fmt::format("{:>10.3f} ms  {:<14} {}", static_cast<double>(now.ns) / kMillisecond, who, what));
  if (sink_) {
    sink_(lines_.back());
  }
  if (lines_.size() > kLinesMax) {
    lines_.pop_front();
  }
}

}  // namespace daedalus::testing

// Logs what happened in a run, a line each, to be read by whoever looks for the cause of a violation.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "daedalus/base/units.hpp"

namespace daedalus::testing {

class EventLog {
 public:
  /// Is told every line as it comes.
  using Sink = std::function<void(const std::string& line)>;

  explicit EventLog(Sink sink = {}) : sink_(std::move(sink)) {}

  void note(Instant now, const std::string& who, const std::string& what);
  /// The last hundred lines, oldest first.
  [[nodiscard]] std::vector<std::string> last() const { return {lines_.begin(), lines_.end()}; }

 private:
  Sink sink_;
  std::deque<std::string> lines_;
};

}  // namespace daedalus::testing

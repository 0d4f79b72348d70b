// When operations end by themselves.
#pragma once

#include <memory_resource>
#include <optional>
#include <set>
#include <utility>

#include "daedalus/base/units.hpp"
#include "ticket.hpp"

namespace daedalus::aggregator {

/// At most one deadline per operation, so bounded by what is in flight; what that took at most stays for those to come.
/// Every call costs O(log n); add() of the latest, which is the rule, O(1).
class Deadlines {
 public:
  void add(Instant deadline, OperationRef operation) { entries_.emplace_hint(entries_.end(), deadline, operation); }
  void remove(Instant deadline, OperationRef operation) { entries_.erase({deadline, operation}); }

  [[nodiscard]] Instant next() const { return entries_.empty() ? kNever : entries_.begin()->first; }

  /// Takes the earliest operation that is due.
  [[nodiscard]] std::optional<OperationRef> take_due(Instant now) {
    if (entries_.empty() || entries_.begin()->first > now) {
      return std::nullopt;
    }
    const OperationRef operation = entries_.begin()->second;
    entries_.erase(entries_.begin());
    return operation;
  }

 private:
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::set<std::pair<Instant, OperationRef>> entries_{&memory_};
};

}  // namespace daedalus::aggregator

// What admission will read of operations that still wait, fetched ahead.
//
// Decides nothing. An operation is a chain of objects that some other thread has made one by one: followed only when it
// is admitted, each link would be waited for. So every link is asked for a few admissions before the one behind it.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "daedalus/engine/operation.hpp"
#include "prefetch.hpp"
#include "ring.hpp"

namespace daedalus::engine {

using Operation = std::variant<Query, Update>;

/// The predicate of the operation's last part, null where it has none. Precondition: its parts were fetched.
[[nodiscard]] inline const semantics::Predicate* predicate_of(const Operation& operation) {
  if (const auto* query = std::get_if<Query>(&operation)) {
    return &query->predicate();
  }
  const auto& parts = std::get<Update>(operation).parts;
  if (parts.empty()) {
    return nullptr;
  }
  if (const auto* modify = std::get_if<std::shared_ptr<const semantics::ModifyPart>>(&parts.back())) {
    return &(*modify)->predicate;
  }
  const auto* deletes = std::get_if<std::shared_ptr<const semantics::DeletePart>>(&parts.back());
  return deletes != nullptr ? &(*deletes)->predicate : nullptr;
}

/// Fetches one more link of each of the next operations' chains. To be called once an admission. Precondition:
/// operations.front() is not null. Cost: a few ns.
void fetch_next(const SpscRing<Operation>& operations);

}  // namespace daedalus::engine

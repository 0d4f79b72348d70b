// Defines what a node's two logs say, as bytes (docs/durability.md): updates as they were taken, and what came of them.
//
// Decides the form of a record's payload and what in it cannot be. Refuses to know files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/node/effects.hpp"

namespace daedalus::durability {

/// Ties every record of the log of updates to all those before it.
using Chain = uint64_t;

[[nodiscard]] Chain next_chain(Chain before, const node::LogRecord& record);

/// An update or a no-op range, and the chain before it.
[[nodiscard]] std::string encode_update(const node::LogRecord& record, Chain before);
struct DecodedUpdate {
  node::LogRecord record;
  Chain before = 0;
};
/// Errors (XX001): it cannot have been written so.
[[nodiscard]] Result<DecodedUpdate> decode_update(Timestamp last, std::string_view payload);

/// Returns what came of some updates, ascending.
[[nodiscard]] std::string encode_outcomes(std::span<const node::OutcomeRecord> outcomes);
/// How many of these, one at least, are sure to fit into one record. Precondition: there is one.
[[nodiscard]] size_t outcomes_that_fit(std::span<const node::OutcomeRecord> outcomes);
/// Errors (XX001): as above.
[[nodiscard]] Result<std::vector<node::OutcomeRecord>> decode_outcomes(std::string_view payload);

}  // namespace daedalus::durability

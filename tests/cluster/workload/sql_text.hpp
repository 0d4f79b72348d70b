// Questions and updates as SQL text: what an application types, for the aggregator's compiler to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

/// Precondition: no hidden output is an aggregate.
[[nodiscard]] std::string select_text(const semantics::Schema& schema, const Question& question);

/// Nothing for an update of several parts: a statement has one.
[[nodiscard]] std::optional<std::string> update_text(const semantics::Schema& schema,
                                                     const std::vector<PlainPart>& parts);

}  // namespace daedalus::testing

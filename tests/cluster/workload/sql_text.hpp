// Questions and updates as SQL text: what an application types, for the aggregator's compiler to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "daedalus/wire/v1/values.pb.h"
#include "question.hpp"

namespace daedalus::testing {

/// With `parameters`, constants of the condition are appended there and stand in the text as $1, $2, …
/// Precondition: no hidden output is an aggregate.
[[nodiscard]] std::string select_text(const semantics::Schema& schema, const Question& question,
                                      std::vector<wire::v1::Constant>* parameters = nullptr);

/// " RETURNING …" of these columns, or nothing.
[[nodiscard]] std::string returning_text(const semantics::Schema& schema, const std::vector<uint32_t>& columns);

/// Nothing for an update of several parts: a statement has one. Precondition: what returns columns is an INSERT.
[[nodiscard]] std::optional<std::string> update_text(const semantics::Schema& schema,
                                                     const std::vector<PlainPart>& parts,
                                                     const std::vector<uint32_t>& returning);

/// An INSERT whose rows are `before` where now() is before then, a full second since 1970, and `otherwise` if not.
/// Precondition: as many rows of as many values in both.
[[nodiscard]] std::string insert_by_clock_text(const semantics::Schema& schema, const PlainInsert& before,
                                               const PlainInsert& otherwise, int64_t before_us);

}  // namespace daedalus::testing

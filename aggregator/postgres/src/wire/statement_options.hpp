// Reads what an option of COPY or EXPLAIN says.
#pragma once

#include <optional>
#include <string>

#include "daedalus/aggregator/copy_statement.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// Returns the error with the option's position.
[[nodiscard]] Error error_at(Error error, const aggregator::StatementOption& option);

/// As PostgreSQL's defGetString(). Errors: 42601 nothing stands behind its name.
[[nodiscard]] Result<std::string> text_of(const aggregator::StatementOption& option);

/// As PostgreSQL's defGetBoolean(); nothing for what is none.
[[nodiscard]] std::optional<bool> boolean_of(const aggregator::StatementOption& option);

}  // namespace daedalus::postgres

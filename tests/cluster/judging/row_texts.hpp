// Rows as a client of PostgreSQL's protocol gets them, read back into values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client_messages.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::testing {

/// Packed; none where a row has another number of values, or a text is none of its type as PostgreSQL writes it.
[[nodiscard]] std::optional<std::string> pack_texts(const std::vector<semantics::Type>& types,
                                                    const std::vector<std::vector<ValueText>>& rows);

/// PostgreSQL's number of a type that the workload has.
[[nodiscard]] uint32_t postgres_type(semantics::TypeKind kind);

}  // namespace daedalus::testing

// Defines what the C interface is given, checked and turned into what the engine takes.
//
// Decides nothing about values: constants are text, and semantics reads them. Refuses to know segments.
#pragma once

#include <memory>

#include "daedalus/base/result.hpp"
#include "daedalus/engine/engine.h"
#include "daedalus/engine/operation.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine {

/// Error 42P16: a column that cannot be, or two of one name.
[[nodiscard]] Result<semantics::Schema> read_schema(const daedalus_column* columns, uint32_t column_count);

/// Errors: those of semantics, and 08P01 for what no caller can mean.
[[nodiscard]] Result<semantics::Selection> read_selection(const semantics::Schema& schema,
                                                          const daedalus_operation& operation);
[[nodiscard]] Result<Update> read_update(const semantics::Schema& schema, const daedalus_operation& operation);

}  // namespace daedalus::engine

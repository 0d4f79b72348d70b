// The rows of a cursor over the catalogue: read whole when it is declared, kept as any cursor's rows are.
//
// Decides how messages of the catalogue's server become rows that a cursor keeps, and messages again. Refuses to know
// types: they are sent as they came.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"
#include "portal.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// Puts all rows of the answer into the cursor. Errors: 54000 a row that is longer than any row may be.
[[nodiscard]] Result<void> keep_catalogue_rows(const catalogue::Answer& answer, CursorRows& kept);

/// Sends such rows. Precondition: they came in these formats.
[[nodiscard]] std::shared_ptr<const RowEncoder> catalogue_row_encoder();

}  // namespace daedalus::postgres

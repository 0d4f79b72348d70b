// Clients are told which columns a statement gives: RowDescription, or NoData where it gives none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/catalogue/statement.hpp"
#include "daedalus/semantics/types.hpp"
#include "prepared_statements.hpp"

namespace daedalus::postgres {

/// In which formats and for whom columns are described.
struct DescribedFor {
  const std::vector<int16_t>& formats;  ///< Text where there is not one for each column.
  ClientEncoding encoding = ClientEncoding::kUtf8;
};

/// Appends the descriptions of these columns. `command`: whose columns they are. Errors, of each: 22P05 a name that the
/// encoding does not have.
[[nodiscard]] Result<void> append_columns(const std::vector<semantics::Column>& columns, const Command& command,
                                          DescribedFor client, std::string& out);
/// Describes a statement that is not the catalogue's. `table`: the number that the catalogue has for the table; 0:
/// none.
[[nodiscard]] Result<void> append_columns_of(const Prepared& prepared, uint32_t table, DescribedFor client,
                                             std::string& out);
/// Describes what the catalogue has described; no formats: all of it is text.
[[nodiscard]] Result<void> append_catalogue_columns(const catalogue::Answer& answer, DescribedFor client,
                                                    std::string& out);

}  // namespace daedalus::postgres

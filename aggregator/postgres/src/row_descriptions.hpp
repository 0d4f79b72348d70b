// What clients are told of the columns that a statement gives: RowDescription, or NoData where it gives none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/catalogue/statement.hpp"
#include "daedalus/semantics/types.hpp"
#include "prepared_statements.hpp"

namespace daedalus::postgres {

/// Of these columns; text where there is not a format for each. `command`: whose columns they are.
void append_columns(const std::vector<semantics::Column>& columns, const std::vector<int16_t>& formats,
                    const Command& command, std::string& out);
/// Of a statement that is not the catalogue's. `table`: the number that the catalogue has for the table; 0: none.
void append_columns_of(const Prepared& prepared, const std::vector<int16_t>& formats, uint32_t table, std::string& out);
/// Of what the catalogue has described; no formats: all of it is text.
void append_catalogue_columns(const catalogue::Answer& answer, const std::vector<int16_t>& formats, std::string& out);

}  // namespace daedalus::postgres

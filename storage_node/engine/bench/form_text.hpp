// Queries of forms as SQL that any engine can be asked.
#pragma once

#include <string>

#include "query_forms.hpp"

namespace daedalus::engine::bench {

/// The whole SELECT. Equalities on one column joined by OR are an IN list, and so are those on several.
[[nodiscard]] std::string sql_text(const TicketTable& table, const FormQuery& query);

}  // namespace daedalus::engine::bench

// The catalogue's views of clients and of statistics show clients of the aggregator in place of the server's own, and
// NULL where PostgreSQL counts what nobody counts here.
//
// Decides where the rows come from: settings of the statement that reads them (kSessionsSetting, kBackendSetting).
#pragma once

#include <string>

namespace daedalus::catalogue {

/// Returns the statements that put those views, and pg_backend_pid(), in the place of PostgreSQL's, with the same
/// columns. To be run while allow_system_table_mods is on.
[[nodiscard]] std::string replace_statistics();

/// Returns a condition for the views among pg_class's relations, called c, that everybody may read then.
[[nodiscard]] std::string is_told_view();

}  // namespace daedalus::catalogue

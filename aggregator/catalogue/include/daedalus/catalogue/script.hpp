// The statements that a catalogue's databases are made by: one with an empty table like the one that is served, one
// without any, and what a reader may not do.
//
// Decides what the catalogue shows and what is taken from everybody. Refuses to know how they are run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/semantics/types.hpp"

namespace daedalus::catalogue {

/// The role that clients' statements run as: it owns the table, so that information_schema tells it everything.
constexpr std::string_view kReaderRole = "daedalus";
/// The role that makes all else, of which no client gets a hold.
constexpr std::string_view kOwnerRole = "postgres";

/// The database without a table, where tools look around that do not know the table's yet; there is none where the
/// table itself is called so.
constexpr std::string_view kOtherDatabase = "postgres";

/// Settings of a statement: the process number of its client, and all clients that it may know of, as a JSON array of
/// rows with names of columns of pg_stat_activity, pg_stat_ssl and pg_stat_gssapi.
constexpr std::string_view kBackendSetting = "daedalus.backend_pid";
constexpr std::string_view kSessionsSetting = "daedalus.sessions";

/// The OID that the table always has: a fresh server counts from 16384, and the script makes a role before it.
constexpr uint32_t kTableOid = 16'385;

/// Each command ends with a semicolon and an empty line, and runs on its own, as PostgreSQL's single-user mode reads
/// them with -j. The same schema gives the same text, and the same commands give the same OIDs.
struct Script {
  std::string in_template;  ///< The script for the database template1, which becomes the other one.
  std::string in_database;  ///< Then of the one that is named like the table.
  std::string in_other;     ///< At last of the other one; empty: there is none.
};
[[nodiscard]] Script make_script(const semantics::Schema& schema);

/// CREATE TABLE of the schema: columns, defaults, NOT NULL and the primary key.
[[nodiscard]] std::string create_table(const semantics::Schema& schema);

/// A name, quoted.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// A text as a literal.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace daedalus::catalogue

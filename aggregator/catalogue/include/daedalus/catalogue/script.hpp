// The statements that a catalogue's database is made by: an empty table like the one that is served, and what a reader
// may not do.
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

/// The OID that the table always has: a fresh server counts from 16384, and the script makes a role before it.
constexpr uint32_t kTableOid = 16'385;

/// Each command ends with a semicolon and an empty line, and runs on its own, as PostgreSQL's single-user mode reads
/// them with -j. The same schema gives the same text, and the same commands give the same OIDs.
struct Script {
  std::string in_template;  ///< Of the database template1.
  std::string in_database;  ///< Of the one that is named like the table.
};
[[nodiscard]] Script make_script(const semantics::Schema& schema);

/// CREATE TABLE of the schema: columns, defaults, NOT NULL and the primary key.
[[nodiscard]] std::string create_table(const semantics::Schema& schema);

/// A name, quoted.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// A text as a literal.
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace daedalus::catalogue

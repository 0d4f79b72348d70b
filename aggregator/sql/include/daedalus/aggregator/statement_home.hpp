// Says where a statement belongs that the compiler refuses: it may be one over the catalogue.
//
// Decides by the relations and functions in its tree. Refuses to know what the catalogue holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator {

struct StatementHome {
  /// PostgreSQL itself is to run it: it reads nothing but relations of pg_catalog and information_schema, or none at
  /// all. The table's rows are never there, so a statement that names the table never is.
  bool is_catalogue = false;
  /// The client gets this error in place of the compiler's: 0A000 the statement reads both the table and the catalogue,
  /// or it names what only this process could answer.
  std::optional<Error> refusal;
};

/// `table` is the name of the one there is; empty: the client's database has none, and every query is the catalogue's,
/// which says what does not exist. Cost and threads: as Compiler::compile() of a new text.
[[nodiscard]] StatementHome home_of(std::string_view sql, std::string_view table);

}  // namespace daedalus::aggregator

#include "daedalus/aggregator/statement_home.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "lexer.hpp"
#include "positions.hpp"
#include "statement_names.hpp"

namespace daedalus::aggregator {

namespace {

/// JDBC's getUDTs() nests a CASE for each type that the driver knows. Only names are looked for here, which takes two
/// frames of the stack a level: StatementHomeTest.DeepTextsAreLookedThrough.
constexpr uint32_t kDepthMax = 1024;

using Name = sql::StatementNames::Name;

constexpr std::string_view kTableSchema = "public";
constexpr std::string_view kSystemSchema = "pg_catalog";

struct Refused {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kStatusHint = "`daedalus status` shows what the cluster does";

/// Functions that would tell of PostgreSQL's own processes, or change a session that is not the client's.
constexpr Refused kFunctions[] = {
    {"set_config", "SET it, or call it in a SELECT without FROM"},
    {"pg_cancel_backend", "a client cancels its own statement (Ctrl-C in psql)"},
    {"pg_terminate_backend", "a client ends its own connection"},
    {"pg_stat_get_activity", kStatusHint},
};

/// Whom the catalogue's server knows is not who has logged in: where a statement looks at nothing there, that is meant.
constexpr std::string_view kCurrentUser = "current_user";

constexpr std::string_view kRelations[] = {"pg_prepared_statements", "pg_cursors", "pg_user_mappings"};
constexpr std::string_view kRelationFamily = "pg_stat_";
/// The catalogue answers these views of the family: kTold with the aggregator's clients, kToldFamilies with NULL for
/// what PostgreSQL counts.
constexpr std::string_view kTold[] = {"pg_stat_activity", "pg_stat_ssl", "pg_stat_gssapi"};
constexpr std::string_view kToldFamilies[] = {"pg_stat_all_", "pg_stat_sys_", "pg_stat_user_", "pg_stat_xact_",
                                              "pg_stat_database"};

bool is_told(std::string_view relation) {
  return std::find(std::begin(kTold), std::end(kTold), relation) != std::end(kTold) ||
         std::any_of(std::begin(kToldFamilies), std::end(kToldFamilies),
                     [&](std::string_view family) { return relation.starts_with(family); });
}

bool is_system(const Name& name) { return name.schema.empty() || name.schema == kSystemSchema; }

std::optional<Refused> refused(const Name& name, bool is_function) {
  if (!is_system(name)) {
    return std::nullopt;
  }
  if (is_function) {
    const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                           [&](const Refused& each) { return each.name == name.name; });
    return found == std::end(kFunctions) ? std::nullopt : std::optional(*found);
  }
  const bool is_of_family = name.name.starts_with(kRelationFamily) && !is_told(name.name);
  const bool is_one = std::find(std::begin(kRelations), std::end(kRelations), name.name) != std::end(kRelations);
  return is_of_family || is_one ? std::optional(Refused{name.name, kStatusHint}) : std::nullopt;
}

bool is_table(const Name& relation, std::string_view table) {
  return relation.name == table && (relation.schema.empty() || relation.schema == kTableSchema);
}

bool is_of_catalogue(const Name& relation) {
  return relation.schema == kSystemSchema || relation.schema == "information_schema" || relation.schema == "pg_toast" ||
         (relation.schema.empty() && relation.name.starts_with("pg_"));
}

Error refusal(std::string_view sql, const Name& name, std::string message, std::string_view hint) {
  Error error = rejected("0A000", std::move(message), std::string(hint));
  if (name.location >= 0) {
    error.position = sql::position_at(sql, static_cast<size_t>(name.location));
  }
  return error;
}

StatementHome home_of(std::string_view sql, const sql::StatementNames& names, std::string_view table) {
  const auto is_common = [&](const Name& relation) {
    return relation.schema.empty() && std::find(names.common_tables.begin(), names.common_tables.end(),
                                                relation.name) != names.common_tables.end();
  };
  bool reads_table = false;
  bool reads_other = false;
  const Name* of_catalogue = nullptr;
  for (const Name& relation : names.relations) {
    if (is_table(relation, table)) {
      reads_table = true;  // Also where a common table has its name: whose it is depends on the place.
    } else if (!is_common(relation)) {
      of_catalogue = is_of_catalogue(relation) ? &relation : of_catalogue;
      reads_other = reads_other || !is_of_catalogue(relation);
    }
  }
  if (reads_table && of_catalogue != nullptr) {
    return {false, refusal(sql, *of_catalogue, "a statement over the table and the catalogue together is not supported",
                           "ask for each on its own")};
  }
  if (reads_table || (reads_other && !table.empty())) {
    return {};
  }
  if (of_catalogue == nullptr) {
    const auto user = std::find_if(names.functions.begin(), names.functions.end(),
                                   [](const Name& name) { return name.schema.empty() && name.name == kCurrentUser; });
    if (user != names.functions.end()) {
      return {false, refusal(sql, *user, "current_user and its like within other expressions are not supported",
                             "ask for it in a SELECT of its own")};
    }
  }
  for (const bool is_function : {true, false}) {
    for (const Name& name : is_function ? names.functions : names.relations) {
      if (const auto found = refused(name, is_function)) {
        return {false,
                refusal(sql, name, fmt::format("{}{} is not supported here", found->name, is_function ? "()" : ""),
                        found->hint)};
      }
    }
  }
  return {true, std::nullopt};
}

}  // namespace

StatementHome home_of(std::string_view sql, std::string_view table) {
  uint32_t location = 0;
  if (sql.size() > kStatementTextSizeMax || !semantics::is_valid_text(sql) ||
      sql.find('\0') != std::string_view::npos || !sql::check_complexity(sql, &location, kDepthMax)) {
    return {};
  }
  const auto names = sql::read_names(std::string(sql));
  return names ? home_of(sql, *names, table) : StatementHome{};
}

}  // namespace daedalus::aggregator

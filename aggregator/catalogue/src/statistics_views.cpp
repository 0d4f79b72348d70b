#include "statistics_views.hpp"

#include <fmt/format.h>

#include <string_view>

#include "daedalus/catalogue/script.hpp"

namespace daedalus::catalogue {

namespace {

constexpr std::string_view kCommandEnd = ";\n\n";

/// Views whose rows are clients.
constexpr std::string_view kOfClients = "'pg_stat_activity', 'pg_stat_ssl', 'pg_stat_gssapi'";
/// Views of what is never there: nobody waits for a lock, and nothing is committed in two phases.
constexpr std::string_view kEmpty = "'pg_locks', 'pg_prepared_xacts'";
/// Views of relations, functions and databases with what is counted of them.
constexpr std::string_view kCounters =
    "c.relname ~ '^pg_stat(io)?_(xact_)?(all|sys|user)_(tables|indexes|sequences)$' OR "
    "c.relname ~ '^pg_stat_(xact_)?user_functions$' OR c.relname IN ('pg_stat_database', "
    "'pg_stat_database_conflicts')";

/// The rows that a statement brings, within a template of format() that takes the setting's name.
constexpr std::string_view kSessions =
    "pg_catalog.json_to_recordset(nullif(pg_catalog.current_setting(%L, true), '''')::json)";

/// A loop that does something to each view that a query shows. `variables`: of the loop, with their types.
std::string for_each_view(std::string_view query, std::string_view variables, std::string_view body) {
  return fmt::format(
      "DO $do$\n"
      "DECLARE\n"
      "  shown record;\n"
      "{1}"
      "BEGIN\n"
      "  FOR shown IN\n"
      "{0}"
      "  LOOP\n"
      "{2}"
      "  END LOOP;\n"
      "END\n"
      "$do${3}",
      query, variables, body, kCommandEnd);
}

/// Shows views with the expressions of their columns, of which each is made of its attribute, and with their types.
std::string views_with_outputs(std::string_view views, std::string_view output) {
  return fmt::format(
      "    SELECT c.relname, string_agg({1}, ', ' ORDER BY a.attnum) AS outputs,\n"
      "      string_agg(format('%I %s', a.attname, a.atttypid::regtype), ', ' ORDER BY a.attnum) AS columns\n"
      "    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0\n"
      "    WHERE c.relname IN ({0}) AND c.relnamespace = 'pg_catalog'::regnamespace GROUP BY c.relname ORDER BY 1\n",
      views, output);
}

/// A view of all columns that it has, of which the rows come as JSON in a setting.
std::string replace_views_of_clients() {
  constexpr std::string_view kOutput =
      "CASE a.attname WHEN 'datid' THEN '(SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = s.datname)'\n"
      "      ELSE format('s.%I', a.attname) END || format(' AS %I', a.attname)";
  return for_each_view(views_with_outputs(kOfClients, kOutput), "",
                       fmt::format("    EXECUTE format('CREATE OR REPLACE VIEW pg_catalog.%I AS SELECT %s FROM {} AS "
                                   "s(%s)', shown.relname, shown.outputs, '{}', shown.columns);\n",
                                   kSessions, kSessionsSetting));
}

std::string replace_empty_views() {
  return for_each_view(views_with_outputs(kEmpty, "format('NULL::%s AS %I', a.atttypid::regtype, a.attname)"), "",
                       "    EXECUTE format('CREATE OR REPLACE VIEW pg_catalog.%I AS SELECT %s WHERE false',\n"
                       "      shown.relname, shown.outputs);\n");
}

/// Keeps the rows of each view and puts NULL in place of each call of a function that counts; numbers of clients are
/// those of the clients that are shown.
std::string replace_counters() {
  return for_each_view(
      fmt::format("    SELECT c.oid, c.relname FROM pg_catalog.pg_class c\n"
                  "    WHERE c.relkind = 'v' AND c.relnamespace = 'pg_catalog'::regnamespace AND ({}) ORDER BY c.oid\n",
                  kCounters),
      "  counter record;\n"
      "  definition text;\n",
      fmt::format(
          "    definition := regexp_replace(pg_catalog.pg_get_viewdef(shown.oid),\n"
          "      'pg_stat_get_db_numbackends\\(d.oid\\)', format('(SELECT count(*)::integer FROM {} AS s(datname "
          "name)\n"
          "      WHERE s.datname = d.datname)', '{}'));\n"
          "    FOR counter IN\n"
          "      SELECT DISTINCT p.proname, p.prorettype::regtype AS type FROM pg_catalog.pg_proc p\n"
          "      WHERE p.proname LIKE 'pg\\_stat\\_get\\_%' AND NOT p.proretset\n"
          "    LOOP\n"
          "      definition := regexp_replace(definition, counter.proname || '\\([^()]*\\)', 'NULL::' || counter.type, "
          "'g');\n"
          "    END LOOP;\n"
          "    EXECUTE format('CREATE OR REPLACE VIEW pg_catalog.%I AS %s', shown.relname, definition);\n",
          kSessions, kSessionsSetting));
}

/// The planner puts its body, in which all is strict, in its place, so that no call is left for PostgreSQL's own
/// function.
std::string replace_backend_pid() {
  return fmt::format(
      "CREATE OR REPLACE FUNCTION pg_catalog.pg_backend_pid() RETURNS integer LANGUAGE sql STABLE PARALLEL RESTRICTED\n"
      "STRICT AS $sql$SELECT pg_catalog.current_setting('{}', true)::integer$sql${}",
      kBackendSetting, kCommandEnd);
}

}  // namespace

std::string replace_statistics() {
  return replace_views_of_clients() + replace_empty_views() + replace_counters() + replace_backend_pid();
}

std::string is_told_view() { return fmt::format("(c.relname IN ({}, {}) OR {})", kOfClients, kEmpty, kCounters); }

}  // namespace daedalus::catalogue

#include "daedalus/catalogue/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/semantics/text.hpp"
#include "statistics_views.hpp"

namespace daedalus::catalogue {

namespace {

constexpr std::string_view kEnd = ";\n\n";
/// The database has this name until it is renamed.
constexpr std::string_view kFirstDatabase = kOtherDatabase;
constexpr std::string_view kTemplate = "template1";

/// Volatile functions that change nothing and tell nothing of others. All other volatile ones are taken away: they
/// write, lock, wait, send, read files, or run a text.
constexpr std::string_view kHarmless =
    "'clock_timestamp', 'timeofday', 'random', 'gen_random_uuid', 'pg_is_in_recovery', 'pg_relation_size', "
    "'pg_table_size', 'pg_total_relation_size', 'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size', "
    "'pg_collation_actual_version', 'pg_database_collation_actual_version', 'pg_sequence_last_value'";

/// Functions that are not volatile and all the same run a text, show what other clients do, or use up numbers.
constexpr std::string_view kForbidden =
    "p.proname LIKE '%to\\_xml%' OR p.proname LIKE 'pg\\_stat\\_get\\_%' OR p.proname LIKE 'txid\\_current%' OR "
    "p.proname LIKE 'pg\\_current\\_xact%' OR p.proname IN ('pg_lock_status', 'pg_prepared_statement', "
    "'pg_prepared_xact', 'pg_cursor', 'ts_stat', 'ts_rewrite', 'pg_blocking_pids', 'pg_safe_snapshot_blocking_pids', "
    "'pg_get_backend_memory_contexts', 'pg_get_shmem_allocations')";

std::string revoke_functions() {
  return fmt::format(
      "DO $do$\n"
      "DECLARE\n"
      "  routine regprocedure;\n"
      "BEGIN\n"
      "  FOR routine IN\n"
      "    SELECT p.oid FROM pg_catalog.pg_proc p\n"
      "    WHERE (p.provolatile = 'v' AND p.proname NOT IN ({})) OR {}\n"
      "    ORDER BY p.oid\n"
      "  LOOP\n"
      "    EXECUTE pg_catalog.format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', routine);\n"
      "  END LOOP;\n"
      "END\n"
      "$do${}",
      kHarmless, kForbidden, kEnd);
}

std::string revoke_views() {
  return fmt::format(
      "DO $do$\n"
      "DECLARE\n"
      "  relation regclass;\n"
      "BEGIN\n"
      "  FOR relation IN\n"
      "    SELECT c.oid FROM pg_catalog.pg_class c\n"
      "    WHERE c.relnamespace = 'pg_catalog'::regnamespace AND (c.relname LIKE 'pg\\_stat\\_%' OR\n"
      "      c.relname IN ('pg_user_mappings', 'pg_prepared_statements', 'pg_cursors')) AND NOT {}\n"
      "    ORDER BY c.oid\n"
      "  LOOP\n"
      "    EXECUTE pg_catalog.format('REVOKE SELECT ON %s FROM PUBLIC', relation);\n"
      "  END LOOP;\n"
      "END\n"
      "$do${}",
      is_told_view(), kEnd);
}

/// Makes the privileges those that the server was made with, so that pg_dump does not write down what has been revoked.
std::string keep_privileges(std::string_view objects, std::string_view privileges) {
  return fmt::format(
      "UPDATE pg_catalog.pg_init_privs i SET initprivs = o.{1} FROM pg_catalog.{0} o\n"
      "WHERE i.classoid = 'pg_catalog.{0}'::regclass AND i.objoid = o.oid AND i.objsubid = 0 AND o.{1} IS NOT NULL{2}"
      "INSERT INTO pg_catalog.pg_init_privs\n"
      "SELECT o.oid, 'pg_catalog.{0}'::regclass, 0, 'i', o.{1} FROM pg_catalog.{0} o WHERE o.{1} IS NOT NULL AND NOT "
      "EXISTS\n"
      "(SELECT 1 FROM pg_catalog.pg_init_privs i WHERE i.classoid = 'pg_catalog.{0}'::regclass AND i.objoid = o.oid\n"
      "AND i.objsubid = 0){2}",
      objects, privileges, kEnd);
}

std::string change_system_tables() {
  return fmt::format("SET allow_system_table_mods = on{}", kEnd) + replace_statistics() +
         keep_privileges("pg_proc", "proacl") + keep_privileges("pg_class", "relacl") +
         keep_privileges("pg_language", "lanacl") + fmt::format("RESET allow_system_table_mods{}", kEnd);
}

/// A number or a truth as it is written, anything else in quotes.
std::string default_text(const semantics::Column& column) {
  const std::string text = semantics::format_text(column.type, *column.default_value);
  if (column.type.kind == semantics::TypeKind::kBool) {
    return text.starts_with('t') ? "true" : "false";
  }
  const bool is_plain = semantics::is_numeric(column.type.kind) && std::all_of(text.begin(), text.end(), [](char c) {
                          return (c >= '0' && c <= '9') || c == '.' || c == '-';
                        });
  return is_plain ? text : quoted_text(text);
}

std::string drop_database(std::string_view name) {
  return fmt::format("ALTER DATABASE {0} IS_TEMPLATE false{1}DROP DATABASE {0}{1}", quoted_name(name), kEnd);
}

std::string close_database(std::string_view name) {
  return fmt::format("REVOKE CREATE, TEMPORARY ON DATABASE {} FROM PUBLIC{}", quoted_name(name), kEnd);
}

/// Takes from everybody what only the maker of the database may do there.
std::string restrict_everybody() {
  return fmt::format("REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC{}", kEnd) + revoke_functions() + revoke_views() +
         change_system_tables();
}

/// The database of templates becomes the one without a table: nobody makes another.
std::string make_other_database() {
  return fmt::format(
      "ALTER DATABASE {0} IS_TEMPLATE false{2}ALTER DATABASE {0} RENAME TO {1}{2}COMMENT ON DATABASE {1} IS NULL{2}",
      quoted_name(kTemplate), quoted_name(kOtherDatabase), kEnd);
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string made = "\"";
  for (const char c : name) {
    made.append(c == '"' ? 2 : 1, c);
  }
  return made + "\"";
}

std::string quoted_text(std::string_view text) {
  std::string made = text.find('\\') == std::string_view::npos ? "'" : "E'";
  for (const char c : text) {
    made.append(c == '\'' || c == '\\' ? 2 : 1, c);
  }
  return made + "'";
}

std::string create_table(const semantics::Schema& schema) {
  std::string text = fmt::format("CREATE TABLE public.{} (", quoted_name(schema.table_name));
  const char* between = "\n  ";
  for (const semantics::Column& column : schema.columns) {
    text += fmt::format("{}{} {}{}", std::exchange(between, ",\n  "), quoted_name(column.name),
                        semantics::to_string(column.type), column.nullable ? "" : " NOT NULL");
    if (column.default_value) {
      text += " DEFAULT " + default_text(column);
    }
  }
  if (!schema.primary_key.empty()) {
    text += std::string(between) + "PRIMARY KEY (";
    const char* comma = "";
    for (const uint32_t column : schema.primary_key) {
      text += std::exchange(comma, ", ") + quoted_name(schema.columns[column].name);
    }
    text += ")";
  }
  return text + "\n)";
}

Script make_script(const semantics::Schema& schema) {
  const std::string database = quoted_name(schema.table_name);
  const bool has_other = schema.table_name != kOtherDatabase;
  Script script;
  if (has_other) {
    script.in_template = fmt::format("ALTER DATABASE {} RENAME TO {}{}", kFirstDatabase, database, kEnd);
    script.in_other = restrict_everybody();
  }
  std::string& text = script.in_database;
  // The table comes first: what counts up numbers does so behind it (kTableOid).
  text += fmt::format("CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION{}", kReaderRole,
                      kEnd);
  text += create_table(schema) + std::string(kEnd);
  text += fmt::format("ALTER TABLE public.{} OWNER TO {}{}", database, kReaderRole, kEnd);
  text += fmt::format("ALTER ROLE {} SET default_transaction_read_only = on{}", kReaderRole, kEnd);
  text += has_other ? make_other_database() : drop_database(kTemplate);
  text += drop_database("template0");
  text += fmt::format("COMMENT ON DATABASE {} IS NULL{}", database, kEnd);
  text += close_database(schema.table_name) + (has_other ? close_database(kOtherDatabase) : "");
  text += restrict_everybody();
  return script;
}

}  // namespace daedalus::catalogue

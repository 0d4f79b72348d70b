#include "copy_start.hpp"

#include <fmt/format.h>

#include <utility>

#include "catalogue_refusals.hpp"

namespace daedalus::postgres {

Result<void> check_copy_place(const aggregator::CopyStatement& copy, const semantics::Schema& schema) {
  if (copy.file) {
    const char* const way = copy.is_program ? "have privileges of the pg_execute_server_program role to COPY to or "
                                              "from an external program"
                            : copy.is_from  ? "have privileges of the pg_read_server_files role to COPY from a file"
                                            : "have privileges of the pg_write_server_files role to COPY to a file";
    return rejected("42501", fmt::format("must be superuser or {}", way),
                    "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
  }
  if (copy.table.empty()) {
    return {};
  }
  if (!copy.database.empty() && copy.database != schema.table_name) {
    return rejected("0A000", fmt::format("cross-database references are not implemented: \"{}.{}.{}\"", copy.database,
                                         copy.schema, copy.table));
  }
  if (copy.schema == "pg_catalog" || copy.schema == "information_schema" || copy.table.starts_with("pg_")) {
    return catalogue_refusal("COPY");
  }
  if ((!copy.schema.empty() && copy.schema != "public") || copy.table != schema.table_name) {
    return rejected(
        "42P01",
        fmt::format("relation \"{}{}{}\" does not exist", copy.schema, copy.schema.empty() ? "" : ".", copy.table),
        fmt::format("the only table here is \"{}\"", schema.table_name));
  }
  return {};
}

Result<CopyStart> start_copy_from(const aggregator::CopyStatement& copy,
                                  const std::shared_ptr<const semantics::Schema>& schema, const ValueStyle& style,
                                  CopyBound bound) {
  auto options = read_copy_options(copy);
  if (!options) {
    return options.error();
  }
  options->encoding = options->encoding.value_or(style.encoding);
  if (options->format == CopyFormat::kBinary && *options->encoding != ClientEncoding::kUtf8) {
    return rejected("0A000", "COPY FROM in binary is not supported in another encoding than UTF8",
                    "SET client_encoding = UTF8");
  }
  if (copy.has_where) {
    Error error = rejected("0A000", "WHERE in COPY FROM is not supported", "leave lines out before they are sent");
    error.position = copy.where_position;
    return error;
  }
  if (options->is_freeze) {
    return rejected("55000",
                    "cannot perform COPY FREEZE because the table was not created or truncated in the current "
                    "subtransaction");
  }
  auto columns = copy_columns(*schema, copy.columns);
  if (!columns) {
    return columns.error();
  }
  CopyStart start{nullptr, options->format, columns->size()};
  auto reader = CopyReader::make({schema, std::move(*columns), std::move(*options), style.zone, style.dates}, bound);
  if (!reader) {
    return reader.error();
  }
  start.reader = std::move(*reader);
  return start;
}

}  // namespace daedalus::postgres

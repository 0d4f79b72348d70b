// COPY … TO STDOUT: a query whose rows leave as lines, or in the binary format.
#include <fmt/format.h>

#include <utility>

#include "copy_encoder.hpp"
#include "copy_reader.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

std::string as_identifier(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + "\"";
}

/// The table's columns as a query.
std::string query_of(const aggregator::CopyStatement& copy) {
  std::string list;
  for (const std::string& column : copy.columns) {
    list += (list.empty() ? "" : ", ") + as_identifier(column);
  }
  return fmt::format("SELECT {} FROM {}", list.empty() ? "*" : list, as_identifier(copy.table));
}

}  // namespace

/// A COPY … TO STDOUT, as its portal has it.
struct CopyOut {
  std::string sql;
  uint32_t sql_at = 0;  ///< Characters before it in the statement, where it stands in it.
  bool is_table = false;
  CopyOptions options;
  std::shared_ptr<const CopyEncoder> encoder;  ///< Once columns are known.
  bool has_begun = false;                      ///< The first row has left.
};

Result<void> PgSession::check_copy_out(const aggregator::CopyStatement& copy, const CopyOptions& options) const {
  if (copy.table.empty()) {
    return copy.is_query_read
               ? Result<void>()
               : rejected("0A000", "COPY of what INSERT, UPDATE or DELETE return is not supported", "COPY a SELECT");
  }
  for (const auto* names : {&copy.columns, &options.force_quote.names}) {
    if (auto columns = copy_columns(*options_.schema, *names); !columns) {
      return columns.error();
    }
  }
  return {};
}

void PgSession::start_copy_out(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  auto options = read_copy_options(copy);
  if (!options) {
    return fail(options.error());
  }
  if (auto checked = check_copy_out(copy, *options); !checked) {
    return fail(checked.error());
  }
  if (portal.copy_out != nullptr) {
    return fail(rejected("55000", "a COPY runs once for each Bind", "send Bind before each Execute"));
  }
  const bool is_table = copy.query.empty();
  portal.copy_out = std::make_shared<CopyOut>(
      CopyOut{is_table ? query_of(copy) : copy.query, copy.query_at, is_table, std::move(*options), nullptr, false});
  start_rows(portal, /*rows_max=*/0);
}

const std::string& PgSession::sql_of(const Portal& portal) {
  return portal.copy_out != nullptr ? portal.copy_out->sql : portal.statement->sql;
}

void PgSession::place_in_copy(const Portal& portal, Error& error) {
  if (portal.copy_out == nullptr || error.position == 0) {
    return;
  }
  error.position = portal.copy_out->is_table ? 0 : error.position + portal.copy_out->sql_at;
}

Result<void> PgSession::begin_copy_out(Portal& portal, const std::vector<semantics::Column>& columns) {
  CopyOut& copy = *portal.copy_out;
  auto encoder =
      CopyEncoder::make(columns, copy.options, copy.is_table ? options_.schema->table_name : "", settings_->zone());
  if (!encoder) {
    return encoder.error();
  }
  copy.encoder = std::move(*encoder);
  copy.encoder->begin(output_.text());
  portal.encoder = copy.encoder;
  return {};
}

Result<void> PgSession::send_copy_rows(const Portal& portal, std::string rows) {
  CopyOut& copy = *portal.copy_out;
  if (!rows.empty() && !std::exchange(copy.has_begun, true)) {
    std::string_view rest = rows;
    if (auto encoded = copy.encoder->encode_first(rest, output_.text()); !encoded) {
      return encoded;
    }
    rows.erase(0, rows.size() - rest.size());
  }
  return output_.add_rows(copy.encoder, std::move(rows));
}

void PgSession::end_copy_out(const Portal& portal) {
  const CopyOut& copy = *portal.copy_out;
  if (copy.encoder != nullptr) {
    copy.encoder->end(copy.has_begun, output_.text());
  }
  append_command_complete(fmt::format("COPY {}", rows_sent_), output_.text());
}

}  // namespace daedalus::postgres

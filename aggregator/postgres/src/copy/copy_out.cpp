#include "copy_out.hpp"

#include <fmt/format.h>

#include <utility>

#include "copy_reader.hpp"

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

Result<void> check(const aggregator::CopyStatement& copy, const CopyOptions& options, const semantics::Schema& schema) {
  if (copy.table.empty()) {
    return copy.is_query_read
               ? Result<void>()
               : rejected("0A000", "COPY of what INSERT, UPDATE or DELETE return is not supported", "COPY a SELECT");
  }
  for (const auto* names : {&copy.columns, &options.force_quote.names}) {
    if (auto columns = copy_columns(schema, *names); !columns) {
      return columns.error();
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<CopyOut>> CopyOut::make(const aggregator::CopyStatement& copy, const semantics::Schema& schema) {
  auto options = read_copy_options(copy);
  if (!options) {
    return options.error();
  }
  if (auto checked = check(copy, *options, schema); !checked) {
    return checked.error();
  }
  return std::shared_ptr<CopyOut>(new CopyOut(copy, std::move(*options)));
}

CopyOut::CopyOut(const aggregator::CopyStatement& copy, CopyOptions options)
    : sql_(copy.query.empty() ? query_of(copy) : copy.query),
      sql_at_(copy.query_at),
      is_table_(copy.query.empty()),
      options_(std::move(options)) {}

void CopyOut::place(Error& error) const {
  if (error.position > 0) {
    error.position = is_table_ ? 0 : error.position + sql_at_;
  }
}

Result<std::shared_ptr<const RowEncoder>> CopyOut::begin(const std::vector<semantics::Column>& columns,
                                                         const semantics::Schema& schema, ValueStyle style,
                                                         std::string& out) {
  auto encoder = CopyEncoder::make(columns, options_, is_table_ ? schema.table_name : "", std::move(style));
  if (!encoder) {
    return encoder.error();
  }
  encoder_ = std::move(*encoder);
  if (auto begun = encoder_->begin(out); !begun) {
    return begun.error();
  }
  return std::shared_ptr<const RowEncoder>(encoder_);
}

Result<void> CopyOut::send(std::string rows, Output& output) {
  if (!rows.empty() && !std::exchange(has_begun_, true)) {
    std::string_view rest = rows;
    if (auto encoded = encoder_->encode_first(rest, output.text()); !encoded) {
      return encoded;
    }
    rows.erase(0, rows.size() - rest.size());
  }
  return output.add_rows(encoder_, std::move(rows));
}

void CopyOut::end(std::string& out) const {
  if (encoder_ != nullptr) {
    encoder_->end(has_begun_, out);
  }
}

}  // namespace daedalus::postgres

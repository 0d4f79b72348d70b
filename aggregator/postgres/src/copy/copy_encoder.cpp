#include "copy_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "byte_order.hpp"
#include "copy_binary.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::postgres {

using semantics::Value;

namespace {

/// The letter behind a backslash for a control character, or nothing.
char letter_of(char c) {
  switch (c) {
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    default:
      return '\0';
  }
}

/// With the encoding that the COPY names, if it names one.
ValueStyle style_of(const CopyOptions& options, ValueStyle style) {
  style.encoding = options.encoding.value_or(style.encoding);
  return style;
}

bool is_plain_csv(const CopyOptions& options, std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [&](char c) { return c == options.delimiter || c == options.quote || c == '\n' || c == '\r'; });
}

}  // namespace

void append_copy_text(const CopyOptions& options, std::string_view text, std::string& out) {
  for (const char c : text) {
    if (const char letter = letter_of(c); letter != '\0') {
      out.push_back('\\');
      out.push_back(letter);
      continue;
    }
    if (c == '\\' || c == options.delimiter) {
      out.push_back('\\');
    }
    out.push_back(c);
  }
}

void append_copy_csv(const CopyOptions& options, std::string_view text, CsvPlace place, std::string& out) {
  const bool is_quoted =
      place.is_quoted || text == options.null_text || (place.is_alone && text == "\\.") || !is_plain_csv(options, text);
  if (!is_quoted) {
    out.append(text);
    return;
  }
  out.push_back(options.quote);
  for (const char c : text) {
    if (c == options.quote || c == options.escape) {
      out.push_back(options.escape);
    }
    out.push_back(c);
  }
  out.push_back(options.quote);
}

CopyEncoder::CopyEncoder(std::span<const semantics::Column> columns, CopyOptions options, ValueStyle style)
    : RowEncoder(columns, std::vector<int16_t>(columns.size(), kTextFormat), style_of(options, std::move(style))),
      options_(std::move(options)),
      is_quoted_(columns.size(), options_.force_quote.is_all) {
  for (const semantics::Column& column : columns) {
    names_.push_back(column.name);
  }
}

Result<std::shared_ptr<const CopyEncoder>> CopyEncoder::make(std::span<const semantics::Column> columns,
                                                             CopyOptions options, std::string_view relation,
                                                             ValueStyle style) {
  const std::shared_ptr<CopyEncoder> encoder(new CopyEncoder(columns, std::move(options), std::move(style)));
  if (auto forced = encoder->force_quotes(relation); !forced) {
    return forced.error();
  }
  return std::shared_ptr<const CopyEncoder>(encoder);
}

Result<void> CopyEncoder::force_quotes(std::string_view relation) {
  std::vector<size_t> seen;
  for (const std::string& name : options_.force_quote.names) {
    const auto column = static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    if (column == names_.size() && relation.empty()) {
      return rejected("42703", fmt::format("column \"{}\" does not exist", name));
    }
    if (column == names_.size()) {
      return rejected("42P10", fmt::format("FORCE_QUOTE column \"{}\" not referenced by COPY", name));
    }
    if (std::find(seen.begin(), seen.end(), column) != seen.end()) {
      return rejected("42701", fmt::format("column \"{}\" specified more than once", name));
    }
    seen.push_back(column);
    is_quoted_[column] = true;
  }
  return {};
}

void append_copy_response(char type, CopyFormat format, size_t column_count, std::string& out) {
  const int16_t code = format == CopyFormat::kBinary ? kBinaryFormat : kTextFormat;
  const MessageWriter message(type, out);
  out.push_back(static_cast<char>(code));
  append_big_endian(static_cast<uint16_t>(column_count), out);
  for (size_t column = 0; column < column_count; ++column) {
    append_big_endian(code, out);
  }
}

Result<void> CopyEncoder::begin(std::string& out) const {
  append_copy_response('H', options_.format, types().size(), out);
  if (!options_.has_header) {
    return {};
  }
  std::string line;
  for (size_t column = 0; column < names_.size(); ++column) {
    if (column > 0) {
      line.push_back(options_.delimiter);
    }
    if (options_.format == CopyFormat::kCsv) {
      append_copy_csv(options_, names_[column], {false, names_.size() == 1}, line);
    } else {
      append_copy_text(options_, names_[column], line);
    }
  }
  line.push_back('\n');
  const MessageWriter message('d', out);
  return append_encoded(style().encoding, line, out);
}

Result<void> CopyEncoder::encode_first(std::string_view& rows, std::string& out) const {
  if (options_.format != CopyFormat::kBinary) {
    return encode(rows, /*size_max=*/0, out);
  }
  std::string row;
  if (auto encoded = encode(rows, /*size_max=*/0, row); !encoded) {
    return encoded;
  }
  const MessageWriter message('d', out);
  out.append(binary_header());
  out.append(row, kMessageHeadSize, std::string::npos);
  return {};
}

void CopyEncoder::end(bool has_begun, std::string& out) const {
  if (options_.format == CopyFormat::kBinary) {
    const MessageWriter message('d', out);
    out.append(has_begun ? std::string_view() : binary_header());
    append_big_endian<int16_t>(-1, out);
  }
  append_plain('c', out);
}

Result<void> CopyEncoder::append_message(std::string_view row, std::string& out) const {
  const auto values = semantics::read_packed_row(types(), row);
  if (!values) {
    return values.error();
  }
  const MessageWriter message('d', out);
  if (options_.format != CopyFormat::kBinary) {
    return append_row(*values, out);
  }
  append_big_endian(static_cast<int16_t>(values->size()), out);
  for (size_t column = 0; column < values->size(); ++column) {
    const auto value = encoded(types()[column], (*values)[column], style().encoding);
    if (!value) {
      return value.error();
    }
    append_value(types()[column], *value, kBinaryFormat, out);
  }
  return {};
}

Result<void> CopyEncoder::append_row(const std::vector<Value>& values, std::string& out) const {
  if (style().encoding != ClientEncoding::kUtf8) {
    std::string line;
    append_line(values, line);
    return append_encoded(style().encoding, line, out);
  }
  append_line(values, out);
  return {};
}

void CopyEncoder::append_line(const std::vector<Value>& values, std::string& out) const {
  for (size_t column = 0; column < values.size(); ++column) {
    if (column > 0) {
      out.push_back(options_.delimiter);
    }
    if (semantics::is_null(values[column])) {
      out.append(options_.null_text);
    } else {
      std::string text;
      append_styled_text(types()[column], values[column], style(), text);
      append_line_value(column, text, out);
    }
  }
  out.push_back('\n');
}

void CopyEncoder::append_line_value(size_t column, std::string_view text, std::string& out) const {
  if (options_.format == CopyFormat::kCsv) {
    append_copy_csv(options_, text, {is_quoted_[column], names_.size() == 1}, out);
  } else {
    append_copy_text(options_, text, out);
  }
}

}  // namespace daedalus::postgres

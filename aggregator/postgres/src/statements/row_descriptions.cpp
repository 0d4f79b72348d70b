#include "row_descriptions.hpp"

#include <utility>

#include "backend.hpp"
#include "message_encoding.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

namespace {

std::vector<Field> fields_of(const std::vector<semantics::Column>& columns, const std::vector<int16_t>& formats,
                             const Command& command) {
  std::vector<Field> fields;
  for (size_t column = 0; column < columns.size(); ++column) {
    fields.push_back(field_of(columns[column], formats.size() == columns.size() ? formats[column] : kTextFormat));
    if (const auto* query = std::get_if<SessionQuery>(&command); query != nullptr && query->items[column].is_name()) {
      fields.back().type = kNameOid;
      fields.back().size = kNameSize;
    } else if (const auto* explain = std::get_if<ExplainCommand>(&command);
               explain != nullptr && explain->options.is_json) {
      fields.back().type = kJsonOid;
    }
  }
  return fields;
}

Result<void> append_fields(std::vector<Field> fields, ClientEncoding encoding, std::string& out) {
  if (fields.empty()) {
    append_plain('n', out);
    return {};
  }
  for (Field& field : fields) {
    std::string name;
    if (auto done = append_encoded(encoding, field.name, name); !done) {
      return done;
    }
    field.name = std::move(name);
  }
  append_row_description(fields, out);
  return {};
}

}  // namespace

Result<void> append_columns(const std::vector<semantics::Column>& columns, const Command& command, DescribedFor client,
                            std::string& out) {
  return append_fields(fields_of(columns, client.formats, command), client.encoding, out);
}

Result<void> append_columns_of(const Prepared& prepared, uint32_t table, DescribedFor client, std::string& out) {
  std::vector<Field> fields = fields_of(prepared.columns, client.formats, prepared.command);
  for (size_t column = 0; column < fields.size() && column < prepared.origins.size(); ++column) {
    if (prepared.origins[column] > 0 && table > 0) {
      fields[column].table = table;
      fields[column].number = prepared.origins[column];
    }
  }
  return append_fields(std::move(fields), client.encoding, out);
}

Result<void> append_catalogue_columns(const catalogue::Answer& answer, DescribedFor client, std::string& out) {
  if (answer.columns.empty()) {
    append_plain('n', out);
    return {};
  }
  const auto columns = encoded_columns(answer.columns, client.encoding);
  if (!columns) {
    return columns.error();
  }
  const MessageWriter message('T', out);
  out.append(client.formats.empty() ? *columns : catalogue::with_formats(*columns, client.formats));
  return {};
}

}  // namespace daedalus::postgres

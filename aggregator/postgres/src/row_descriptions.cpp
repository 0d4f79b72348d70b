#include "row_descriptions.hpp"

#include "backend.hpp"
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
    }
  }
  return fields;
}

void append_fields(const std::vector<Field>& fields, std::string& out) {
  if (fields.empty()) {
    return append_plain('n', out);
  }
  append_row_description(fields, out);
}

}  // namespace

void append_columns(const std::vector<semantics::Column>& columns, const std::vector<int16_t>& formats,
                    const Command& command, std::string& out) {
  append_fields(fields_of(columns, formats, command), out);
}

void append_columns_of(const Prepared& prepared, const std::vector<int16_t>& formats, uint32_t table,
                       std::string& out) {
  std::vector<Field> fields = fields_of(prepared.columns, formats, prepared.command);
  for (size_t column = 0; column < fields.size() && column < prepared.origins.size(); ++column) {
    if (prepared.origins[column] > 0 && table > 0) {
      fields[column].table = table;
      fields[column].number = prepared.origins[column];
    }
  }
  append_fields(fields, out);
}

void append_catalogue_columns(const catalogue::Answer& answer, const std::vector<int16_t>& formats, std::string& out) {
  if (answer.columns.empty()) {
    return append_plain('n', out);
  }
  const MessageWriter message('T', out);
  out.append(formats.empty() ? answer.columns : catalogue::with_formats(answer.columns, formats));
}

}  // namespace daedalus::postgres

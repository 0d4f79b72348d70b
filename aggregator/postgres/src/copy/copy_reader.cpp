#include "copy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

using semantics::Column;
using semantics::Type;
using semantics::Value;

namespace {

std::variant<CopyLines, CopyBinary> source_of(const CopyTarget& target) {
  if (target.options.format == CopyFormat::kBinary) {
    return CopyBinary(target.columns.size());
  }
  return CopyLines(target.options);
}

}  // namespace

Result<std::vector<uint32_t>> copy_columns(const semantics::Schema& schema, const std::vector<std::string>& names) {
  std::vector<uint32_t> columns;
  for (const std::string& name : names) {
    const auto column = schema.find(name);
    if (!column) {
      return rejected("42703", fmt::format("column \"{}\" of relation \"{}\" does not exist", name, schema.table_name));
    }
    if (std::find(columns.begin(), columns.end(), *column) != columns.end()) {
      return rejected("42701", fmt::format("column \"{}\" specified more than once", name));
    }
    columns.push_back(*column);
  }
  for (uint32_t column = 0; names.empty() && column < schema.columns.size(); ++column) {
    columns.push_back(column);
  }
  return columns;
}

CopyReader::CopyReader(CopyTarget target, CopyBound bound)
    : target_(std::move(target)),
      bound_(bound),
      types_(semantics::column_types(*target_.schema)),
      forced_(target_.columns.size()),
      source_(source_of(target_)),
      owes_header_(target_.options.has_header) {
  for (const Column& column : target_.schema->columns) {
    values_.push_back(column.default_value.value_or(Value()));
  }
}

Result<std::shared_ptr<CopyReader>> CopyReader::make(CopyTarget target, CopyBound bound) {
  const std::shared_ptr<CopyReader> reader(new CopyReader(std::move(target), bound));
  if (auto taken = reader->take_forced(); !taken) {
    return taken.error();
  }
  return reader;
}

Result<void> CopyReader::take_forced() {
  if (auto marked = mark(target_.options.force_not_null, "FORCE_NOT_NULL", &Forced::is_never_null); !marked) {
    return marked;
  }
  return mark(target_.options.force_null, "FORCE_NULL", &Forced::is_null_if_it_says_so);
}

Result<void> CopyReader::mark(const CopyColumns& columns, const char* option, bool Forced::*flag) {
  if (!columns.has_any()) {
    return {};
  }
  const auto positions = copy_columns(*target_.schema, columns.names);
  if (!positions) {
    return positions.error();
  }
  for (const uint32_t column : *positions) {
    const auto field = std::find(target_.columns.begin(), target_.columns.end(), column);
    if (field == target_.columns.end()) {
      return rejected("42P10", fmt::format("{} column \"{}\" not referenced by COPY", option,
                                           target_.schema->columns[column].name));
    }
    forced_[static_cast<size_t>(field - target_.columns.begin())].*flag = true;
  }
  return {};
}

void CopyReader::feed(std::string_view bytes) {
  const ClientEncoding encoding = target_.options.encoding.value_or(ClientEncoding::kUtf8);
  if (encoding == ClientEncoding::kUtf8) {
    return std::visit([&](auto& source) { source.feed(bytes); }, source_);
  }
  const auto text = decoded(encoding, bytes);
  if (!text) {
    undecoded_ = text.error();
    return;
  }
  std::visit([&](auto& source) { source.feed(*text); }, source_);
}

void CopyReader::end() {
  std::visit([](auto& source) { source.end(); }, source_);
}

uint64_t CopyReader::line_number() const {
  const auto* const binary = std::get_if<CopyBinary>(&source_);
  return binary != nullptr ? binary->row_number() : std::get<CopyLines>(source_).line_number();
}

CopyRows CopyReader::next(int64_t now_us) {
  now_us_ = now_us_.value_or(now_us);
  CopyRows rows;
  while (rows.row_count < kPortionRows && rows.rows.size() < kPortionBytes) {
    auto has_next = undecoded_ ? Result<bool>(*undecoded_) : next_fields();
    if (has_next && !*has_next) {
      rows.is_drained = true;
      return rows;
    }
    const auto taken = has_next ? take_row(rows) : Result<void>(has_next.error());
    if (!taken) {
      rows.is_drained = true;
      rows.failure = CopyRows::Failure{taken.error(), context()};
      return rows;
    }
    rows.last_line = line_number();
  }
  return rows;
}

Result<bool> CopyReader::next_fields() {
  field_.reset();
  auto* const binary = std::get_if<CopyBinary>(&source_);
  if (binary == nullptr) {
    return next_line();
  }
  auto taken = binary->next(fields_.fields);
  if (!taken && binary->column() < target_.columns.size()) {
    field_ = binary->column();
  }
  return taken;
}

Result<bool> CopyReader::next_line() {
  for (;;) {
    line_.reset();
    auto line = std::get<CopyLines>(source_).next();
    if (!line) {
      return line.error();
    }
    if (!*line && owes_header_ && target_.options.checks_header && std::get<CopyLines>(source_).is_over()) {
      *line = "";  // PostgreSQL looks at the header of nothing, too.
    }
    if (!*line) {
      return false;
    }
    if (!semantics::is_valid_text(**line)) {
      return wrong_encoding(**line);
    }
    line_ = **line;
    const bool is_header = std::exchange(owes_header_, false);
    if (is_header && !target_.options.checks_header) {
      continue;
    }
    if (auto split = split_line(target_.options, **line, fields_); !split) {
      return split.error();
    }
    if (!is_header) {
      return true;
    }
    if (auto checked = check_header(); !checked) {
      return checked.error();
    }
  }
}

Result<void> CopyReader::check_header() const {
  if (fields_.fields.size() != target_.columns.size()) {
    return rejected("22P04", fmt::format("wrong number of fields in header line: got {}, expected {}",
                                         fields_.fields.size(), target_.columns.size()));
  }
  for (size_t field = 0; field < fields_.fields.size(); ++field) {
    const std::string& name = target_.schema->columns[target_.columns[field]].name;
    const CopyField& got = fields_.fields[field];
    if (!got) {
      return rejected("22P04", fmt::format("column name mismatch in header line field {}: got null value (\"{}\"), "
                                           "expected \"{}\"",
                                           field + 1, target_.options.null_text, name));
    }
    if (*got != name) {
      return rejected("22P04", fmt::format("column name mismatch in header line field {}: got \"{}\", expected \"{}\"",
                                           field + 1, *got, name));
    }
  }
  return {};
}

CopyField CopyReader::forced(size_t field) const {
  const CopyField& given = fields_.fields[field];
  if (target_.options.format != CopyFormat::kCsv) {
    return given;
  }
  if (!given && forced_[field].is_never_null) {
    return CopyField(target_.options.null_text);
  }
  if (given && forced_[field].is_null_if_it_says_so && *given == target_.options.null_text) {
    return CopyField();
  }
  return given;
}

Result<Value> CopyReader::value_of(size_t field) {
  const CopyField given = forced(field);
  fields_.fields[field] = given;  // As an error shows it.
  if (!given) {
    return Value();
  }
  const Type& type = types_[target_.columns[field]];
  const bool is_binary = target_.options.format == CopyFormat::kBinary;
  if (is_binary && !semantics::is_string(type.kind)) {
    auto value = read_binary_value(type.kind, *given);
    return value ? semantics::assign(Type{type.kind}, *value, type) : value;
  }
  if (is_binary && !semantics::is_valid_text(*given)) {
    return wrong_encoding(*given);
  }
  return semantics::parse_text(type, *given, now_us_, nullptr, bound_zone(target_.zone), target_.dates);
}

Result<void> CopyReader::take_row(CopyRows& rows) {
  if (fields_.fields.size() > target_.columns.size()) {
    return rejected("22P04", "extra data after last expected column");
  }
  for (size_t field = 0; field < target_.columns.size(); ++field) {
    if (field >= fields_.fields.size()) {
      return rejected(
          "22P04", fmt::format("missing data for column \"{}\"", target_.schema->columns[target_.columns[field]].name));
    }
    auto value = value_of(field);
    if (!value) {
      field_ = field;
      return value.error();
    }
    values_[target_.columns[field]] = std::move(*value);
  }
  if (auto checked = check_nulls(); !checked) {
    return checked;
  }
  const size_t before = rows.rows.size();
  semantics::append_packed_row(types_, values_, rows.rows);
  if (auto checked = check_bound(rows.rows.size() - before); !checked) {
    rows.rows.resize(before);
    return checked;
  }
  row_bytes_ += rows.rows.size() - before;
  ++row_count_;
  ++rows.row_count;
  return {};
}

Result<void> CopyReader::check_nulls() const {
  const auto& columns = target_.schema->columns;
  for (size_t column = 0; column < columns.size(); ++column) {
    if (!columns[column].nullable && semantics::is_null(values_[column])) {
      return rejected("23502",
                      fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                                  columns[column].name, target_.schema->table_name));
    }
  }
  return {};
}

Result<void> CopyReader::check_bound(uint64_t row_bytes) const {
  if (row_count_ < bound_.rows_max && row_bytes_ + row_bytes <= bound_.bytes_max) {
    return {};
  }
  return rejected(
      "54000",
      fmt::format("one update takes at most {} rows and {} bytes", contract::kUpdateRowsMax, contract::kUpdateBytesMax),
      "SET daedalus.copy = batches: outside a block rows then take effect in several updates, one after "
      "the other");
}

std::string CopyReader::context() const {
  const std::string& table = target_.schema->table_name;
  const bool is_binary = target_.options.format == CopyFormat::kBinary;
  const std::string line = fmt::format("COPY {}, line {}", table, std::max<uint64_t>(line_number(), is_binary ? 0 : 1));
  if (is_binary && line_number() == 0) {
    return {};  // The error is in the header, which PostgreSQL reads before it counts.
  }
  if (field_) {
    const std::string column =
        fmt::format("{}, column {}", line, target_.schema->columns[target_.columns[*field_]].name);
    if (is_binary || *field_ >= fields_.fields.size()) {
      return column;
    }
    const CopyField& field = fields_.fields[*field_];
    return field ? fmt::format("{}: \"{}\"", column, shortened(*field)) : column + ": null input";
  }
  return line_ ? fmt::format("{}: \"{}\"", line, shortened(*line_)) : line;
}

}  // namespace daedalus::postgres

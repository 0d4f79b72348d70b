// Whatever bytes a COPY brings, in whatever pieces: nothing crashes, any pieces give the same rows and the same
// mistake, and what comes out goes in again.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copy_reader.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::postgres {
namespace {

std::shared_ptr<const semantics::Schema> table() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "t";
  schema->columns = {{"id", {semantics::TypeKind::kInt}, false, std::nullopt},
                     {"price", {semantics::TypeKind::kNumeric, 9, 2, 0}, true, std::nullopt},
                     {"name", {semantics::TypeKind::kVarchar, 0, 0, 20}, true, std::nullopt}};
  return schema;
}

CopyOptions options_of(uint8_t choice) {
  CopyOptions options;
  options.format = static_cast<CopyFormat>(choice % 3);
  if (options.format == CopyFormat::kCsv) {
    options.delimiter = ',';
    options.null_text = "";
  }
  options.has_header = options.format != CopyFormat::kBinary && (choice & 4) != 0;
  options.checks_header = options.has_header && (choice & 8) != 0;
  options.escape = (choice & 16) != 0 ? '\\' : '"';
  return options;
}

struct Seen {
  std::string rows;
  uint64_t last_line = 0;
  std::string mistake;
};

Seen read(uint8_t choice, std::string_view bytes, size_t piece) {
  const auto schema = table();
  const auto reader = CopyReader::make({schema, {0, 1, 2}, options_of(choice)}, {1'000, 100'000});
  CHECK(reader.has_value());
  Seen seen;
  for (size_t begin = 0; begin <= bytes.size(); begin += piece) {
    (*reader)->feed(bytes.substr(begin, piece));
    if (begin + piece > bytes.size()) {
      (*reader)->end();
    }
    for (bool is_drained = false; !is_drained;) {
      const CopyRows rows = (*reader)->next(0);
      is_drained = rows.is_drained;
      seen.rows += rows.rows;
      seen.last_line = rows.row_count > 0 ? rows.last_line : seen.last_line;
      if (rows.failure) {
        seen.mistake = rows.failure->error.message + rows.failure->context;
        return seen;
      }
    }
  }
  return seen;
}

void check(uint8_t choice, std::string_view bytes, size_t piece) {
  const Seen whole = read(choice, bytes, bytes.size() + 1);
  const Seen pieces = read(choice, bytes, piece);
  CHECK(whole.rows == pieces.rows);
  CHECK(whole.last_line == pieces.last_line);
  CHECK(whole.mistake == pieces.mistake);
  const auto schema = table();
  semantics::PackedRows rows(whole.rows);
  for (auto row = rows.next(); row && *row; row = rows.next()) {
    CHECK(semantics::check_packed_row(*schema, **row).has_value());
  }
}

}  // namespace
}  // namespace daedalus::postgres

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) {
    return 0;
  }
  daedalus::postgres::check(data[0], {reinterpret_cast<const char*>(data) + 2, size - 2}, 1 + data[1] % 16);
  return 0;
}

#include "catalogue_cursor.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "backend.hpp"
#include "byte_order.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::postgres {

namespace {

/// Appends a row's size as packed rows have it, the lowest byte first.
void append_size(size_t size, std::string& out) {
  for (size_t byte = 0; byte < sizeof(uint32_t); ++byte) {
    out.push_back(static_cast<char>(size >> (8 * byte)));
  }
}

class CatalogueRowEncoder final : public RowEncoder {
 public:
  CatalogueRowEncoder() : RowEncoder({}, {}) {}

 protected:
  Result<void> append_message(std::string_view row, std::string& out) const override {
    const MessageWriter message('D', out);
    out.append(row);
    return {};
  }
};

}  // namespace

Result<void> keep_catalogue_rows(const catalogue::Answer& answer, CursorRows& kept) {
  std::string rows;
  uint32_t count = 0;
  for (size_t at = 0; at < answer.rows.size();) {
    uint64_t one = 1;
    const size_t end = catalogue::end_of_rows(answer.rows, at, one);
    const std::string_view row =
        std::string_view(answer.rows).substr(at + kMessageHeadSize, end - at - kMessageHeadSize);
    if (row.size() > semantics::kRowSizeMax) {
      return rejected("54000",
                      fmt::format("a cursor over the catalogue has a row of {} bytes, at most {} are allowed",
                                  row.size(), semantics::kRowSizeMax),
                      "SELECT it without a cursor");
    }
    append_size(row.size(), rows);
    rows += row;
    ++count;
    at = end;
  }
  kept.append(std::move(rows), count);
  kept.end();
  return {};
}

std::shared_ptr<const RowEncoder> catalogue_row_encoder() {
  static const auto encoder = std::make_shared<const CatalogueRowEncoder>();
  return encoder;
}

}  // namespace daedalus::postgres

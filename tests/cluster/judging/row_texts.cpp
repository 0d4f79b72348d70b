#include "row_texts.hpp"

#include <utility>

#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::testing {

std::optional<std::string> pack_texts(const std::vector<semantics::Type>& types,
                                      const std::vector<std::vector<ValueText>>& rows) {
  std::string packed;
  for (const std::vector<ValueText>& texts : rows) {
    if (texts.size() != types.size()) {
      return std::nullopt;
    }
    std::vector<semantics::Value> row;
    for (size_t column = 0; column < types.size(); ++column) {
      if (!texts[column]) {
        row.emplace_back();
        continue;
      }
      auto value = semantics::parse_text(types[column], *texts[column]);
      if (!value || semantics::format_text(types[column], *value) != *texts[column]) {
        return std::nullopt;
      }
      row.push_back(std::move(*value));
    }
    semantics::append_packed_row(types, row, packed);
  }
  return packed;
}

uint32_t postgres_type(semantics::TypeKind kind) {
  using semantics::TypeKind;
  switch (kind) {
    case TypeKind::kBigint:
      return 20;
    case TypeKind::kSmallint:
      return 21;
    case TypeKind::kInt:
      return 23;
    case TypeKind::kText:
      return 25;
    case TypeKind::kDouble:
      return 701;
    case TypeKind::kVarchar:
      return 1043;
    case TypeKind::kNumeric:
      return 1700;
    default:
      return 0;
  }
}

}  // namespace daedalus::testing

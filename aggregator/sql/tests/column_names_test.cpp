#include "column_names.hpp"

#include <gtest/gtest.h>

namespace daedalus::aggregator::sql {
namespace {

TEST(ColumnNamesTest, FindsEveryColumnAndNothingElse) {
  for (const uint32_t count : {0U, 1U, 2U, 7U, 500U}) {
    semantics::Schema schema;
    for (uint32_t i = 0; i < count; ++i) {
      schema.columns.push_back({"column_" + std::to_string(i), {semantics::TypeKind::kInt}, true, std::nullopt});
    }
    const ColumnNames names(std::make_shared<const semantics::Schema>(schema));
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(names.find("column_" + std::to_string(i)), i) << count;
      EXPECT_EQ(names.find("Column_" + std::to_string(i)), std::nullopt) << count;
    }
    EXPECT_EQ(names.find(""), std::nullopt);
    EXPECT_EQ(names.find("column_" + std::to_string(count)), std::nullopt);
  }
}

}  // namespace
}  // namespace daedalus::aggregator::sql

#include "daedalus/semantics/schema_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace daedalus::semantics {
namespace {

std::string refusal(const char* fault) {
  setenv("DAEDALUS_TEST_FAULT", fault, 1);
  const Result<SchemaLibrary> library = SchemaLibrary::load(TEST_SCHEMA_LIBRARY);
  unsetenv("DAEDALUS_TEST_FAULT");
  if (library) {
    return "loaded";
  }
  EXPECT_EQ(library.error().sqlstate, "F0000");
  EXPECT_EQ(library.error().category, ErrorCategory::kFatal);
  EXPECT_NE(library.error().message.find(TEST_SCHEMA_LIBRARY), std::string::npos) << library.error().message;
  return library.error().message.substr(library.error().message.find(": ") + 2);
}

TEST(SchemaLibrary, LoadsWhatTheDescriptorSays) {
  Result<SchemaLibrary> loaded = SchemaLibrary::load(TEST_SCHEMA_LIBRARY);
  ASSERT_TRUE(loaded) << loaded.error().message;
  SchemaLibrary library = std::move(*loaded);
  const Schema& schema = library.schema();
  EXPECT_EQ(schema.table_name, "sales");
  EXPECT_EQ(schema.fingerprint.substr(0, 4), "0123");
  ASSERT_EQ(schema.columns.size(), 3u);
  EXPECT_EQ(schema.columns[1].name, "amount");
  EXPECT_EQ(to_string(schema.columns[1].type), "numeric(20,2)");
  EXPECT_FALSE(schema.columns[0].nullable);
  EXPECT_EQ(schema.columns[1].default_value, std::nullopt);
  EXPECT_EQ(schema.columns[2].default_value, Value(int64_t{5}));
  EXPECT_EQ(schema.primary_key, std::vector<uint32_t>{0});
  EXPECT_EQ(schema.find("count"), 2u);
  EXPECT_EQ(schema.find("nothing"), std::nullopt);
  EXPECT_EQ(library.codec().store_row(nullptr, nullptr, 0, nullptr, nullptr, 0), 7);
}

TEST(SchemaLibrary, SurvivesBeingMoved) {
  Result<SchemaLibrary> first = SchemaLibrary::load(TEST_SCHEMA_LIBRARY);
  Result<SchemaLibrary> second = SchemaLibrary::load(TEST_SCHEMA_LIBRARY);
  ASSERT_TRUE(first && second);
  *first = std::move(*second);
  EXPECT_EQ(first->schema().table_name, "sales");
  EXPECT_EQ(first->codec().store_row(nullptr, nullptr, 0, nullptr, nullptr, 0), 7);
}

TEST(SchemaLibrary, RefusesEveryInconsistencyByName) {
  const std::pair<const char*, const char*> kExpected[] = {
      {"version", "interface version 99 instead of 3"},
      {"descriptor", "it has no descriptor"},
      {"no columns", "0 columns, 1 to 1600 are allowed"},
      {"many columns", "1073741824 columns, 1 to 1600 are allowed"},
      {"null columns", "3 columns, 1 to 1600 are allowed"},
      {"fingerprint", "the fingerprint is not 64 hexadecimal digits"},
      {"no fingerprint", "the fingerprint is not 64 hexadecimal digits"},
      {"no table", "the table has no name of 1 to 63 bytes"},
      {"column name", "column 1 has no name of 1 to 63 bytes"},
      {"same name", "two columns are named \"id\""},
      {"kind", "column \"amount\": there is no type number 12"},
      {"precision", "column \"amount\": numeric precision 39 must be between 1 and 38"},
      {"scale", "column \"amount\": numeric scale 21 must be between 0 and precision 20"},
      {"computed numeric", "column \"amount\": length, precision or scale do not fit type numeric"},
      {"length", "column \"id\": length, precision or scale do not fit type integer"},
      {"empty varchar", "column \"id\": length, precision or scale do not fit type character varying"},
      {"width", "column \"amount\": plane width 8 instead of 16"},
      {"nullable", "column \"amount\": nullable is neither 0 nor 1"},
      {"default size", "column \"count\": default: malformed value of type integer: cut short"},
      {"default bytes", "column \"count\": the default has no bytes"},
      {"key column", "the primary key has 4 columns of 3"},
      {"key twice", "the primary key names column 0 wrongly"},
      {"row size", "packed rows of up to 28 bytes instead of 29"},
      {"codec", "the row codec is missing"},
  };
  for (const auto& [fault, expected] : kExpected) {
    EXPECT_EQ(refusal(fault), expected) << fault;
  }
}

TEST(SchemaLibrary, RefusesFilesThatAreNoSchema) {
  const auto message = [](const char* path) {
    const Result<SchemaLibrary> library = SchemaLibrary::load(path);
    return library ? "loaded" : library.error().message;
  };
  EXPECT_NE(message(EMPTY_SCHEMA_LIBRARY).find("it exports no daedalus_schema()"), std::string::npos);
  EXPECT_NE(message("/nowhere/schema.so").find("/nowhere/schema.so"), std::string::npos);
  EXPECT_NE(message("nowhere.so").find("nowhere.so"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::semantics

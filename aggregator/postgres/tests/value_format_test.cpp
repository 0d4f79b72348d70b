// Values in the forms of PostgreSQL's clients.
#include "value_format.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::postgres {
namespace {

using namespace std::string_literals;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

Value value_of(const Type& type, std::string_view text) { return *semantics::parse_text(type, text); }

/// Returns a value's binary form, without its length.
std::string binary(const Type& type, std::string_view text) {
  std::string out;
  append_value(type, value_of(type, text), kBinaryFormat, out);
  return out.substr(sizeof(uint32_t));
}

struct Form {
  Type type;
  const char* text;
  std::string bytes;
};

/// As PostgreSQL's send functions define them.
std::vector<Form> forms() {
  return {
      {{TypeKind::kBool}, "t", "\1"s},
      {{TypeKind::kSmallint}, "-2", "\xff\xfe"s},
      {{TypeKind::kInt}, "258", "\0\0\1\2"s},
      {{TypeKind::kBigint}, "-1", "\xff\xff\xff\xff\xff\xff\xff\xff"s},
      {{TypeKind::kReal}, "1.5", "\x3f\xc0\0\0"s},
      {{TypeKind::kDouble}, "-2", "\xc0\0\0\0\0\0\0\0"s},
      {{TypeKind::kDate}, "2000-01-02", "\0\0\0\1"s},
      {{TypeKind::kDate}, "1999-12-31", "\xff\xff\xff\xff"s},
      {{TypeKind::kTimestamp}, "2000-01-01 00:00:00.000001", "\0\0\0\0\0\0\0\1"s},
      {{TypeKind::kTimestampTz}, "2000-01-01 00:00:00.000001+00", "\0\0\0\0\0\0\0\1"s},
      {{TypeKind::kUuid},
       "00112233-4455-6677-8899-aabbccddeeff",
       "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"s},
      {{TypeKind::kTime}, "24:00:00", "\0\0\0\x14\x1d\xd7\x60\0"s},
      {{TypeKind::kNumeric, 10, 2}, "12345.60", "\0\3\0\1\0\0\0\2\0\1\x09\x29\x17\x70"s},
      {{TypeKind::kNumeric, 10, 2}, "-0.05", "\0\1\xff\xff\x40\0\0\2\1\xf4"s},
      {{TypeKind::kNumeric, 10, 2}, "0.00", "\0\0\0\0\0\0\0\2"s},
      {{TypeKind::kNumeric, 20, 0}, "1000000000000", "\0\1\0\3\0\0\0\0\0\1"s},
      {{TypeKind::kInterval}, "1 year 2 mons -3 days", "\0\0\0\0\0\0\0\0\xff\xff\xff\xfd\0\0\0\x0e"s},
      {{TypeKind::kInterval}, "-00:00:00.000001", "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0"s},
      {{TypeKind::kVarchar, 0, 0, 5}, "abc", "abc"s},
      {{TypeKind::kChar, 0, 0, 5}, "abc", "abc  "s},
  };
}

TEST(ValueFormatTest, BinaryFormsAreThoseOfPostgres) {
  for (const Form& form : forms()) {
    EXPECT_EQ(binary(form.type, form.text), form.bytes) << semantics::to_string(form.type) << " " << form.text;
  }
}

TEST(ValueFormatTest, BinaryParametersAreReadAsTheyAreWritten) {
  for (const Form& form : forms()) {
    const auto constant = read_parameter(form.type.kind, kBinaryFormat, form.bytes);
    ASSERT_TRUE(constant) << form.text;
    Type type;
    const auto value = contract::to_value(*constant, &type);
    ASSERT_TRUE(value) << form.text << ": " << value.error().message;
    EXPECT_EQ(semantics::format_text(type, *value), form.type.kind == TypeKind::kChar ? "abc" : form.text);
  }
}

TEST(ValueFormatTest, WrongBinaryParametersAreRefused) {
  for (const Form& form : forms()) {
    if (!semantics::is_string(form.type.kind)) {
      EXPECT_EQ(read_parameter(form.type.kind, kBinaryFormat, form.bytes + "x").error().sqlstate, "22P03");
      const bool is_of_any_size = form.type.kind == TypeKind::kNumeric;
      EXPECT_EQ(read_parameter(form.type.kind, kBinaryFormat, "").error().sqlstate, is_of_any_size ? "22P03" : "08P01");
    }
  }
  const auto numeric = [](const std::string& bytes) {
    return read_parameter(TypeKind::kNumeric, kBinaryFormat, bytes).error().sqlstate;
  };
  EXPECT_EQ(numeric("\0\1\0\0\0\0\0\0\x27\x10"s), "22P03");  // A digit of 10,000.
  EXPECT_EQ(numeric("\0\1\x7f\xff\0\0\0\0\0\1"s), "22003");
  EXPECT_EQ(numeric("\0\0\0\0\xc0\0\0\0"s), "0A000");  // NaN.
  EXPECT_EQ(read_parameter(TypeKind::kDate, kBinaryFormat, "\x7f\xff\xff\xfe"s).error().sqlstate, "22008");
  EXPECT_EQ(read_parameter(TypeKind::kTime, kBinaryFormat, "\0\0\0\x14\x1d\xd7\x60\1"s).error().sqlstate, "22008");
  EXPECT_EQ(read_parameter(TypeKind::kTimestamp, kBinaryFormat, "\x7f\xff\xff\xff\xff\xff\xff\xfe"s).error().sqlstate,
            "22008");
}

TEST(ValueFormatTest, InfinityOfMomentsIsTheLeastAndTheGreatestNumber) {
  for (const auto& [kind, bytes] : std::initializer_list<std::pair<TypeKind, std::string>>{
           {TypeKind::kDate, "\x80\0\0\0"s},
           {TypeKind::kTimestamp, "\x7f\xff\xff\xff\xff\xff\xff\xff"s},
           {TypeKind::kTimestampTz, "\x80\0\0\0\0\0\0\0"s}}) {
    EXPECT_TRUE(read_parameter(kind, kBinaryFormat, bytes));
    const auto value = read_binary_value(kind, bytes);
    ASSERT_TRUE(value);
    EXPECT_EQ(semantics::format_text(Type{kind}, *value), bytes[0] == '\x7f' ? "infinity" : "-infinity");
  }
  EXPECT_TRUE(read_parameter(TypeKind::kDate, kTextFormat, "infinity"));
  EXPECT_EQ(*read_binary_as_text(TypeKind::kDate, "\x7f\xff\xff\xff"s), "infinity");
  EXPECT_EQ(*read_binary_as_text(TypeKind::kTimestamp, "\x80\0\0\0\0\0\0\0"s), "-infinity");
  EXPECT_EQ(*read_binary_as_text(TypeKind::kDate, "\0\0\0\0"s), "2000-01-01");
}

TEST(ValueFormatTest, ATextIsReadAsItsTypeUnlessItNamesTheTime) {
  EXPECT_EQ(read_parameter(TypeKind::kInt, kTextFormat, "12")->type().kind(), wire::v1::TYPE_KIND_INT);
  EXPECT_EQ(read_parameter(TypeKind::kInt, kTextFormat, "x").error().sqlstate, "22P02");
  EXPECT_EQ(read_parameter(TypeKind::kText, kTextFormat, "\xff").error().sqlstate, "22021");
  EXPECT_TRUE(read_parameter(TypeKind::kInt, kTextFormat, std::nullopt)->is_null());
  EXPECT_FALSE(read_parameter(TypeKind::kDate, kTextFormat, "2013-01-01")->has_text());
  EXPECT_EQ(read_parameter(TypeKind::kDate, kTextFormat, "2013-13-01").error().sqlstate, "22008");
  for (const TypeKind kind : {TypeKind::kDate, TypeKind::kTimestamp, TypeKind::kTimestampTz}) {
    const auto unread = read_parameter(kind, kTextFormat, "today");
    ASSERT_TRUE(unread);
    EXPECT_EQ(unread->text(), "today");
    EXPECT_EQ(unread->type().kind(), static_cast<wire::v1::TypeKind>(kind));
  }
}

TEST(ValueFormatTest, StringsKeepTheirTypesAndBlanksOnlyWhereTheyMeanSomething) {
  EXPECT_EQ(read_parameter(TypeKind::kText, kTextFormat, "a ")->type().kind(), wire::v1::TYPE_KIND_TEXT);
  EXPECT_EQ(read_parameter(TypeKind::kVarchar, kBinaryFormat, "a ")->type().kind(), wire::v1::TYPE_KIND_VARCHAR);
  EXPECT_EQ(read_parameter(TypeKind::kChar, kTextFormat, "a ")->packed(),
            read_parameter(TypeKind::kChar, kBinaryFormat, "a")->packed());
}

TEST(ValueFormatTest, FieldsSayTypeSizeAndModifier) {
  EXPECT_EQ(field_of({"n", {TypeKind::kNumeric, 10, 2}, true, {}}, 1), (Field{"n", 1700, -1, (10 << 16 | 2) + 4, 1}));
  EXPECT_EQ(field_of({"c", {TypeKind::kChar, 0, 0, 3}, true, {}}, 0), (Field{"c", 1042, -1, 7, 0}));
  EXPECT_EQ(field_of({"i", {TypeKind::kInt}, true, {}}, 0), (Field{"i", 23, 4, -1, 0}));
  EXPECT_EQ(field_of({"v", {TypeKind::kInterval}, true, {}}, 1), (Field{"v", 1186, 16, -1, 1}));
}

TEST(ValueFormatTest, OneFormatIsForAllAndOtherCountsAreRefused) {
  const std::vector<int16_t> none;
  const std::vector<int16_t> one{1};
  const std::vector<int16_t> two{0, 1};
  const std::vector<int16_t> wrong{2};
  EXPECT_EQ(*formats_of(none, 2), (std::vector<int16_t>{0, 0}));
  EXPECT_EQ(*formats_of(one, 2), (std::vector<int16_t>{1, 1}));
  EXPECT_EQ(*formats_of(two, 2), two);
  EXPECT_EQ(formats_of(two, 3).error().sqlstate, "08P01");
  EXPECT_EQ(formats_of(wrong, 3).error().sqlstate, "22023");
}

TEST(RowEncoderTest, PackedRowsBecomeDataRowsPieceByPiece) {
  const std::vector<semantics::Column> columns{{"i", {TypeKind::kInt}, true, {}},
                                               {"c", {TypeKind::kChar, 0, 0, 2}, true, {}}};
  const std::vector<Type> types{columns[0].type, columns[1].type};
  std::string packed;
  semantics::append_packed_row(types, std::vector<Value>{int64_t{7}, "a"s}, packed);
  semantics::append_packed_row(types, std::vector<Value>{Value(), "bc"s}, packed);
  const RowEncoder encoder(columns, {0, 1});
  std::string_view rest = packed;
  std::string out;
  ASSERT_TRUE(encoder.encode(rest, 1, out));
  EXPECT_EQ(out, "D\0\0\0\x11\0\2\0\0\0\1"s + "7\0\0\0\2a "s);
  ASSERT_FALSE(rest.empty());
  ASSERT_TRUE(encoder.encode(rest, 1, out));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(out.substr(18), "D\0\0\0\x10\0\2\xff\xff\xff\xff\0\0\0\2bc"s);
  rest = std::string_view(packed).substr(0, packed.size() - 1);
  EXPECT_EQ(*size_of_rows(packed, 5), packed.size());
  EXPECT_FALSE(encoder.encode(rest, 1u << 20, out));
}

}  // namespace
}  // namespace daedalus::postgres

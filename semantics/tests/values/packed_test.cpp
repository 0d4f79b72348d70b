#include "daedalus/semantics/packed.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/packed_text.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

std::string packed(const Type& type, const Value& value) {
  std::string bytes;
  append_packed(type, value, bytes);
  return bytes;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    text.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return text;
}

bool same(const Value& left, const Value& right) {
  return left.index() == right.index() && (is_null(left) || compare(left, right) == 0);
}

TEST(Packed, ValuesLookAsDocumented) {
  EXPECT_EQ(hex(packed({TypeKind::kBool}, true)), "01");
  EXPECT_EQ(hex(packed({TypeKind::kSmallint}, int64_t{-2})), "feff");
  EXPECT_EQ(hex(packed({TypeKind::kInt}, int64_t{258})), "02010000");
  EXPECT_EQ(hex(packed({TypeKind::kBigint}, int64_t{-1})), "ffffffffffffffff");
  EXPECT_EQ(hex(packed({TypeKind::kReal}, 1.5)), "0000c03f");
  EXPECT_EQ(hex(packed({TypeKind::kReal}, -std::numeric_limits<double>::quiet_NaN())), "0000c07f");
  EXPECT_EQ(hex(packed({TypeKind::kDouble}, std::bit_cast<double>(0xfff0000000000001u))), "000000000000f87f");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric, 5, 2}, Decimal{-150, 2})), "6affffffffffffff");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric, 19, 0}, Decimal{-1, 0})), "ffffffffffffffffffffffffffffffff");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric}, Decimal{0, 0})), "01000000");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric}, Decimal{127, 1})), "0101007f");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric}, Decimal{128, 1})), "0201000080");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric}, Decimal{-128, 1})), "01010080");
  EXPECT_EQ(hex(packed({TypeKind::kNumeric}, Decimal{-129, 1})), "020100ff7f");
  EXPECT_EQ(hex(packed({TypeKind::kDate}, int64_t{-1})), "ffffffff");
  EXPECT_EQ(hex(packed({TypeKind::kTimestamp}, int64_t{1})), "0100000000000000");
  EXPECT_EQ(hex(packed({TypeKind::kInterval}, Interval{-1, 2, 3})), "030000000000000002000000ffffffff");
  EXPECT_EQ(hex(packed({TypeKind::kTime}, kTimeMicrosMax)), "0060d71d14000000");
  EXPECT_EQ(hex(packed({TypeKind::kUuid}, "\x80" + std::string(14, '\0') + "\x02")),
            "02000000000000000000000000000000");
  EXPECT_EQ(hex(packed({TypeKind::kChar, 0, 0, 5}, std::string("ab"))), "02006162");
  EXPECT_EQ(hex(packed({TypeKind::kVarchar}, std::string())), "0000");
}

TEST(Packed, RowsLookAsDocumented) {
  std::string rows;
  const std::vector<Type> types = {{TypeKind::kSmallint}, {TypeKind::kVarchar, 0, 0, 9}, {TypeKind::kBool}};
  append_packed_row(types, std::vector<Value>{int64_t{1}, Value(), true}, rows);
  EXPECT_EQ(hex(rows),
            "04000000"
            "02"
            "0100"
            "01");
}

TEST(Packed, ValuesReadBackAsThemselvesAndOnlyWhole) {
  Random random(21);
  for (int i = 0; i < 20'000; ++i) {
    const Type type = random.chance(10)  ? Type{TypeKind::kNumeric}
                      : random.chance(5) ? Type{TypeKind::kInterval}
                                         : random.type();
    const Value value = random.value(type);
    const std::string bytes = packed(type, value);
    const Result<Value> back = read_packed(type, bytes);
    ASSERT_TRUE(back && same(*back, value)) << to_string(type) << " " << format_text(type, value);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      ASSERT_EQ(read_packed(type, std::string_view(bytes).substr(0, cut)).error().sqlstate, "08P01");
    }
    ASSERT_EQ(read_packed(type, bytes + "x").error().sqlstate, "08P01");
  }
}

/// Whatever the bytes are: of values, and of values with a byte changed.
TEST(Packed, TextsAreThoseOfTheValues) {
  Random random(22);
  for (int i = 0; i < 40'000; ++i) {
    const Type type = random.chance(10)  ? Type{TypeKind::kNumeric}
                      : random.chance(5) ? Type{TypeKind::kInterval}
                                         : random.type();
    std::string bytes = packed(type, random.value(type));
    if (random.chance(30)) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(bytes.size()) - 1));
      bytes[at] = static_cast<char>(random.between(-128, 127));
    }
    std::string_view rest = bytes;
    std::string_view taken;
    if (!take_packed(type, rest, taken)) {
      continue;
    }
    const Result<Value> value = decode_packed(type, taken);
    std::string text = "before ";
    ASSERT_EQ(append_packed_text(type, taken, text), value.has_value()) << to_string(type) << " " << hex(bytes);
    ASSERT_EQ(text, "before " + (value ? format_text(type, *value) : "")) << to_string(type) << " " << hex(bytes);
  }
}

TEST(Packed, MalformedValuesAreRefused) {
  const auto code = [](const Type& type, std::string_view bytes) { return read_packed(type, bytes).error().sqlstate; };
  EXPECT_EQ(code({TypeKind::kBool}, "\x02"), "08P01");
  EXPECT_EQ(code({TypeKind::kNumeric, 2, 0}, packed({TypeKind::kBigint}, int64_t{100})), "08P01");
  EXPECT_EQ(code({TypeKind::kNumeric}, std::string("\0\0\0", 3)), "08P01");
  EXPECT_EQ(code({TypeKind::kNumeric}, std::string("\2\0\0\0\1", 5)), "08P01");    // Not its shortest form.
  EXPECT_EQ(code({TypeKind::kNumeric}, std::string("\1\xff\xff\1", 4)), "08P01");  // A scale below zero.
  EXPECT_EQ(code({TypeKind::kNumeric}, std::string("\1\xe9\x03\1", 4)), "08P01");  // A scale of 1001.
  EXPECT_EQ(code({TypeKind::kVarchar, 0, 0, 1}, std::string("\2\0ab", 4)), "08P01");
  EXPECT_EQ(code({TypeKind::kChar, 0, 0, 3}, std::string("\2\0a ", 4)), "08P01");
  EXPECT_TRUE(read_packed({TypeKind::kChar}, std::string("\2\0a ", 4)));  // Its own blank.
  EXPECT_EQ(code({TypeKind::kVarchar}, std::string("\1\0\xff", 3)), "22021");
  EXPECT_EQ(code({TypeKind::kVarchar}, std::string("\1\0\0", 3)), "22021");
}

TEST(Packed, RowsReadBackAsThemselves) {
  Random random(22);
  for (int i = 0; i < 5'000; ++i) {
    const Schema schema = random.schema(20);
    const std::vector<Type> types = column_types(schema);
    std::string rows;
    std::vector<std::vector<Value>> expected;
    for (int64_t row = random.between(0, 4); row > 0; --row) {
      expected.push_back(random.row(schema));
      append_packed_row(types, expected.back(), rows);
    }
    PackedRows split(rows);
    for (const std::vector<Value>& values : expected) {
      const auto row = split.next();
      ASSERT_TRUE(row && row->has_value());
      ASSERT_TRUE(check_packed_row(schema, **row));
      const Result<std::vector<Value>> back = read_packed_row(types, **row);
      ASSERT_TRUE(back);
      for (size_t column = 0; column < values.size(); ++column) {
        ASSERT_TRUE(same((*back)[column], values[column]));
        const Result<Value> one = read_packed_column(types, **row, static_cast<uint32_t>(column));
        ASSERT_TRUE(one && same(*one, values[column]));
      }
    }
    const auto end = split.next();
    ASSERT_TRUE(end && !end->has_value());
  }
}

TEST(Packed, EveryCutOfARowIsMalformed) {
  Random random(23);
  for (int i = 0; i < 500; ++i) {
    const Schema schema = random.schema(10);
    const std::vector<Type> types = column_types(schema);
    std::string rows;
    append_packed_row(types, random.row(schema), rows);
    for (size_t cut = 1; cut < rows.size(); ++cut) {
      PackedRows split(std::string_view(rows).substr(0, cut));
      ASSERT_EQ(split.next().error().sqlstate, "08P01");
    }
    const std::string_view row = std::string_view(rows).substr(4);
    for (size_t cut = 0; cut < row.size(); ++cut) {
      ASSERT_EQ(read_packed_row(types, row.substr(0, cut)).error().sqlstate, "08P01");
      ASSERT_EQ(check_packed_row(schema, row.substr(0, cut)).error().sqlstate, "08P01");
    }
    const std::string longer = std::string(row) + "x";
    ASSERT_EQ(read_packed_row(types, longer).error().sqlstate, "08P01");
  }
}

TEST(Packed, RandomBytesNeverReadOutOfBounds) {
  Random random(24);
  for (int i = 0; i < 20'000; ++i) {
    const Schema schema = random.schema(10);
    const std::vector<Type> types = column_types(schema);
    std::string bytes(static_cast<size_t>(random.between(0, 60)), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random.chance(50) ? random.between(0, 3) : random.between(0, 255));
    }
    const bool is_read = read_packed_row(types, bytes).has_value();
    // Whatever may be inserted can be read.
    ASSERT_TRUE(is_read || !check_packed_row(schema, bytes).has_value());
    PackedRows split(bytes);
    for (auto row = split.next(); row && row->has_value(); row = split.next()) {
      (void)check_packed_row(schema, **row);
    }
  }
}

TEST(CheckPackedRow, NamesTheColumnAndWhatIsWrong) {
  Schema schema;
  schema.columns = {{"id", {TypeKind::kInt}, false, {}},
                    {"name", {TypeKind::kChar, 0, 0, 3}, true, {}},
                    {"price", {TypeKind::kNumeric, 3, 1}, true, {}},
                    {"ok", {TypeKind::kBool}, true, {}},
                    {"day", {TypeKind::kDate}, true, {}},
                    {"speed", {TypeKind::kReal}, true, {}}};
  // Types of the same packed width that let wrong values through.
  const std::vector<Type> loose = {{TypeKind::kInt},      {TypeKind::kVarchar}, {TypeKind::kBigint},
                                   {TypeKind::kSmallint}, {TypeKind::kInt},     {TypeKind::kInt}};
  const auto check = [&](std::vector<Value> values, bool narrow_bool = true) {
    std::string rows;
    std::vector<Type> types = loose;
    types[3] = narrow_bool ? Type{TypeKind::kBool} : types[3];
    append_packed_row(types, values, rows);
    const Result<void> checked = check_packed_row(schema, std::string_view(rows).substr(4));
    std::string said = checked ? "fine" : checked.error().sqlstate;
    return checked ? said : said.append(" ").append(checked.error().message);
  };
  const Value null;
  EXPECT_EQ(check({int64_t{1}, std::string("abc"), int64_t{999}, true, int64_t{0}, int64_t{0}}), "fine");
  EXPECT_EQ(check({int64_t{1}, null, null, null, null, null}), "fine");
  EXPECT_EQ(check({null, null, null, null, null, null}),
            "23502 null value in column \"id\" violates not-null constraint");
  EXPECT_EQ(check({int64_t{1}, std::string("abcd"), null, null, null, null}),
            "22001 value too long for column \"name\" of type character(3)");
  EXPECT_EQ(check({int64_t{1}, std::string("a "), null, null, null, null}).substr(0, 5), "08P01");
  EXPECT_EQ(check({int64_t{1}, std::string("\xff"), null, null, null, null}).substr(0, 5), "22021");
  EXPECT_EQ(check({int64_t{1}, null, int64_t{-1000}, null, null, null}),
            "22003 numeric field overflow in column \"price\" of type numeric(3,1)");
  EXPECT_EQ(check({int64_t{1}, null, null, int64_t{2}, null, null}, false).substr(0, 5), "08P01");
  EXPECT_EQ(check({int64_t{1}, null, null, null, kDateDaysMin - 1, null}), "22008 date out of range in column \"day\"");
  EXPECT_EQ(check({int64_t{1}, null, null, null, null, int64_t{0x7fc00001}}).substr(0, 5), "08P01");
}

TEST(CheckPackedRow, RefusesStrayNullBits) {
  Schema schema;
  schema.columns = {{"a", {TypeKind::kBool}, true, {}}};
  EXPECT_TRUE(check_packed_row(schema, std::string("\1", 1)));
  EXPECT_EQ(check_packed_row(schema, std::string("\3", 1)).error().sqlstate, "08P01");
}

}  // namespace
}  // namespace daedalus::semantics

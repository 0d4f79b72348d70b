#include "daedalus/semantics/row_codec.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "plane_rows.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

/// Column planes for `slots` rows, filled with rubbish so that what is not written shows.
struct Planes {
  Planes(const Schema& schema, uint32_t slots) {
    for (const Column& column : schema.columns) {
      bytes.emplace_back(static_cast<size_t>(slots) * (plane_width(column.type) - tail_width(column.type)), kRubbish);
      nulls.emplace_back((slots + 63) / 64, 0xaaaaaaaaaaaaaaaau);
    }
    for (const Column& column : schema.columns) {
      bytes.emplace_back(static_cast<size_t>(slots) * tail_width(column.type), kRubbish);
    }
    for (std::vector<uint8_t>& plane : bytes) {
      plane_pointers.push_back(plane.data());
    }
    for (std::vector<uint64_t>& bitmap : nulls) {
      null_pointers.push_back(bitmap.data());
    }
  }

  static constexpr uint8_t kRubbish = 0xaa;

  std::vector<std::vector<uint8_t>> bytes;  ///< By column, then tails by column.
  std::vector<std::vector<uint64_t>> nulls;
  std::vector<uint8_t*> plane_pointers;
  std::vector<uint64_t*> null_pointers;
};

class RowCodecTest : public ::testing::Test {
 protected:
  static int32_t store(const RowCodec& codec, Planes& planes, std::string_view row, uint32_t slot) {
    return codec.store_row(codec.context, reinterpret_cast<const uint8_t*>(row.data()),
                           static_cast<uint32_t>(row.size()), planes.plane_pointers.data(), planes.null_pointers.data(),
                           slot);
  }

  static std::string load(const Schema& schema, const Planes& planes, uint32_t slot,
                          const std::vector<uint32_t>& columns) {
    return testing::packed_row_at(schema, {planes.plane_pointers.data(), planes.null_pointers.data()}, slot, columns);
  }
};

TEST_F(RowCodecTest, RowsComeBackAsTheyWentInWhateverColumnsAreAskedFor) {
  Random random(51);
  for (int round = 0; round < 1'000; ++round) {
    const Schema schema = random.schema(20);
    const GenericRowCodec generic(schema);
    const RowCodec codec = generic.codec();
    const std::vector<Type> types = column_types(schema);
    constexpr uint32_t kSlots = 130;
    Planes planes(schema, kSlots);
    std::vector<std::pair<uint32_t, std::vector<Value>>> stored;
    for (const uint32_t slot : {0u, 63u, 64u, 129u}) {
      stored.emplace_back(slot, random.row(schema));
      std::string row;
      append_packed_row(types, stored.back().second, row);
      ASSERT_LE(row.size(), packed_row_size_max(schema));
      ASSERT_EQ(store(codec, planes, std::string_view(row).substr(4), slot), 0);
    }
    for (const auto& [slot, values] : stored) {
      std::vector<uint32_t> columns;
      std::vector<Type> wanted_types;
      std::vector<Value> wanted;
      for (int64_t i = random.between(0, 12); i > 0; --i) {
        columns.push_back(static_cast<uint32_t>(random.between(0, static_cast<int64_t>(types.size()) - 1)));
        wanted_types.push_back(types[columns.back()]);
        wanted.push_back(values[columns.back()]);
      }
      std::string expected;
      append_packed_row(wanted_types, wanted, expected);
      ASSERT_EQ(load(schema, planes, slot, columns), expected);
    }
  }
}

TEST_F(RowCodecTest, RowsWrittenInWholeWordsAreTheSame) {
  Random random(52);
  for (int round = 0; round < 1'000; ++round) {
    const Schema schema = random.schema(70);
    const GenericRowCodec generic(schema);
    const auto column_count = static_cast<uint32_t>(schema.columns.size());
    constexpr uint32_t kSlots = 64;
    Planes planes(schema, kSlots + 64);  // Lines that values end in may be read.
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      const std::vector<Value> values = random.row(schema);
      std::string expected;
      append_packed_row(column_types(schema), values, expected);
      ASSERT_EQ(store(generic.codec(), planes, std::string_view(expected).substr(4), slot), 0);
      std::vector<uint8_t> row(packed_row_size_max(schema) + kPackedSlack);
      PackedRowWriter writer(row.data(), column_count);
      for (uint32_t column = 0; column < column_count; ++column) {
        const PackedColumn packed = packed_column(schema.columns[column].type);
        // The bytes of a NULL are not looked at.
        const bool is_null = semantics::is_null(values[column]);
        const uint8_t* value = planes.bytes[column].data() + size_t{slot} * packed.stride();
        const uint8_t* tail = planes.bytes[column_count + column].data() + size_t{slot} * packed.tail_width();
        if (packed.has_tail()) {
          writer.put(packed, is_null ? nullptr : value, is_null ? nullptr : tail, is_null);
        } else {
          writer.put(packed, is_null ? nullptr : value, is_null);
        }
      }
      ASSERT_EQ(std::string(row.begin(), row.begin() + writer.finish()), expected);
    }
  }
}

TEST_F(RowCodecTest, NullsAndShortStringsLeaveZeros) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kVarchar, 0, 0, 4}, true, {}}, {"n", {TypeKind::kNumeric, 20, 0}, true, {}}};
  const GenericRowCodec generic(schema);
  Planes planes(schema, 2);
  std::string row;
  append_packed_row(column_types(schema), std::vector<Value>{std::string("ab"), Value()}, row);
  ASSERT_EQ(store(generic.codec(), planes, std::string_view(row).substr(4), 1), 0);
  EXPECT_EQ(std::string(planes.bytes[0].begin() + 4, planes.bytes[0].end()), std::string("ab\0\0", 4));
  EXPECT_EQ(std::vector<uint8_t>(planes.bytes[1].begin() + 16, planes.bytes[1].end()), std::vector<uint8_t>(16, 0));
  EXPECT_EQ(planes.nulls[0][0] & 2, 0u);
  EXPECT_EQ(planes.nulls[1][0] & 2, 2u);
  EXPECT_EQ(planes.bytes[0][0], 0xaa);  // The neighbour is left alone.
}

TEST_F(RowCodecTest, StoresEightBytesOfALongStringInThePlane) {
  Schema schema;
  schema.columns = {{"v", {TypeKind::kVarchar, 0, 0, 12}, true, {}}, {"c", {TypeKind::kChar, 0, 0, 9}, true, {}}};
  const GenericRowCodec generic(schema);
  const std::string filler(12, '\0');
  for (const std::string text : {"", "a", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijkl"}) {
    Planes planes(schema, 3);
    std::string row;
    append_packed_row(column_types(schema), std::vector<Value>{text, Value()}, row);
    ASSERT_EQ(store(generic.codec(), planes, std::string_view(row).substr(4), 1), 0);
    const std::string padded = (text + filler).substr(0, 12);
    const auto held = [&](size_t plane, uint32_t slot, uint32_t width) {
      const auto begin = planes.bytes[plane].begin() + static_cast<std::ptrdiff_t>(slot * width);
      return std::string(begin, begin + width);
    };
    EXPECT_EQ(held(0, 1, 8), padded.substr(0, 8));
    EXPECT_EQ(held(2, 1, 4), padded.substr(8));
    EXPECT_EQ(held(1, 1, 8) + held(3, 1, 1), filler.substr(0, 9)) << "NULL leaves zeros in both";
    for (const uint32_t neighbour : {0u, 2u}) {
      EXPECT_EQ(held(0, neighbour, 8) + held(2, neighbour, 4), std::string(12, '\xaa'));
      EXPECT_EQ(held(1, neighbour, 8) + held(3, neighbour, 1), std::string(9, '\xaa'));
    }
    EXPECT_EQ(load(schema, planes, 1, {0, 1}), row);
  }
}

TEST_F(RowCodecTest, MalformedRowsAreRefused) {
  Schema schema;
  schema.columns = {{"b", {TypeKind::kBool}, false, {}}, {"v", {TypeKind::kVarchar, 0, 0, 2}, true, {}}};
  const GenericRowCodec generic(schema);
  Planes planes(schema, 1);
  const auto code = [&](std::string_view row) { return store(generic.codec(), planes, row, 0); };
  EXPECT_EQ(code(std::string("\0\1\2\0ab", 6)), 0);
  EXPECT_LT(code(std::string("\0\2\2\0ab", 6)), 0);   // Neither 0 nor 1.
  EXPECT_LT(code(std::string("\1\2\0ab", 5)), 0);     // NULL where it is forbidden.
  EXPECT_LT(code(std::string("\0\1\3\0abc", 7)), 0);  // Too long.
  EXPECT_LT(code(std::string("\0\1\2\0a", 5)), 0);    // Cut short.
  EXPECT_LT(code(std::string("\0\1\2\0abc", 7)), 0);  // Left over.
  EXPECT_LT(code(std::string("\4\1\2\0ab", 6)), 0);   // A NULL bit beyond the last column.
  EXPECT_LT(code(""), 0);
}

}  // namespace
}  // namespace daedalus::semantics

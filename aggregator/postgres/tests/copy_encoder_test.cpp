#include "copy_encoder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "byte_order.hpp"
#include "copy_binary.hpp"
#include "copy_twin.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres {
namespace {

using semantics::Value;

CopyOptions encoder_options(const std::string& list) {
  const auto copy = aggregator::read_copy("COPY t TO STDOUT " + list);
  return *read_copy_options(*copy);
}

std::string text(const std::string& list, std::string_view value) {
  std::string out;
  append_copy_text(encoder_options(list), value, out);
  return out;
}

std::string csv(const std::string& list, std::string_view value, CsvPlace place = {}) {
  std::string out;
  append_copy_csv(encoder_options("(FORMAT csv" + list + ")"), value, place, out);
  return out;
}

TEST(CopyEncoderTest, TextEscapesWhatWouldBeReadOtherwise) {
  EXPECT_EQ(text("", "a\tb\nc\\d\r\b\f\v"), "a\\tb\\nc\\\\d\\r\\b\\f\\v");
  EXPECT_EQ(text("(DELIMITER '|')", "a|b\tc"), "a\\|b\\tc");
  EXPECT_EQ(text("", "Zo\xc3\xab\x01"), "Zo\xc3\xab\x01");
}

TEST(CopyEncoderTest, CsvQuotesWhatWouldBeReadOtherwise) {
  EXPECT_EQ(csv("", "plain"), "plain");
  EXPECT_EQ(csv("", ""), "\"\"") << "NULL is nothing at all";
  EXPECT_EQ(csv(", NULL 'nil'", "nil"), "\"nil\"");
  EXPECT_EQ(csv(", NULL 'nil'", ""), "");
  EXPECT_EQ(csv("", "a,b"), "\"a,b\"");
  EXPECT_EQ(csv("", "say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv(", ESCAPE '\\'", "a\\\"\n"), "\"a\\\\\\\"\n\"");
  EXPECT_EQ(csv("", "\\.", {false, true}), "\"\\.\"");
  EXPECT_EQ(csv("", "\\."), "\\.");
  EXPECT_EQ(csv("", "plain", {true, false}), "\"plain\"");
}

TEST(CopyEncoderTest, ReadsBackItsOwnOutput) {
  std::mt19937_64 random(20);
  constexpr std::string_view kCharacters = "\\.,\t\n\"abN|";
  for (const char* const list : {"", "(DELIMITER '|')", "(FORMAT csv)", "(FORMAT csv, ESCAPE '\\', DELIMITER '|')"}) {
    const CopyOptions options = encoder_options(list);
    for (int turn = 0; turn < 2'000; ++turn) {
      std::vector<std::optional<std::string>> row;
      std::string line;
      const size_t count = 1 + random() % 3;
      for (size_t column = 0; column < count; ++column) {
        std::string value;
        for (auto left = random() % 6; left > 0; --left) {
          value += kCharacters[random() % kCharacters.size()];
        }
        line += column > 0 ? std::string(1, options.delimiter) : "";
        if (random() % 8 == 0) {
          line += options.null_text;
          row.emplace_back();
        } else if (options.format == CopyFormat::kCsv) {
          append_copy_csv(options, value, {false, count == 1}, line);
          row.emplace_back(value);
        } else {
          append_copy_text(options, value, line);
          row.emplace_back(value);
        }
      }
      if (line.empty()) {
        continue;  // A NULL alone on its line: the last line of all is not there.
      }
      const testing::CopyLinesSeen seen = testing::split_copy(options, line + "\n", 3);
      ASSERT_EQ(seen.mistake, "") << list << ": " << line;
      ASSERT_EQ(seen.rows, decltype(seen.rows){row}) << list << ": " << line;
    }
  }
}

std::string packed(const std::vector<std::vector<Value>>& rows) {
  const auto types = semantics::column_types(*testing::tickets());
  std::string bytes;
  for (const auto& row : rows) {
    semantics::append_packed_row(types, row, bytes);
  }
  return bytes;
}

/// Bodies of the messages, each behind its type.
std::string messages(std::string_view bytes) {
  std::string shown;
  while (bytes.size() >= 5) {
    const auto length = read_big_endian<uint32_t>(bytes.substr(1));
    shown += bytes[0];
    shown += '[';
    shown += bytes.substr(5, length - 4);
    shown += ']';
    bytes.remove_prefix(length + 1);
  }
  return shown;
}

TEST(CopyEncoderTest, EachRowIsAMessage) {
  const auto encoder = CopyEncoder::make(testing::tickets()->columns,
                                         encoder_options("(FORMAT csv, HEADER, FORCE_QUOTE (name))"), "tickets");
  ASSERT_TRUE(encoder.has_value());
  const std::string rows = packed({{int64_t{1}, int64_t{15'744}, std::string("x")}, {int64_t{2}, Value(), Value()}});
  std::string_view rest = rows;
  std::string out;
  ASSERT_TRUE((*encoder)->begin(out));
  ASSERT_TRUE((*encoder)->encode_first(rest, out).has_value());
  ASSERT_TRUE((*encoder)->encode(rest, SIZE_MAX, out).has_value());
  (*encoder)->end(true, out);
  const std::string head("\0\0\3\0\0\0\0\0\0", 9);
  EXPECT_EQ(messages(out), "H[" + head + "]d[id,day,name\n]d[1,2013-02-08,\"x\"\n]d[2,,\n]c[]");
}

TEST(CopyEncoderTest, BinaryBeginsInItsFirstRowsMessage) {
  const auto encoder = CopyEncoder::make(testing::tickets()->columns, encoder_options("(FORMAT binary)"), "tickets");
  ASSERT_TRUE(encoder.has_value());
  const std::string rows = packed({{int64_t{1}, Value(), std::string("x")}});
  std::string_view rest = rows;
  std::string out;
  ASSERT_TRUE((*encoder)->encode_first(rest, out).has_value());
  (*encoder)->end(true, out);
  const std::string row("\0\3\0\0\0\4\0\0\0\1\377\377\377\377\0\0\0\1x", 19);
  EXPECT_EQ(messages(out), "d[" + std::string(binary_header()) + row + "]d[\xff\xff]c[]");
  std::string empty;
  (*encoder)->end(false, empty);
  EXPECT_EQ(messages(empty), "d[" + std::string(binary_header()) + "\xff\xff]c[]");
}

TEST(CopyEncoderTest, QuotesAreForcedOnColumnsThatAreThere) {
  const auto columns = testing::tickets()->columns;
  EXPECT_EQ(CopyEncoder::make(columns, encoder_options("(FORMAT csv, FORCE_QUOTE (x))"), "").error().message,
            "column \"x\" does not exist");
  EXPECT_EQ(CopyEncoder::make(columns, encoder_options("(FORMAT csv, FORCE_QUOTE (x))"), "tickets").error().message,
            "FORCE_QUOTE column \"x\" not referenced by COPY");
}

}  // namespace
}  // namespace daedalus::postgres

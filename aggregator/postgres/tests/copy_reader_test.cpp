// Bytes to rows: the parsers against their twin, any split against one piece, and what is said of what is wrong.
#include "copy_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "byte_order.hpp"
#include "copy_encoder.hpp"
#include "copy_twin.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres {
namespace {

using namespace std::string_view_literals;
using testing::CopyLinesSeen;
using testing::plain_copy;
using testing::split_copy;

CopyOptions options_of(std::string_view list) {
  const auto copy = aggregator::read_copy(fmt::format("COPY t FROM STDIN {}", list));
  EXPECT_TRUE(copy.has_value()) << list;
  auto options = read_copy_options(*copy);
  EXPECT_TRUE(options.has_value()) << list;
  return *options;
}

/// Copies these bytes into tickets, given some at a time, and returns the rows as text, then the mistake.
std::string read(std::string_view list, std::string_view bytes, size_t piece = SIZE_MAX,
                 const std::vector<std::string>& columns = {}, CopyBound bound = {}) {
  const auto schema = testing::tickets();
  auto positions = copy_columns(*schema, columns);
  auto reader = CopyReader::make({schema, *positions, options_of(list)}, bound);
  EXPECT_TRUE(reader.has_value());
  const auto types = semantics::column_types(*schema);
  std::string shown;
  for (size_t begin = 0; begin <= bytes.size();) {
    (*reader)->feed(bytes.substr(begin, piece));
    begin = piece > bytes.size() - begin ? bytes.size() + 1 : begin + piece;
    if (begin > bytes.size()) {
      (*reader)->end();
    }
    for (bool is_drained = false; !is_drained;) {
      CopyRows rows = (*reader)->next(/*now_us=*/0);
      is_drained = rows.is_drained;
      semantics::PackedRows packed(rows.rows);
      for (auto row = packed.next(); row && *row; row = packed.next()) {
        const auto values = semantics::read_packed_row(types, **row);
        for (size_t column = 0; column < values->size(); ++column) {
          const auto& value = (*values)[column];
          shown += (column == 0 ? "(" : ",") +
                   (semantics::is_null(value) ? "null" : semantics::format_text(types[column], value));
        }
        shown += ")";
      }
      if (rows.failure) {
        return fmt::format("{}{} {} in {}", shown, rows.failure->error.sqlstate, rows.failure->error.message,
                           rows.failure->context);
      }
    }
  }
  return shown;
}

TEST(CopyReaderTest, RowsOfText) {
  EXPECT_EQ(read("", "1\t2013-02-08\tZo\xc3\xab\n2\t\\N\t\\N\n"), "(1,2013-02-08,Zo\xc3\xab)(2,null,null)");
  EXPECT_EQ(read("", "1\t2013-02-08\ta\\tb\\\\\\101\\x41\\\nc"), "(1,2013-02-08,a\tb\\AA\nc)");
  EXPECT_EQ(read("", "1\t\\N\ta\r\n2\t\\N\tb\r\n"), "(1,null,a)(2,null,b)");
  EXPECT_EQ(read("", "1\t\\N\ta\n\\.\nwhatever\n"), "(1,null,a)");
  EXPECT_EQ(read("", "7\n", 1, {"id"}), "(7,null,none)");
  EXPECT_EQ(read("(DELIMITER '|', NULL 'nil')", "x|1\nnil|2\n", 1, {"name", "id"}), "(1,null,x)(2,null,null)");
}

TEST(CopyReaderTest, RowsOfCsv) {
  EXPECT_EQ(read("CSV HEADER", "id,day,name\n1,,\"a,\"\"b\"\n2,2013-02-08,\"\"\n"), "(1,null,a,\"b)(2,2013-02-08,)");
  EXPECT_EQ(read("CSV", "1,,\"two\nlines\"\r\n2,,x\r\n"), "(1,null,two\nlines)(2,null,x)");
  EXPECT_EQ(read("(FORMAT csv, HEADER match)", "id,name\n1,\\.\n", 3, {"id", "name"}), "(1,null,\\.)");
  EXPECT_EQ(read("(FORMAT csv, FORCE_NOT_NULL (name))", "1,,\n"), "(1,null,)");
  EXPECT_EQ(read("(FORMAT csv, FORCE_NULL (name))", "1,,\"\"\n"), "(1,null,null)");
  EXPECT_EQ(read("(FORMAT csv, ESCAPE '\\')", "1,,\"a\\\"b\"\n"), "(1,null,a\"b)");
}

TEST(CopyReaderTest, NamesTheLineAndTheColumnOfAMistake) {
  EXPECT_EQ(read("", "1\t\\N\ta\nx\t\\N\tb\n"),
            "(1,null,a)22P02 invalid input syntax for type integer: \"x\" in COPY tickets, line 2, column id: \"x\"");
  EXPECT_EQ(read("", "1\t\\N\n"), "22P04 missing data for column \"name\" in COPY tickets, line 1: \"1\t\\N\"");
  EXPECT_EQ(read("", "1\t\\N\ta\tb\n"),
            "22P04 extra data after last expected column in COPY tickets, line 1: \"1\t\\N\ta\tb\"");
  EXPECT_EQ(read("", "\\N\t\\N\ta\n"),
            "23502 null value in column \"id\" of relation \"tickets\" violates not-null constraint in COPY tickets, "
            "line 1: \"\\N\t\\N\ta\"");
  EXPECT_EQ(read("", "1\t\\N\ta\n2\t\\N\tb\r3"),
            "(1,null,a)22P04 literal carriage return found in data in COPY tickets, line 2");
  EXPECT_EQ(read("CSV", "1,,a\r2,,b\n"), "(1,null,a)22P04 unquoted newline found in data in COPY tickets, line 2");
  EXPECT_EQ(read("CSV", "1,,\"a\n2,,b\n"),
            "22P04 unterminated CSV quoted field in COPY tickets, line 1: \"1,,\"a\n2,,b\n\"");
  EXPECT_EQ(read("", "1\t\\N\t\xff\n"),
            "22021 invalid byte sequence for encoding \"UTF8\": 0xff in COPY tickets, line 1");
  EXPECT_EQ(read("", "1\t\\N\t\\303a\n"),
            "22021 invalid byte sequence for encoding \"UTF8\": 0xc3 0x61 in COPY tickets, line 1: \"1\t\\N\t\\303a\"");
  EXPECT_EQ(read("", "1\t\\N\t" + std::string(200, 'n') + "\n"),
            "22001 value too long for type character varying(20) in COPY tickets, line 1, column name: \"" +
                std::string(100, 'n') + "...\"");
  EXPECT_EQ(
      read("(HEADER match)", "id\tdate\tname\n"),
      "22P04 column name mismatch in header line field 2: got \"date\", expected \"day\" in COPY tickets, line 1: "
      "\"id\tdate\tname\"");
  EXPECT_EQ(read("", "1\t\\N\ta\\.b\n"), "22P04 end-of-copy marker corrupt in COPY tickets, line 1");
}

std::string be32(int32_t number) {
  std::string bytes;
  append_big_endian(number, bytes);
  return bytes;
}

std::string binary_row(const std::vector<std::string>& fields) {
  std::string bytes;
  append_big_endian(static_cast<int16_t>(fields.size()), bytes);
  for (const std::string& field : fields) {
    bytes += field == "null" ? be32(-1) : be32(static_cast<int32_t>(field.size())) + field;
  }
  return bytes;
}

TEST(CopyReaderTest, RowsOfBinary) {
  const std::string header(binary_header());
  const std::string rows = binary_row({be32(7), be32(4787), "Zo\xc3\xab"}) + binary_row({be32(8), "null", "null"});
  const std::string shown = "(7,2013-02-08,Zo\xc3\xab)(8,null,null)";
  for (size_t piece = 1; piece < 80; ++piece) {
    EXPECT_EQ(read("BINARY", header + rows + "\xff\xff", piece), shown);
  }
  EXPECT_EQ(read("BINARY", header + rows), shown) << "a trailer is not insisted on";
  EXPECT_EQ(read("BINARY", header.substr(0, 15) + be32(3) + "ext" + rows), shown);
  EXPECT_EQ(read("BINARY", "no COPY"), "22P04 COPY file signature not recognized in ");
  EXPECT_EQ(read("BINARY", header.substr(0, 12)), "22P04 invalid COPY file header (missing flags) in ");
  EXPECT_EQ(read("BINARY", header + binary_row({"a"})),
            "22P04 row field count is 1, expected 3 in COPY tickets, line 1");
  EXPECT_EQ(read("BINARY", header + rows + binary_row({"abc", "null", "null"})),
            shown + "22P03 incorrect binary data format in COPY tickets, line 3, column id");
  EXPECT_EQ(read("BINARY", header + rows.substr(0, 8)),
            "22P04 unexpected EOF in COPY data in COPY tickets, line 1, column id");
  EXPECT_EQ(read("BINARY", header + "\xff\xff" + "x"),
            "22P04 received copy data after EOF marker in COPY tickets, line 1");
}

TEST(CopyReaderTest, MoreThanOneUpdateTakesIsRefusedAtItsRow) {
  EXPECT_EQ(read("", "1\t\\N\ta\n2\t\\N\tb\n3\t\\N\tc\n", SIZE_MAX, {}, {2, UINT64_MAX}),
            "(1,null,a)(2,null,b)54000 one update takes at most 65536 rows and 8388608 bytes in COPY tickets, line 3: "
            "\"3\t\\N\tc\"");
  EXPECT_TRUE(read("", "1\t\\N\ta\n2\t\\N\tb\n", SIZE_MAX, {}, {9, 20}).starts_with("(1,null,a)54000"));
}

TEST(CopyReaderTest, RowsComeInPortions) {
  std::string bytes;
  for (int row = 0; row < 40'000; ++row) {
    bytes += fmt::format("{}\n", row);
  }
  const auto schema = testing::tickets();
  auto reader = CopyReader::make({schema, {0}, options_of("")}, {});
  (*reader)->feed(bytes);
  uint32_t rows = 0;
  for (bool is_drained = false; !is_drained;) {
    const CopyRows portion = (*reader)->next(0);
    EXPECT_LE(portion.row_count, CopyReader::kPortionRows);
    rows += portion.row_count;
    EXPECT_EQ(portion.last_line, portion.row_count > 0 ? rows : 0);
    is_drained = portion.is_drained;
  }
  EXPECT_EQ(rows, 40'000u);
}

TEST(CopyReaderTest, ColumnsAreNamedOnceAndExist) {
  EXPECT_EQ(copy_columns(*testing::tickets(), {"day", "id"}).value(), (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(copy_columns(*testing::tickets(), {"dax"}).error().sqlstate, "42703");
  EXPECT_EQ(copy_columns(*testing::tickets(), {"id", "id"}).error().sqlstate, "42701");
  auto refused = CopyReader::make({testing::tickets(), {0}, options_of("(FORMAT csv, FORCE_NULL (day))")}, {});
  EXPECT_EQ(refused.error().message, "FORCE_NULL column \"day\" not referenced by COPY");
}

struct Alphabet {
  const char* list;
  std::string_view characters;
};

TEST(CopyReaderTest, AnySplitGivesWhatThePlainTwinGives) {
  const Alphabet alphabets[] = {{"", "\\\\\\.N\n\nzy1x4\t\t"},
                                {"(DELIMITER ';', NULL '')", "\\.;;\n\nzx41"},
                                {"CSV", "\"\"\"\\.,,\n\nab"},
                                {"(FORMAT csv, ESCAPE '\\', NULL 'a')", "\"\"\\\\.,\n\nab"},
                                {"(FORMAT csv, QUOTE 'q', ESCAPE 'e', DELIMITER '|')", "qqee|\n\nx\\."}};
  std::mt19937_64 random(20);
  for (int turn = 0; turn < 20'000; ++turn) {
    const Alphabet& alphabet = alphabets[static_cast<size_t>(turn) % std::size(alphabets)];
    const CopyOptions options = options_of(alphabet.list);
    std::string bytes;
    for (auto left = random() % 24; left > 0; --left) {
      bytes += alphabet.characters[random() % alphabet.characters.size()];
    }
    const CopyLinesSeen plain = plain_copy(options, bytes);
    for (const size_t piece : {size_t{1}, size_t{1 + random() % 5}, bytes.size() + 1}) {
      const CopyLinesSeen seen = split_copy(options, bytes, piece);
      ASSERT_EQ(seen.rows, plain.rows) << alphabet.list << " by " << piece << ":\n" << bytes;
      ASSERT_EQ(seen.mistake, plain.mistake) << alphabet.list << " by " << piece << ":\n" << bytes;
    }
  }
}

}  // namespace
}  // namespace daedalus::postgres

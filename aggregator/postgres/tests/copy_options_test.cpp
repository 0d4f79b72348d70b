#include "copy_options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace daedalus::postgres {
namespace {

std::string mistake(const std::string& sql) {
  const auto copy = aggregator::read_copy(sql);
  EXPECT_TRUE(copy.has_value()) << sql;
  const auto options = read_copy_options(*copy);
  EXPECT_FALSE(options.has_value()) << sql;
  return options
             ? ""
             : fmt::format("{} {} @{}", options.error().sqlstate, options.error().message, options.error().position);
}

CopyOptions options(const std::string& sql) {
  const auto copy = aggregator::read_copy(sql);
  auto read = read_copy_options(*copy);
  EXPECT_TRUE(read.has_value()) << sql << (read ? "" : read.error().message);
  return *read;
}

TEST(CopyOptionsTest, DefaultsAreThoseOfTheFormat) {
  const CopyOptions text = options("COPY t FROM STDIN");
  EXPECT_EQ(text.format, CopyFormat::kText);
  EXPECT_EQ(text.delimiter, '\t');
  EXPECT_EQ(text.null_text, "\\N");
  const CopyOptions csv = options("COPY t FROM STDIN (FORMAT csv)");
  EXPECT_EQ(csv.delimiter, ',');
  EXPECT_EQ(csv.null_text, "");
  EXPECT_EQ(csv.quote, '"');
  EXPECT_EQ(csv.escape, '"');
  EXPECT_EQ(options("COPY t FROM STDIN CSV QUOTE ''''").escape, '\'');
  EXPECT_EQ(options("COPY t FROM STDIN BINARY").format, CopyFormat::kBinary);
}

TEST(CopyOptionsTest, HeaderIsABooleanOrMatch) {
  EXPECT_TRUE(options("COPY t TO STDOUT (HEADER)").has_header);
  EXPECT_TRUE(options("COPY t FROM STDIN (HEADER on, FORMAT csv)").has_header);
  EXPECT_FALSE(options("COPY t FROM STDIN (HEADER 0)").has_header);
  EXPECT_TRUE(options("COPY t FROM STDIN (HEADER match)").checks_header);
  EXPECT_EQ(mistake("COPY t FROM STDIN (HEADER perhaps)"), "42601 header requires a Boolean value or \"match\" @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (HEADER match)"), "0A000 cannot use \"match\" with HEADER in COPY TO @0");
}

TEST(CopyOptionsTest, NamesMistakesInPostgresWords) {
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT xml)"), "22023 COPY format \"xml\" not recognized @19");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT csv, FORMAT text)"), "42601 conflicting or redundant options @31");
  EXPECT_EQ(mistake("COPY t TO STDOUT (colour red)"), "42601 option \"colour\" not recognized @19");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT binary, DELIMITER ',')"),
            "42601 cannot specify DELIMITER in BINARY mode @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT binary, NULL '')"), "42601 cannot specify NULL in BINARY mode @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT binary, HEADER)"), "0A000 cannot specify HEADER in BINARY mode @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (DELIMITER '||')"),
            "0A000 COPY delimiter must be a single one-byte character @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (DELIMITER 'a')"), "22023 COPY delimiter cannot be \"a\" @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (DELIMITER e'\\n')"),
            "22023 COPY delimiter cannot be newline or carriage return @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (NULL e'\\r')"),
            "22023 COPY null representation cannot use newline or carriage return @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (QUOTE '|')"), "0A000 COPY quote available only in CSV mode @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (ESCAPE '|')"), "0A000 COPY escape available only in CSV mode @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT csv, DELIMITER '\"')"),
            "22023 COPY delimiter and quote must be different @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORCE_QUOTE *)"), "0A000 COPY force quote available only in CSV mode @0");
  EXPECT_EQ(mistake("COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE *)"),
            "0A000 COPY force quote only available using COPY TO @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (FORMAT csv, FORCE_NULL (a))"),
            "0A000 COPY force null only available using COPY FROM @0");
  EXPECT_EQ(mistake("COPY t FROM STDIN (FORMAT csv, FORCE_NOT_NULL *)"),
            "22023 argument to option \"force_not_null\" must be a list of column names @32");
  EXPECT_EQ(mistake("COPY t TO STDOUT (NULL 'a,b', FORMAT csv)"),
            "0A000 COPY delimiter must not appear in the NULL specification @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (NULL 'a\"', FORMAT csv)"),
            "0A000 CSV quote character must not appear in the NULL specification @0");
  EXPECT_EQ(mistake("COPY t TO STDOUT (ENCODING 'latin2')"), "0A000 COPY in encoding \"latin2\" is not supported @19");
}

}  // namespace
}  // namespace daedalus::postgres

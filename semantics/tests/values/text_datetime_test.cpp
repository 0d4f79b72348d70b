// Dates and timestamps from text. What rpc/vectors/datetimes.tsv expects is what PostgreSQL 15 answers: see
// tests/oracle/test_constants_against_postgres.py, which also compares thousands of random spellings.
#include <gtest/gtest.h>

#include <fstream>

#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

/// 2013-06-15 12:34:56.789.
constexpr int64_t kNowUs = 1'371'299'696'789'000;

/// Gives what parsing and printing again makes, or the error's code.
std::string moment_round_trip(const Type& type, std::string_view text, std::optional<int64_t> now_us = std::nullopt) {
  const Result<Value> value = parse_text(type, text, now_us);
  return value ? format_text(type, *value) : value.error().sqlstate;
}

TEST(ParseDatetime, SpellingsReadAsPostgresReadsThem) {
  std::ifstream vectors(DATETIME_VECTORS);
  size_t count = 0;
  for (std::string line; std::getline(vectors, line); ++count) {
    const size_t first = line.find('\t');
    const size_t second = line.rfind('\t');
    ASSERT_LT(first, second) << line;
    const Type& type = line.starts_with("date\t")          ? kDate
                       : line.starts_with("timestamptz\t") ? kTimestampTz
                       : line.starts_with("time\t")        ? kTime
                                                           : kTimestamp;
    EXPECT_EQ(moment_round_trip(type, line.substr(first + 1, second - first - 1)), line.substr(second + 1)) << line;
  }
  EXPECT_GT(count, 2'000u);
}

TEST(ParseDatetime, WordsForTodayMeanTheTimeThatIsGiven) {
  EXPECT_EQ(moment_round_trip(kDate, "today", kNowUs), "2013-06-15");
  EXPECT_EQ(moment_round_trip(kDate, " ToMorrow ", kNowUs), "2013-06-16");
  EXPECT_EQ(moment_round_trip(kDate, "yesterday", kNowUs), "2013-06-14");
  EXPECT_EQ(moment_round_trip(kDate, "now", kNowUs), "2013-06-15");
  EXPECT_EQ(moment_round_trip(kTimestamp, "now", kNowUs), "2013-06-15 12:34:56.789");
  EXPECT_EQ(moment_round_trip(kTimestamp, "today", kNowUs), "2013-06-15 00:00:00");
  EXPECT_EQ(moment_round_trip(kTimestamp, "tomorrow 8:30 am", kNowUs), "2013-06-16 08:30:00");
  EXPECT_EQ(moment_round_trip(kTimestamp, "yesterday allballs", kNowUs), "2013-06-14 00:00:00");
  EXPECT_EQ(moment_round_trip(kTimestamp, "now today", kNowUs), "22007");
  EXPECT_EQ(moment_round_trip(kTime, "now", kNowUs), "12:34:56.789");
  EXPECT_EQ(moment_round_trip(kTime, "today", kNowUs), "22007");
  EXPECT_EQ(moment_round_trip(kTimestamp, "yesterday", int64_t{-1}), "1969-12-30 00:00:00");
}

TEST(ParseDatetime, WordsForTodayAreRefusedByNameWhereTheTimeIsNotKnown) {
  for (const char* text : {"today", "tomorrow 8:30", "yesterday", "now"}) {
    const Result<Value> value = parse_text(kTimestamp, text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().sqlstate, "0A000") << text;
    EXPECT_NE(value.error().message.find(std::string_view(text).substr(0, 3)), std::string::npos) << text;
  }
}

TEST(ParseDatetime, ErrorsAreThoseOfPostgresOrNameWhatIsNotSupported) {
  const auto message = [](const Type& type, std::string_view text) { return parse_text(type, text).error().message; };
  EXPECT_EQ(message(kDate, "x"), "invalid input syntax for type date: \"x\"");
  EXPECT_EQ(message(kTime, "x"), "invalid input syntax for type time: \"x\"");
  EXPECT_EQ(message(kTime, "24:00:01"), "date/time field value out of range: \"24:00:01\"");
  EXPECT_EQ(message(kTime, "now"), "the time \"now\" is not supported: \"now\"");
  EXPECT_EQ(message(kTimestamp, "x"), "invalid input syntax for type timestamp: \"x\"");
  EXPECT_EQ(message(kDate, "30/06/2013"), "date/time field value out of range: \"30/06/2013\"");
  EXPECT_EQ(message(kDate, "5874898-01-01"), "date out of range: \"5874898-01-01\"");
  EXPECT_EQ(message(kTimestamp, "294277-01-01"), "timestamp out of range: \"294277-01-01\"");
  EXPECT_EQ(message(kTimestamp, "2013-06-30 1:2+16"), "time zone displacement out of range: \"2013-06-30 1:2+16\"");
  EXPECT_EQ(message(kTimestamp, "2013-06-30 1:2 a/b"), "time zone not recognized: \"2013-06-30 1:2 a/b\"");
  EXPECT_EQ(message(kDate, "44-03-15 BC"), "date/time field value out of range: \"44-03-15 BC\"");
  EXPECT_EQ(message(kDate, "0044-03-15 BC"), "dates before the year 1 are not supported: \"0044-03-15 BC\"");
  EXPECT_EQ(message(kTimestamp, "294247-01-01"),
            "timestamps after the year 294246 are not supported: \"294247-01-01\"");
  EXPECT_EQ(message(kTimestamp, "2013-06-30 Asia/Tokyo"),
            "the name of a place as time zone is not supported: \"2013-06-30 Asia/Tokyo\"");
}

TEST(ParseDatetime, LengthAndNumberOfFieldsAreBounded) {
  const std::string zeros(108, '0');
  EXPECT_EQ(moment_round_trip(kTimestamp, "2013-06-30 01:02:03." + zeros), "2013-06-30 01:02:03");
  EXPECT_EQ(moment_round_trip(kTimestamp, "2013-06-30 01:02:03." + zeros + zeros), "22007");
  std::string weekdays;
  for (int i = 0; i < 30; ++i) {
    weekdays += "on ";
  }
  EXPECT_EQ(moment_round_trip(kDate, weekdays + "June 3 2013"), "22007");
  EXPECT_EQ(moment_round_trip(kDate, "99999999999999999999-01-01"), "22008");
  EXPECT_EQ(moment_round_trip(kTimestamp, "2013-06-30 99999999999999999999:00"), "22008");
  EXPECT_EQ(moment_round_trip(kDate, std::string_view("2013-06-30\0", 11)), "22007");
}

TEST(FormatText, EveryDayReadsBackAsItself) {
  for (int64_t day = kDateDaysMin; day <= kDateDaysMax; day += day > -800'000 && day < 800'000 ? 1 : 99'991) {
    const std::string text = format_text(kDate, day);
    const Result<Value> back = parse_text(kDate, text);
    ASSERT_TRUE(back && *back == Value(day)) << text;
  }
}

}  // namespace
}  // namespace daedalus::semantics

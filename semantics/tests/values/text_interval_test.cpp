// Intervals from text. tests/oracle/test_constants_against_postgres.py compares thousands of random spellings with
// PostgreSQL 15.
#include <gtest/gtest.h>

#include "daedalus/semantics/interval_modifier.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::semantics {
namespace {

struct Spelling {
  const char* text;
  const char* expected;
};

std::string interval_round_trip(std::string_view text, IntervalModifier modifier = {}) {
  const Result<Value> value = parse_interval(text, modifier);
  return value ? format_text(Type{TypeKind::kInterval}, *value) : value.error().sqlstate;
}

TEST(ParseInterval, SpellingsReadAsPostgresReadsThem) {
  for (const auto& [text, expected] : std::initializer_list<Spelling>{
           {"1 year 2 mons -3 days 04:05:06.5", "1 year 2 mons -3 days +04:05:06.5"},
           {"@ 1 day, 2 hours ago", "-1 days -02:00:00"},
           {"3days", "3 days"},
           {"1.5 years 0.25 days", "1 year 6 mons 06:00:00"},
           {"1.5 months", "1 mon 15 days"},
           {"0.5 weeks", "3 days 12:00:00"},
           {"-0.5", "-00:00:00.5"},
           {"1-2", "1 year 2 mons"},
           {"-1-2", "-1 years -2 mons"},
           {"1 2:03", "1 day 02:03:00"},
           {"-1 -2:03:04", "-1 days -02:03:04"},
           {"1 2 hours", "1 day 02:00:00"},
           {"2:03.5", "00:02:03.5"},
           {"1 mil 2 dec", "1020 years"},
           {"00:00:60", "00:01:00"},
           {"P1Y2M3W4DT5H6M7.5S", "1 year 2 mons 25 days 05:06:07.5"},
           {"P-1Y2M", "-10 mons"},
           {"P0001-02-03T04:05:06", "1 year 2 mons 3 days 04:05:06"},
           {"P00010203T040506", "1 year 2 mons 3 days 04:05:06"},
           {"PT36H", "36:00:00"},
       }) {
    EXPECT_EQ(interval_round_trip(text), expected) << text;
  }
}

TEST(ParseInterval, MistakesHavePostgresCodes) {
  for (const auto& [text, expected] : std::initializer_list<Spelling>{
           {"", "22007"},
           {"ago", "22007"},
           {"one day", "22007"},
           {"1 day 2 days", "22007"},
           {"1 hour 02:03", "22007"},
           {"1 quarter", "22007"},
           {"1 2", "22007"},
           {"P", "22007"},
           {"P1", "1 year"},
           {"p1y", "22007"},
           {"PT1Y", "22007"},
           {"00:60", "22015"},
           {"1-12", "22015"},
           {"2147483648 days", "22015"},
           {"-2147483649 days 3 weeks", "22015"},
           {"1 day at", "22007"},
           {"99999999999999999999 s", "22015"},
           {"P99999999999999999Y", "22015"},
           {"178956971 years", "22008"},
       }) {
    EXPECT_EQ(interval_round_trip(text), expected) << text;
  }
}

TEST(ParseInterval, LengthAndNumberOfFieldsAreBounded) {
  EXPECT_EQ(interval_round_trip("1 day" + std::string(300, ' ')), "1 day");
  EXPECT_EQ(interval_round_trip(std::string(250, '0') + "1 us"), "00:00:00.000001");
  EXPECT_EQ(interval_round_trip(std::string(256, '0') + "1 us"), "22007");
  std::string fields = "1 day";
  for (int more = 0; more < 23; ++more) {
    fields += " ago";
  }
  EXPECT_EQ(interval_round_trip(fields), "-1 days");
  EXPECT_EQ(interval_round_trip(fields + " ago"), "22007");
}

TEST(ParseInterval, FieldsSayWhatANumberAloneIsAndWhatIsKept) {
  struct Kept {
    const char* text;
    IntervalModifier modifier;
    const char* expected;
  };
  for (const auto& [text, modifier, expected] : std::initializer_list<Kept>{
           {"90", {kDayField, {}}, "90 days"},
           {"90", {kYearField | kMonthField, {}}, "7 years 6 mons"},
           {"1 year 2 mons 3 days", {kYearField, {}}, "1 year"},
           {"1 year 2 mons 3 days 04:05:06", {kMonthField, {}}, "1 year 2 mons"},
           {"3 days 04:05:06", {kDayField, {}}, "3 days"},
           {"3 days 04:05:06", {kDayField | kHourField, {}}, "3 days 04:00:00"},
           {"-04:05:06", {kHourField | kMinuteField, {}}, "-04:05:00"},
           {"2:03", {kMinuteField | kSecondField, {}}, "00:02:03"},
           {"2:03", {kDayField | kHourField | kMinuteField, {}}, "02:03:00"},
           {"1.26 s", {kAllIntervalFields, 1}, "00:00:01.3"},
           {"-1.25 s", {kSecondField, 1}, "-00:00:01.3"},
           {"1.5 s", {kAllIntervalFields, 0}, "00:00:02"},
       }) {
    EXPECT_EQ(interval_round_trip(text, modifier), expected) << text;
    const auto again = interval_modifier(number_of(modifier));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->fields, modifier.fields);
    EXPECT_EQ(again->precision, modifier.precision);
  }
  EXPECT_TRUE(interval_modifier(-1)->is_none());
  EXPECT_EQ(number_of(IntervalModifier{}), -1);
  EXPECT_EQ(interval_modifier(5).error().sqlstate, "22023");
  EXPECT_EQ(interval_modifier(static_cast<int32_t>(kYearField | kDayField) << 16).error().sqlstate, "22023");
  EXPECT_EQ(interval_modifier((0x7fff << 16) + 7).error().sqlstate, "22023");
}

}  // namespace
}  // namespace daedalus::semantics

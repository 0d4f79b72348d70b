// Intervals in the four styles. tests/postgres/test_interval_style_against_postgres.py compares many more with
// PostgreSQL 15.
#include "daedalus/semantics/interval_style.hpp"

#include <gtest/gtest.h>

namespace daedalus::semantics {
namespace {

struct Shown {
  Interval interval;
  const char* postgres;
  const char* verbose;
  const char* standard;
  const char* iso;
};

std::string in_style(const char* name, const Interval& interval) {
  std::string text;
  append_interval_in(interval_style_of(name), interval, text);
  return text;
}

TEST(IntervalStyle, EachStyleShowsWhatPostgresShows) {
  for (const Shown& shown : std::initializer_list<Shown>{
           {{}, "00:00:00", "@ 0", "0", "PT0S"},
           {{14, 3, 14'706'500'000},
            "1 year 2 mons 3 days 04:05:06.5",
            "@ 1 year 2 mons 3 days 4 hours 5 mins 6.5 secs",
            "+1-2 +3 +4:05:06.5",
            "P1Y2M3DT4H5M6.5S"},
           {{-1, 1, 1'000'000},
            "-1 mons +1 day 00:00:01",
            "@ 1 mon -1 days -1 sec ago",
            "-0-1 +1 +0:00:01",
            "P-1M1DT1S"},
           {{0, -1, -3'600'000'000}, "-1 days -01:00:00", "@ 1 day 1 hour ago", "-1 1:00:00", "P-1DT-1H"},
           {{-14, 0, 0}, "-1 years -2 mons", "@ 1 year 2 mons ago", "-1-2", "P-1Y-2M"},
           {{0, 0, -500'000}, "-00:00:00.5", "@ 0.5 secs ago", "-0:00:00.5", "PT-0.5S"},
       }) {
    EXPECT_EQ(in_style("postgres", shown.interval), shown.postgres);
    EXPECT_EQ(in_style("postgres_verbose", shown.interval), shown.verbose);
    EXPECT_EQ(in_style("sql_standard", shown.interval), shown.standard);
    EXPECT_EQ(in_style("iso_8601", shown.interval), shown.iso);
  }
}

TEST(IntervalStyle, ASignInFrontOfSeveralFieldsIsReadOtherwiseInTheStandard) {
  for (const char* text : {"-1 2:03:04", "-1 day 2 hours", " -1-2 3", "- 1 year 2"}) {
    EXPECT_TRUE(is_read_otherwise_in_sql_standard(text)) << text;
  }
  for (const char* text : {"1 2:03:04", "-1 day", "-1-2", "-2:03:04", "-1.5 hours", "+1 -2", "-1 -2:03",
                           "-1 day +2 hours", "", "-", "P-1DT2H"}) {
    EXPECT_FALSE(is_read_otherwise_in_sql_standard(text)) << text;
  }
}

}  // namespace
}  // namespace daedalus::semantics

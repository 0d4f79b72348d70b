// Zones as they travel, and as POSIX spells them. What is expected here PostgreSQL 15 answers.
#include "daedalus/semantics/time_zone.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/text.hpp"

namespace daedalus::semantics {
namespace {

int64_t seconds(std::string_view text) {
  return std::get<int64_t>(*parse_text(Type{TypeKind::kTimestamp}, text)) / 1'000'000;
}

std::string bound(std::string_view name) {
  const Result<std::string> text = bind_zone(name, nullptr);
  return text ? *text : text.error().sqlstate;
}

int64_t offset(std::string_view name, std::string_view utc = "2024-07-01") {
  return BoundZone::read(bound(name))->offset_at(seconds(utc));
}

int64_t local_offset(std::string_view name, std::string_view local) {
  return BoundZone::read(bound(name))->offset_of_local(seconds(local));
}

TEST(TimeZone, AbbreviationsAndOffsetsNeedNoDatabase) {
  EXPECT_EQ(offset("utc"), 0);
  EXPECT_EQ(offset("EST"), -18'000);
  EXPECT_EQ(offset("cest"), 7'200);
  EXPECT_EQ(offset("UTC+3"), -10'800) << "west of UTC, as POSIX counts";
  EXPECT_EQ(offset("+02:30"), -9'000);
  EXPECT_EQ(offset("<abc>-05:45"), 20'700);
  EXPECT_EQ(bound("Europe/Zurich"), "0A000") << "there is no database";
  EXPECT_EQ(bound("EST5EDT"), "0A000") << "no rules";
  EXPECT_EQ(bound(std::string(256, 'x')), "22023");
}

TEST(TimeZone, RulesOfPosixHoldInEveryYear) {
  const std::string zone = "AST-1ADT,M3.5.0,M10.5.0/3";
  EXPECT_EQ(offset(zone, "2024-03-31 00:59:59"), 3'600);
  EXPECT_EQ(offset(zone, "2024-03-31 01:00:00"), 7'200);
  EXPECT_EQ(offset(zone, "2024-10-27 00:59:59"), 7'200);
  EXPECT_EQ(offset(zone, "2024-10-27 01:00:00"), 3'600);
  EXPECT_EQ(offset(zone, "9024-07-01"), 7'200);
  const std::string south = "AST3ADT,J274/0,60";
  EXPECT_EQ(offset(south, "2024-01-01"), -7'200);
  EXPECT_EQ(offset(south, "2024-07-01"), -10'800);
  EXPECT_EQ(offset("AST5ADT,0/0,J365/25", "2024-07-01"), -14'400) << "all the year";
}

TEST(TimeZone, ClocksThatArePutForwardAndBack) {
  const std::string zone = "AST-1ADT,M3.5.0,M10.5.0/3";
  EXPECT_EQ(local_offset(zone, "2024-03-31 01:59:59"), 3'600);
  EXPECT_EQ(local_offset(zone, "2024-03-31 02:30:00"), 3'600) << "there is no such time";
  EXPECT_EQ(local_offset(zone, "2024-03-31 03:00:00"), 7'200);
  EXPECT_EQ(local_offset(zone, "2024-10-27 01:59:59"), 7'200);
  EXPECT_EQ(local_offset(zone, "2024-10-27 02:00:00"), 3'600) << "it is there twice";
  EXPECT_EQ(local_offset(zone, "2024-10-27 03:00:00"), 3'600);
}

TEST(TimeZone, CountsOffsetsEast) {
  EXPECT_EQ(BoundZone::read(*bind_zone_or_offset("+02", nullptr))->offset_at(0), 7'200);
  EXPECT_EQ(BoundZone::read(*bind_zone_or_offset("EST", nullptr))->offset_at(0), -18'000);
  EXPECT_EQ(bind_zone_or_offset("2", nullptr).error().sqlstate, "22023");
  EXPECT_EQ(bind_zone_or_offset("+16", nullptr).error().sqlstate, "22023");
}

TEST(TimeZone, RefusesEachMalformedBoundZone) {
  for (const std::string text : {"", "0", "1", "000", "1zzz", "000000", "x0000000"}) {
    EXPECT_EQ(BoundZone::read(text).error().sqlstate, "08P01") << text;
  }
  const std::string whole = bound("AST-1ADT,M3.5.0,M10.5.0/3");
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string_view cut = std::string_view(whole).substr(0, size);
    if (const auto read = BoundZone::read(cut)) {
      EXPECT_EQ(read->offset_at(0), 3'600) << size;  // Without its rule it is a zone all the same.
    }
  }
  EXPECT_EQ(BoundZone::read(bind_no_zone(rejected("22023", "none"))).error().sqlstate, "22023");
}

}  // namespace
}  // namespace daedalus::semantics

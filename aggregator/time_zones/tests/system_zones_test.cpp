// Debian's zones, as far as they will not change any more.
#include "daedalus/time_zones/system_zones.hpp"

#include <gtest/gtest.h>

#include "daedalus/semantics/text.hpp"

namespace daedalus::time_zones {
namespace {

using semantics::BoundZone;
using semantics::Type;
using semantics::TypeKind;

constexpr int64_t kMicros = 1'000'000;

class SystemZonesTest : public ::testing::Test {
 protected:
  static int64_t seconds(const std::string& text) {
    return std::get<int64_t>(*semantics::parse_text(Type{TypeKind::kTimestamp}, text)) / kMicros;
  }
  /// Returns the moment that is read with this zone's name behind it.
  [[nodiscard]] std::string moment(const std::string& text) const {
    const Type type{TypeKind::kTimestampTz};
    const auto value = semantics::parse_text(type, text, std::nullopt, &zones_);
    return value ? semantics::format_text(type, *value) : value.error().sqlstate;
  }
  [[nodiscard]] int64_t offset(const std::string& zone, const std::string& utc) const {
    const auto text = semantics::bind_zone(zone, &zones_);
    return text ? BoundZone::read(*text)->offset_at(seconds(utc)) : -1;
  }

  SystemZones zones_;
};

TEST_F(SystemZonesTest, NamesAreFoundWhateverTheirCase) {
  EXPECT_NE(zones_.find("Europe/Zurich"), nullptr);
  EXPECT_EQ(zones_.find("europe/ZURICH"), zones_.find("Europe/Zurich"));
  EXPECT_EQ(zones_.find("Europe"), nullptr);
  EXPECT_EQ(zones_.find("tzdata.zi"), nullptr) << "a file, and none of a zone";
  EXPECT_EQ(zones_.find("../zoneinfo/UTC"), nullptr);
  EXPECT_EQ(zones_.find("right/UTC"), nullptr);
  EXPECT_FALSE(zones_.version().empty());
}

TEST_F(SystemZonesTest, OffsetsAreThoseOfTheTimeAndOfTheRuleBehindTheTable) {
  EXPECT_EQ(offset("Europe/Zurich", "1850-01-01"), 2'048) << "the sun's time";
  EXPECT_EQ(offset("Europe/Zurich", "2024-03-31 00:59:59"), 3'600);
  EXPECT_EQ(offset("Europe/Zurich", "2024-03-31 01:00:00"), 7'200);
  EXPECT_EQ(offset("Europe/Zurich", "2224-07-01"), 7'200);
  EXPECT_EQ(offset("Europe/Zurich", "2224-12-01"), 3'600);
  EXPECT_EQ(offset("America/Sao_Paulo", "2010-01-01"), -7'200);
  EXPECT_EQ(offset("America/Sao_Paulo", "2024-01-01"), -10'800);
  EXPECT_EQ(offset("Australia/Lord_Howe", "2024-01-01"), 39'600);
  EXPECT_EQ(offset("Australia/Lord_Howe", "2024-07-01"), 37'800);
}

TEST_F(SystemZonesTest, ATimeThatIsThereTwiceIsTheLaterOneAndOneThatIsNotGoesOnAsBefore) {
  EXPECT_EQ(moment("2024-10-27 02:30 Europe/Zurich"), "2024-10-27 01:30:00+00");
  EXPECT_EQ(moment("2024-03-31 02:30 Europe/Zurich"), "2024-03-31 01:30:00+00");
  EXPECT_EQ(moment("2024-07-01 12:00 Nowhere/City"), "22023");
  EXPECT_EQ(moment("2024-07-01 12:00 Europe/Nowhere"), "22023");
}

TEST_F(SystemZonesTest, AnAbbreviationMeansWhatItMeantThere) {
  EXPECT_EQ(offset("MSK", "2012-01-01"), 14'400);
  EXPECT_EQ(offset("msk", "2020-01-01"), 10'800);
  EXPECT_EQ(offset("CET", "2024-07-01"), 3'600) << "an abbreviation, not the zone of that name";
}

TEST_F(SystemZonesTest, EveryZoneOfTheMachineTravelsAndIsReadAgain) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSystemFolder)) {
    const std::string name = entry.path().lexically_relative(kSystemFolder).generic_string();
    if (const semantics::ZoneTable* zone = zones_.find(name); zone != nullptr && zone->transitions.size() > 1) {
      const auto text = semantics::bind_zone(name, &zones_);
      ASSERT_TRUE(text) << name;
      const auto bound = BoundZone::read(*text);
      ASSERT_TRUE(bound.has_value()) << name;
      for (const auto& transition : zone->transitions) {
        const bool is_abbreviation = name.find('/') == std::string::npos;
        EXPECT_TRUE(is_abbreviation || bound->offset_at(transition.at) == transition.offset) << name;
      }
    }
  }
}

TEST_F(SystemZonesTest, WithoutTheFolderOffsetsAreKnownAndNothingElseIs) {
  const SystemZones none("/nowhere");
  EXPECT_TRUE(none.version().empty());
  EXPECT_TRUE(semantics::bind_zone("UTC+3", &none).has_value());
  EXPECT_TRUE(semantics::bind_zone("EST", &none).has_value());
  EXPECT_EQ(semantics::bind_zone("Europe/Zurich", &none).error().sqlstate, "0A000");
  EXPECT_EQ(semantics::bind_zone("MSK", &none).error().sqlstate, "0A000");
}

}  // namespace
}  // namespace daedalus::time_zones

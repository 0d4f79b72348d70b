// Zones of sessions, and what is read and written by their clocks. What is expected here PostgreSQL 15 answers.
#include "daedalus/semantics/session_zone.hpp"

#include <gtest/gtest.h>

#include <map>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

/// One place, at which clocks were once put forward by an hour.
class OnePlace final : public TimeZones {
 public:
  [[nodiscard]] const ZoneTable* find(std::string_view name) const override {
    return name == "some/where" || name == "Some/Where" ? &table_ : nullptr;
  }
  [[nodiscard]] const std::string& version() const override { return version_; }

 private:
  ZoneTable table_{.name = "Some/Where", .first_offset = 0, .transitions = {{1'000'000, 3'600, "SWT"}}, .footer = {}};
  std::string version_ = "1";
};

std::shared_ptr<const SessionZone> zone(std::string_view name) {
  static const OnePlace kPlaces;
  auto found = SessionZone::find(name, &kPlaces);
  EXPECT_TRUE(found) << name;
  return found ? *found : *SessionZone::find("UTC", nullptr);
}

std::string sqlstate(std::string_view name, const TimeZones* zones = nullptr) {
  const auto found = SessionZone::find(name, zones);
  return found ? "" : found.error().sqlstate;
}

int64_t read(std::string_view text, std::string_view in, std::optional<int64_t> now_us = std::nullopt,
             TypeKind kind = TypeKind::kTimestampTz) {
  const auto value = parse_text(Type{kind}, text, now_us, nullptr, &zone(in)->zone());
  EXPECT_TRUE(value) << text;
  return value ? std::get<int64_t>(*value) : 0;
}

TEST(SessionZone, IsShownAsItsDatabaseSpellsItOrAsPosixDoes) {
  EXPECT_EQ(zone("some/where")->name(), "Some/Where");
  EXPECT_EQ(zone("cet-1cest,m3.5.0,m10.5.0/3")->name(), "CET-1CEST,M3.5.0,M10.5.0/3");
  const std::map<std::string, std::string> hours{
      {"-7", "<-07>+07"}, {"5.5", "<+05:30>-05:30"},         {"+3", "<+03>-03"},
      {"0", "<+00>-00"},  {"INTERVAL '-08:00'", "<-08>+08"}, {"interval '01:02:03'", "<+01:02:03>-01:02:03"}};
  for (const auto& [given, shown] : hours) {
    EXPECT_EQ(zone(given)->name(), shown);
    EXPECT_EQ(zone(shown)->bound(), zone(given)->bound()) << "it is found again";
  }
}

TEST(SessionZone, UtcHasManyNamesAndNeedsNoDatabase) {
  for (const std::string name : {"UTC", "gmt", "Etc/UTC", "zulu", "0", "+00", "<x>0"}) {
    const auto found = SessionZone::find(name, nullptr);
    ASSERT_TRUE(found) << name;
    EXPECT_TRUE((*found)->is_utc()) << name;
  }
  EXPECT_FALSE(zone("+1")->is_utc());
  EXPECT_FALSE(zone("Some/Where")->is_utc());
}

TEST(SessionZone, RefusesUnknownZones) {
  static const OnePlace kPlaces;
  EXPECT_EQ(sqlstate("Nowhere", &kPlaces), "22023");
  EXPECT_EQ(sqlstate("Some/Where"), "0A000") << "there is no database";
  EXPECT_EQ(sqlstate("", &kPlaces), "22023");
  EXPECT_EQ(sqlstate("cest", &kPlaces), "22023") << "an abbreviation is no zone of a session";
  EXPECT_EQ(sqlstate("169"), "22023") << "database or not";
  EXPECT_EQ(sqlstate("INTERVAL '1 month'", &kPlaces), "22023");
  EXPECT_EQ(sqlstate("INTERVAL '1 day'", &kPlaces), "22023");
  EXPECT_EQ(sqlstate("INTERVAL 'x'", &kPlaces), "22007");
  EXPECT_EQ(sqlstate("INTERVAL '", &kPlaces), "22023");
  EXPECT_EQ(sqlstate(std::string(10'000, 'x'), &kPlaces), "22023");
}

TEST(SessionZone, TimestampsWithoutAZoneAreByItsClocks) {
  constexpr int64_t kSecond = 1'000'000;
  EXPECT_EQ(read("1970-01-01 00:00", "+1"), -3'600 * kSecond);
  EXPECT_EQ(read("1970-01-01 00:00+00", "+1"), 0);
  EXPECT_EQ(read("1970-01-01 00:00 EST", "+1"), 18'000 * kSecond);
  EXPECT_EQ(read("1970-01-20", "Some/Where"), (19 * 86'400 - 3'600) * kSecond);
  EXPECT_EQ(read("epoch", "+1"), 0);
}

TEST(SessionZone, AMomentBeyondAllClocksWantsThePlaceOfItsTextToExist) {
  static const OnePlace kPlaces;
  const auto read_epoch = [](std::string_view text, const TimeZones* zones) {
    const auto value = parse_text(Type{TypeKind::kDate}, text, std::nullopt, zones, nullptr);
    return value ? "" : value.error().sqlstate;
  };
  EXPECT_EQ(read_epoch("2050-218 Europe/Zurich.s epoch", &kPlaces), "22023");
  EXPECT_EQ(read_epoch("2050-218 Europe/Zurich.s infinity", &kPlaces), "22023");
  EXPECT_EQ(read_epoch("2050-218 Europe/Zurich.s epoch", nullptr), "0A000") << "there is no database";
}

TEST(SessionZone, TheTimeIsReadOffItsClocks) {
  constexpr int64_t kNow = 1'700'000'000'123'456;  // 2023-11-14 22:13:20.123456 UTC
  EXPECT_EQ(read("now", "+3", kNow), kNow);
  EXPECT_EQ(read("now", "+3", kNow, TypeKind::kTimestamp), kNow + 10'800'000'000);
  EXPECT_EQ(read("today", "+3", kNow, TypeKind::kDate), 19'676) << "it is the next day there";
  EXPECT_EQ(read("now", "+3", kNow, TypeKind::kTime), (1 * 3'600 + 13 * 60 + 20) * int64_t{1'000'000} + 123'456);
}

TEST(SessionZone, OffsetsAreWrittenAsShortAsTheyAre) {
  const auto shown = [](std::string_view in) { return format_text(kTimestampTz, int64_t{0}, &zone(in)->zone()); };
  EXPECT_EQ(shown("+2"), "1970-01-01 02:00:00+02");
  EXPECT_EQ(shown("-3.5"), "1969-12-31 20:30:00-03:30");
  EXPECT_EQ(shown("<x>00:25:21"), "1969-12-31 23:34:39-00:25:21");
  EXPECT_EQ(format_text(kTimestampTz, int64_t{-62'135'596'800'000'000}, &zone("-1")->zone()),
            "0001-12-31 23:00:00-01 BC");
}

TEST(SessionZone, EveryFunctionThatHangsOnItHasATwinThatTakesIt) {
  for (const ScalarFunction& function : scalar_functions()) {
    const ScalarFunction* twin = function.is_at_zone ? nullptr : function_at_zone(function);
    if (twin != nullptr) {
      EXPECT_EQ(twin->result, function.result) << function.name;
      EXPECT_EQ(twin->arguments.size(), function.arguments.size() + 1) << function.name;
      EXPECT_EQ(twin->arguments.back(), TypeKind::kText) << function.name;
    }
    const bool has_datetime = std::find(function.arguments.begin(), function.arguments.end(), TypeKind::kTimestampTz) !=
                              function.arguments.end();
    const bool is_without_clock = function.zone_place >= 0 || function.is_at_zone || !function.is_stable;
    EXPECT_TRUE(is_without_clock || !has_datetime || twin != nullptr) << function.name;
  }
}

TEST(SessionZone, NoTextCallsTheTwins) {
  const std::vector<ArgumentKind> arguments{{TypeKind::kText}, {TypeKind::kTimestampTz}, {TypeKind::kText}};
  EXPECT_EQ(resolve_function("date_part", false, arguments).error().sqlstate, "42883");
  EXPECT_FALSE(is_function_name("timestamp without time zone"));
}

TEST(SessionZone, CastsBetweenMomentsAndClocksGoThroughIt) {
  const std::string bound = zone("Some/Where")->bound();
  const auto cast = [&](const Type& from, const Value& value, const Type& to) {
    EXPECT_TRUE(is_cast_by_zone(from.kind, to.kind));
    const auto made = cast_at_zone(make_constant(from, value), to, bound);
    EXPECT_TRUE(made);
    const auto computed = made ? evaluate(*made, {}) : made.error();
    EXPECT_TRUE(made && made->type.kind == to.kind);
    return computed ? *computed : Value();
  };
  constexpr int64_t kLate = 2'000'000'000'000;  // 1970-01-24 03:33:20
  constexpr int64_t kHour = 3'600'000'000;
  EXPECT_EQ(cast(kTimestampTz, kLate, Type{TypeKind::kTimestamp}), Value(kLate + kHour));
  EXPECT_EQ(cast(Type{TypeKind::kTimestamp}, kLate, kTimestampTz), Value(kLate - kHour));
  EXPECT_EQ(cast(Type{TypeKind::kDate}, int64_t{23}, kTimestampTz), Value(23 * kMicrosPerDay - kHour));
  EXPECT_EQ(cast(kTimestampTz, 24 * kMicrosPerDay - 1, Type{TypeKind::kDate}), Value(int64_t{24}));
  EXPECT_EQ(cast(kTimestampTz, kLate, Type{TypeKind::kText}), Value(std::string("1970-01-24 04:33:20+01")));
  EXPECT_EQ(cast(kTimestampTz, kLate, Type{.kind = TypeKind::kVarchar, .length = 7}), Value(std::string("1970-01")));
  EXPECT_EQ(cast(Type{TypeKind::kVarchar}, std::string("1970-01-24 04:33:20"), kTimestampTz), Value(kLate));
  EXPECT_EQ(cast(kTimestampTz, Value(), Type{TypeKind::kTime}), Value());
  EXPECT_FALSE(is_cast_by_zone(TypeKind::kDate, TypeKind::kTimestamp));
  EXPECT_FALSE(is_cast_by_zone(TypeKind::kInt, TypeKind::kTimestampTz));
}

}  // namespace
}  // namespace daedalus::semantics

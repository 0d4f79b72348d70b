// A zone's file, made by hand: what is read of it, and that nothing unsound is.
#include "zone_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::time_zones {
namespace {

std::string number(int64_t value, size_t size) {
  std::string bytes;
  for (size_t byte = size; byte > 0; --byte) {
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * (byte - 1))));
  }
  return bytes;
}

struct File {
  char version = '2';
  int64_t leaps = 0;
  std::vector<int64_t> moments = {-1'000, 2'000};
  std::string indices = {1, 2};
  std::string rule = "XST-1XDT,M3.5.0,M10.5.0/3";
  std::string end = "\n";

  [[nodiscard]] std::string header(size_t transitions, size_t types, size_t characters) const {
    std::string bytes = std::string("TZif") + version + std::string(15, '\0');
    for (const size_t count : {size_t{0}, size_t{0}, static_cast<size_t>(leaps), transitions, types, characters}) {
      bytes += number(static_cast<int64_t>(count), 4);
    }
    return bytes;
  }
  [[nodiscard]] std::string bytes() const {
    const std::string names("LMT\0XST\0XDT\0", 12);
    std::string made = header(0, 0, 0) + header(moments.size(), 3, names.size());
    for (const int64_t moment : moments) {
      made += number(moment, 8);
    }
    made += indices;
    made += number(2'048, 4) + std::string({0, 0}) + number(3'600, 4) + std::string({0, 4}) + number(7'200, 4) +
            std::string({1, 8});
    return made + names + "\n" + rule + end;
  }
};

TEST(ZoneFile, TransitionsAndRuleAreRead) {
  const auto zone = read_zone_file(File().bytes());
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->first_offset, 2'048);
  ASSERT_EQ(zone->transitions.size(), 2u);
  EXPECT_EQ(zone->transitions[0].at, -1'000);
  EXPECT_EQ(zone->transitions[0].offset, 3'600);
  EXPECT_EQ(zone->transitions[1].name, "XDT");
  ASSERT_TRUE(zone->footer && zone->footer->daylight);
  EXPECT_EQ(zone->footer->standard, 3'600);
  EXPECT_EQ(zone->footer->daylight->offset, 7'200);
}

TEST(ZoneFile, RejectsMalformedZoneFiles) {
  EXPECT_FALSE(read_zone_file(""));
  EXPECT_FALSE(read_zone_file("# version 2025b\n"));
  EXPECT_FALSE(read_zone_file(File{.version = '\0'}.bytes()));
  EXPECT_FALSE(read_zone_file(File{.leaps = 1}.bytes()));
  EXPECT_FALSE(read_zone_file(File{.moments = {2'000, 2'000}}.bytes())) << "out of order";
  EXPECT_FALSE(read_zone_file(File{.indices = {1, 3}}.bytes())) << "there are three types";
  EXPECT_FALSE(read_zone_file(File{.rule = "XST"}.bytes()));
  EXPECT_FALSE(read_zone_file(File{.end = ""}.bytes()));
  EXPECT_TRUE(read_zone_file(File{.rule = ""}.bytes())) << "what held last holds for ever";
}

TEST(ZoneFile, TransitionsAreBounded) {
  File file;
  file.moments.clear();
  for (int64_t moment = 0; moment < kTransitionsMax; ++moment) {
    file.moments.push_back(moment);
  }
  file.indices.assign(file.moments.size(), 1);
  EXPECT_TRUE(read_zone_file(file.bytes()));
  file.moments.push_back(kTransitionsMax);
  file.indices.push_back(1);
  EXPECT_FALSE(read_zone_file(file.bytes()));
}

TEST(ZoneFile, OneThatIsCutShortIsNoZoneWhereverTheCutIs) {
  const std::string whole = File().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_zone_file(whole.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace daedalus::time_zones

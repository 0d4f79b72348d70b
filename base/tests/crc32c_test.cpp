#include "daedalus/base/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus {
namespace {

std::string ascending(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(i * 7 + i / 256);
  }
  return bytes;
}

TEST(Crc32cTest, AgreesWithRfc3720AppendixB4) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string counting(32, '\0');
  for (size_t i = 0; i < counting.size(); ++i) {
    counting[i] = static_cast<char>(i);
  }
  EXPECT_EQ(crc32c(counting), 0x46DD794Eu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32cTest, AgreesWithPortableTwinForEveryLengthAndMisalignment) {
  const std::string bytes = ascending(300);
  for (size_t shift = 0; shift < 8; ++shift) {
    for (size_t size = 0; size + shift <= bytes.size(); ++size) {
      const std::string_view part = std::string_view(bytes).substr(shift, size);
      ASSERT_EQ(crc32c(part), portable::crc32c(part)) << size << "+" << shift;
    }
  }
}

TEST(Crc32cTest, GoesOnBehindWhatWasSummedBefore) {
  const std::string bytes = ascending(100);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::string_view before = std::string_view(bytes).substr(0, cut);
    const std::string_view behind = std::string_view(bytes).substr(cut);
    ASSERT_EQ(crc32c(behind, crc32c(before)), crc32c(bytes)) << cut;
    ASSERT_EQ(portable::crc32c(behind, portable::crc32c(before)), crc32c(bytes)) << cut;
  }
}

}  // namespace
}  // namespace daedalus

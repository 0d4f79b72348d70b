#include "daedalus/rpc/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::rpc {
namespace {

using testing::HasSubstr;

struct Kept {
  FrameType type;
  std::string payload;
  friend bool operator==(const Kept&, const Kept&) = default;
};

std::vector<Kept> drain(Framer& framer) {
  std::vector<Kept> frames;
  while (const auto frame = framer.next()) {
    frames.push_back({frame->type, std::string(frame->payload)});
  }
  return frames;
}

std::vector<Kept> feed(Framer& framer, std::string_view bytes) {
  framer.feed(bytes);
  return drain(framer);
}

std::string with_byte(std::string frame, size_t at, char value) {
  frame[at] = value;
  return frame;
}

TEST(FramerTest, HoldsEveryPartialFrameUntilTheRestArrives) {
  const std::string frame = encode_frame(FrameType::kOperations, "some payload that is cut everywhere");
  for (size_t cut = 0; cut < frame.size(); ++cut) {
    Framer framer;
    EXPECT_TRUE(feed(framer, std::string_view(frame).substr(0, cut)).empty()) << cut;
    const auto frames = feed(framer, std::string_view(frame).substr(cut));
    ASSERT_EQ(frames.size(), 1u) << cut;
    EXPECT_EQ(frames[0].payload, "some payload that is cut everywhere");
    EXPECT_FALSE(framer.error());
  }
}

TEST(FramerTest, FindsTheSameFramesWhateverThePieces) {
  std::string stream;
  std::vector<Kept> expected;
  for (size_t i = 0; i < 40; ++i) {
    const auto type = static_cast<FrameType>(1 + i % 5);
    const std::string payload(i * i, static_cast<char>('a' + i % 26));
    stream += encode_frame(type, payload);
    expected.push_back({type, payload});
  }
  for (const size_t piece :
       {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{11}, size_t{12}, size_t{13}, size_t{1000}, stream.size()}) {
    Framer framer;
    std::vector<Kept> found;
    for (size_t begin = 0; begin < stream.size(); begin += piece) {
      for (Kept& frame : feed(framer, std::string_view(stream).substr(begin, piece))) {
        found.push_back(std::move(frame));
      }
    }
    EXPECT_EQ(found, expected) << "pieces of " << piece;
    EXPECT_FALSE(framer.error());
  }
}

TEST(FramerTest, RefusesEveryFlippedBit) {
  const std::string frame = encode_frame(FrameType::kResults, "abc");
  for (size_t bit = 0; bit < frame.size() * 8; ++bit) {
    const char flipped = static_cast<char>(frame[bit / 8] ^ (1 << bit % 8));
    Framer framer(64);
    // Room behind it, for a length that has become larger.
    const auto frames = feed(framer, with_byte(frame, bit / 8, flipped) + std::string(64, 'x'));
    EXPECT_TRUE(frames.empty()) << bit;
    EXPECT_TRUE(framer.error()) << bit;
  }
}

TEST(FramerTest, NamesWhatIsWrong) {
  const std::string frame = encode_frame(FrameType::kHello, "abc");
  struct Case {
    std::string bytes;
    FrameFault fault;
    const char* message;
  };
  const std::vector<Case> cases = {
      {std::string("\x07\x00\x00\x00", 4), FrameFault::kTooShort, "length 7 is below the minimum of 8"},
      {std::string("\x61\x00\x00\x00", 4), FrameFault::kTooLong, "length 97 is beyond the maximum of 96"},
      {std::string("\xff\xff\xff\xff", 4), FrameFault::kTooLong, "length 4294967295 is beyond"},
      {with_byte(frame, 4, 1), FrameFault::kVersion, "version 1, this side speaks 5"},
      {with_byte(frame, 5, 0), FrameFault::kType, "unknown type 0"},
      {with_byte(frame, 5, 6), FrameFault::kType, "unknown type 6"},
      {with_byte(frame, 6, 1), FrameFault::kFlags, "flag byte 0x01"},
      {with_byte(frame, 7, '\x80'), FrameFault::kFlags, "flag byte 0x80"},
      {with_byte(frame, 8, 'x'), FrameFault::kChecksum, "states checksum"},
  };
  for (const Case& broken : cases) {
    Framer framer(100);
    EXPECT_TRUE(feed(framer, broken.bytes).empty());
    ASSERT_TRUE(framer.error()) << broken.message;
    EXPECT_EQ(framer.error()->fault, broken.fault);
    EXPECT_THAT(framer.error()->message, HasSubstr(broken.message));
  }
}

TEST(FramerTest, JudgesTheHeaderBeforeThePayloadArrives) {
  Framer framer;
  framer.feed(std::string_view("\x00\x00\x00\x01\x01", 5));
  EXPECT_FALSE(framer.next());
  ASSERT_TRUE(framer.error());
  EXPECT_EQ(framer.error()->fault, FrameFault::kTooLong);
}

TEST(FramerTest, GivesGoodFramesBeforeABadOneAndNothingAfter) {
  const std::string good = encode_frame(FrameType::kKeepAlive, "");
  Framer framer;
  EXPECT_EQ(feed(framer, good + good + with_byte(good, 11, 'x') + good).size(), 2u);
  EXPECT_TRUE(framer.error());
  EXPECT_TRUE(feed(framer, good).empty());
}

TEST(FramerTest, TakesTheLargestFrameAndNotOneByteMore) {
  const std::string largest = encode_frame(FrameType::kOperations, std::string(kFrameSizeMax - kFrameOverhead, 'p'));
  ASSERT_EQ(largest.size(), kFrameSizeMax);
  Framer framer;
  EXPECT_EQ(feed(framer, largest).size(), 1u);
  EXPECT_TRUE(
      feed(framer, encode_frame(FrameType::kOperations, std::string(kFrameSizeMax - kFrameOverhead + 1, 'p'))).empty());
  EXPECT_EQ(framer.error()->fault, FrameFault::kTooLong);
}

TEST(FrameTest, LaysOutBytesAsDocumented) {
  // docs/wire.md, "Frames".
  const std::string frame = encode_frame(FrameType::kKeepAlive, "");
  EXPECT_EQ(frame.substr(0, 8), std::string("\x08\x00\x00\x00\x05\x02\x00\x00", 8));
  EXPECT_EQ(frame.size(), 12u);
}

}  // namespace
}  // namespace daedalus::rpc

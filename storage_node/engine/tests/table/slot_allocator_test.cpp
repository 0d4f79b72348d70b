#include "slot_allocator.hpp"

#include <gtest/gtest.h>

#include "ring.hpp"

namespace daedalus::engine {
namespace {

std::vector<uint32_t> reserve(SlotAllocator& allocator, uint64_t timestamp, uint32_t rows, bool deletes = false) {
  std::vector<uint32_t> slots;
  EXPECT_TRUE(allocator.admit({Timestamp{timestamp}, rows, deletes}, slots));
  return slots;
}

bool has_to_wait(SlotAllocator& allocator, uint64_t timestamp, uint32_t rows) {
  std::vector<uint32_t> slots;
  const bool admitted = allocator.admit({Timestamp{timestamp}, rows, false}, slots);
  EXPECT_TRUE(admitted || slots.empty());
  return !admitted;
}

TEST(SlotAllocatorTest, HandsOutTheLowestSlotsFirst) {
  SlotAllocator allocator(128);
  EXPECT_EQ(reserve(allocator, 1, 3), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(reserve(allocator, 2, 2), (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(reserve(allocator, 3, 200).size(), 123u);
  EXPECT_TRUE(reserve(allocator, 4, 1).empty());
}

TEST(SlotAllocatorTest, PrefersOtherSlotsWhileAFreedOneCools) {
  SlotAllocator allocator(128);
  static_cast<void>(reserve(allocator, 1, 10));
  static_cast<void>(reserve(allocator, 2, 0, true));
  allocator.release(Timestamp{2}, 4);
  allocator.begin_cycle();
  EXPECT_EQ(reserve(allocator, 3, 1), (std::vector<uint32_t>{10}));
  EXPECT_EQ(reserve(allocator, 2 * kGenerationTimestamps - 1, 1), (std::vector<uint32_t>{11}));
  EXPECT_EQ(reserve(allocator, 2 * kGenerationTimestamps, 2), (std::vector<uint32_t>{4, 12}));
}

TEST(SlotAllocatorTest, TakesCoolingSlotsWhenNothingElseIsLeft) {
  SlotAllocator allocator(64);
  static_cast<void>(reserve(allocator, 1, 62));
  allocator.release(Timestamp{2}, 7);
  EXPECT_EQ(reserve(allocator, 3, 3), (std::vector<uint32_t>{7, 62, 63}));
}

TEST(SlotAllocatorTest, WaitsForADeleteThatMayMakeRoom) {
  SlotAllocator allocator(64);
  static_cast<void>(reserve(allocator, 1, 63, true));
  EXPECT_FALSE(has_to_wait(allocator, 2, 1));
  EXPECT_TRUE(has_to_wait(allocator, 3, 1));
  allocator.begin_cycle();
  EXPECT_FALSE(has_to_wait(allocator, 3, 1));
}

TEST(SlotAllocatorTest, RoomOfAnUpdatesOwnDeleteIsNotWaitedFor) {
  SlotAllocator allocator(64);
  static_cast<void>(reserve(allocator, 1, 64));
  EXPECT_TRUE(reserve(allocator, 2, 1, true).empty());
}

TEST(SlotAllocatorTest, WaitsWhenASlotOfAnUnsweptDeleteWouldBeReadyAgain) {
  SlotAllocator allocator(64);
  static_cast<void>(reserve(allocator, 1, 1, true));
  EXPECT_FALSE(has_to_wait(allocator, 2 * kGenerationTimestamps - 1, 1));
  EXPECT_TRUE(has_to_wait(allocator, 2 * kGenerationTimestamps, 1));
}

TEST(SlotAllocatorTest, TakesBackSlotsOfDistantAndOlderGenerations) {
  SlotAllocator allocator(64);
  static_cast<void>(reserve(allocator, 1, 64));
  allocator.release(Timestamp{4 * kGenerationTimestamps}, 5);
  allocator.release(Timestamp{2 * kGenerationTimestamps}, 6);
  allocator.release(Timestamp{6 * kGenerationTimestamps}, 4);
  EXPECT_EQ(reserve(allocator, 6 * kGenerationTimestamps + 1, 2), (std::vector<uint32_t>{5, 6}));
  EXPECT_EQ(reserve(allocator, 6 * kGenerationTimestamps + 2, 2), (std::vector<uint32_t>{4}));
}

TEST(SlotAllocatorTest, TakesBackABitmapOfSlotsLikeOneAfterTheOther) {
  SlotAllocator allocator(256);
  SlotAllocator twin(256);
  static_cast<void>(reserve(allocator, 1, 256));
  static_cast<void>(reserve(twin, 1, 256));
  uint64_t timestamp = 2;
  uint32_t number = 0;
  for (const uint64_t step : {uint64_t{1}, kGenerationTimestamps, 4 * kGenerationTimestamps, uint64_t{1}}) {
    timestamp += step;
    const uint64_t rows[2] = {uint64_t{1} << number, uint64_t{6} << (8 * number)};
    ++number;
    allocator.release(Timestamp{timestamp}, 64, rows);
    for (uint32_t slot = 0; slot < 128; ++slot) {
      if (((rows[slot / 64] >> (slot % 64)) & 1) != 0) {
        twin.release(Timestamp{timestamp}, 64 + slot);
      }
    }
    EXPECT_EQ(reserve(allocator, timestamp + 1, 1), reserve(twin, timestamp + 1, 1));
  }
  EXPECT_EQ(reserve(allocator, timestamp + 2, 256), reserve(twin, timestamp + 2, 256));
}

TEST(SpscRingTest, KeepsOrderAndRefusesWhenFull) {
  SpscRing<std::shared_ptr<int>> ring(3);
  EXPECT_TRUE(ring.is_empty());
  EXPECT_EQ(ring.front(), nullptr);
  std::vector<std::weak_ptr<int>> seen;
  for (int round = 0; round < 10; ++round) {
    for (int value = 0; value < 4; ++value) {
      auto element = std::make_shared<int>(value);
      seen.push_back(element);
      ASSERT_TRUE(ring.push(std::move(element)));
    }
    auto refused = std::make_shared<int>(9);
    ASSERT_FALSE(ring.push(std::move(refused)));
    ASSERT_NE(refused, nullptr);
    for (int value = 0; value < 4; ++value) {
      ASSERT_EQ(**ring.front(), value);
      ring.pop();
    }
    ASSERT_EQ(ring.front(), nullptr);
  }
  for (const std::weak_ptr<int>& element : seen) {
    EXPECT_TRUE(element.expired());
  }
}

}  // namespace
}  // namespace daedalus::engine

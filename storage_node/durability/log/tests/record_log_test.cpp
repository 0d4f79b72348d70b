// The log against a plain list of records, on a disk that fails in every way it can.
#include "daedalus/durability/record_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/durability/log_reader.hpp"
#include "daedalus/durability/simulated_disk.hpp"

namespace daedalus::durability {
namespace {

using Records = std::vector<std::pair<uint64_t, std::string>>;

class RecordLogTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(disk_.make_folder("updates")); }

  RecordLogOptions options(uint64_t file_bytes = 2048) const { return {LogKind::kUpdates, "updates", file_bytes}; }

  Result<LogEnd> read(Records* records, uint64_t after = 0) {
    return read_log(disk_, {LogKind::kUpdates, "updates", Timestamp{after}},
                    [&](Timestamp last, std::string_view payload) -> Result<void> {
                      records->emplace_back(raw(last), std::string(payload));
                      return {};
                    });
  }
  Records records() {
    Records found;
    const auto end = read(&found);
    EXPECT_TRUE(end) << end.error().message;
    return found;
  }
  std::string random_payload() { return std::string(below(90), static_cast<char>('a' + below(26))); }
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }

  std::mt19937_64 random_{1};
  SimulatedDisk disk_{[this](uint64_t bound) { return below(bound); }};
};

TEST_F(RecordLogTest, ReadsAppendedRecordsInOrderOverManyFiles) {
  Records written;
  RecordLog log(disk_, options(), {});
  for (uint64_t i = 1; i <= 200; ++i) {
    written.emplace_back(i * 3, random_payload());
    log.append(Timestamp{i * 3}, written.back().second);
    if (i % 7 == 0) {
      ASSERT_TRUE(log.write() && log.sync());
      EXPECT_EQ(log.durable(), Timestamp{i * 3});
    }
  }
  ASSERT_TRUE(log.write());
  EXPECT_GT(disk_.names().size(), 5u);
  EXPECT_EQ(records(), written);
}

TEST_F(RecordLogTest, ReleasesFilesThatHoldNothingLater) {
  RecordLog log(disk_, options(), {});
  for (uint64_t i = 1; i <= 200; ++i) {
    log.append(Timestamp{i}, std::string(50, 'x'));
    ASSERT_TRUE(log.write() && log.sync());
  }
  const size_t before = disk_.names().size();
  ASSERT_TRUE(log.release(Timestamp{100}));
  EXPECT_LT(disk_.names().size(), before);
  Records left;
  ASSERT_TRUE(read(&left, 100));
  ASSERT_EQ(left.size(), 100u);
  EXPECT_EQ(left.front().first, 101u);
  left.clear();
  const auto too_far_back = read(&left, 10);
  ASSERT_FALSE(too_far_back);
  EXPECT_THAT(too_far_back.error().message, testing::HasSubstr("wanted from 11"));
}

/// Each file that a full disk refuses has a name, and no header.
TEST_F(RecordLogTest, KnowsTheEndOfTheLogAfterAFullDiskAndARelease) {
  RecordLog log(disk_, options(), {});
  log.append(Timestamp{7}, "seven");
  ASSERT_TRUE(log.write() && log.sync());
  log.append(Timestamp{8}, "eight");
  disk_.set_room(disk_.bytes());
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_FALSE(log.write());
  }
  ASSERT_TRUE(log.release(Timestamp{7}));
  Records found;
  const auto end = read(&found, 7);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->last_record, Timestamp{7});
  RecordLog next(disk_, options(), *end);  // In its next life, too, before it has begun a file.
  ASSERT_TRUE(next.release(Timestamp{7}));
  EXPECT_EQ(read(&found, 7)->last_record, Timestamp{7});
}

TEST_F(RecordLogTest, ATornTailIsCutAtEveryByte) {
  RecordLog log(disk_, options(1 << 16), {});
  for (uint64_t i = 1; i <= 3; ++i) {
    log.append(Timestamp{i}, std::string(20 + i, 'x'));
    ASSERT_TRUE(log.write() && log.sync());
  }
  const auto whole = disk_.image();
  const std::string name = whole.begin()->first;
  const std::string bytes = whole.begin()->second;
  const uint64_t last_begin = bytes.size() - record_size(23);
  for (uint64_t end = last_begin; end < bytes.size(); ++end) {
    for (const bool zeros_behind : {false, true}) {
      std::string torn = bytes.substr(0, end);
      torn.resize(zeros_behind ? bytes.size() + 100 : end, '\0');
      disk_.put_back({{name, torn}});
      Records found;
      const auto read_end = read(&found);
      ASSERT_TRUE(read_end) << end << " " << read_end.error().message;
      // The padding of the last record does not count.
      EXPECT_EQ(found.size(), end < last_begin + kRecordHeaderSize + 23 ? 2u : 3u) << end;
    }
  }
}

/// Checksums that are right do not make sense of what cannot be.
TEST_F(RecordLogTest, FilesThatDoNotFollowEachOtherAreDamage) {
  const std::string first = log_file_name("updates", 1);
  const std::string second = log_file_name("updates", 2);
  std::string bytes = encode_header({LogKind::kUpdates, 1, 0, 0, Timestamp{}});
  encode_record({LogKind::kUpdates, 1}, {bytes.size(), 0}, Timestamp{1}, "one", bytes);
  const auto message = [&](const LogFileHeader& header) {
    disk_.put_back({{first, bytes}, {second, encode_header(header)}});
    Records found;
    const auto end = read(&found);
    return end ? "" : end.error().message;
  };
  EXPECT_EQ(message({LogKind::kUpdates, 2, 1, bytes.size(), Timestamp{1}}), "");
  EXPECT_THAT(message({LogKind::kUpdates, 2, 2, bytes.size(), Timestamp{1}}),
              testing::AllOf(testing::HasSubstr(second), testing::HasSubstr("file 2 comes before it")));
  EXPECT_THAT(message({LogKind::kUpdates, 2, 1, bytes.size(), Timestamp{7}}),
              testing::AllOf(testing::HasSubstr(second), testing::HasSubstr("goes on after 7"),
                             testing::HasSubstr("ends at 1")));
}

TEST_F(RecordLogTest, AFlippedBitIsFoundUnlessItLiesInTheLastGroupOrInPadding) {
  RecordLog log(disk_, options(400), {});
  for (uint64_t i = 1; i <= 12; ++i) {
    log.append(Timestamp{i}, std::string(16 + 8 * (i % 3), static_cast<char>('a' + i)));
    ASSERT_TRUE(log.write() && log.sync());
  }
  const Records written = records();
  ASSERT_EQ(written.size(), 12u);
  const auto whole = disk_.image();
  ASSERT_GT(whole.size(), 1u);
  for (const auto& [name, bytes] : whole) {
    for (uint64_t bit = 0; bit < bytes.size() * 8; ++bit) {
      disk_.put_back(whole);
      disk_.flip(name, bit);
      Records found;
      const auto end = read(&found);
      if (end) {
        // Nobody can know that the last one had been synced.
        ASSERT_TRUE(found == written || (name == whole.rbegin()->first && found.size() == 11)) << name << " " << bit;
      } else {
        EXPECT_EQ(end.error().sqlstate, kDataCorrupted);
        EXPECT_THAT(end.error().message, testing::HasSubstr(name));
      }
    }
  }
}

TEST_F(RecordLogTest, AFailedSyncIsNotRepeatedOnItsFileAndNothingIsLost) {
  RecordLog log(disk_, options(1 << 16), {});
  log.append(Timestamp{1}, "one");
  ASSERT_TRUE(log.write() && log.sync());
  log.append(Timestamp{2}, "two");
  log.append(Timestamp{3}, "three");
  ASSERT_TRUE(log.write());
  disk_.fail_syncs(1);
  EXPECT_FALSE(log.sync());
  EXPECT_EQ(log.durable(), Timestamp{1});
  EXPECT_TRUE(log.has_unwritten());
  ASSERT_TRUE(log.write() && log.sync());
  EXPECT_EQ(log.durable(), Timestamp{3});
  EXPECT_EQ(disk_.names().size(), 2u);
  EXPECT_EQ(records(), (Records{{1, "one"}, {2, "two"}, {3, "three"}}));
}

TEST_F(RecordLogTest, AFullDiskKeepsWhatWasAppendedUntilThereIsRoom) {
  RecordLog log(disk_, options(1 << 16), {});
  log.append(Timestamp{1}, "one");
  ASSERT_TRUE(log.write() && log.sync());
  disk_.set_room(disk_.bytes());
  log.append(Timestamp{2}, std::string(1000, 'x'));
  const auto full = log.write();
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().sqlstate, kDiskFull);
  EXPECT_FALSE(log.write());
  disk_.set_room(1 << 20);
  ASSERT_TRUE(log.write() && log.sync());
  EXPECT_EQ(records(), (Records{{1, "one"}, {2, std::string(1000, 'x')}}));
}

TEST_F(RecordLogTest, APreparedFileIsUsedNextAndIsNoPartOfTheLogBefore) {
  RecordLog log(disk_, options(200), {});
  log.append(Timestamp{1}, std::string(100, 'x'));
  ASSERT_TRUE(log.write() && log.sync());
  ASSERT_TRUE(log.wants_prepared());
  auto prepared = prepare_file(disk_, log.prepared_name(), log.file_bytes());
  ASSERT_TRUE(prepared);
  log.give_prepared(std::move(*prepared));
  EXPECT_FALSE(log.wants_prepared());
  EXPECT_EQ(records().size(), 1u);
  log.append(Timestamp{2}, std::string(100, 'y'));
  log.append(Timestamp{3}, std::string(100, 'z'));
  ASSERT_TRUE(log.write() && log.sync());
  EXPECT_FALSE(*disk_.exists(log.prepared_name()));
  EXPECT_EQ(records().size(), 3u);
}

TEST_F(RecordLogTest, AFileThatCannotBeMadeAheadTakesNoRoom) {
  disk_.set_room(500);
  EXPECT_FALSE(prepare_file(disk_, "updates/next", 5000));
  EXPECT_EQ(disk_.bytes(), 0u);
  EXPECT_THAT(disk_.names(), testing::IsEmpty());
}

TEST_F(RecordLogTest, ARecordWrittenToAnotherPlaceIsFound) {
  uint32_t found_out = 0;
  for (uint64_t round = 0; round < 50; ++round) {
    disk_.put_back({});
    RecordLog log(disk_, options(1 << 16), {});
    for (uint64_t i = 1; i <= 40; ++i) {
      log.append(Timestamp{i}, random_payload() + "x");
      if (i == 30) {
        disk_.misdirect_next_write();
      }
      ASSERT_TRUE(log.write() && log.sync());
    }
    Records records;
    const auto end = read(&records);
    found_out += end ? 0 : 1;
  }
  EXPECT_EQ(found_out, 50u);
}

/// One life after the other on one disk: what was reported durable is there, in order, and nothing that was never
/// appended.
TEST_F(RecordLogTest, EveryLifeFindsWhatWasDurableWhateverTheDiskDoes) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    random_.seed(seed);
    disk_.put_back({});
    disk_.set_room(UINT64_MAX);
    Records durable;  // And in this order.
    Records all;
    uint64_t released = 0;
    LogEnd end;
    for (uint32_t life = 0; life < 6; ++life) {
      RecordLog log(disk_, options(200 + below(600)), end);
      disk_.crash_after(below(60));
      uint64_t next = raw(end.last);
      while (!disk_.is_down()) {
        switch (below(8)) {
          case 0:
            disk_.fail_syncs(static_cast<uint32_t>(below(3)));
            break;
          case 1:
            disk_.set_room(below(3) == 0 ? disk_.bytes() + below(500) : UINT64_MAX);
            break;
          case 2:
          case 3:
            static_cast<void>(log.sync());
            break;
          case 4:
            static_cast<void>(log.write());
            break;
          case 5:
            if (below(4) == 0 && raw(log.durable()) > released) {
              const uint64_t through = released + below(raw(log.durable()) - released + 1);
              static_cast<void>(log.release(Timestamp{through}));
              released = std::max(released, through);
            }
            break;
          default:
            next += 1 + below(3);
            all.emplace_back(next, random_payload());
            log.append(Timestamp{next}, all.back().second);
        }
        while (durable.size() < all.size() && all[durable.size()].first <= raw(log.durable())) {
          durable.push_back(all[durable.size()]);
        }
      }
      disk_.restart();
      disk_.set_room(UINT64_MAX);
      disk_.fail_syncs(0);
      Records found;
      const auto read_end = read(&found, released);
      ASSERT_TRUE(read_end) << "seed " << seed << ": " << read_end.error().message;
      Records wanted;
      for (const auto& record : all) {
        if (record.first > released) {
          wanted.push_back(record);
        }
      }
      ASSERT_LE(found.size(), wanted.size()) << seed;
      wanted.resize(found.size());
      ASSERT_EQ(found, wanted) << "seed " << seed;
      ASSERT_GE(read_end->last_record, log.last_durable_record()) << "seed " << seed;
      ASSERT_TRUE(durable.empty() || durable.back().first <= raw(read_end->last)) << "seed " << seed;
      end = *read_end;
      std::erase_if(all, [&](const auto& record) { return record.first > raw(end.last); });
      durable = all;
    }
  }
}

}  // namespace
}  // namespace daedalus::durability

// The log's thread on a real disk: whatever its files and threads do to each other, what it says is durable is there.
#include "log_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "daedalus/durability/posix_disk.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::node {
namespace {

class LogThreadTest : public testing::Test {
 protected:
  LogThreadTest() {
    std::string pattern = testing::TempDir() + "daedalus-log-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~LogThreadTest() override { std::filesystem::remove_all(folder_); }

  static LogRecord record(uint64_t timestamp) {
    const auto body = std::make_shared<const std::string>(200, static_cast<char>('a' + timestamp % 26));
    const Timestamp at{timestamp};
    return {Epoch{1}, {at, at}, {.is_no_op = false, .digest = semantics::digest(*body)}, body};
  }

  /// Files are so small that a new one is wanted all the time.
  std::unique_ptr<LogThread> start(durability::PosixDisk& disk) {
    for (const char* name : {durability::kUpdatesFolder, durability::kOutcomesFolder}) {
      EXPECT_TRUE(disk.make_folder(name));
    }
    LogEvents events;
    events.appended = [](Timestamp) {};
    events.durable = [this](Timestamp through) {
      durable_ = through;
      durable_.notify_one();
    };
    events.stuck = [](const std::optional<Error>& error) { EXPECT_FALSE(error) << error->message; };
    auto log = std::make_unique<durability::NodeLog>(
        disk, durability::NodeLogOptions{.update_file_bytes = 2000, .outcome_file_bytes = 2000},
        durability::NodeLogEnd{});
    return std::make_unique<LogThread>(disk, std::move(log), LogThreadOptions{}, std::move(events));
  }
  void await_durable(uint64_t timestamp) {
    for (Timestamp seen = durable_; seen < Timestamp{timestamp}; seen = durable_) {
      durable_.wait(seen);
    }
  }

  std::string folder_;
  std::atomic<Timestamp> durable_{};
};

/// Refuses to remove anything at first.
class StubbornDisk final : public durability::PosixDisk {
 public:
  using PosixDisk::PosixDisk;
  Result<void> remove(const std::string& name) override {
    if (refusals_left > 0 && name.ends_with(".log")) {
      --refusals_left;
      return Error{ErrorCategory::kRetry, durability::kIoError, name + " cannot be removed", "", 0};
    }
    return PosixDisk::remove(name);
  }

  std::atomic<int> refusals_left = 3;
};

TEST_F(LogThreadTest, KeepsDurableRecordsInTheFolderWithFilesMadeAhead) {
  durability::PosixDisk disk(folder_);
  constexpr uint64_t kRecords = 3000;
  {
    const auto thread = start(disk);
    for (uint64_t timestamp = 1; timestamp <= kRecords; ++timestamp) {
      thread->give({record(timestamp)}, {}, Timestamp{timestamp});
      if (timestamp % 3 == 0) {
        await_durable(timestamp);
      }
    }
  }
  EXPECT_EQ(durable_.load(), Timestamp{kRecords});
  uint64_t found = 0;
  const auto end = durability::read_node_log(
      disk, {}, [&](const LogRecord& read, const std::shared_ptr<const OutcomeRecord>&) -> Result<void> {
        EXPECT_EQ(read.range.last, Timestamp{++found});
        return {};
      });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(found, kRecords);
}

TEST_F(LogThreadTest, FilesThatCannotBeRemovedAreTriedAgainAndKeepNobodyFromWriting) {
  constexpr uint64_t kRecords = 200;
  StubbornDisk disk(folder_);
  const auto files = [&] { return disk.list(durability::kUpdatesFolder).value().size(); };
  const auto thread = start(disk);
  for (uint64_t timestamp = 1; timestamp <= kRecords; ++timestamp) {
    thread->give({record(timestamp)}, {}, Timestamp{timestamp});
  }
  await_durable(kRecords);
  const size_t before = files();
  ASSERT_GT(before, 10u);
  thread->release(Timestamp{kRecords - 20});
  uint64_t last = kRecords;
  while (disk.refusals_left > 0 || files() > before / 2) {
    ASSERT_LT(last, 10 * kRecords) << "they are still there";
    ++last;
    thread->give({record(last)}, {}, Timestamp{last});
    await_durable(last);
  }
}

}  // namespace
}  // namespace daedalus::node

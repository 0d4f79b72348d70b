// The log's thread on a real disk: whatever its files and threads do to each other, what it says is durable is there.
#include "log_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
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

  std::string folder_;
};

TEST_F(LogThreadTest, WhatIsDurableIsInTheFolderHoweverFilesAreMadeAhead) {
  durability::PosixDisk disk(folder_);
  for (const char* name : {durability::kUpdatesFolder, durability::kOutcomesFolder}) {
    ASSERT_TRUE(disk.make_folder(name));
  }
  constexpr uint64_t kRecords = 3000;
  std::atomic<Timestamp> durable{};
  {
    LogEvents events;
    events.appended = [](Timestamp) {};
    events.durable = [&](Timestamp through) {
      durable = through;
      durable.notify_one();
    };
    events.stuck = [](const std::optional<Error>& error) { EXPECT_FALSE(error) << error->message; };
    // Files so small that a new one is wanted all the time.
    auto log = std::make_unique<durability::NodeLog>(
        disk, durability::NodeLogOptions{.update_file_bytes = 2000, .outcome_file_bytes = 2000},
        durability::NodeLogEnd{});
    LogThread thread(disk, std::move(log), {}, std::move(events));
    for (uint64_t timestamp = 1; timestamp <= kRecords; ++timestamp) {
      thread.give({record(timestamp)}, {}, Timestamp{timestamp});
      if (timestamp % 3 == 0) {
        for (Timestamp seen = durable; seen < Timestamp{timestamp}; seen = durable) {
          durable.wait(seen);
        }
      }
    }
  }
  EXPECT_EQ(durable.load(), Timestamp{kRecords});
  uint64_t found = 0;
  const auto end = durability::read_node_log(
      disk, {}, [&](const LogRecord& read, const std::shared_ptr<const OutcomeRecord>&) -> Result<void> {
        EXPECT_EQ(read.range.last, Timestamp{++found});
        return {};
      });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(found, kRecords);
}

}  // namespace
}  // namespace daedalus::node

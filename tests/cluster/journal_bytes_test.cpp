// The journal of the writer's twin: whatever bit turns, it is read as a part of what was written, or not at all.
#include "journal_bytes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace daedalus::testing {
namespace {

constexpr uint64_t kUpdates = 6;

KeptUpdate update(uint64_t number) {
  KeptUpdate update;
  update.body = fmt::format("body {}", number);
  update.submission = {std::string(16, 'c'), number};
  update.routes.emplace_back();
  return update;
}

/// Makes a journal of six updates: the first two are confirmed, the first is settled, and the first four were durable
/// when the fifth was written.
JournalBytes journal() {
  JournalBytes journal;
  journal.begin(7, Timestamp{10});
  for (uint64_t number = 1; number <= kUpdates; ++number) {
    journal.update(Timestamp{10 + number}, update(number));
    if (number == 2 || number == 3) {
      wire::v1::WriteConfirmed confirmed;
      confirmed.set_timestamp(9 + number);
      journal.outcome(update(number - 1).submission, confirmed, Timestamp{11});
    }
    if (number == 4) {
      journal.forced(Timestamp{14});
    }
  }
  return journal;
}

TEST(JournalBytesTest, IsReadAsItWasWritten) {
  const auto found = read_journal(journal().file());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->first_epoch, 7U);
  EXPECT_EQ(found->base, Timestamp{10});
  EXPECT_EQ(found->last_numbered, Timestamp{16});
  EXPECT_EQ(found->updates.size(), kUpdates - 1);
  EXPECT_TRUE(found->updates.at(Timestamp{12}).is_confirmed);
  EXPECT_FALSE(found->updates.at(Timestamp{13}).is_confirmed);
  EXPECT_EQ(found->updates.at(Timestamp{16}).body, "body 6");
  ASSERT_EQ(found->submissions.size(), kUpdates);
  EXPECT_TRUE(found->submissions.front().confirmed);
  EXPECT_EQ(found->submissions.front().key, update(1).submission);
}

TEST(JournalBytesTest, EndsWithAnUpdateOfOnesChoice) {
  JournalBytes bytes = journal();
  bytes.end_with(Timestamp{13});
  EXPECT_EQ(read_journal(bytes.file())->last_numbered, Timestamp{13});
  bytes.update(Timestamp{14}, update(4));
  EXPECT_EQ(read_journal(bytes.file())->last_numbered, Timestamp{14});
}

TEST(JournalBytesTest, EndsBeforeTheTornRecord) {
  const JournalBytes bytes = journal();
  const std::string file = bytes.file();
  for (uint64_t left = bytes.last_update(); left < bytes.end(); ++left) {
    std::string torn = file.substr(0, left);
    torn.resize(file.size(), '\0');
    const auto found = read_journal(torn);
    const bool is_whole = torn == file;  // It ends with zeros.
    ASSERT_TRUE(found) << left << ": " << found.error().message;
    EXPECT_EQ(found->last_numbered, Timestamp{is_whole ? 16UL : 15UL}) << left;
  }
}

TEST(JournalBytesTest, WhicheverBitTurnsNothingElseIsReadThanWasWritten) {
  const JournalBytes bytes = journal();
  const std::string file = bytes.file();
  const auto written = read_journal(file);
  uint64_t damaged = 0;
  uint64_t cut = 0;
  for (uint64_t bit = 0; bit < 8 * bytes.end(); ++bit) {
    std::string rotten = file;
    rotten[bit / 8] = static_cast<char>(rotten[bit / 8] ^ (1 << bit % 8));
    const auto found = read_journal(rotten);
    if (!found) {
      EXPECT_NE(found.error().message.find(fmt::format("{}, offset ", JournalBytes::kName)), std::string::npos);
      ++damaged;
      continue;
    }
    ++cut;
    EXPECT_GE(found->last_numbered, Timestamp{14}) << "what was durable is gone without a word; bit " << bit;
    EXPECT_LT(found->last_numbered, written->last_numbered) << bit;
    for (const auto& [timestamp, read] : found->updates) {
      EXPECT_EQ(read.body, written->updates.at(timestamp).body);
    }
  }
  EXPECT_EQ(cut, 8 * (bytes.end() - bytes.last_update()) * 2) << "the last two";
  EXPECT_EQ(damaged + cut, 8 * bytes.end());
}

TEST(JournalBytesTest, DamageIsNamedWhereItIs) {
  JournalBytes bytes = journal();
  std::string file = bytes.file();
  bytes.end_with(Timestamp{12});
  const uint64_t third = bytes.end();
  file[third + 40] = static_cast<char>(file[third + 40] ^ 1);
  const auto found = read_journal(file);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find(fmt::format("offset {}: there is no sound record", third)), std::string::npos)
      << found.error().message;
  EXPECT_EQ(found.error().sqlstate, "XX001");
}

}  // namespace
}  // namespace daedalus::testing

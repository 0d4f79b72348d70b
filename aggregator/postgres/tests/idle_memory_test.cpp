// An idle session takes little. A program of its own: it counts what it allocates.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <vector>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

/// docs/postgres.md states it.
constexpr size_t kIdleBytesMax = 4096;

class IdleMemoryTest : public SessionTest {};

TEST_F(IdleMemoryTest, ASessionThatHasAskedAndIsIdleTakesLittle) {
  constexpr size_t kSessions = 200;
  std::vector<std::shared_ptr<PgSession>> sessions;
  log_in();
  const auto before = mallinfo2();
  for (size_t session = 0; session < kSessions; ++session) {
    log_in();
    send(query("SELECT id FROM tickets; SET application_name = 'idle'"));
    answer_rows(std::vector<int64_t>(5'000, 1));
    static_cast<void>(taken());
    send(query("SHOW application_name" + std::string(100'000, ' ')));
    done(pieces_of("SHOW application_name", 10));
    static_cast<void>(taken());
    operations_.clear();
    works_.clear();
    sessions.push_back(session_);
  }
  const auto after = mallinfo2();
  const size_t each = (after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / kSessions;
  RecordProperty("bytes", static_cast<int>(each));
  EXPECT_LT(each, kIdleBytesMax);
  EXPECT_GT(each, sizeof(PgSession) / 2);  // Else nothing was measured.
}

}  // namespace
}  // namespace daedalus::postgres::testing

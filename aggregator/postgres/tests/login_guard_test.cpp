// When a try is answered.
#include "daedalus/postgres/login_guard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

const LoginGuard::Suspect kAda{"ada", "10.0.0.1"};
constexpr Instant kStart{1'000};

class LoginGuardTest : public ::testing::Test {
 protected:
  LoginGuard guard_{counting_random()};
};

TEST_F(LoginGuardTest, DoesNotDelayARightPassword) {
  EXPECT_EQ(guard_.on_try(kAda, true, kStart), kStart);
  EXPECT_EQ(guard_.suspect_count(), 0u);
  EXPECT_EQ(guard_.counts(), (LoginCounts{1, 0, 0}));
}

TEST_F(LoginGuardTest, EachWrongPasswordIsAnsweredLaterUpToABound) {
  Instant now = kStart;
  int64_t last = 0;
  for (int failure = 0; failure < 20; ++failure) {
    const auto told_at = guard_.on_try(kAda, false, now);
    ASSERT_TRUE(told_at);
    const int64_t delay = told_at->ns - now.ns;
    EXPECT_GE(delay, last);
    EXPECT_LE(delay, LoginGuard::kDelayMaxNs);
    last = delay;
    now = *told_at;
  }
  EXPECT_EQ(last, LoginGuard::kDelayMaxNs);
}

TEST_F(LoginGuardTest, TriesBesideEachOtherStandInARowThatHasAnEnd) {
  Instant last = kStart;
  int answered = 0;
  for (int connection = 0; connection < 1'000; ++connection) {
    if (const auto told_at = guard_.on_try(kAda, false, kStart)) {
      EXPECT_GT(*told_at, last);
      last = *told_at;
      ++answered;
    }
  }
  EXPECT_LE(last, after(kStart, LoginGuard::kRowNsMax + LoginGuard::kDelayMaxNs));
  EXPECT_LT(answered, 10);
  EXPECT_EQ(guard_.counts().refused, 1'000u - static_cast<uint64_t>(answered));
  // The right password, too, is not looked at then: nobody learns from a refusal.
  EXPECT_EQ(guard_.on_try(kAda, true, kStart), std::nullopt);
}

TEST_F(LoginGuardTest, OthersAreNotKeptWaiting) {
  static_cast<void>(guard_.on_try(kAda, false, kStart));
  EXPECT_EQ(guard_.on_try({"ada", "10.0.0.2"}, true, kStart), kStart);
  EXPECT_EQ(guard_.on_try({"bob", "10.0.0.1"}, true, kStart), kStart);
}

TEST_F(LoginGuardTest, FailuresAreForgottenAfterARightOneAndAfterAWhile) {
  Instant now = kStart;
  for (int failure = 0; failure < 5; ++failure) {
    now = *guard_.on_try(kAda, false, now);
  }
  EXPECT_EQ(guard_.on_try(kAda, true, now), now);
  EXPECT_EQ(guard_.on_try(kAda, false, now), after(now, LoginGuard::kDelayMinNs));
  now = after(now, LoginGuard::kDelayMinNs + LoginGuard::kForgetNs);
  EXPECT_EQ(guard_.on_try(kAda, false, now), after(now, LoginGuard::kDelayMinNs));
}

TEST_F(LoginGuardTest, KeepsABoundedNumberOfSuspects) {
  for (int user = 0; user < 10'000; ++user) {
    static_cast<void>(guard_.on_try({fmt::format("user{}", user), "10.0.0.1"}, false, kStart));
  }
  EXPECT_EQ(guard_.suspect_count(), LoginGuard::kSuspectsMax);
}

TEST_F(LoginGuardTest, AsksUnknownUsersForAPassword) {
  const auto first = guard_.challenge("nobody");
  EXPECT_TRUE(first.is_mock);
  EXPECT_EQ(first.verifier, guard_.challenge("nobody").verifier);
  EXPECT_NE(first.verifier.salt, guard_.challenge("somebody").verifier.salt);
  EXPECT_EQ(first.verifier.salt.size(), 16u);
  EXPECT_EQ(first.verifier.iterations, 4096u);
  EXPECT_NE(guard_.draw_nonce(), guard_.draw_nonce());
}

TEST_F(LoginGuardTest, GivesUnknownUsersTheSameSaltInEachProcess) {
  const auto before = guard_.challenge("nobody");
  const auto read = [](const std::string& key, const std::string& user) {
    return std::make_shared<const Users>(Users{{{user, {Role::kReader, std::nullopt}}}, key});
  };
  guard_.set_users(read("a key of sixteen", "ada"));
  const auto salt = guard_.challenge("nobody").verifier.salt;
  uint64_t drawn = 1'000;
  LoginGuard other([&drawn] { return ++drawn; });
  other.set_users(read("a key of sixteen", "bob"));
  EXPECT_EQ(other.challenge("nobody").verifier.salt, salt);
  EXPECT_NE(before.verifier.salt, salt);
  other.set_users(read("another sixteen.", "bob"));
  EXPECT_NE(other.challenge("nobody").verifier.salt, salt);
}

}  // namespace
}  // namespace daedalus::postgres::testing

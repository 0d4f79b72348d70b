// One client is told this of another one.
#include "client_activity.hpp"

#include <gmock/gmock.h>

namespace daedalus::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ClientActivity client() {
  ClientActivity made;
  made.process_id = 7;
  made.database = "tickets";
  made.user = "ada";
  made.application_name = "a \"b\\\n";
  made.address = "[::1]:40000";
  made.is_encrypted = true;
  made.state = "active";
  made.connected = {2 * kSecond};
  made.changed = {3 * kSecond};
  made.query = "SELECT 1";
  return made;
}

std::string told(const ClientActivity& client, bool is_told_all) {
  std::string text;
  append_activity(client, /*epoch_us=*/1'000'000, is_told_all, text);
  return text;
}

TEST(ActivityTest, ShowsAllOfClientsOfTheSameUser) {
  EXPECT_EQ(told(client(), true),
            "{\"pid\":7,\"datname\":\"tickets\",\"usename\":\"ada\",\"application_name\":\"a \\\"b\\\\\\u000a\","
            "\"client_addr\":\"::1\",\"client_port\":40000,\"backend_start\":\"1970-01-01 00:00:03+00\","
            "\"state_change\":\"1970-01-01 00:00:04+00\",\"state\":\"active\",\"backend_type\":\"client backend\","
            "\"gss_authenticated\":false,\"encrypted\":false,\"ssl\":true,\"version\":\"TLSv1.3\","
            "\"query_start\":\"1970-01-01 00:00:04+00\",\"query\":\"SELECT 1\"}");
}

TEST(ActivityTest, ShowsOnlyTheIdentityOfClientsOfOtherUsers) {
  const std::string text = told(client(), false);
  EXPECT_THAT(text, HasSubstr("\"usename\":\"ada\""));
  EXPECT_THAT(text, HasSubstr("<insufficient privilege>"));
  for (const char* const withheld : {"SELECT 1", "client_addr", "state", "backend_start"}) {
    EXPECT_THAT(text, Not(HasSubstr(withheld)));
  }
}

TEST(ActivityTest, ALongQueryIsCutBetweenCharacters) {
  std::string query = "x";
  while (query.size() < 2'000) {
    query += "\u00e4";
  }
  ClientActivity long_one = client();
  long_one.query = query;
  EXPECT_THAT(told(long_one, true), HasSubstr("\"query\":\"" + query.substr(0, 1'023) + "\"}"));
}

}  // namespace
}  // namespace daedalus::postgres

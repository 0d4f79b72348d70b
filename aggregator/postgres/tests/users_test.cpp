// The users file, line by line.
#include "daedalus/postgres/users.hpp"

#include <gtest/gtest.h>

#include "scram_client.hpp"

namespace daedalus::postgres::testing {
namespace {

const std::string kVerifier = line_of(verifier_of("pencil", "salt of sixteen."));

TEST(UsersTest, ReadsNamesRolesAndVerifiers) {
  const auto users = parse_users("# who may come in\n\n  ada   reader " + kVerifier +
                                 "\r\nbjörn\twriter\t-\nroot operator " + kVerifier);
  ASSERT_TRUE(users);
  ASSERT_EQ(users->by_name.size(), 3u);
  EXPECT_EQ(users->by_name.at("ada").role, Role::kReader);
  EXPECT_EQ(users->by_name.at("ada").verifier, verifier_of("pencil", "salt of sixteen."));
  EXPECT_EQ(users->by_name.at("björn").role, Role::kWriter);
  EXPECT_FALSE(users->by_name.at("björn").verifier);
  EXPECT_EQ(users->by_name.at("root").role, Role::kOperator);
  EXPECT_EQ(parse_users("")->by_name.size(), 0u);
}

TEST(UsersTest, ReadsTheKeyOfSaltsAmongWhatMeansNothing) {
  const auto users = parse_users("# who\n#salt-key MDEyMzQ1Njc4OWFiY2RlZg==\nada reader -\n#salt\n");
  ASSERT_TRUE(users);
  EXPECT_EQ(users->salt_key, "0123456789abcdef");
  EXPECT_EQ(users->by_name.size(), 1u);
  EXPECT_EQ(parse_users("ada reader -\n")->salt_key, "");
}

TEST(UsersTest, ReadsHowBlocksWrite) {
  const auto users = parse_users("ada writer - block_writes=immediate\nbob writer -\neve writer - block_writes=refuse");
  ASSERT_TRUE(users);
  EXPECT_EQ(users->by_name.at("ada").writes_at_once, true);
  EXPECT_EQ(users->by_name.at("bob").writes_at_once, std::nullopt);
  EXPECT_EQ(users->by_name.at("eve").writes_at_once, false);
}

TEST(UsersTest, NamesTheFirstLineThatIsNone) {
  for (const std::string& wrong : {
           std::string("ada"),
           std::string("ada reader"),
           "ada reader " + kVerifier + " more",
           "ada king " + kVerifier,
           std::string("ada writer - block_writes=later"),
           std::string("ada writer - block_writes=refuse more"),
           std::string(64, 'a') + " reader -",
           std::string("\xff reader -"),
           std::string("ada reader password"),
           std::string("ada reader SCRAM-SHA-256$4096:c2FsdA==$AAAA:AAAA"),
           std::string("ada reader SCRAM-SHA-1") + kVerifier.substr(13),
           "ada reader " + kVerifier.substr(0, kVerifier.size() - 1),
           "ada reader SCRAM-SHA-256$0" + kVerifier.substr(18),
           "ada reader SCRAM-SHA-256$99999999999" + kVerifier.substr(18),
           std::string("first writer -"),
           std::string("#salt-key"),
           std::string("#salt-key MDEyMzQ1Njc4OWFiY2RlZg"),
           std::string("#salt-key MDEyMzQ1Njc4OWFiY2Rl"),
           std::string("#salt-key MDEyMzQ1Njc4OWFiY2RlZg== more"),
       }) {
    const auto users = parse_users("first reader -\n#\n" + wrong + "\nlast reader -\n");
    ASSERT_FALSE(users) << wrong;
    EXPECT_EQ(users.error().message.find("line 3: "), 0u) << users.error().message;
    // Whoever reads the log must not learn what passwords are checked with.
    EXPECT_EQ(users.error().message.find(kVerifier.substr(20, 20)), std::string::npos);
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

// The exchange alone, with the words of RFC 7677 and with wrong ones.
#include "scram.hpp"

#include <gtest/gtest.h>

#include "digests.hpp"
#include "scram_client.hpp"

namespace daedalus::postgres::testing {
namespace {

const std::string kBinding(32, '\x07');

ScramExchange exchange(const std::string& binding = "") {
  return ScramExchange(verifier_of("pencil", "salt of sixteen."), "server-nonce", binding);
}

TEST(ScramTest, SaysWhatRfc7677SaysInSection3) {
  const auto salt = from_base64("W22ZaJ0SNY7soEsUEjb6gQ==");
  ASSERT_TRUE(salt);
  ScramExchange server(verifier_of("pencil", *salt), "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", "");
  const auto first = server.on_first("SCRAM-SHA-256", "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
  const auto outcome = server.on_final(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->is_right);
  EXPECT_EQ(outcome->server_final, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

TEST(ScramTest, OnlyTheRightPasswordIsRight) {
  for (const auto& [password, is_right] :
       {std::pair("pencil", true), std::pair("Pencil", false), std::pair("", false)}) {
    ScramExchange server = exchange();
    ScramClient client(password);
    const auto first = server.on_first(kScram, client.first());
    ASSERT_TRUE(first);
    const auto outcome = server.on_final(client.final(*first));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->is_right, is_right) << password;
    EXPECT_EQ(outcome->server_final == client.expected(), is_right) << password;
  }
}

TEST(ScramTest, ALoginIsBoundToItsConnection) {
  for (const std::string& seen : {kBinding, std::string(32, '\x08')}) {
    ScramExchange server = exchange(kBinding);
    ScramClient client("pencil", "abcdef", "p=tls-server-end-point", seen);
    const auto first = server.on_first(kScramPlus, client.first());
    ASSERT_TRUE(first);
    const auto outcome = server.on_final(client.final(*first));
    EXPECT_EQ(outcome.has_value(), seen == kBinding);
    if (!outcome) {
      EXPECT_EQ(outcome.error().message, "SCRAM channel binding check failed");
    }
  }
}

TEST(ScramTest, RefusesAClientThatMissedThatChannelBindingIsOffered) {
  ScramClient client("pencil", "abcdef", "y");
  EXPECT_TRUE(exchange().on_first(kScram, client.first()));
  const auto refused = exchange(kBinding).on_first(kScram, client.first());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "28000");
}

TEST(ScramTest, RefusesWhatIsNoFirstMessage) {
  struct Wrong {
    std::string_view mechanism;
    const char* message;
    const char* sqlstate;
  };
  for (const Wrong& wrong : std::initializer_list<Wrong>{{"SCRAM-SHA-1", "n,,n=,r=abc", "08P01"},
                                                         {kScramPlus, "p=tls-server-end-point,,n=,r=abc", "08P01"},
                                                         {kScram, "", "08P01"},
                                                         {kScram, "n", "08P01"},
                                                         {kScram, "n,", "08P01"},
                                                         {kScram, "n,,", "08P01"},
                                                         {kScram, "x,,n=,r=abc", "08P01"},
                                                         {kScram, "p=tls-unique,,n=,r=abc", "08P01"},
                                                         {kScram, "n,a=other,n=,r=abc", "0A000"},
                                                         {kScram, "n,,m=ext,n=,r=abc", "0A000"},
                                                         {kScram, "n,,n=", "08P01"},
                                                         {kScram, "n,,n=,r=", "08P01"},
                                                         {kScram, "n,,n=,r=a\tb", "08P01"}}) {
    const auto refused = exchange().on_first(wrong.mechanism, wrong.message);
    ASSERT_FALSE(refused) << wrong.message;
    EXPECT_EQ(refused.error().sqlstate, wrong.sqlstate) << wrong.message;
  }
  EXPECT_EQ(exchange().on_first(kScram, "n,,").error().message, "malformed SCRAM message: the user's name is missing");
}

TEST(ScramTest, RefusesWhatIsNoFinalMessage) {
  ScramExchange server = exchange();
  ASSERT_TRUE(server.on_first(kScram, "n,,n=,r=abc"));
  const std::string proof = ",p=" + to_base64(std::string(32, 'x'));
  EXPECT_TRUE(server.on_final("c=biws,r=abcserver-nonce" + proof));
  EXPECT_TRUE(server.on_final("c=biws,r=abcserver-nonce,x=an extension" + proof));
  for (const std::string& wrong :
       {std::string(), std::string("c=biws"), "c=biws,r=abcother" + proof, "c=eSws,r=abcserver-nonce" + proof,
        "r=abcserver-nonce" + proof, std::string("c=biws,r=abcserver-nonce"),
        std::string("c=biws,r=abcserver-nonce,p="), std::string("c=biws,r=abcserver-nonce,p=AAAA"),
        std::string("c=biws,r=abcserver-nonce,p=not base64")}) {
    EXPECT_FALSE(server.on_final(wrong)) << wrong;
  }
}

TEST(Base64Test, OneTextStandsForTheBytes) {
  for (size_t size = 0; size < 40; ++size) {
    const std::string bytes(size, '\xe7');
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
  for (const char* wrong : {"A", "AA", "AAA", "====", "A===", "AB==", "AAB=", " AAA", "AAA\n", "AA==AAAA", "A-__"}) {
    EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

// Encryption in front of a session: both sides in memory, bytes carried by hand.
#include "secure_session.hpp"

#include <openssl/ssl.h>

#include "session_fixture.hpp"
#include "tls_peer.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;

const std::string kSslRequest = "\0\0\0\x08\x04\xd2\x16\x2f"s;

class SecureSessionTest : public SessionTest {
 protected:
  SecureSessionTest() { open_door(); }

  void open_door(const std::string& client_ca = "") {
    auto made = TlsContext::make({certificate_.pem(), certificate_.key_pem(), client_ca});
    ASSERT_TRUE(made) << made.error().message;
    context_ = *made;
  }

  void connect_secure() {
    connect();
    secure_ = std::make_unique<SecureSession>(session_, context_);
  }

  void hand_in(const std::string& bytes) {
    secure_->on_bytes(bytes, now_);
    deliver();
  }

  std::string wire() {
    std::string bytes;
    while (secure_->has_output()) {
      const std::string piece = secure_->take_output(now_);
      secure_->on_written(piece.size(), now_);
      bytes += piece;
    }
    return bytes;
  }

  /// Carries the handshake to its end, as far as both go; `piece_size` bytes at once.
  void shake_hands(TlsClient& client, size_t piece_size = 1'000'000) {
    hand_in(kSslRequest);
    ASSERT_EQ(wire(), "S");
    for (int round = 0; round < 4; ++round) {
      const std::string bytes = client.take();
      for (size_t at = 0; at < bytes.size(); at += piece_size) {
        hand_in(bytes.substr(at, piece_size));
      }
      client.hear(wire());
    }
  }

  Certificate certificate_{"server"};
  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<SecureSession> secure_;
};

TEST_F(SecureSessionTest, EncryptsForAClientThatAsks) {
  for (const size_t piece_size : {size_t{1}, size_t{100}, size_t{1'000'000}}) {
    connect_secure();
    TlsClient client;
    shake_hands(client, piece_size);
    ASSERT_TRUE(client.is_open());
    hand_in(client.seal(startup()));
    const std::string sealed = wire();
    EXPECT_EQ(sealed.find("server_version"), std::string::npos);
    client.hear(sealed);
    EXPECT_NE(client.opened().find("server_version"), std::string::npos);
    hand_in(client.seal(query("SHOW server_encoding")));
    client.hear(wire());
    EXPECT_NE(client.opened().find("UTF8"), std::string::npos);
    EXPECT_EQ(secure_->output_waiting(), 0u);
  }
}

TEST_F(SecureSessionTest, DoesNotEncryptForAClientThatDoesNotAsk) {
  connect_secure();
  hand_in(startup());
  EXPECT_NE(wire().find("server_version"), std::string::npos);
  EXPECT_EQ(secure_->output_waiting(), 0u);
}

TEST_F(SecureSessionTest, NeverTakesPlainBytesForEncryptedOnes) {
  connect_secure();
  hand_in(kSslRequest + startup());
  const std::string bytes = wire();
  EXPECT_EQ(bytes[0], 'E');
  EXPECT_NE(bytes.find("received unencrypted data after SSL request"), std::string::npos);
  EXPECT_TRUE(secure_->ended());
  EXPECT_TRUE(ups_.empty());
}

TEST_F(SecureSessionTest, GarbageInPlaceOfTheHandshakeEndsTheConnection) {
  for (const std::string& garbage : {startup(), "GET / HTTP/1.1\r\n\r\n"s, std::string(100, '\0'),
                                     "\x16\x03\x01\xff\xff"s + std::string(70'000, 'x')}) {
    connect_secure();
    hand_in(kSslRequest);
    EXPECT_EQ(wire(), "S");
    hand_in(garbage);
    EXPECT_TRUE(secure_->ended()) << garbage.substr(0, 10);
    EXPECT_EQ(wire().find("FATAL"), std::string::npos);
    EXPECT_FALSE(secure_->has_output());
    EXPECT_TRUE(ups_.empty());
  }
}

TEST_F(SecureSessionTest, AHandshakeThatDoesNotEndIsEnded) {
  connect_secure();
  TlsClient client;
  hand_in(kSslRequest);
  EXPECT_EQ(wire(), "S");
  hand_in(client.take().substr(0, 50));
  now_ = secure_->next_deadline();
  secure_->on_deadline(now_);
  deliver();
  EXPECT_TRUE(secure_->ended());
  EXPECT_FALSE(secure_->has_output());
}

TEST_F(SecureSessionTest, OlderVersionsThan13AreRefused) {
  connect_secure();
  TlsClient client({nullptr, TLS1_2_VERSION});
  shake_hands(client);
  EXPECT_FALSE(client.is_open());
  EXPECT_TRUE(secure_->ended());
}

TEST_F(SecureSessionTest, ATamperedRecordEndsTheConnection) {
  connect_secure();
  TlsClient client;
  shake_hands(client);
  std::string sealed = client.seal(startup());
  sealed[sealed.size() - 3] = static_cast<char>(sealed[sealed.size() - 3] ^ 1);
  hand_in(sealed);
  EXPECT_TRUE(secure_->ended());
  EXPECT_TRUE(ups_.empty());
}

TEST_F(SecureSessionTest, TheClientIsToldWhyAndThatNothingMoreComes) {
  connect_secure();
  TlsClient client;
  shake_hands(client);
  hand_in(client.seal(startup("flights")));
  client.hear(wire());
  EXPECT_NE(client.opened().find("C3D000"), std::string::npos);
  EXPECT_TRUE(client.has_ended());
  EXPECT_TRUE(secure_->ended());
}

TEST_F(SecureSessionTest, CountsSentBytesBeforeTheirEncryption) {
  connect_secure();
  TlsClient client;
  shake_hands(client);
  hand_in(client.seal(startup()));
  const std::string piece = secure_->take_output(now_);
  EXPECT_GT(secure_->output_waiting(), 0u);
  secure_->on_written(piece.size() - 1, now_);
  EXPECT_GT(secure_->output_waiting(), 0u);
  secure_->on_written(1, now_);
  EXPECT_EQ(secure_->output_waiting(), 0u);
}

TEST_F(SecureSessionTest, AClientsCertificateIsItsName) {
  options_.trusts_loopback = false;
  const Certificate authority("authority");
  open_door(authority.pem());
  guard_.set_users(std::make_shared<const Users>(Users{{{"ada", {Role::kReader, std::nullopt}}}, {}}));
  const Certificate ada("ada", &authority);
  const Certificate bob("bob", &authority);
  const Certificate own("ada");
  using Case = std::pair<const Certificate*, bool>;
  for (const auto& [certificate, enters] : {Case(&ada, true), Case(&bob, false), Case(nullptr, false)}) {
    connect_secure();
    TlsClient client({certificate, 0});
    shake_hands(client);
    hand_in(client.seal(startup()));
    client.hear(wire());
    const std::string told = client.opened();
    EXPECT_EQ(told.find("server_version") != std::string::npos, enters);
    EXPECT_EQ(told.find("SCRAM-SHA-256-PLUS") != std::string::npos, !enters);
  }
  connect_secure();
  TlsClient client({&own, 0});
  shake_hands(client);
  EXPECT_TRUE(secure_->ended()) << "a certificate that nobody has signed";
}

TEST(TlsContextTest, RefusesTextsThatDoNotBelongTogether) {
  const Certificate one("one");
  const Certificate other("other");
  EXPECT_TRUE(TlsContext::make({one.pem() + other.pem(), one.key_pem(), ""}));
  for (const TlsTexts& wrong :
       {TlsTexts{"", one.key_pem(), ""}, TlsTexts{one.pem(), "", ""}, TlsTexts{one.pem(), other.key_pem(), ""},
        TlsTexts{"garbage", one.key_pem(), ""}, TlsTexts{one.pem(), one.key_pem(), "garbage"}}) {
    const auto refused = TlsContext::make(wrong);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("postgres_"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

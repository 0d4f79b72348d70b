// Texts of clients whose encoding is not UTF8. tests/postgres/test_encodings_against_postgres.py compares each byte
// with PostgreSQL 15.
#include "client_encoding.hpp"

#include <gtest/gtest.h>

#include "message_encoding.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres {
namespace {

using namespace std::string_literals;

TEST(ClientEncodingTest, EachByteOfLatin1AndWin1252GoesAndComesBack) {
  for (const ClientEncoding encoding : {ClientEncoding::kLatin1, ClientEncoding::kWin1252}) {
    for (int byte = 1; byte < 0x100; ++byte) {
      const std::string bytes(1, static_cast<char>(byte));
      const auto text = decoded(encoding, bytes);
      const bool is_none = encoding == ClientEncoding::kWin1252 &&
                           "\x81\x8d\x8f\x90\x9d"s.find(static_cast<char>(byte)) != std::string::npos;
      ASSERT_EQ(text.has_value(), !is_none) << byte;
      std::string back;
      if (text) {
        ASSERT_TRUE(append_encoded(encoding, *text, back));
      }
      EXPECT_EQ(back, is_none ? "" : bytes) << byte;
    }
  }
}

TEST(ClientEncodingTest, RefusesCharactersWithoutAnEquivalentInPostgresWords) {
  std::string out = "kept";
  EXPECT_EQ(
      append_encoded(ClientEncoding::kLatin1, "a\u20ac", out).error().message,
      "character with byte sequence 0xe2 0x82 0xac in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\"");
  EXPECT_EQ(out, "kept");
  EXPECT_EQ(append_encoded(ClientEncoding::kWin1252, "\u0081", out).error().message,
            "character with byte sequence 0xc2 0x81 in encoding \"UTF8\" has no equivalent in encoding \"WIN1252\"");
  EXPECT_EQ(append_encoded(ClientEncoding::kWin1252, "\U0001f600", out).error().sqlstate, "22P05");
  EXPECT_EQ(decoded(ClientEncoding::kWin1252, "\x9d").error().message,
            "character with byte sequence 0x9d in encoding \"WIN1252\" has no equivalent in encoding \"UTF8\"");
}

TEST(ClientEncodingTest, DecodesOnlyTheTextsOfAMessage) {
  const std::string binary = "\xe4\xff"s;
  const std::string body = "p\xe4\0s\0"s + std::string("\0\2\0\0\0\1\0\3", 8) + std::string("\0\0\0\1\xfc", 5) +
                           std::string("\0\0\0\2", 4) + binary + std::string("\xff\xff\xff\xff\0\0", 6);
  const auto made = decoded_body({'B', body}, ClientEncoding::kLatin1);
  ASSERT_TRUE(made);
  const auto message = read_bind(*made);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->portal, "p\u00e4");
  EXPECT_EQ(message->parameters[0], "\u00fc");
  EXPECT_EQ(message->parameters[1], binary);
  EXPECT_FALSE(message->parameters[2]);
  EXPECT_EQ(*decoded_body({'Q', "\xe4\0"s}, ClientEncoding::kLatin1), "\u00e4\0"s);
}

TEST(ClientEncodingTest, AMessageThatIsCutShortStaysWhatItIs) {
  const std::string body = "p\0s\0\0\0\0\2\0\0\0\x09xy"s;
  for (size_t size = 0; size <= body.size(); ++size) {
    const auto made = decoded_body({'B', std::string_view(body).substr(0, size)}, ClientEncoding::kLatin1);
    ASSERT_TRUE(made);
    EXPECT_FALSE(read_bind(*made)) << size;
  }
}

}  // namespace
}  // namespace daedalus::postgres

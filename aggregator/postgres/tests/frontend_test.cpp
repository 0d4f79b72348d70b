// Frames and messages, byte by byte.
#include "frontend.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus::postgres {
namespace {

using namespace std::string_literals;

TEST(FrameBufferTest, HoldsAPartialFrameUntilTheRestHasCome) {
  const std::string frame = "Q\0\0\0\x0dSELECT 1\0"s;
  for (size_t cut = 0; cut < frame.size(); ++cut) {
    FrameBuffer buffer;
    buffer.feed(frame.substr(0, cut));
    const auto early = buffer.next(FrameKind::kMessage);
    ASSERT_TRUE(early);
    EXPECT_FALSE(early->has_value()) << cut;
    buffer.feed(frame.substr(cut));
    const auto whole = buffer.next(FrameKind::kMessage);
    ASSERT_TRUE(whole && whole->has_value()) << cut;
    EXPECT_EQ((*whole)->type, 'Q');
    EXPECT_EQ((*whole)->body, "SELECT 1\0"s);
    buffer.drop_read();
    EXPECT_EQ(buffer.size(), 0u);
  }
}

TEST(FrameBufferTest, RefusesALengthAsSoonAsItHasCome) {
  for (const std::string& length :
       {"\0\0\0\0"s, "\0\0\0\3"s, "\x7f\xff\xff\xff"s, "\x80\0\0\0"s, "\xff\xff\xff\xff"s}) {
    for (const FrameKind kind : {FrameKind::kFirst, FrameKind::kLogin, FrameKind::kMessage}) {
      FrameBuffer buffer;
      buffer.feed((kind == FrameKind::kFirst ? "" : "Q") + length);
      const auto next = buffer.next(kind);
      ASSERT_FALSE(next);
      EXPECT_EQ(next.error().sqlstate, "08P01");
    }
  }
}

TEST(FrameBufferTest, ALongMessageIsForThoseWhoHaveLoggedIn) {
  const std::string length = "\0\0\x27\x11"s;  // 10,001
  FrameBuffer before;
  before.feed(length);
  EXPECT_FALSE(before.next(FrameKind::kFirst));
  FrameBuffer during;
  during.feed("p" + length);
  EXPECT_FALSE(during.next(FrameKind::kLogin));
  FrameBuffer afterwards;
  afterwards.feed("Q" + length);
  EXPECT_TRUE(afterwards.next(FrameKind::kMessage));
}

TEST(FirstMessageTest, TellsRequestsFromStartUps) {
  const auto ssl = read_first("\x04\xd2\x16\x2f"s);
  ASSERT_TRUE(ssl);
  EXPECT_TRUE(std::holds_alternative<SslRequest>(*ssl));
  const auto gss = read_first("\x04\xd2\x16\x30"s);
  ASSERT_TRUE(gss);
  EXPECT_TRUE(std::holds_alternative<GssRequest>(*gss));
  const auto cancel = read_first("\x04\xd2\x16\x2e\0\0\0\7\x80\0\0\1"s);
  ASSERT_TRUE(cancel);
  EXPECT_EQ(std::get<CancelRequest>(*cancel).process_id, 7u);
  EXPECT_EQ(std::get<CancelRequest>(*cancel).secret, 0x80000001u);
  const auto startup = read_first("\0\3\0\2user\0ada\0database\0tickets\0\0"s);
  ASSERT_TRUE(startup);
  const auto& message = std::get<StartupMessage>(*startup);
  EXPECT_EQ(message.minor, 2);
  ASSERT_EQ(message.parameters.size(), 2u);
  EXPECT_EQ(message.parameters[1], std::pair("database"s, "tickets"s));
}

TEST(FirstMessageTest, RefusesWhatIsCutShortOrOfAnotherProtocol) {
  EXPECT_EQ(read_first("\0\3\0\0user\0ada"s).error().sqlstate, "08P01");
  EXPECT_EQ(read_first("\0\3\0\0user\0ada\0\0x"s).error().sqlstate, "08P01");
  EXPECT_EQ(read_first("\x04\xd2\x16\x2e\0\0"s).error().sqlstate, "08P01");
  EXPECT_EQ(read_first(""s).error().sqlstate, "0A000");
  EXPECT_EQ(read_first("\0\2\0\0"s).error().sqlstate, "0A000");
}

TEST(MessageTest, BindHasFormatsAndParameters) {
  const std::string body = "p\0s\0\0\1\0\1\0\2\0\0\0\3abc\xff\xff\xff\xff\0\0"s;
  const auto bind = read_bind(body);
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->portal, "p");
  EXPECT_EQ(bind->statement, "s");
  ASSERT_EQ(bind->parameters.size(), 2u);
  EXPECT_EQ(bind->parameters[0], "abc");
  EXPECT_EQ(bind->parameters[1], std::nullopt);
  EXPECT_EQ(bind->parameter_formats, std::vector<int16_t>{1});
}

TEST(MessageTest, CountsAreBelievedOnlyAsFarAsThereAreBytes) {
  EXPECT_FALSE(read_bind("\0\0\xff\xff"s));
  EXPECT_FALSE(read_bind("\0\0\0\0\xff\xff\0\0"s));
  EXPECT_FALSE(read_bind("\0\0\0\0\0\1\x7f\xff\xff\xff"s));
  EXPECT_FALSE(read_bind("\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"s));
  EXPECT_FALSE(read_parse("\0SELECT 1\0\xff\xff"s));
}

TEST(MessageTest, EachIsRefusedWhenItIsCutShortAnywhere) {
  const std::string parse = "s\0SELECT $1\0\0\1\0\0\0\x17"s;
  ASSERT_TRUE(read_parse(parse));
  for (size_t size = 0; size < parse.size(); ++size) {
    EXPECT_FALSE(read_parse(parse.substr(0, size))) << size;
  }
  const std::string execute = "p\0\0\0\0\5"s;
  ASSERT_TRUE(read_execute(execute));
  EXPECT_EQ(read_execute(execute)->rows_max, 5u);
  for (size_t size = 0; size < execute.size(); ++size) {
    EXPECT_FALSE(read_execute(execute.substr(0, size))) << size;
  }
  EXPECT_TRUE(read_target("Sname\0"s));
  EXPECT_FALSE(read_target("Xname\0"s));
  EXPECT_FALSE(read_query("SELECT 1"s));
  EXPECT_FALSE(read_query("SELECT 1\0more"s));
}

}  // namespace
}  // namespace daedalus::postgres

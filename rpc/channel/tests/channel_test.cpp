#include "daedalus/rpc/channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "channel_pair.hpp"

namespace daedalus::rpc {
namespace {

using testing::HasSubstr;

std::string closed_reason(const std::vector<ChannelEvent>& events) {
  if (events.empty() || !std::holds_alternative<ChannelClosed>(events.back())) {
    return "";
  }
  return std::get<ChannelClosed>(events.back()).reason;
}

std::string handshake_reason(const wire::v1::Hello& ours, const wire::v1::Hello& theirs) {
  Channel channel(ours, {}, kStart);
  channel.on_bytes(hello_frame(theirs), kStart);
  return closed_reason(channel.take_events());
}

// ---- handshake ----

TEST(ChannelTest, SendsHelloFirstAndComesUpOnThePeersHello) {
  ChannelPair pair;
  EXPECT_EQ(pair.a.state(), Channel::State::kHandshake);
  pair.exchange();
  const auto events = pair.a.take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<ChannelUp>(events[0]).hello.name(), "b");
  EXPECT_EQ(std::get<ChannelUp>(events[0]).hello.frame_size_max(), kFrameSizeMax);
  EXPECT_EQ(pair.a.state(), Channel::State::kUp);
  EXPECT_EQ(pair.b.state(), Channel::State::kUp);
}

TEST(ChannelTest, RefusesPeersThatDoNotFitAndNamesBothValues) {
  auto other = hello("b");
  other.set_cluster_id("trains");
  EXPECT_EQ(handshake_reason(hello("a"), other), R"(cluster id differs: "flights" here, "trains" at peer "b")");
  other = hello("b");
  other.set_schema_fingerprint("fp-2");
  EXPECT_EQ(handshake_reason(hello("a"), other), R"(schema fingerprint differs: "fp-1" here, "fp-2" at peer "b")");
  other = hello("b");
  other.set_map_version(8);
  EXPECT_EQ(handshake_reason(hello("a"), other), R"(map version differs: "7" here, "8" at peer "b")");
  other = hello("b");
  other.set_role(wire::v1::ROLE_UNSPECIFIED);
  EXPECT_THAT(handshake_reason(hello("a"), other), HasSubstr("no role"));
  other = hello("b");
  other.set_frame_size_max(kFrameSizeMaxMin - 1);
  EXPECT_THAT(handshake_reason(hello("a"), other), HasSubstr("at most 4095 bytes"));
}

TEST(ChannelTest, RefusesAPeerWhoseBuildIsNeitherOlderNorNewer) {
  const auto speaking = [](const std::vector<uint64_t>& languages) {
    auto made = hello("b");
    made.mutable_languages()->Assign(languages.begin(), languages.end());
    return made;
  };
  for (const auto& theirs : {std::vector<uint64_t>{}, {1}, {1, 2}, {1, 2, 3}}) {
    EXPECT_EQ(handshake_reason(speaking({1, 2}), speaking(theirs)), "");
  }
  EXPECT_EQ(handshake_reason(speaking({}), speaking({1, 2})), "");
  for (const auto& theirs : {std::vector<uint64_t>{1, 9}, {9}}) {
    EXPECT_THAT(handshake_reason(speaking({1, 2}), speaking(theirs)),
                HasSubstr("peer \"b\" speaks language 0000000000000009, this side 0000000000000002"));
  }
}

TEST(ChannelTest, AcceptsAClientThatKnowsNothingYet) {
  wire::v1::Hello newcomer;
  newcomer.set_role(wire::v1::ROLE_CLIENT);
  newcomer.set_frame_size_max(kFrameSizeMax);
  EXPECT_EQ(handshake_reason(hello("a"), newcomer), "");
  EXPECT_EQ(handshake_reason(newcomer, hello("b")), "");
}

TEST(ChannelTest, ClosesWithoutHelloInTime) {
  Channel channel(hello("a"), {}, kStart);
  channel.on_deadline(after(kStart, 2 * kSecond - 1));
  EXPECT_EQ(channel.state(), Channel::State::kHandshake);
  channel.on_deadline(after(kStart, 2 * kSecond));
  EXPECT_EQ(closed_reason(channel.take_events()), "no hello within 2000 ms");
}

TEST(ChannelTest, RefusesAnythingBeforeHelloAndASecondHello) {
  for (const FrameType type : {FrameType::kKeepAlive, FrameType::kOperations, FrameType::kResults}) {
    Channel channel(hello("a"), {}, kStart);
    channel.on_bytes(encode_frame(type, ""), kStart);
    EXPECT_THAT(closed_reason(channel.take_events()), HasSubstr("frame before hello"));
  }
  Channel channel(hello("a"), {}, kStart);
  channel.on_bytes(hello_frame(hello("b")) + hello_frame(hello("b")), kStart);
  EXPECT_EQ(closed_reason(channel.take_events()), "protocol violation: second hello");
}

// ---- faults ----

TEST(ChannelTest, ClosesOnPayloadsThatDoNotParse) {
  for (const FrameType type :
       {FrameType::kHello, FrameType::kKeepAlive, FrameType::kOperations, FrameType::kResults, FrameType::kGoodbye}) {
    Channel channel(hello("a"), {}, kStart);
    if (type != FrameType::kHello) {
      channel.on_bytes(hello_frame(hello("b")), kStart);
    }
    channel.on_bytes(encode_frame(type, "\x0a\x05\x01"), kStart);
    EXPECT_THAT(closed_reason(channel.take_events()), HasSubstr("does not parse")) << to_string(type);
  }
}

TEST(ChannelTest, TellsThePeerWhyItCloses) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.a.take_events();
  (void)pair.b.take_events();
  pair.a.on_bytes("complete garbage", kStart);
  EXPECT_THAT(closed_reason(pair.a.take_events()), HasSubstr("malformed frame: frame length"));
  pair.exchange();
  EXPECT_THAT(closed_reason(pair.b.take_events()), HasSubstr("peer said goodbye: malformed frame: frame length"));
}

TEST(ChannelTest, KeepsWhatArrivedBeforeTheFault) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.b.take_events();
  pair.a.send(operation(1));
  pair.b.on_bytes(pair.a.take_output(kStart) + "garbage and more garbage", kStart);
  const auto events = pair.b.take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<wire::v1::Operation>(events[0]).header().sequence(), 1u);
  EXPECT_TRUE(std::holds_alternative<ChannelClosed>(events[1]));
}

TEST(ChannelTest, IsSilentOnceClosed) {
  ChannelPair pair;
  pair.exchange();
  pair.a.on_lost("reset");
  (void)pair.a.take_events();
  pair.a.send(operation(1));
  pair.a.on_bytes("garbage", kStart);
  pair.a.on_deadline(after(kStart, kSecond * 60));
  pair.a.on_lost("again");
  pair.a.close("and again");
  EXPECT_TRUE(pair.a.take_events().empty());
  EXPECT_FALSE(pair.a.has_output());
  EXPECT_EQ(pair.a.next_deadline(), kNever);
}

TEST(ChannelTest, MakesAPeersGoodbyeFitForLogs) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.a.take_events();
  wire::v1::Goodbye goodbye;
  goodbye.set_reason(std::string("line\nbreak\x1b[31m").append(5000, 'x'));
  pair.a.on_bytes(encode_frame(FrameType::kGoodbye, goodbye.SerializeAsString()), kStart);
  const std::string reason = closed_reason(pair.a.take_events());
  EXPECT_THAT(reason, HasSubstr("line break [31m"));
  EXPECT_LE(reason.size(), 1100u);
}

// ---- keep-alive ----

TEST(ChannelTest, SendsKeepAliveAfterHalfASecondOfSilence) {
  ChannelPair pair;
  pair.exchange();
  EXPECT_EQ(pair.a.next_deadline(), after(kStart, 500 * kMillisecond));
  pair.a.on_deadline(after(kStart, 500 * kMillisecond - 1));
  EXPECT_FALSE(pair.a.has_output());
  pair.a.on_deadline(after(kStart, 500 * kMillisecond));
  EXPECT_EQ(pair.a.take_output(after(kStart, 500 * kMillisecond)), encode_frame(FrameType::kKeepAlive, ""));
  EXPECT_EQ(pair.a.next_deadline(), after(kStart, 1000 * kMillisecond));
}

TEST(ChannelTest, SendsNoKeepAliveWhileThereIsTraffic) {
  ChannelPair pair;
  pair.exchange();
  pair.a.send(operation(1));
  (void)pair.a.take_output(after(kStart, 400 * kMillisecond));
  pair.a.on_deadline(after(kStart, 500 * kMillisecond));
  EXPECT_FALSE(pair.a.has_output());
}

TEST(ChannelTest, DeclaresASilentPeerDeadAfterTwoSeconds) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.a.take_events();
  for (Instant now = pair.a.next_deadline(); now < after(kStart, 2 * kSecond); now = pair.a.next_deadline()) {
    pair.a.on_deadline(now);
    (void)pair.a.take_output(now);
    ASSERT_EQ(pair.a.state(), Channel::State::kUp);
  }
  pair.a.on_deadline(after(kStart, 2 * kSecond));
  EXPECT_EQ(closed_reason(pair.a.take_events()), "peer silent for 2000 ms");
}

TEST(ChannelTest, AnyByteIsASignOfLife) {
  ChannelPair pair;
  pair.exchange();
  pair.a.on_bytes(encode_frame(FrameType::kKeepAlive, "").substr(0, 3), after(kStart, kSecond));
  pair.a.on_deadline(after(kStart, 3 * kSecond - 1));
  EXPECT_EQ(pair.a.state(), Channel::State::kUp);
  pair.a.on_deadline(after(kStart, 3 * kSecond));
  EXPECT_EQ(pair.a.state(), Channel::State::kClosed);
}

TEST(ChannelTest, InputThatWaitsToBeReadIsNeitherSilenceNorAMissingHello) {
  Channel channel(hello("a"), {}, kStart);
  const Instant late = after(kStart, 2 * kSecond);
  channel.on_unread(late);
  channel.on_deadline(late);
  EXPECT_EQ(channel.state(), Channel::State::kHandshake);
  channel.on_deadline(after(late, kUnreadGrace));
  EXPECT_EQ(closed_reason(channel.take_events()), "no hello within 2000 ms");

  ChannelPair pair;
  pair.exchange();
  pair.a.on_unread(late);
  pair.a.on_deadline(after(late, 2 * kSecond - 1));
  EXPECT_EQ(pair.a.state(), Channel::State::kUp);
  pair.a.on_deadline(after(late, 2 * kSecond));
  EXPECT_EQ(pair.a.state(), Channel::State::kClosed);
}

// ---- batching and limits ----

TEST(ChannelTest, PutsWhatIsQueuedIntoOneFrame) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.b.take_events();
  for (uint64_t sequence = 1; sequence <= 100; ++sequence) {
    pair.a.send(operation(sequence));
  }
  const std::string output = pair.a.take_output(kStart);
  Framer framer;
  framer.feed(output);
  EXPECT_TRUE(framer.next());
  EXPECT_FALSE(framer.next());
  pair.b.on_bytes(output, kStart);
  const auto events = pair.b.take_events();
  ASSERT_EQ(events.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(std::get<wire::v1::Operation>(events[i]).header().sequence(), i + 1);
  }
}

TEST(ChannelTest, KeepsTheOrderOfOperationsAndResults) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.b.take_events();
  for (uint64_t sequence = 1; sequence <= 9; ++sequence) {
    if (sequence % 3 == 0) {
      pair.a.send(result(sequence));
    } else {
      pair.a.send(operation(sequence));
    }
  }
  pair.exchange();
  uint64_t expected = 0;
  for (const ChannelEvent& event : pair.b.take_events()) {
    ++expected;
    const auto* as_result = std::get_if<wire::v1::Result>(&event);
    EXPECT_EQ(as_result != nullptr, expected % 3 == 0);
    EXPECT_EQ(as_result ? as_result->sequence() : std::get<wire::v1::Operation>(event).header().sequence(), expected);
  }
  EXPECT_EQ(expected, 9u);
}

TEST(ChannelTest, ManyRowsLeaveWithoutACopyInTheOrderOfAllElse) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.b.take_events();
  std::vector<std::string> sent;
  const char* large = nullptr;
  for (const size_t size : {100u, 16'383u, 16'384u, 300'000u, 20u, 900'000u}) {
    wire::v1::Result rows = result(sent.size() + 1);
    rows.mutable_rows()->set_rows(std::string(size, static_cast<char>('a' + sent.size())));
    rows.mutable_rows()->set_row_count(static_cast<uint32_t>(size) % 7);
    rows.mutable_rows()->set_shape_sequence(size % 2);
    rows.mutable_rows()->add_columns()->set_name("a column");
    sent.push_back(rows.SerializeAsString());
    large = size == 300'000u ? rows.rows().rows().data() : large;
    pair.a.send(std::move(rows));
    pair.a.send(operation(sent.size()));
  }
  bool is_the_same = false;
  const uint64_t waiting = pair.a.output_waiting();
  uint64_t taken = 0;
  while (pair.a.has_output()) {
    const std::string piece = pair.a.take_output(kStart);
    is_the_same |= piece.data() == large;
    taken += piece.size();
    pair.b.on_bytes(piece, kStart);
  }
  EXPECT_TRUE(is_the_same);
  EXPECT_EQ(taken, waiting + kChecksumSize) << "but for the end of the open batch";
  const auto events = pair.b.take_events();
  ASSERT_EQ(events.size(), 2 * sent.size());
  for (size_t at = 0; at < sent.size(); ++at) {
    EXPECT_EQ(std::get<wire::v1::Result>(events[2 * at]).SerializeAsString(), sent[at]);
    EXPECT_EQ(std::get<wire::v1::Operation>(events[2 * at + 1]).header().sequence(), at + 1);
  }
}

TEST(ChannelTest, FinishesAFrameThatHasReachedTheBatchSize) {
  ChannelPair pair;
  pair.exchange();
  for (uint64_t sequence = 1; sequence <= 8; ++sequence) {
    pair.a.send(operation(sequence, 100'000));
  }
  Framer framer;
  while (pair.a.has_output()) {
    framer.feed(pair.a.take_output(kStart));
  }
  std::vector<size_t> sizes;
  while (const auto frame = framer.next()) {
    sizes.push_back(frame->payload.size() / 100'000);
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{3, 3, 2}));
}

TEST(ChannelTest, NeverExceedsThePeersFrameMaximum) {
  ChannelLimits small;
  small.frame_size_max = kFrameSizeMaxMin;
  ChannelPair pair({}, small);
  pair.exchange();
  (void)pair.b.take_events();
  for (uint64_t sequence = 1; sequence <= 100; ++sequence) {
    pair.a.send(operation(sequence, sequence * 30));
  }
  pair.exchange();
  EXPECT_EQ(pair.b.take_events().size(), 100u);
  EXPECT_EQ(pair.b.state(), Channel::State::kUp);
}

TEST(ChannelTest, AnswersAnOperationThatIsTooLargeByItself) {
  ChannelLimits small;
  small.frame_size_max = kFrameSizeMaxMin;
  ChannelPair pair({}, small);
  pair.exchange();
  (void)pair.a.take_events();
  pair.a.send(operation(5, kFrameSizeMaxMin));
  EXPECT_FALSE(pair.a.has_output());
  const auto events = pair.a.take_events();
  ASSERT_EQ(events.size(), 1u);
  const auto& refusal = std::get<wire::v1::Result>(events[0]);
  EXPECT_EQ(refusal.sequence(), 5u);
  EXPECT_EQ(refusal.error().sqlstate(), "54000");
  EXPECT_EQ(refusal.error().category(), wire::v1::ERROR_CATEGORY_REJECTED);
}

TEST(ChannelTest, TheLargestMessageThatFitsIsTakenAndOneByteMoreIsNot) {
  ChannelLimits small;
  small.frame_size_max = kFrameSizeMaxMin;
  size_t accepted = 0;
  for (size_t body = kFrameSizeMaxMin - 64; body < kFrameSizeMaxMin; ++body) {
    ChannelPair pair({}, small);
    pair.exchange();
    (void)pair.b.take_events();
    pair.a.send(operation(1, body));
    if (pair.a.has_output()) {
      accepted = body;
      pair.exchange();
      ASSERT_EQ(pair.b.take_events().size(), 1u) << body;
    } else {
      ASSERT_EQ(body, accepted + 1);
      break;
    }
  }
  EXPECT_GT(accepted, kFrameSizeMaxMin - 40);
}

TEST(ChannelTest, SendsAnErrorInPlaceOfAResultThatIsTooLarge) {
  ChannelLimits small;
  small.frame_size_max = kFrameSizeMaxMin;
  ChannelPair pair({}, small);
  pair.exchange();
  (void)pair.b.take_events();
  wire::v1::Result large = result(6);
  large.mutable_rows()->set_rows(std::string(kFrameSizeMaxMin, 'r'));
  pair.a.send(large);
  pair.exchange();
  const auto events = pair.b.take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<wire::v1::Result>(events[0]).sequence(), 6u);
  EXPECT_EQ(std::get<wire::v1::Result>(events[0]).error().sqlstate(), "54000");
}

TEST(ChannelTest, FailsWhenThePeerIsTooSlow) {
  ChannelLimits tight;
  tight.output_size_max = 10'000;
  ChannelPair pair(tight, {});
  pair.exchange();
  (void)pair.a.take_events();
  (void)pair.b.take_events();
  pair.a.send(operation(1, 6'000));
  const size_t taken = pair.a.take_output(kStart).size();
  pair.a.send(operation(2, 6'000));
  EXPECT_THAT(closed_reason(pair.a.take_events()), HasSubstr("slow peer: more than 10000 bytes"));
  pair.a.on_written(taken, kStart);
  pair.exchange();
  EXPECT_THAT(closed_reason(pair.b.take_events()), HasSubstr("slow peer"));
}

TEST(ChannelTest, WrittenOutputMakesRoom) {
  ChannelLimits tight;
  tight.output_size_max = 10'000;
  ChannelPair pair(tight, {});
  pair.exchange();
  for (uint64_t sequence = 1; sequence <= 100; ++sequence) {
    pair.a.send(operation(sequence, 6'000));
    pair.a.on_written(pair.a.take_output(kStart).size(), kStart);
  }
  EXPECT_EQ(pair.a.state(), Channel::State::kUp);
}

TEST(ChannelTest, FailsWhenOutputWaitsAndNoneOfItIsRead) {
  ChannelLimits limits;
  limits.silence_ns_max = 60 * kSecond;  // The peer says nothing either; only that it does not read may end it.
  ChannelPair pair(limits, {});
  pair.exchange();
  (void)pair.a.take_events();
  pair.a.send(operation(1, 5'000));
  pair.a.send(operation(2, 5'000));
  const size_t taken = pair.a.take_output(kStart).size();
  const Instant almost = after(kStart, 10 * kSecond - 1);
  pair.a.on_deadline(almost);
  pair.a.on_written(taken / 2, almost);
  pair.a.on_deadline(after(kStart, 10 * kSecond + 10));
  EXPECT_EQ(pair.a.state(), Channel::State::kUp) << "some of it has left";
  EXPECT_LE(pair.a.next_deadline(), after(almost, 10 * kSecond));
  pair.a.on_deadline(after(almost, 10 * kSecond - 1));
  EXPECT_EQ(pair.a.state(), Channel::State::kUp);
  pair.a.on_deadline(after(almost, 10 * kSecond));
  EXPECT_THAT(closed_reason(pair.a.take_events()), HasSubstr("slow peer: it has read nothing for 10000 ms"));
}

TEST(ChannelTest, OutputThatWaitsLongIsKeptInPiecesAndLeavesInOrder) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.b.take_events();
  constexpr uint64_t kCount = 40;
  for (uint64_t sequence = 1; sequence <= kCount; ++sequence) {
    pair.a.send(operation(sequence, 100'000));
  }
  EXPECT_GT(pair.a.output_waiting(), kCount * 100'000);
  const ChannelLimits limits;
  uint64_t pieces = 0;
  while (pair.a.has_output()) {
    const std::string piece = pair.a.take_output(kStart);
    EXPECT_LE(piece.size(), limits.batch_size + 200'000u);
    const uint64_t waiting = pair.a.output_waiting();
    EXPECT_GE(waiting, piece.size()) << "taken is not yet written";
    pair.a.on_written(piece.size(), kStart);
    EXPECT_EQ(pair.a.output_waiting(), waiting - piece.size());
    pair.b.on_bytes(piece, kStart);
    ++pieces;
  }
  EXPECT_GT(pieces, 10u);
  EXPECT_EQ(pair.a.output_waiting(), 0u);
  for (uint64_t sequence = 1; sequence <= kCount; ++sequence) {
    const std::optional<ChannelEvent> event = pair.b.next_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<wire::v1::Operation>(*event).header().sequence(), sequence);
  }
  EXPECT_FALSE(pair.b.next_event());
}

TEST(ChannelTest, GoodbyeIsTheLastFrameAndWhatWasQueuedGoesFirst) {
  ChannelPair pair;
  pair.exchange();
  (void)pair.a.take_events();
  (void)pair.b.take_events();
  pair.a.send(operation(1));
  pair.a.close("enough");
  EXPECT_TRUE(pair.a.closed_by_owner());
  EXPECT_EQ(closed_reason(pair.a.take_events()), "enough");
  pair.exchange();
  const auto events = pair.b.take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<wire::v1::Operation>(events[0]).header().sequence(), 1u);
  EXPECT_EQ(closed_reason(events), "peer said goodbye: enough");
}

}  // namespace
}  // namespace daedalus::rpc

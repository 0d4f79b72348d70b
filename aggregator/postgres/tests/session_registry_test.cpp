// Sessions as one process has them.
#include "daedalus/postgres/session_registry.hpp"

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class SessionRegistryTest : public SessionTest {
 protected:
  std::shared_ptr<rpc::ByteSession> enter(SessionRegistry& registry, uint64_t id) {
    auto session = registry.make_session({rpc::PeerId{id}, "127.0.0.1:1", std::nullopt}, now_);
    session->on_bytes(startup(), now_);
    session->deliver([](const char* /*event*/) { return false; });
    return session;
  }
};

TEST_F(SessionRegistryTest, ResultsReachTheirSession) {
  SessionRegistry registry(options_, *this, [] { return uint64_t{5}; });
  const auto session = enter(registry, 3);
  session->on_bytes(query("SELECT 1"), now_);
  session->deliver([](const char* /*event*/) { return false; });
  wire::v1::Result result;
  result.set_sequence(operations_.back().header().sequence());
  result.mutable_error()->set_sqlstate("22012");
  EXPECT_FALSE(registry.on_result(rpc::PeerId{4}, wire::v1::Result(result), now_));
  EXPECT_TRUE(registry.on_result(rpc::PeerId{3}, std::move(result), now_));
  EXPECT_NE(session->take_output(now_).find("22012"), std::string::npos);
}

TEST_F(SessionRegistryTest, OnlyTheRightKeyCancels) {
  uint64_t next = 100;  // The registry draws its secret first: four numbers.
  SessionRegistry registry(options_, *this, [&] { return next++; });
  const auto first = enter(registry, 1);
  const auto second = enter(registry, 2);
  EXPECT_EQ(registry.cancel({1, 104}, now_), rpc::PeerId{1});
  EXPECT_EQ(registry.cancel({2, 107}, now_), rpc::PeerId{2});
  EXPECT_EQ(registry.cancel({2, 104}, now_), std::nullopt);
  EXPECT_EQ(registry.cancel({3, 104}, now_), std::nullopt);
}

TEST_F(SessionRegistryTest, TellsAClientThatThereIsNoRoomForItsConnection) {
  options_.clients_max = 2;
  uint64_t next = 100;
  SessionRegistry registry(options_, *this, [&] { return next++; });
  const auto first = enter(registry, 1);
  auto second = enter(registry, 2);
  EXPECT_NE(second->take_output(now_).find("ReadyForQuery"), 0u);
  const auto third = enter(registry, 3);
  const std::string said = third->take_output(now_);
  EXPECT_NE(said.find("VFATAL"), std::string::npos);
  EXPECT_NE(said.find("C53300"), std::string::npos);
  EXPECT_NE(said.find("at most 2 may"), std::string::npos);
  EXPECT_FALSE(third->was_up());
  EXPECT_EQ(registry.cancel({1, 104}, now_), rpc::PeerId{1});  // Which takes no connection.
  second.reset();
  EXPECT_TRUE(enter(registry, 4)->was_up());
}

TEST_F(SessionRegistryTest, BoundsTheMemoryOfAllClients) {
  options_.kept_bytes_max = 1u << 20;
  SessionRegistry registry(options_, *this, counting_random());
  const auto large = enter(registry, 1);
  const auto small = enter(registry, 2);
  static_cast<void>(large->take_output(now_));
  static_cast<void>(small->take_output(now_));
  const auto answer_to = [&](rpc::ByteSession& session, const std::string& bytes) {
    session.on_bytes(bytes, now_);
    session.deliver([](const char* /*event*/) { return false; });
    return session.take_output(now_);
  };
  const std::string many(700'000, ' ');
  answer_to(*large, parse("a", "BEGIN" + many) + sync());
  EXPECT_NE(answer_to(*large, parse("b", "BEGIN" + many) + sync()).find("C53200"), std::string::npos);
  EXPECT_NE(answer_to(*large, query("BEGIN") + query("SAVEPOINT a")).find("SAVEPOINT"), std::string::npos);
  EXPECT_EQ(answer_to(*small, parse("c", "BEGIN") + sync()).find("C53200"), std::string::npos);
  const std::string rest = answer_to(*small, parse("d", "BEGIN" + many).substr(0, 400'000));
  EXPECT_NE(rest.find("VFATAL"), std::string::npos);  // Before it has come: nobody could skip it.
  EXPECT_NE(rest.find("C53200"), std::string::npos);
  const auto third = enter(registry, 3);
  static_cast<void>(third->take_output(now_));
  answer_to(*large, query("DEALLOCATE ALL"));
  EXPECT_EQ(answer_to(*third, parse("e", "BEGIN" + many) + sync()).find("C53200"), std::string::npos);
}

TEST_F(SessionRegistryTest, SessionsThatAreGoneAreForgotten) {
  SessionRegistry registry(options_, *this, [] { return uint64_t{5}; });
  for (uint64_t id = 1; id <= 1'000; ++id) {
    static_cast<void>(enter(registry, id));
  }
  EXPECT_LE(registry.session_count(), 65u);
  EXPECT_FALSE(registry.on_result(rpc::PeerId{999}, {}, now_));
}

}  // namespace
}  // namespace daedalus::postgres::testing

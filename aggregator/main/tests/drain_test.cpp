// An aggregator that is asked to stop while a node owes it an answer.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "daedalus/rpc/asio_network.hpp"
#include "process_fixture.hpp"

namespace daedalus::aggregator {
namespace {

using ::testing::HasSubstr;

/// One end of connections of the aggregator: a node that answers nothing, or a client.
class Quiet final : public rpc::PeerHandler {
 public:
  explicit Quiet(wire::v1::Role role) : network_(options(role), *this) {}

  [[nodiscard]] rpc::AsioNetwork& network() { return network_; }
  [[nodiscard]] bool is_up() const { return peer_.has_value(); }
  [[nodiscard]] bool was_asked(wire::v1::OperationKind kind) const {
    return std::find(asked_.begin(), asked_.end(), kind) != asked_.end();
  }
  [[nodiscard]] const std::string& goodbye() const { return goodbye_; }

  void send(wire::v1::Operation operation) {
    rpc::Outbox out;
    out.operations.emplace_back(*peer_, std::move(operation));
    network_.send(std::move(out));
  }

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/) override { peer_ = peer; }
  void on_down(rpc::PeerId /*peer*/, const std::string& reason) override {
    peer_.reset();
    goodbye_ = reason;
  }
  void on_operation(rpc::PeerId /*peer*/, wire::v1::Operation&& operation) override {
    asked_.push_back(operation.header().kind());
  }
  void on_result(rpc::PeerId /*peer*/, wire::v1::Result&& /*result*/) override {}

 private:
  static rpc::AsioOptions options(wire::v1::Role role) {
    rpc::AsioOptions made;
    made.hello.set_role(role);
    made.hello.set_name("quiet");
    return made;
  }

  std::optional<rpc::PeerId> peer_;
  std::vector<wire::v1::OperationKind> asked_;
  std::string goodbye_;
  rpc::AsioNetwork network_;  // Last: it ends first, and says so.
};

class DrainTest : public ProcessTest {
 protected:
  /// Both serve until then; false when patience ends before.
  bool serve_until(const std::function<bool()>& condition) {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (!condition() && std::chrono::steady_clock::now() < give_up) {
      node_.network().run_for(kMillisecond);
      client_.network().run_for(kMillisecond);
    }
    return condition();
  }

  Quiet node_{wire::v1::ROLE_STORAGE_NODE};
  Quiet client_{wire::v1::ROLE_CLIENT};
};

TEST_F(DrainTest, WaitsFiveSecondsForWhatIsInFlightAndNoLonger) {
  const auto address = node_.network().listen("127.0.0.1:0");
  ASSERT_TRUE(address);
  write_cluster(*address);
  const std::string path = write_aggregator();
  port_.release();
  Child child({"--config", path});
  ASSERT_TRUE(child.wait_for("ready\n")) << child.output();
  client_.network().dial(fmt::format("127.0.0.1:{}", port_.number()));
  ASSERT_TRUE(serve_until([&] { return node_.is_up() && client_.is_up(); }));
  wire::v1::StatementBody statement;
  statement.set_sql("SELECT id FROM numbers");
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(1);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_STATEMENT);
  operation.set_body(statement.SerializeAsString());
  client_.send(std::move(operation));
  ASSERT_TRUE(serve_until([&] { return node_.was_asked(wire::v1::OPERATION_KIND_SELECT); }));

  const auto asked = std::chrono::steady_clock::now();
  child.stop();
  ASSERT_TRUE(serve_until([&] { return !client_.goodbye().empty(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - asked, std::chrono::seconds(5));
  EXPECT_THAT(client_.goodbye(), HasSubstr("the aggregator is shutting down"));
  EXPECT_TRUE(serve_until([&] { return !node_.goodbye().empty(); }));
  EXPECT_EQ(child.wait(), 0) << child.output();
  EXPECT_THAT(child.output(), HasSubstr("asked to stop: 1 operations in flight have 5000 ms to end"));
}

}  // namespace
}  // namespace daedalus::aggregator

// Nodes of older and newer builds than the aggregator: what each of them is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Language;
using ::testing::HasSubstr;

constexpr uint32_t kAbs = 901;
constexpr const char* kSentToBoth = "node 0 <- DEFINE\nnode 0 <- SELECT\nnode 1 <- DEFINE\nnode 1 <- SELECT\n";

/// abs(int) came with the second version.
const Language& newer() {
  static const Language language({1, 2}, {{semantics::LanguageKind::kFunction, kAbs, 2}});
  return language;
}

const Language& older() {
  static const Language language({1}, {});
  return language;
}

Cluster make_cluster(const Language& aggregator, const Language& nodes) {
  ClusterOptions options{.node_handles = {4, contract::kShapeBytesMax}, .node_language = &nodes};
  options.aggregator.language = &aggregator;
  return Cluster(options);
}

wire::v1::SelectBody select_abs() {
  wire::v1::SelectBody body = select_ids();
  wire::v1::Call& call = *body.mutable_outputs(0)->mutable_expression()->mutable_call();
  call.set_function(kAbs);
  call.add_arguments()->set_column(2);
  return body;
}

TEST(AggregatorLanguageTest, AnOlderNodeIsSentNoNumberThatItLacks) {
  Cluster cluster = make_cluster(newer(), older());
  const rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  cluster.select(client, select_abs());
  ASSERT_EQ(cluster.results().size(), 1u);
  const wire::v1::Error& refused = cluster.results()[0].second.error();
  EXPECT_EQ(refused.sqlstate(), "0A000");
  EXPECT_EQ(refused.category(), wire::v1::ERROR_CATEGORY_REJECTED);
  EXPECT_EQ(refused.message(), "storage node 0 is older than this aggregator: it does not know abs(integer)");
  EXPECT_THAT(cluster.take(), Not(HasSubstr("node 0 <-")));
  EXPECT_EQ(cluster.core().operations_in_flight(), 0u);
  cluster.select(client, select_ids());
  EXPECT_EQ(cluster.take(), kSentToBoth);
}

TEST(AggregatorLanguageTest, ANodeOfTheSameBuildOrANewerOneIsSentAll) {
  const Language newest({1, 2, 3}, {{semantics::LanguageKind::kFunction, kAbs, 2}});
  for (const Language* node : {&newer(), &newest}) {
    Cluster cluster = make_cluster(newer(), *node);
    cluster.select(cluster.connect(wire::v1::ROLE_CLIENT), select_abs());
    EXPECT_EQ(cluster.take(), kSentToBoth);
  }
}

TEST(AggregatorLanguageTest, ANodeThatIsReplacedByANewerOneIsSentAllFromThenOn) {
  Cluster cluster = make_cluster(newer(), older());
  const rpc::PeerId client = cluster.connect(wire::v1::ROLE_CLIENT);
  for (const uint32_t node : {0u, 1u}) {
    cluster.node_down(node);
    cluster.set_node_language(newer());
    cluster.node_up(node);
  }
  static_cast<void>(cluster.take());
  cluster.select(client, select_abs());
  EXPECT_EQ(cluster.take(), kSentToBoth);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

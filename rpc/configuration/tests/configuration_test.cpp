// Each way a configuration file can be wrong gives one error that names file, key and remedy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "daedalus/configuration/cluster.hpp"
#include "daedalus/configuration/table.hpp"
#include "daedalus/contract/map_limits.hpp"

namespace daedalus::configuration {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood = R"(cluster_id = "flights-7f3a"
schema_library = "lib/flights.so"
[partition_map]
version = 3
distribution = "hash"
columns = ["origin"]
segment_distribution = "round_robin"
segment_columns = []
[[partition_map.partitions]]
nodes = [1]
[[partition_map.partitions]]
nodes = [0]
[[nodes]]
id = 1
endpoint = "127.0.0.1:7411"
[[nodes]]
id = 0
endpoint = "127.0.0.1:7410"
)";

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() {
    std::string pattern = testing::TempDir() + "daedalus-configuration-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/cluster.toml";
  }
  ~ConfigurationTest() override { std::filesystem::remove_all(folder_); }

  Result<Cluster> read(const std::string& content) {
    std::ofstream(path_) << content;
    return read_cluster(path_);
  }

  /// kGood with the first occurrence of `from` replaced.
  Result<Cluster> read_with(const std::string& from, const std::string& to) {
    std::string content = kGood;
    const auto at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return read(content.replace(at, from.size(), to));
  }

  std::string folder_;
  std::string path_;
};

semantics::Schema flights() {
  semantics::Schema schema;
  schema.table_name = "flights";
  schema.columns = {{"carrier", {semantics::TypeKind::kVarchar, 0, 0, 2}, true, {}},
                    {"origin", {semantics::TypeKind::kChar, 0, 0, 3}, true, {}}};
  return schema;
}

TEST_F(ConfigurationTest, ReadsACluster) {
  const auto cluster = read(kGood);
  ASSERT_TRUE(cluster) << to_line(cluster.error());
  EXPECT_EQ(cluster->cluster_id, "flights-7f3a");
  EXPECT_EQ(cluster->schema_library, folder_ + "/lib/flights.so");
  EXPECT_EQ(cluster->endpoint_of(NodeId{1}), "127.0.0.1:7411");
  EXPECT_EQ(cluster->endpoint_of(NodeId{2}), std::nullopt);
  EXPECT_EQ(cluster->nodes.front().node, NodeId{0});

  const auto map = partition_map(*cluster, flights());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->version, 3u);
  EXPECT_EQ(map->distribution, semantics::Distribution::kHash);
  EXPECT_EQ(map->columns, std::vector<uint32_t>{1});
  EXPECT_EQ(map->grid, std::vector<uint32_t>{2});
  EXPECT_EQ(map->partitions, (std::vector<std::vector<NodeId>>{{NodeId{1}}, {NodeId{0}}}));
}

TEST_F(ConfigurationTest, RefusesAColumnTheSchemaDoesNotHave) {
  const auto cluster = read_with("origin", "orign");
  ASSERT_TRUE(cluster);
  const auto map = partition_map(*cluster, flights());
  ASSERT_FALSE(map);
  EXPECT_THAT(map.error().message, AllOf(StartsWith(path_), HasSubstr("partition_map.columns"), HasSubstr("orign")));
}

TEST_F(ConfigurationTest, RefusesAMissingFile) {
  const auto cluster = read_cluster(folder_ + "/none.toml");
  ASSERT_FALSE(cluster);
  EXPECT_THAT(to_line(cluster.error()), AllOf(HasSubstr("none.toml: cannot be read"), HasSubstr("name a file")));
}

TEST_F(ConfigurationTest, NamesLineAndColumnOfBrokenToml) {
  const auto cluster = read("cluster_id = \"a\"\nschema_library = \n");
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().message, StartsWith(path_ + ":2:"));
}

TEST_F(ConfigurationTest, BoundsNodesAndPartitions) {
  const auto with_more = [&](size_t nodes, size_t partitions) {
    std::string content = kGood;
    for (size_t i = 2; i < nodes; ++i) {
      content += fmt::format("[[nodes]]\nid = {}\nendpoint = \"h:{}\"\n", i, i);
    }
    for (size_t i = 2; i < partitions; ++i) {
      content += "[[partition_map.partitions]]\nnodes = [0]\n";
    }
    return read(content);
  };
  EXPECT_TRUE(with_more(kNodesMax, 2));
  EXPECT_THAT(with_more(kNodesMax + 1, 2).error().message, EndsWith("nodes: lists 1001 nodes"));
  EXPECT_THAT(with_more(2, contract::kPartitionsMax + 1).error().message,
              EndsWith("partition_map.partitions: lists 65537 partitions"));
}

struct Bad {
  const char* from;
  const char* to;
  const char* key;
  const char* problem;
};

class BadConfigurationTest : public ConfigurationTest, public testing::WithParamInterface<Bad> {};

TEST_P(BadConfigurationTest, NamesFileKeyAndRemedy) {
  const auto cluster = read_with(GetParam().from, GetParam().to);
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().message, StartsWith(path_ + ": " + GetParam().key + ": "));
  EXPECT_THAT(cluster.error().message, HasSubstr(GetParam().problem));
  EXPECT_FALSE(cluster.error().hint.empty());
}

constexpr const char* k129Bytes =
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefx\"";

TEST_F(ConfigurationTest, AClusterIdOf128BytesIsTaken) {
  EXPECT_TRUE(read_with("flights-7f3a", std::string(128, 'x').c_str()));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadConfigurationTest,
    testing::Values(Bad{"cluster_id = \"flights-7f3a\"\n", "", "cluster_id", "missing"},
                    Bad{"\"flights-7f3a\"", "\"\"", "cluster_id", "is empty"},
                    Bad{"\"flights-7f3a\"", "7", "cluster_id", "an integer in line 1, where a text belongs"},
                    Bad{"\"flights-7f3a\"", k129Bytes, "cluster_id", "is too long"},
                    Bad{"version = 3", "version = 0", "partition_map.version", "0 is out of range"},
                    Bad{"version = 3", "version = \"3\"", "partition_map.version", "where an integer from 1"},
                    Bad{"version = 3", "version = 3\nversoin = 3", "partition_map.versoin", "is not a known key"},
                    Bad{"[partition_map]", "[partition_mop]", "partition_map.version", "missing"},
                    Bad{"distribution = \"hash\"", "distribution = \"dual_hash\"", "partition_map.distribution",
                        "dual_hash"},
                    Bad{"distribution = \"hash\"", "distribution = \"range\"", "partition_map.distribution", "range"},
                    Bad{"[\"origin\"]", "[]", "partition_map.columns", "names 0 columns"},
                    Bad{"[\"origin\"]", "\"origin\"", "partition_map.columns", "where a list of texts belongs"},
                    Bad{"segment_columns = []", "segment_columns = [\"a\"]", "partition_map.segment_columns", "names"},
                    Bad{"nodes = [0]", "nodes = [0, 1]", "partition_map.partitions[1].nodes", "lists 2 nodes"},
                    Bad{"nodes = [0]", "nodes = [7]", "partition_map.partitions[1].nodes", "node 7 is not known"},
                    Bad{"nodes = [0]", "nodes = [-1]", "partition_map.partitions[1].nodes", "-1 is out of range"},
                    Bad{"id = 0", "id = 1", "nodes[1].id", "node 1 is listed twice"},
                    Bad{"id = 0", "id = 0\nname = \"x\"", "nodes[1].name", "is not a known key"},
                    Bad{":7410", ":7411", "nodes[1].endpoint", "listed twice"},
                    Bad{":7410", "", "nodes[1].endpoint", "is not host:port"},
                    Bad{":7410", ":0", "nodes[1].endpoint", "is not host:port"},
                    Bad{":7410", ":70000", "nodes[1].endpoint", "is not host:port"}));

TEST(ContentHash, ChangesWithAnyByteAndAnyBoundary) {
  EXPECT_EQ(content_hash({"a", "b"}), content_hash({"a", "b"}));
  EXPECT_NE(content_hash({"a", "b"}), content_hash({"ab", ""}));
  EXPECT_NE(content_hash({"a"}), content_hash({"b"}));
}

}  // namespace
}  // namespace daedalus::configuration

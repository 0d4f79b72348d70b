// The aggregator as its users see it: flags, files, exit codes, signals.
#include <gmock/gmock.h>

#include "process_fixture.hpp"

namespace daedalus::aggregator {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(ProcessTest, TellsItsVersion) {
  Child child({"--version"});
  EXPECT_EQ(child.wait(), 0);
  EXPECT_THAT(child.output(),
              MatchesRegex("daedalus-aggregator 0.*, commit ([0-9a-f]+\\+?|unknown), (release|asan|tsan) build\n"));
}

TEST_F(ProcessTest, WrongFlagsAreUsageErrors) {
  EXPECT_EQ(Child({}).wait(), 2);
  EXPECT_EQ(Child({"--what"}).wait(), 2);
  EXPECT_EQ(Child({"--version", "--config", "x"}).wait(), 2);
}

TEST_F(ProcessTest, ChecksAGoodConfigurationAndStartsNothing) {
  Child child({"--check-config", write_aggregator()});
  EXPECT_EQ(child.wait(), 0) << child.output();
}

TEST_F(ProcessTest, NamesFileAndKeyOfABadConfiguration) {
  Child unknown({"--check-config", write_aggregator("threads = 3\n")});
  EXPECT_EQ(unknown.wait(), 2);
  EXPECT_THAT(unknown.output(), HasSubstr("aggregator.toml"));
  EXPECT_THAT(unknown.output(), HasSubstr("threads"));

  Child absent({"--check-config", (folder_ / "nothing.toml").string()});
  EXPECT_EQ(absent.wait(), 2);
  EXPECT_THAT(absent.output(), HasSubstr("nothing.toml"));

  Child same_when_serving({"--config", write_aggregator("threads = 3\n")});
  EXPECT_EQ(same_when_serving.wait(), 2);
}

TEST_F(ProcessTest, OneAnswerHasNoMoreThanAllTogether) {
  EXPECT_EQ(Child({"--check-config", write_aggregator("answer_mib = 512\n")}).wait(), 0);
  EXPECT_EQ(Child({"--check-config", write_aggregator("answer_memory_mib = 100\n")}).wait(), 0);
  for (const char* wrong : {"answer_mib = 513\n", "answer_mib = 3\n", "answer_memory_mib = 100\nanswer_mib = 101\n"}) {
    Child child({"--check-config", write_aggregator(wrong)});
    EXPECT_EQ(child.wait(), 2) << wrong;
    EXPECT_THAT(child.output(), HasSubstr("answer_mib")) << wrong;
  }
}

TEST_F(ProcessTest, ClientsOfPostgresAreServedWhereItIsConfigured) {
  EXPECT_EQ(Child({"--check-config", write_aggregator("postgres_listen = \"127.0.0.1:5433\"\n")}).wait(), 0);
  for (const char* wrong : {"postgres_listen = \"5433\"\n", "postgres_trust = \"everybody\"\n"}) {
    Child child({"--check-config", write_aggregator(wrong)});
    EXPECT_EQ(child.wait(), 2) << wrong;
    EXPECT_THAT(child.output(), HasSubstr("postgres_")) << wrong;
  }
  Port postgres;
  postgres.release();
  const std::string path = write_aggregator(
      fmt::format("postgres_listen = \"127.0.0.1:{}\"\npostgres_trust = \"loopback\"\n", postgres.number()));
  port_.release();
  Child child({"--config", path});
  ASSERT_TRUE(child.wait_for("ready\n")) << child.output();
  EXPECT_THAT(child.output(), HasSubstr(fmt::format("PostgreSQL's protocol are served at 127.0.0.1:{}, those of this "
                                                    "machine without a password",
                                                    postgres.number())));
  child.stop();
  EXPECT_EQ(child.wait(), 0) << child.output();
}

TEST_F(ProcessTest, NamesWhatIsWrongInTheFilesOfThoseWhoMayLogIn) {
  EXPECT_EQ(Child({"--check-config", write_aggregator("postgres_users = \"users\"\n")}).wait(), 0)
      << "a file that does not exist lets nobody in";
  write("users", "ada reader -\n");
  EXPECT_EQ(Child({"--check-config", write_aggregator("postgres_users = \"users\"\n")}).wait(), 0);
  write("users", "ada reader -\nbob king -\n");
  Child damaged({"--check-config", write_aggregator("postgres_users = \"users\"\n")});
  EXPECT_EQ(damaged.wait(), 2);
  EXPECT_THAT(damaged.output(), HasSubstr("users, line 2: the role of \"bob\""));
  write("certificate", "garbage");
  for (const char* wrong : {"postgres_certificate = \"certificate\"\n", "postgres_key = \"key\"\n",
                            "postgres_certificate = \"certificate\"\npostgres_key = \"certificate\"\n",
                            "postgres_certificate = \"nowhere\"\npostgres_key = \"nowhere\"\n",
                            "postgres_client_ca = \"ca\"\n", "postgres_require_tls = \"remote\"\n",
                            "postgres_require_tls = \"yes\"\n", "postgres_block_writes = \"later\"\n"}) {
    Child child({"--check-config", write_aggregator(wrong)});
    EXPECT_EQ(child.wait(), 2) << wrong;
    EXPECT_THAT(child.output(), ::testing::AnyOf(HasSubstr("postgres_"), HasSubstr("nowhere"))) << wrong;
  }
}

TEST_F(ProcessTest, NamesASchemaLibraryThatDoesNotLoad) {
  const std::string path = write_aggregator();
  std::ifstream file(folder_ / "cluster.toml");
  std::string cluster((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  cluster.replace(cluster.find(SCHEMA_LIBRARY), std::string(SCHEMA_LIBRARY).size(), "/nowhere/schema.so");
  write("cluster.toml", cluster);
  Child child({"--check-config", path});
  EXPECT_EQ(child.wait(), 2);
  EXPECT_THAT(child.output(), HasSubstr("/nowhere/schema.so"));
}

TEST_F(ProcessTest, ServesUntilAskedToStop) {
  const std::string path = write_aggregator();
  port_.release();
  Child child({"--config", path});
  ASSERT_TRUE(child.wait_for("ready\n")) << child.output();
  EXPECT_THAT(child.output().substr(0, child.output().find('\n')), HasSubstr("configuration"));
  child.stop();
  EXPECT_EQ(child.wait(), 0) << child.output();
}

TEST_F(ProcessTest, APortInUseIsOneClearError) {
  port_.occupy();
  Child child({"--config", write_aggregator()});
  EXPECT_EQ(child.wait(), 1);
  EXPECT_THAT(child.output(), HasSubstr(fmt::format("127.0.0.1:{}", port_.number())));
  EXPECT_THAT(child.output(), ::testing::Not(HasSubstr("ready")));
}

}  // namespace
}  // namespace daedalus::aggregator

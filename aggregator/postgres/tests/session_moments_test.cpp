// Which moments the queries of a session are asked at.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

class MomentsTest : public SessionTest {
 protected:
  MomentsTest() { log_in(); }
  std::string told(const std::string& sql) {
    send(query(sql));
    return said();
  }
  /// Asks a query, which is answered at this moment; 0: by nobody who has one.
  void select(uint64_t moment) {
    send(query("SELECT 1"));
    moment_ = moment;
    answer_rows({1});
    static_cast<void>(said());
  }
  /// Writes a row, under this timestamp.
  void insert(uint64_t timestamp) {
    send(query("INSERT INTO t VALUES (1)"));
    compiled_insert(1);
    confirmed_at_ = timestamp;
    answer_confirmed(1);
    EXPECT_EQ(said(), "C INSERT 0 1|Z I");
  }
  /// The header of the query that follows, which is answered at no moment.
  wire::v1::OperationHeader next_query() {
    select(0);
    return operations_.back().header();
  }
};

TEST_F(MomentsTest, AQueryDemandsTheMomentOfTheAnswerBeforeIt) {
  EXPECT_EQ(next_query().prefix_min(), 0u);
  select(17);
  EXPECT_EQ(next_query().prefix_min(), 17u);
  EXPECT_EQ(operations_.back().header().at(), 0u);
  EXPECT_FALSE(operations_.back().header().is_firm());
}

TEST_F(MomentsTest, AQueryDemandsTheUpdateThatWasConfirmedBeforeIt) {
  select(17);
  insert(23);
  EXPECT_EQ(next_query().prefix_min(), 23u);
  select(22);
  EXPECT_EQ(next_query().prefix_min(), 23u);
}

TEST_F(MomentsTest, ACopyRaisesTheDemandToo) {
  send(query("COPY tickets (id) FROM STDIN") + message('d', "1\n") + message('c', ""));
  converted();
  confirmed_at_ = 31;
  answer_confirmed(1);
  static_cast<void>(said());
  EXPECT_EQ(next_query().prefix_min(), 31u);
}

TEST_F(MomentsTest, TheMomentOfTheLastAnswerIsShown) {
  EXPECT_EQ(told("SHOW daedalus.moment"), "T daedalus.moment:25|D 0|C SHOW|Z I");
  select(17);
  insert(23);
  EXPECT_EQ(told("SHOW daedalus.moment; SELECT current_setting('Daedalus.Moment')"),
            "T daedalus.moment:25|D 17|C SHOW|T current_setting:25|D 17|C SELECT 1|Z I");
  select(0);
  EXPECT_EQ(told("SHOW daedalus.moment"), "T daedalus.moment:25|D 17|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.moment = 5"), "E 55P02 parameter \"daedalus.moment\" cannot be changed|Z I");
}

TEST_F(MomentsTest, ReadAtAsksForThatMomentAndNoOther) {
  select(17);
  EXPECT_EQ(told("SET daedalus.read_at = 12; SET daedalus.freshness = '1s'"), "C SET|C SET|Z I");
  const auto header = next_query();
  EXPECT_EQ(header.at(), 12u);
  EXPECT_TRUE(header.is_firm());
  EXPECT_EQ(header.prefix_min(), 0u);
  EXPECT_EQ(header.freshness_ns(), 0u);
  select(12);
  EXPECT_EQ(told("SHOW daedalus.moment; RESET daedalus.read_at"), "T daedalus.moment:25|D 12|C SHOW|C RESET|Z I");
  EXPECT_EQ(next_query().at(), 0u);
  EXPECT_EQ(operations_.back().header().prefix_min(), 17u);
}

TEST_F(MomentsTest, ReadAtOfABlockEndsWithIt) {
  EXPECT_EQ(told("BEGIN; SET LOCAL daedalus.read_at = 12"), "C BEGIN|C SET|Z T");
  EXPECT_EQ(next_query().at(), 12u);
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_EQ(next_query().at(), 0u);
}

TEST_F(MomentsTest, ReadAtTakesTimestampsOnly) {
  EXPECT_EQ(told("SET daedalus.read_at = ''; SHOW daedalus.read_at"), "C SET|T daedalus.read_at:25|D 0|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 9223372036854775807; SHOW daedalus.read_at"),
            "C SET|T daedalus.read_at:25|D 9223372036854775807|C SHOW|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 9223372036854775808"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"9223372036854775808\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = 'yesterday'"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"yesterday\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = '12 34'"),
            "E 22023 invalid value for parameter \"daedalus.read_at\": \"12 34\"|Z I");
  EXPECT_EQ(told("SET daedalus.read_at = -1"),
            "E 22023 -1 is outside the valid range for parameter \"daedalus.read_at\" (0 .. 9223372036854775807)|Z I");
}

TEST_F(MomentsTest, FreshnessIsADuration) {
  EXPECT_EQ(next_query().freshness_ns(), 0u);
  EXPECT_EQ(told("SET daedalus.freshness = '500ms'; SHOW daedalus.freshness"),
            "C SET|T daedalus.freshness:25|D 500ms|C SHOW|Z I");
  EXPECT_EQ(next_query().freshness_ns(), static_cast<uint64_t>(500 * kMillisecond));
  EXPECT_EQ(told("SET daedalus.freshness = 'soon'"),
            "E 22023 invalid value for parameter \"daedalus.freshness\": \"soon\"|Z I");
  EXPECT_EQ(told("SET daedalus.freshness = -1"),
            "E 22023 -1 ms is outside the valid range for parameter \"daedalus.freshness\" (0 .. 2147483647)|Z I");
  EXPECT_EQ(told("SET daedalus.freshness = 0"), "C SET|Z I");
  EXPECT_EQ(next_query().freshness_ns(), 0u);
}

TEST_F(MomentsTest, AClientMayStartWithThem) {
  connect();
  const std::string body = number32(3u << 16) + text("user") + text("ada") + text("database") + text("tickets") +
                           text("options") + text("-c daedalus.read_at=12 -c daedalus.freshness=2s") + '\0';
  send(number32(static_cast<uint32_t>(body.size() + 4)) + body);
  static_cast<void>(taken());
  EXPECT_EQ(next_query().at(), 12u);
  EXPECT_EQ(told("SET daedalus.read_at = 0; RESET daedalus.read_at; SHOW daedalus.read_at"),
            "C SET|C RESET|T daedalus.read_at:25|D 12|C SHOW|Z I");
  EXPECT_EQ(told("SHOW daedalus.freshness"), "T daedalus.freshness:25|D 2s|C SHOW|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

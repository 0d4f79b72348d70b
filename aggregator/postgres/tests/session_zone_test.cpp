// A session's TimeZone: what it may be, and what it does to statements, values and rows.
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

constexpr const char* kEast = "<+03>-03";

class ZoneTest : public SessionTest {
 protected:
  ZoneTest() { log_in(); }

  [[nodiscard]] wire::v1::StatementBody asked() const {
    wire::v1::StatementBody body;
    EXPECT_TRUE(body.ParseFromString(operations_.back().body()));
    return body;
  }

  /// Answers the latest operation with the first moment of 1970.
  void answer_timestamptz() {
    const Type type{TypeKind::kTimestampTz};
    wire::v1::Result result;
    auto& rows = *result.mutable_rows();
    *rows.add_columns() = contract::from_column({"at", type, true, std::nullopt});
    semantics::append_packed_row(std::vector<Type>{type}, std::vector<Value>{int64_t{0}}, *rows.mutable_rows());
    rows.set_row_count(1);
    answer(std::move(result));
    answer_end();
  }
};

TEST_F(ZoneTest, IsSetInEveryWayThatPostgresTakes) {
  for (const auto& [sql, told] : std::initializer_list<std::pair<const char*, const char*>>{
           {"SET TimeZone = '<+03>-03'", "C SET|S TimeZone=<+03>-03|Z I"},
           {"SET TIME ZONE -7", "C SET|S TimeZone=<-07>+07|Z I"},
           {"SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE", "C SET|S TimeZone=<+05:30>-05:30|Z I"},
           {"SET LOCAL timezone TO 'utc'", "N 25P01 SET LOCAL can only be used in transaction blocks|C SET|Z I"},
           {"SET TIME ZONE LOCAL", "C SET|S TimeZone=UTC|Z I"},
           {"SET TIME ZONE 'Nowhere'",
            "E 0A000 time zone \"Nowhere\" is not supported where there is no time zone "
            "database|Z I"},
           {"SET TIME ZONE '200'", "E 22023 invalid value for parameter \"TimeZone\": \"200\"|Z I"},
           {"SET TIME ZONE INTERVAL '1 day'",
            "E 22023 invalid value for parameter \"TimeZone\": \"INTERVAL '1 day'\"|Z I"},
           {"SET TIME ZONE INTERVAL 5", "E 42601 syntax error at or near \"5\" @24|Z I"},
       }) {
    send(query(sql));
    EXPECT_EQ(said(), told) << sql;
  }
}

TEST_F(ZoneTest, GoesAlongWithEveryStatement) {
  send(query("SELECT 1"));
  EXPECT_EQ(asked().time_zone(), "");
  answer_rows({1});
  send(query("SET TIME ZONE '<+03>-03'; SELECT 1"));
  EXPECT_EQ(asked().time_zone(), kEast);
  answer_rows({1});
  send(parse("", "INSERT INTO tickets VALUES ($1)", {23}));
  described({TypeKind::kInt}, false);
  send(bind("", "", {"1"}) + execute("") + sync());
  EXPECT_EQ(std::get<Work::Compile>(works_.back().what).statement.time_zone(), kEast);
}

TEST_F(ZoneTest, TheOrderOfDatesGoesAlongWithEveryStatementToo) {
  send(query("SET datestyle = dmy; SELECT 1"));
  EXPECT_EQ(asked().date_order(), "DMY");
  answer_rows({1});
  send(query("BEGIN; SET datestyle = ymd; ROLLBACK; SELECT 1"));
  EXPECT_EQ(asked().date_order(), "DMY");
  answer_rows({1});
  send(query("RESET datestyle; SELECT 1"));
  EXPECT_EQ(asked().date_order(), "");
}

TEST_F(ZoneTest, APreparedStatementWithADateOfAnotherOrderIsRefused) {
  send(query("SET datestyle = dmy"));
  send(parse("", "SELECT id FROM tickets WHERE day = '01/02/2013'"));
  EXPECT_EQ(std::get<Work::Describe>(works_.back().what).dates, semantics::DateOrder::kDayMonthYear);
  described();
  send(parse("q", "SELECT id FROM tickets WHERE day = '01/02/2013'") + sync());
  described();
  send(query("SET datestyle = mdy"));
  said();
  send(bind("", "q") + execute("") + sync());
  EXPECT_EQ(
      said(),
      "E 0A000 a prepared statement with the literal '01/02/2013' is not supported while DateStyle is ISO, MDY: it "
      "was prepared while that was ISO, DMY|Z I");
  send(query("SET datestyle = dmy"));
  send(bind("", "q") + execute("") + sync());
  EXPECT_EQ(asked().date_order(), "DMY");
}

TEST_F(ZoneTest, ItsClocksShowMoments) {
  send(query("SELECT at FROM tickets"));
  answer_timestamptz();
  EXPECT_EQ(said(), "T at:1184|D 1970-01-01 00:00:00+00|C SELECT 1|Z I");
  send(query("SET TIME ZONE '<+03>-03'; SELECT at FROM tickets"));
  answer_timestamptz();
  EXPECT_EQ(said(), "C SET|T at:1184|D 1970-01-01 03:00:00+03|C SELECT 1|S TimeZone=<+03>-03|Z I");
  send(query("COPY (SELECT at FROM tickets) TO STDOUT"));
  answer_timestamptz();
  EXPECT_NE(taken().find("1970-01-01 03:00:00+03\n"), std::string::npos);
}

TEST_F(ZoneTest, ADeclaredMomentIsReadByItsClocks) {
  send(query("SET TIME ZONE '<+03>-03'"));
  send(parse("", "SELECT id FROM tickets WHERE $1 > now()", {1184}));
  described({TypeKind::kTimestampTz});
  send(bind("", "", {"1970-01-01 03:00:00"}) + execute("") + sync());
  Type type;
  const auto value = contract::to_value(asked().parameters(0), &type);
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, Value(int64_t{0}));
}

TEST_F(ZoneTest, RollbackTakesItBack) {
  send(query("BEGIN; SET TIME ZONE '<+03>-03'; ROLLBACK; SELECT 1"));
  EXPECT_EQ(asked().time_zone(), "");
}

TEST_F(ZoneTest, ADriverThatStartsWithOneHasIt) {
  const std::string settings = text("user") + text("ada") + text("database") + text("tickets") + text("TimeZone");
  for (const auto& [zone, told] :
       {std::pair(kEast, "S TimeZone=<+03>-03|"), std::pair("Europe/Berlin", "S TimeZone=UTC|")}) {
    connect();
    const std::string body = number32(196'608) + settings + text(zone) + std::string(1, '\0');
    send(number32(static_cast<uint32_t>(body.size() + 4)) + body);
    EXPECT_NE(said().find(told), std::string::npos) << "without a database of zones only some are known: " << zone;
  }
}

}  // namespace
}  // namespace daedalus::postgres::testing

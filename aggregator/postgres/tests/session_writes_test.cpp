// Several writes that become one update, each told by its own count.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

constexpr int kPartsMax = 4'096;

class WritesTest : public SessionTest {
 protected:
  WritesTest() { log_in(); }

  /// The outcome of an update of several parts.
  void answer_counted(const std::vector<uint64_t>& part_rows) {
    wire::v1::Result result;
    auto& confirmed = *result.mutable_confirmed();
    confirmed.set_timestamp(9);
    for (const uint64_t rows : part_rows) {
      confirmed.add_outcomes()->set_rows_applied(rows);  // A partition each; their sum is what counts.
    }
    confirmed.mutable_part_rows()->Add(part_rows.begin(), part_rows.end());
    answer(std::move(result));
  }

  void prepare(const std::string& name, const std::string& sql) {
    send(parse(name, sql));
    described({}, /*has_columns=*/false);
    ASSERT_EQ(said(), "1");
  }
};

TEST_F(WritesTest, EachOfOneMessageIsToldByItsOwnCount) {
  send(query("UPDATE t SET a = 1; DELETE FROM t; UPDATE t SET a = 2"));
  compiled_update();
  compiled_update();
  EXPECT_TRUE(operations_.empty());
  compiled_update();
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(submitted().parts_size(), 3);
  EXPECT_EQ(said(), "");
  answer_counted({3, 0, 2});
  EXPECT_EQ(said(), "C UPDATE 3|C DELETE 0|C UPDATE 2|Z I");
}

TEST_F(WritesTest, InsertsAmongThemArePartsWhoseRowsAreNumberedThrough) {
  send(
      query("INSERT INTO t VALUES (1), (2); UPDATE t SET a = 1; INSERT INTO t VALUES (3); INSERT INTO t VALUES (4); "
            "DELETE FROM t"));
  compiled_insert(2);
  compiled_update();
  compiled_insert(1);
  compiled_insert(1);
  compiled_update();
  const wire::v1::UpdateBody update = submitted();
  ASSERT_EQ(update.parts_size(), 4);
  EXPECT_EQ(update.parts(0).insert().row_count(), 2u);
  EXPECT_TRUE(update.parts(1).has_modify());
  EXPECT_EQ(update.parts(2).insert().first_ordinal(), 2u);
  EXPECT_EQ(update.parts(2).insert().row_count(), 2u);
  EXPECT_TRUE(update.parts(3).has_modify());
  answer_counted({2, 7, 2, 11});
  EXPECT_EQ(said(), "C INSERT 0 2|C UPDATE 7|C INSERT 0 1|C INSERT 0 1|C DELETE 11|Z I");
}

TEST_F(WritesTest, KeepsTheOrderOfRowsThatAnInsertReturns) {
  send(query("DELETE FROM t; INSERT INTO t VALUES (7) RETURNING id; UPDATE t SET a = 1"));
  compiled_update();
  compiled_returning({7});
  compiled_update();
  answer_counted({5, 1, 1});
  EXPECT_EQ(said(), "C DELETE 5|T id:23|D 7|C INSERT 0 1|C UPDATE 1|Z I");
}

TEST_F(WritesTest, MakesOneUpdateOfTheWritesUpToASync) {
  prepare("u", "UPDATE t SET a = 1");
  prepare("d", "DELETE FROM t");
  send(bind("", "u") + execute("") + bind("", "u") + message('D', "P" + text("")) + execute("") + bind("", "d") +
       execute("") + sync());
  compiled_update();
  compiled_update();
  compiled_update();
  ASSERT_EQ(operations_.size(), 1u);
  answer_counted({1, 0, 40});
  EXPECT_EQ(said(), "2|C UPDATE 1|2|n|C UPDATE 0|2|C DELETE 40|Z I");
  send(bind("", "u") + execute("") + sync());
  compiled_update();
  answer_confirmed(6);
  EXPECT_EQ(said(), "2|C UPDATE 6|Z I") << "what comes behind it is an update of its own";
}

TEST_F(WritesTest, AnErrorAmongThemLeavesNothing) {
  send(query("UPDATE t SET a = 1; DELETE FROM t; SET nonsense = 1; DELETE FROM t"));
  compiled_update();
  compiled_update();
  EXPECT_EQ(said(), "E 42704 unrecognized configuration parameter \"nonsense\"|Z I");
  prepare("u", "UPDATE t SET a = 1");
  send(bind("", "u") + execute("") + bind("", "nothing") + execute("") + sync());
  compiled_update();
  EXPECT_EQ(said(), "2|E 26000 prepared statement \"nothing\" does not exist|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(WritesTest, NothingIsToldOfAnUpdateThatFailed) {
  send(query("UPDATE t SET a = 1; DELETE FROM t"));
  compiled_update();
  compiled_update();
  answer_error("08007", "the writer was lost before it answered");
  EXPECT_EQ(said(), "E 08007 the writer was lost before it answered|Z I");
}

TEST_F(WritesTest, RowsThatWereRefusedAreOneErrorForAllOfThem) {
  send(query("UPDATE t SET a = a + 1; UPDATE t SET a = a + 1"));
  compiled_update();
  compiled_update();
  wire::v1::Result result;
  result.mutable_confirmed()->set_timestamp(9);
  auto& outcome = *result.mutable_confirmed()->add_outcomes();
  outcome.set_rows_applied(3);
  outcome.add_refused()->set_reason(wire::v1::ROW_REFUSAL_OVERFLOW);
  outcome.mutable_refused(0)->set_row_count(1);
  result.mutable_confirmed()->add_part_rows(2);
  result.mutable_confirmed()->add_part_rows(1);
  answer(std::move(result));
  EXPECT_EQ(said(),
            "E 22003 3 rows applied, 1 refused: the update has taken effect under timestamp 9 and is not to be "
            "repeated|Z I");
}

// ---- counts that nobody knows ----

TEST_F(WritesTest, CountsThatAreForgottenAreNotMadeUp) {
  for (const char* const sql : {"UPDATE t SET a = 1", "INSERT INTO t VALUES (1); DELETE FROM t"}) {
    send(query(sql));
    if (sql[0] == 'I') {
      compiled_insert(1);
    }
    compiled_update();
    wire::v1::Result result;
    result.mutable_confirmed()->set_timestamp(9);
    result.mutable_confirmed()->set_outcome_forgotten(true);
    answer(std::move(result));
    EXPECT_EQ(said(),
              "E 08007 the update has taken effect under timestamp 9 and is not to be repeated, but how many rows it "
              "changed is not known any more|Z I")
        << sql;
  }
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  wire::v1::Result result;
  result.mutable_confirmed()->set_outcome_forgotten(true);
  answer(std::move(result));
  EXPECT_EQ(said(), "C INSERT 0 1|Z I") << "that is known all the same";
}

TEST_F(WritesTest, SumsAloneTellNoPartsApart) {
  send(query("UPDATE t SET a = 1; DELETE FROM t"));
  compiled_update();
  compiled_update();
  answer_confirmed(5);
  EXPECT_EQ(said().substr(0, 8), "E 08007 ");
  send(query("UPDATE t SET a = 1; DELETE FROM t"));
  compiled_update();
  compiled_update();
  answer_confirmed(0);
  EXPECT_EQ(said(), "C UPDATE 0|C DELETE 0|Z I") << "of none, each has none";
}

// ---- what does not go together ----

TEST_F(WritesTest, AFlushEndsTheUpdateThatIsToBeToldOf) {
  prepare("u", "UPDATE t SET a = 1");
  send(bind("", "u") + execute("") + bind("", "u") + execute("") + message('H', ""));
  compiled_update();
  compiled_update();
  ASSERT_EQ(operations_.size(), 1u);
  answer_counted({1, 2});
  EXPECT_EQ(said(), "2|C UPDATE 1|2|C UPDATE 2");
  send(bind("", "u") + execute("") + sync());
  compiled_update();
  ASSERT_EQ(operations_.size(), 2u);
  EXPECT_EQ(submitted().parts_size(), 1);
  answer_confirmed(3);
  EXPECT_EQ(said(), "2|C UPDATE 3|Z I");
}

TEST_F(WritesTest, ACopyGoesBeforeThemAndNotBehind) {
  send(query("COPY tickets (id) FROM STDIN; UPDATE t SET a = 1"));
  send(message('d', "1\n") + message('c', ""));
  converted();
  compiled_update();
  ASSERT_EQ(submitted().parts_size(), 2);
  answer_counted({1, 4});
  EXPECT_EQ(said(), "G|C COPY 1|C UPDATE 4|Z I");
  send(query("UPDATE t SET a = 1; COPY tickets (id) FROM STDIN"));
  compiled_update();
  EXPECT_EQ(said(), "E 0A000 COPY FROM after an UPDATE or DELETE that has not been submitted yet is not supported|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(WritesTest, AQueryBehindThemIsRefused) {
  send(query("UPDATE t SET a = 1; DELETE FROM t; SELECT 1"));
  compiled_update();
  compiled_update();
  EXPECT_EQ(said(), "E 0A000 a query after a write that has not been submitted yet is not supported|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(WritesTest, AsManyGoTogetherAsHaveTheirOwnCounts) {
  prepare("u", "UPDATE t SET a = 1");
  for (int statement = 0; statement < kPartsMax; ++statement) {
    send(bind("", "u") + execute(""));
    compiled_update();
  }
  EXPECT_EQ(said(), "2") << "what came before the first";
  send(bind("", "u") + execute(""));
  compiled_update();
  EXPECT_EQ(said(), "E 54000 one update takes at most 4096 UPDATEs and DELETEs, and INSERTs between them");
  send(sync());
  EXPECT_EQ(said(), "Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(WritesTest, TheRowsOfAllInsertsTogetherAreBounded) {
  send(query("INSERT INTO t VALUES (1); UPDATE t SET a = 1; INSERT INTO t VALUES (1)"));
  compiled_insert(65'000);
  compiled_update();
  compiled_insert(537);
  EXPECT_EQ(said(), "E 54000 one update takes at most 65536 rows and 8388608 bytes|Z I");
  EXPECT_TRUE(operations_.empty());
}

}  // namespace
}  // namespace daedalus::postgres::testing

// Writes of a block that take effect at their own statements: daedalus.block_writes = immediate.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

constexpr const char* kNotice =
    "N 00000 the write has taken effect and ROLLBACK does not take it back: daedalus.block_writes is immediate|";

class BlockWritesTest : public SessionTest {
 protected:
  BlockWritesTest() {
    log_in();
    send(query("SET daedalus.block_writes = immediate; BEGIN"));
    EXPECT_EQ(said(), "C SET|C BEGIN|Z T");
  }

  std::string told(const std::string& sql) {
    send(query(sql));
    return said();
  }

  /// Sends an UPDATE, which the writer confirms with so many rows.
  std::string updated(uint64_t rows) {
    send(query("UPDATE t SET a = 1"));
    compiled_update();
    answer_confirmed(rows);
    return said();
  }
};

TEST_F(BlockWritesTest, EachIsConfirmedBeforeTheNextStatement) {
  EXPECT_EQ(updated(3), kNotice + std::string("C UPDATE 3|Z T"));
  EXPECT_EQ(updated(2), "C UPDATE 2|Z T");
  send(query("SELECT id FROM t"));  // A query sees confirmed updates, so nothing is in its way.
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z T");
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
}

TEST_F(BlockWritesTest, InsertsAreSubmittedAtOnceToo) {
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  EXPECT_EQ(said(), "");
  ASSERT_EQ(submitted().parts_size(), 1);
  answer_confirmed(1);
  EXPECT_EQ(said(), kNotice + std::string("C INSERT 0 1|Z T"));
}

TEST_F(BlockWritesTest, StatementsOfOneMessageRunOneAfterTheOther) {
  send(query("UPDATE t SET a = 1; INSERT INTO t VALUES (1); COMMIT"));
  compiled_update();
  ASSERT_EQ(operations_.size(), 1u);
  answer_confirmed(4);
  compiled_insert(1);
  ASSERT_EQ(operations_.size(), 2u);
  answer_confirmed(1);
  EXPECT_EQ(said(), kNotice + std::string("C UPDATE 4|C INSERT 0 1|C COMMIT|Z I"));
}

TEST_F(BlockWritesTest, OneOfTheExtendedProtocolIsConfirmedBeforeItsSync) {
  send(parse("", "UPDATE t SET a = 1"));
  described({}, /*has_columns=*/false);
  send(bind("", "") + execute(""));
  compiled_update();
  answer_confirmed(5);
  EXPECT_EQ(said(), "1|2|" + (kNotice + std::string("C UPDATE 5")));
  send(sync());
  EXPECT_EQ(said(), "Z T");
}

TEST_F(BlockWritesTest, RowsOfReturningWaitForTheConfirmation) {
  send(query("INSERT INTO t VALUES (7) RETURNING id"));
  compiled_returning({7});
  EXPECT_EQ(said(), "");
  answer_confirmed(1);
  EXPECT_EQ(said(), kNotice + std::string("T id:23|D 7|C INSERT 0 1|Z T"));
}

TEST_F(BlockWritesTest, RollbackCountsWhatStays) {
  static_cast<void>(updated(1));
  EXPECT_EQ(told("ROLLBACK"), "N 01000 1 statement took effect and stays|C ROLLBACK|Z I");
  EXPECT_EQ(told("BEGIN; ROLLBACK"), "C BEGIN|C ROLLBACK|Z I");
}

TEST_F(BlockWritesTest, RollbackToASavepointCountsWhatStaysOfIt) {
  static_cast<void>(updated(1));
  static_cast<void>(told("SAVEPOINT s"));
  EXPECT_EQ(told("ROLLBACK TO s"), "C ROLLBACK|Z T");
  static_cast<void>(updated(1));
  static_cast<void>(updated(1));
  EXPECT_EQ(told("ROLLBACK TO s"), "N 01000 2 statements took effect and stay|C ROLLBACK|Z T");
  EXPECT_EQ(told("ROLLBACK"), "N 01000 3 statements took effect and stay|C ROLLBACK|Z I");
}

TEST_F(BlockWritesTest, ABlockThatFailedCountsWhatStaysWhenItEnds) {
  static_cast<void>(updated(1));
  send(query("UPDATE t SET a = 1"));
  compiled_update();
  answer_error("08007", "nobody knows");
  EXPECT_EQ(said(), "E 08007 nobody knows|Z E");
  EXPECT_EQ(told("COMMIT"), "N 01000 1 statement took effect and stays|C ROLLBACK|Z I");
}

TEST_F(BlockWritesTest, AFailedWriteBehindASavepointLeavesNothingToBeSubmitted) {
  static_cast<void>(told("SAVEPOINT s"));
  send(query("UPDATE t SET a = 1"));
  compiled_update();
  answer_error("53100", "the disk is full");
  EXPECT_EQ(said(), "E 53100 the disk is full|Z E");
  EXPECT_EQ(told("ROLLBACK TO s"), "C ROLLBACK|Z T");
  EXPECT_EQ(told("COMMIT"), "C COMMIT|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(BlockWritesTest, BlocksOfRepeatableReadTakeNone) {
  EXPECT_EQ(told("COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ; UPDATE t SET a = 1"),
            "C COMMIT|C BEGIN|"
            "E 0A000 UPDATE in a block of REPEATABLE READ or SERIALIZABLE is not supported|Z E");
}

TEST_F(BlockWritesTest, ABlockThatHasGatheredInsertsGoesOnGathering) {
  static_cast<void>(told("COMMIT; SET daedalus.block_writes = refuse; BEGIN"));
  send(query("INSERT INTO t VALUES (1)"));
  compiled_insert(1);
  EXPECT_EQ(said(), "C INSERT 0 1|Z T");
  EXPECT_EQ(told("SET daedalus.block_writes = immediate"), "C SET|Z T");
  send(query("INSERT INTO t VALUES (2)"));
  compiled_insert(1);
  EXPECT_EQ(said(), "C INSERT 0 1|Z T");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(BlockWritesTest, ARefusalNamesTheSettingInItsMessage) {
  EXPECT_EQ(told("COMMIT; RESET daedalus.block_writes; BEGIN; DELETE FROM t"),
            "C COMMIT|C RESET|C BEGIN|"
            "E 0A000 DELETE in a block is not supported unless daedalus.block_writes is immediate|Z E");
}

}  // namespace
}  // namespace daedalus::postgres::testing

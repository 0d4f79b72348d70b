// COPY in both directions, message by message.
#include <fmt/format.h>

#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

std::string copy_data(const std::string& bytes) { return message('d', bytes); }
std::string copy_done() { return message('c', ""); }

class CopyTest : public SessionTest {
 protected:
  CopyTest() { log_in(); }

  /// Sends a COPY in batches as far as its first update, which is in flight: rows 1 to `rows`.
  void send_first_batch(uint32_t rows) {
    send(query("SET daedalus.copy = batches"));
    send(query("COPY tickets (id) FROM STDIN"));
    static_cast<void>(taken());
    std::string bytes;
    for (uint32_t row = 1; row <= rows; ++row) {
      bytes += fmt::format("{:016}\n", row);
    }
    for (size_t begin = 0; begin < bytes.size(); begin += 60'000) {
      send(copy_data(bytes.substr(begin, 60'000)));
      if (!works_.empty() && works_.back().id != done_) {
        done_ = works_.back().id;
        converted();
      }
    }
  }

  uint64_t done_ = 0;
};

TEST_F(CopyTest, RowsBecomeOneUpdate) {
  send(query("COPY tickets FROM STDIN"));
  EXPECT_EQ(said(), "G");
  send(copy_data("1\t2013-02-08\ta\n2\t\\N"));
  EXPECT_TRUE(works_.empty()) << "a little is gathered";
  send(copy_data("\tb\n"));
  send(copy_done());
  converted();
  ASSERT_EQ(operations_.size(), 1u);
  EXPECT_EQ(submitted().parts(0).insert().row_count(), 2u);
  EXPECT_EQ(said(), "") << "nothing is told before it is confirmed";
  answer_confirmed(2);
  EXPECT_EQ(said(), "C COPY 2|Z I");
}

TEST_F(CopyTest, NoRowsAreNoUpdate) {
  send(query("COPY tickets FROM STDIN") + copy_done());
  converted();
  EXPECT_EQ(said(), "G|C COPY 0|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CopyTest, InTheExtendedProtocol) {
  send(parse("", "COPY tickets (id) FROM STDIN CSV") + bind("", "") + message('D', "P" + text("")) + execute("") +
       sync());
  EXPECT_EQ(said(), "1|2|n|G") << "a Sync within it is ignored";
  send(copy_data("1\n2\n") + message('H', "") + copy_done() + sync());
  converted();
  answer_confirmed(2);
  EXPECT_EQ(said(), "C COPY 2|Z I");
}

TEST_F(CopyTest, WithOtherWritesOfItsMessageItIsOneUpdate) {
  send(query("COPY tickets (id) FROM STDIN; INSERT INTO tickets VALUES (9)"));
  send(copy_data("1\n") + copy_done());
  converted();
  compiled_insert(1);
  EXPECT_EQ(submitted().parts(0).insert().row_count(), 2u);
  answer_confirmed(2);
  EXPECT_EQ(said(), "G|C COPY 1|C INSERT 0 1|Z I");
}

TEST_F(CopyTest, InABlockItIsKeptAsInsertsAre) {
  send(query("BEGIN") + query("COPY tickets (id) FROM STDIN") + copy_data("1\n") + copy_done());
  converted();
  EXPECT_EQ(said(), "C BEGIN|Z T|G|C COPY 1|Z T");
  EXPECT_TRUE(operations_.empty());
  send(query("COMMIT"));
  answer_confirmed(1);
  EXPECT_EQ(said(), "C COMMIT|Z I");
}

TEST_F(CopyTest, AnAbortedBlockTakesNone) {
  send(query("BEGIN") + query("COPY tickets FROM STDIN") + message('f', text("enough")));
  EXPECT_EQ(said(), "C BEGIN|Z T|G|E 57014 COPY from stdin failed: enough|Z E");
  send(query("COPY tickets FROM STDIN"));
  EXPECT_EQ(said(), "E 25P02 current transaction is aborted, commands ignored until end of transaction block|Z E");
  send(query("COPY tickets (FROM"));
  EXPECT_EQ(said(), "E 42601 syntax error at or near \"FROM\" @15|Z E");
}

TEST_F(CopyTest, AMistakeEndsItAndWhatFollowsIsSkipped) {
  send(query("COPY tickets FROM STDIN"));
  send(copy_data("1\t\\N\ta\nx\t\\N\tb\n") + copy_done());
  converted();
  EXPECT_EQ(said(),
            "G|E 22P02 invalid input syntax for type integer: \"x\" in COPY tickets, line 2, column id: \"x\"|Z I");
  send(copy_data("more") + copy_done() + query("SELECT 1"));
  answer_rows({1});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|Z I");
  EXPECT_EQ(operations_.size(), 1u) << "nothing was submitted";
}

TEST_F(CopyTest, AClientThatGivesUpLeavesNothing) {
  send(query("COPY tickets FROM STDIN") + copy_data("1\t\\N\ta\n") + message('f', text("no more")));
  EXPECT_EQ(said(), "G|E 57014 COPY from stdin failed: no more|Z I");
  send(query("COPY tickets FROM STDIN") + copy_data("1\t\\N\ta\n"));
  session_->on_lost("gone");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CopyTest, ACancelEndsIt) {
  send(query("COPY tickets FROM STDIN") + copy_data("1\t\\N\ta\n"));
  session_->cancel(now_);
  EXPECT_EQ(said(), "G|E 57014 canceling statement due to user request|Z I");
  send(query("COPY tickets FROM STDIN") + copy_data("1\t\\N\ta\n") + copy_done());
  session_->cancel(now_);
  EXPECT_EQ(said(), "G") << "what is under way comes to its end first";
  converted();
  EXPECT_EQ(said(), "E 57014 canceling statement due to user request|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CopyTest, TheTimeoutEndsIt) {
  send(query("SET statement_timeout = '2s'") + query("COPY tickets FROM STDIN"));
  static_cast<void>(taken());
  EXPECT_EQ(session_->next_deadline(), after(now_, 2 * kSecond));
  session_->on_deadline(after(now_, 2 * kSecond));
  EXPECT_EQ(said(), "E 57014 canceling statement due to statement timeout|Z I");
}

TEST_F(CopyTest, AnotherMessageWithinItIsTheEnd) {
  send(query("COPY tickets FROM STDIN") + query("SELECT 1"));
  EXPECT_EQ(said(), "G|E 08P01 unexpected message type 0x51 during COPY from stdin");
  EXPECT_TRUE(session_->ended().has_value());
}

TEST_F(CopyTest, BeyondOneUpdateItIsRefusedWithNothingIn) {
  send(query("COPY tickets (id) FROM STDIN"));
  std::string bytes;
  for (int row = 0; row < 65'537; ++row) {
    bytes += "1\n";
  }
  send(copy_data(bytes) + copy_done());
  for (size_t work = 0; work < works_.size(); ++work) {
    converted();
  }
  EXPECT_EQ(said(),
            "G|E 54000 one update takes at most 65536 rows and 8388608 bytes in COPY tickets, line 65537: \"1\"|Z I");
  EXPECT_TRUE(operations_.empty());
}

TEST_F(CopyTest, RowsForWhichNobodyHasRoomEndIt) {
  kept_ = std::make_shared<ByteBudget>(200'000);
  log_in();
  send(query("COPY tickets (id) FROM STDIN"));
  std::string bytes;
  for (int row = 0; row < 60'000; ++row) {
    bytes += "1\n";
  }
  send(copy_data(bytes) + copy_done());
  for (size_t work = 0; work < works_.size(); ++work) {
    converted();
  }
  EXPECT_NE(said().find("E 53200 out of memory"), std::string::npos);
  EXPECT_TRUE(operations_.empty());
  EXPECT_EQ(kept_->taken(), 0u);
}

TEST_F(CopyTest, InBatchesUpdatesFollowEachOther) {
  send_first_batch(20'000);
  ASSERT_EQ(operations_.size(), 1u);
  const uint32_t first = submitted().parts(0).insert().row_count();
  EXPECT_GE(first, 8'000u);
  EXPECT_LT(first, 20'000u);
  send(copy_done());
  converted();
  EXPECT_EQ(operations_.size(), 1u) << "one is in flight";
  answer_confirmed(first);
  ASSERT_EQ(operations_.size(), 2u);
  EXPECT_EQ(submitted().parts(0).insert().row_count(), 20'000 - first);
  EXPECT_EQ(said(), "");
  answer_confirmed(20'000 - first);
  EXPECT_EQ(said(), "C COPY 20000|Z I");
}

TEST_F(CopyTest, AnErrorInBatchesNamesTheLastLineThatIsIn) {
  send_first_batch(20'000);
  const uint32_t first = submitted().parts(0).insert().row_count();
  send(copy_data("x\n") + copy_done());
  converted();
  EXPECT_EQ(said(), "") << "what is in flight is waited for";
  answer_confirmed(first);
  const std::string bytes = taken();
  EXPECT_NE(bytes.find("COPY tickets, line 20001, column id: \"x\""), std::string::npos);
  EXPECT_NE(bytes.find(fmt::format("The last line that is in is {}: {} rows have taken effect.", first, first)),
            std::string::npos);
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(CopyTest, ABatchThatFailsIsNamed) {
  send_first_batch(20'000);
  answer_error("08007", "the outcome is not known");
  const std::string bytes = taken();
  EXPECT_NE(bytes.find("the outcome is not known"), std::string::npos);
  EXPECT_NE(bytes.find("This is about lines 1 to"), std::string::npos);
  EXPECT_NE(bytes.find("Before them: No line is in."), std::string::npos);
}

TEST_F(CopyTest, InBatchesItReadsNoFurtherThanItsUpdatesGo) {
  send_first_batch(60'000);
  EXPECT_EQ(operations_.size(), 1u);
  send(copy_data(std::string(70'000, '1')));
  EXPECT_FALSE(session_->takes_input());
}

TEST_F(CopyTest, RefusesACopyWithoutThePrivilege) {
  const std::pair<const char*, const char*> refused[] = {
      {"COPY tickets FROM '/etc/passwd'",
       "42501 must be superuser or have privileges of the pg_read_server_files role to COPY from a file"},
      {"COPY tickets TO '/tmp/x'",
       "42501 must be superuser or have privileges of the pg_write_server_files role to COPY to a file"},
      {"COPY tickets FROM PROGRAM 'ls'",
       "42501 must be superuser or have privileges of the pg_execute_server_program role to COPY to or from an "
       "external "
       "program"},
      {"COPY nothing FROM STDIN", "42P01 relation \"nothing\" does not exist"},
      {"COPY x.tickets TO STDOUT", "42P01 relation \"x.tickets\" does not exist"},
      {"COPY tickets (nothing) FROM STDIN", "42703 column \"nothing\" of relation \"tickets\" does not exist"},
      {"COPY tickets (nothing) TO STDOUT", "42703 column \"nothing\" of relation \"tickets\" does not exist"},
      {"COPY tickets FROM STDIN WHERE id > 1", "0A000 WHERE in COPY FROM is not supported @25"},
      {"COPY tickets FROM STDIN (FREEZE)",
       "55000 cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction"},
      {"COPY (DELETE FROM tickets RETURNING id) TO STDOUT",
       "0A000 COPY of what INSERT, UPDATE or DELETE return is not supported"},
      {"COPY tickets FROM STDIN (FORMAT xml)", "22023 COPY format \"xml\" not recognized @26"},
  };
  for (const auto& [sql, error] : refused) {
    send(query(sql));
    EXPECT_EQ(said(), fmt::format("E {}|Z I", error)) << sql;
  }
  send(query("BEGIN READ ONLY") + query("COPY tickets FROM STDIN"));
  EXPECT_EQ(said(), "C BEGIN|Z T|E 25006 cannot execute COPY FROM in a read-only transaction|Z E");
}

TEST_F(CopyTest, ATableGoesOutAsLines) {
  send(query("COPY tickets (id) TO STDOUT (FORMAT csv, HEADER)"));
  EXPECT_EQ(asked_sql(), "SELECT \"id\" FROM \"tickets\"");
  answer_rows({1, 2});
  EXPECT_EQ(said(), "H|d id\n|d 1\n|d 2\n|c|C COPY 2|Z I");
}

TEST_F(CopyTest, AQueryGoesOutAndItsErrorsAreInTheWholeText) {
  send(query("SELECT 1; COPY (SELECT id FROM tickets) TO STDOUT"));
  answer_rows({1});
  EXPECT_EQ(asked_sql(), "SELECT id FROM tickets");
  answer_rows({7});
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|H|d 7\n|c|C COPY 1|Z I");
  send(query("SELECT 1; COPY (SELECT idx FROM tickets) TO STDOUT"));
  answer_rows({1});
  answer_error("42703", "column \"idx\" does not exist", 8);
  EXPECT_EQ(said(), "T id:23|D 1|C SELECT 1|E 42703 column \"idx\" does not exist @24|Z I");
}

TEST_F(CopyTest, OutInTheExtendedProtocolHasNoDescriptionAndNoLimit) {
  send(parse("", "COPY (SELECT id FROM tickets) TO STDOUT") + bind("", "") + message('D', "P" + text("")) +
       execute("", 1) + sync());
  answer_rows({1, 2, 3});
  EXPECT_EQ(said(), "1|2|n|H|d 1\n|d 2\n|d 3\n|c|C COPY 3|Z I");
}

TEST_F(CopyTest, RowsOnTheirWayOutCountAsOutput) {
  send(query("COPY tickets (id) TO STDOUT"));
  answer_rows(std::vector<int64_t>(10'000, 7), /*ends=*/false);
  EXPECT_GT(session_->output_waiting(), 80'000u);
  session_->cancel(now_);
  deliver();
  EXPECT_EQ(operations_.back().header().kind(), wire::v1::OPERATION_KIND_ABORT);
}

TEST_F(CopyTest, TheSettingHasTwoValues) {
  send(query("SHOW daedalus.copy"));
  EXPECT_EQ(said(), "T daedalus.copy:25|D atomic|C SHOW|Z I");
  send(query("SET daedalus.copy = perhaps"));
  EXPECT_EQ(said(), "E 22023 invalid value for parameter \"daedalus.copy\": \"perhaps\"|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

// Each kind of work that a session has a thread do comes to this.
#include "daedalus/postgres/session_work.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "copy_reader.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using semantics::TypeKind;

class SessionWorkTest : public ::testing::Test {
 protected:
  SessionWorkTest() {
    auto map = std::make_shared<contract::PartitionMap>();
    map->version = 1;
    map->grid = {1};
    map->partitions = {{NodeId{0}}};
    compiler_ = std::make_unique<aggregator::Compiler>(tickets(), std::move(map));
  }

  WorkDone done(decltype(Work::what) what) {
    return do_work({1, std::move(what)}, *compiler_, "tickets", [this] {
      ++clock_reads_;
      return kNowUs;
    });
  }

  /// 2013-06-15 12:34:56.789 UTC.
  static constexpr int64_t kNowUs = 1'371'299'696'789'000;

  std::unique_ptr<aggregator::Compiler> compiler_;
  int clock_reads_ = 0;
};

TEST_F(SessionWorkTest, ATextIsTakenApart) {
  EXPECT_EQ(std::get<TextPieces>(done(Work::Split{std::make_shared<const std::string>("a; b")})),
            (TextPieces{{0, 1}, {2, 2}}));
}

TEST_F(SessionWorkTest, AStatementIsDescribedWithTheTypesThatAreDeclared) {
  const auto description = std::get<Result<aggregator::StatementDescription>>(
      done(Work::Describe{"SELECT id FROM tickets WHERE id = $1", {TypeKind::kBigint}}));
  ASSERT_TRUE(description);
  EXPECT_EQ(description->parameters, std::vector<aggregator::ParameterKind>{TypeKind::kBigint});
  EXPECT_FALSE(std::get<Result<aggregator::StatementDescription>>(done(Work::Describe{"SELECT nothing", {}})));
}

TEST_F(SessionWorkTest, AWriteIsCompiled) {
  Work::Compile insert;
  insert.statement.set_sql("INSERT INTO tickets VALUES (1), (2)");
  const auto compiled = std::get<Result<aggregator::Compiled>>(done(insert));
  ASSERT_TRUE(compiled);
  EXPECT_EQ(std::get<aggregator::CompiledUpdate>(*compiled).body.parts(0).insert().row_count(), 2u);
  insert.statement.set_sql("INSERT INTO nowhere VALUES (1)");
  EXPECT_EQ(std::get<Result<aggregator::Compiled>>(done(insert)).error().sqlstate, "42P01");
}

TEST_F(SessionWorkTest, TheHomeOfAStatementIsFoundByTheTablesName) {
  EXPECT_TRUE(std::get<aggregator::StatementHome>(done(Work::Locate{"SELECT relname FROM pg_class"})).is_catalogue);
  EXPECT_FALSE(std::get<aggregator::StatementHome>(done(Work::Locate{"SELECT id FROM tickets"})).is_catalogue);
}

TEST_F(SessionWorkTest, LinesOfACopyBecomeRowsAndItsLastPieceEndsTheLine) {
  const auto reader = CopyReader::make({tickets(), {0, 1}, {}}, {});
  ASSERT_TRUE(reader);
  auto rows = std::get<CopyRows>(done(Work::Convert{*reader, "1\ttoday\n2\t\\N", /*is_last=*/false}));
  EXPECT_EQ(rows.row_count, 1u);
  semantics::PackedRows packed(rows.rows);
  const auto row = packed.next();
  const auto values = semantics::read_packed_row(semantics::column_types(*tickets()), **row);
  EXPECT_EQ(std::get<int64_t>(values->at(1)), kNowUs / 86'400'000'000) << "days since 1970";
  rows = std::get<CopyRows>(done(Work::Convert{*reader, "", /*is_last=*/true}));
  EXPECT_EQ(rows.row_count, 1u);
  EXPECT_EQ(rows.last_line, 2u);
}

TEST_F(SessionWorkTest, TheClockIsReadWhereNowMayBeMeant) {
  done(Work::Split{std::make_shared<const std::string>("a; b")});
  done(Work::Describe{"SELECT id FROM tickets", {}});
  done(Work::Locate{"SELECT id FROM tickets"});
  EXPECT_EQ(clock_reads_, 0);
  done(Work::Compile{});
  EXPECT_EQ(clock_reads_, 1);
}

}  // namespace
}  // namespace daedalus::postgres::testing

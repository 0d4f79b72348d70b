// PREPARE, EXECUTE and DEALLOCATE.
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using semantics::TypeKind;

class StatementsTest : public SessionTest {
 protected:
  StatementsTest() { log_in(); }
  std::string told(const std::string& sql) {
    send(query(sql));
    return said();
  }
  void prepare(const std::string& sql, std::vector<aggregator::ParameterKind> parameters = {},
               bool has_columns = true) {
    send(query(sql));
    described(std::move(parameters), has_columns);
    EXPECT_EQ(said(), "C PREPARE|Z I");
  }
};

TEST_F(StatementsTest, AStatementIsPreparedExecutedAndDeallocated) {
  prepare("PREPARE q AS SELECT id FROM tickets");
  EXPECT_EQ(std::get<Work::Describe>(works_[0].what).sql, std::string(13, ' ') + "SELECT id FROM tickets");
  send(query("EXECUTE q"));
  EXPECT_EQ(asked_sql(), std::string(13, ' ') + "SELECT id FROM tickets");
  answer_rows({1, 2});
  EXPECT_EQ(said(), "T id:23|D 1|D 2|C SELECT 2|Z I");
  EXPECT_EQ(told("DEALLOCATE q; EXECUTE q"), "C DEALLOCATE|E 26000 prepared statement \"q\" does not exist|Z I");
}

TEST_F(StatementsTest, ItsValuesAreExpressionsOfItsTypes) {
  prepare("PREPARE q (int, varchar(3)) AS SELECT id FROM tickets WHERE id = $1 AND code = $2",
          {TypeKind::kInt, TypeKind::kVarchar});
  EXPECT_EQ(std::get<Work::Describe>(works_[0].what).declared,
            (std::vector<std::optional<aggregator::ParameterKind>>{TypeKind::kInt, TypeKind::kVarchar}));
  send(query("EXECUTE q (greatest(3, 4), 'a,)b' || NULL)"));
  EXPECT_EQ(asked_sql(), "SELECT CAST(greatest(3, 4) AS integer), CAST('a,)b' || NULL AS character varying)");
  wire::v1::Result result;
  const std::vector<semantics::Column> columns{{"a", {TypeKind::kInt}, true, {}},
                                               {"b", {TypeKind::kVarchar}, true, {}}};
  for (const auto& column : columns) {
    *result.mutable_rows()->add_columns() = contract::from_column(column);
  }
  semantics::append_packed_row(std::vector<semantics::Type>{columns[0].type, columns[1].type},
                               std::vector<semantics::Value>{int64_t{4}, semantics::Value()},
                               *result.mutable_rows()->mutable_rows());
  result.mutable_rows()->set_row_count(1);
  answer(std::move(result));
  answer_end();
  wire::v1::StatementBody body;
  ASSERT_TRUE(body.ParseFromString(operations_.back().body()));
  ASSERT_EQ(body.parameters_size(), 2);
  EXPECT_EQ(body.parameters(0).type().kind(), wire::v1::TYPE_KIND_INT);
  answer_rows({4});
  EXPECT_EQ(said(), "T id:23|D 4|C SELECT 1|Z I");
}

TEST_F(StatementsTest, ValuesThatAreWrongAreItsError) {
  prepare("PREPARE q AS SELECT id FROM tickets WHERE id = $1", {TypeKind::kInt});
  EXPECT_EQ(told("EXECUTE q"), "E 42601 wrong number of parameters for prepared statement \"q\"|Z I");
  EXPECT_EQ(told("EXECUTE q(1, 2)"), "E 42601 wrong number of parameters for prepared statement \"q\"|Z I");
  EXPECT_EQ(told("EXECUTE q()"), "E 42601 syntax error at or near \")\" @11|Z I");
  send(query("EXECUTE q ('x')"));
  answer_error("22P02", "invalid input syntax for type integer: \"x\"", 13);
  EXPECT_EQ(said(), "E 22P02 invalid input syntax for type integer: \"x\"|Z I");
  EXPECT_EQ(operations_.size(), 1u);
}

TEST_F(StatementsTest, NamesAreThoseOfTheProtocol) {
  prepare("PREPARE q AS SELECT id FROM tickets");
  send(bind("", "q") + execute("") + sync());
  answer_rows({7});
  EXPECT_EQ(said(), "2|D 7|C SELECT 1|Z I");
  EXPECT_EQ(told("PREPARE q AS SELECT 1"), "E 42P05 prepared statement \"q\" already exists|Z I");
  send(parse("p", "SHOW jit") + sync());
  EXPECT_EQ(said(), "1|Z I");
  EXPECT_EQ(told("EXECUTE p"), "T jit:25|D off|C SHOW|Z I");
  send(parse("", "EXECUTE q") + bind("", "") + message('D', "P" + text("")) + execute("", 1) + sync());
  answer_rows({7, 8});
  EXPECT_EQ(said(), "1|2|T id:23|D 7|s|Z I");
}

TEST_F(StatementsTest, WritesArePreparedToo) {
  prepare("PREPARE i AS INSERT INTO t VALUES (1)", {}, /*has_columns=*/false);
  send(query("EXECUTE i; EXECUTE i"));
  compiled_insert(1);
  compiled_insert(1);
  answer_confirmed(2);
  EXPECT_EQ(said(), "C INSERT 0 1|C INSERT 0 1|Z I");
}

TEST_F(StatementsTest, RefusesStatementsThatCannotBePrepared) {
  for (const auto& [sql, said_of_it] : std::initializer_list<std::pair<const char*, const char*>>{
           {"PREPARE q AS SHOW jit", "E 42601 syntax error at or near \"SHOW\" @14|Z I"},
           {"PREPARE q (nonsense) AS SELECT 1", "E 42704 type \"nonsense\" does not exist @12|Z I"},
           {"PREPARE q (oid[]) AS SELECT 1", "E 0A000 a parameter that is an array of oid is not supported|Z I"},
           {"PREPARE q (int[) AS SELECT 1", "E 42601 syntax error at or near \")\" @16|Z I"},
           {"PREPARE q (int AS SELECT 1", "E 42601 syntax error at or near \"AS\" @16|Z I"},
           {"PREPARE q", "E 42601 syntax error at end of input @10|Z I"},
           {"PREPARE TRANSACTION 'a'", "E 0A000 PREPARE TRANSACTION is not supported|Z I"}}) {
    EXPECT_EQ(told(sql), said_of_it) << sql;
  }
}

TEST_F(StatementsTest, DiscardsKindsThatHaveNothingToDiscard) {
  EXPECT_EQ(told("DISCARD PLANS; DISCARD TEMP; DISCARD SEQUENCES; UNLISTEN *"),
            "C DISCARD PLANS|C DISCARD TEMP|C DISCARD SEQUENCES|C UNLISTEN|Z I");
}

}  // namespace
}  // namespace daedalus::postgres::testing

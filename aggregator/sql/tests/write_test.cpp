// INSERT, UPDATE and DELETE: rows and assignments, as the bodies that nodes apply.
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Type;
using semantics::TypeKind;

class InsertTest : public SqlTest {};
class UpdateTest : public SqlTest {};
class DeleteTest : public SqlTest {};

struct AcceptedWrite {
  const char* sql;
  const char* result;
};

TEST_F(InsertTest, BringsEveryValueToItsColumnsType) {
  EXPECT_EQ(inserted("INSERT INTO t VALUES (true, 1, 2, 3, 1.5, 2.5, 12.345, 1e10, '2013-01-01', '2013-01-01 05:00', "
                     "'ab  ', 'text', 'four', 8, 9)"),
            "t|1|2|3|1.5|2.5|12.35|10000000000.0000|2013-01-01|2013-01-01 05:00:00|'ab'|'text'|'four'|8|9|-|-|-");
  EXPECT_EQ(inserted("INSERT INTO t VALUES ('f', '1', '2', '3', '1.5', '2.5', '12.345', '-0.00005', DATE '2013-01-01', "
                     "DATE '2013-01-01', 'abcde   ', 'ten chars   ', NULL, 8.5, -9)"),
            "f|1|2|3|1.5|2.5|12.35|-0.0001|2013-01-01|2013-01-01 00:00:00|'abcde'|'ten chars '|-|9|-9|-|-|-");
}

TEST_F(InsertTest, MissingColumnsTakeTheirDefaultOrNull) {
  constexpr const char* kOnlyI = "-|-|1|-|-|-|-|-|-|-|-|-|-|7|0|-|-|-";
  EXPECT_EQ(inserted("INSERT INTO t (i) VALUES (1)"), kOnlyI);
  EXPECT_EQ(inserted("INSERT INTO public.t AS a (k, i) VALUES (DEFAULT, 1)"), kOnlyI);
  EXPECT_EQ(inserted("INSERT INTO t VALUES (NULL, DEFAULT, 1)"), kOnlyI);
  EXPECT_EQ(inserted("INSERT INTO t (i, \"Mixed\", v) VALUES (1, 'M', DEFAULT), (2, DEFAULT, 'v')"),
            "-|-|1|-|-|-|-|-|-|-|-|-|'M'|7|0|-|-|-\n-|-|2|-|-|-|-|-|-|-|-|'v'|-|7|0|-|-|-");
}

TEST_F(InsertTest, TakesParametersAndTheTime) {
  EXPECT_EQ(inserted("INSERT INTO t (i, day, at, v) VALUES ($1, current_date, now(), $2)",
                     {typed({TypeKind::kBigint}, int64_t{12}), untyped("x")}),
            "-|-|12|-|-|-|-|-|2013-06-15|2013-06-15 12:34:56.789|-|'x'|-|7|0|-|-|-");
}

TEST_F(InsertTest, DrawsUuidsAnewForEachCall) {
  EXPECT_EQ(returned("INSERT INTO t (i, tag) VALUES (1, gen_random_uuid()), (2, gen_random_uuid()) RETURNING tag"),
            "tag uuid\n00000000-0000-4000-8000-000000000001\n00000000-0000-4002-8000-000000000003");
  EXPECT_EQ(described("INSERT INTO t (i, v) VALUES ($1, upper(left(gen_random_uuid()::text, 5)))"),
            "integer -> nothing");
  for (const char* sql : {"SELECT gen_random_uuid() FROM t", "SELECT i FROM t WHERE tag = gen_random_uuid()",
                          "UPDATE t SET tag = gen_random_uuid()", "DELETE FROM t WHERE tag = gen_random_uuid()",
                          "INSERT INTO t (i) VALUES (1) RETURNING gen_random_uuid()"}) {
    EXPECT_EQ(error_of(sql).message, "gen_random_uuid() outside the values of an INSERT is not supported") << sql;
  }
}

TEST_F(InsertTest, ReturnsWhatItInserts) {
  EXPECT_EQ(returned("INSERT INTO t (i, v) VALUES (1, 'a'), (2, NULL) RETURNING i, v, k"),
            "i integer not null, v character varying(10), k integer not null\n1|'a'|7\n2|-|7");
  EXPECT_EQ(returned("INSERT INTO t AS q (i, n, r) VALUES (3, 1.005, 0.1) RETURNING q.i + 1 AS next, n, upper('x'), r"),
            "next integer not null, n numeric(10,2), upper text not null, r real\n4|1.01|'X'|0.1");
  EXPECT_EQ(returned("INSERT INTO t (i, at) VALUES ($1, now()) RETURNING at - INTERVAL '1 day', i = $1",
                     {typed({TypeKind::kInt}, int64_t{5})}),
            "?column? timestamp without time zone, ?column? boolean not null\n2013-06-14 12:34:56.789|t");
  EXPECT_EQ(returned("INSERT INTO t (i) VALUES (1) RETURNING *").substr(0, 10), "b boolean,");
  EXPECT_EQ(returned("INSERT INTO t (i) VALUES (1)"), "nothing");
}

TEST_F(InsertTest, DescribesWhatItReturns) {
  EXPECT_EQ(described("INSERT INTO t (i, v) VALUES ($1, $2) RETURNING i, upper(v)"),
            "integer, character varying -> i integer not null, upper text");
}

TEST_F(InsertTest, RefusesWhatItCannotReturn) {
  for (const auto& [sql, error] : std::initializer_list<AcceptedWrite>{
           {"INSERT INTO t (i) VALUES (1) RETURNING z", "42703@40 column \"z\" does not exist"},
           {"INSERT INTO t (i) VALUES (1) RETURNING count(*)",
            "42803@40 aggregate functions are not allowed in RETURNING"},
           {"INSERT INTO t (i) VALUES (0), (1) RETURNING 1 / i", "22012@0 division by zero"},
           {"INSERT INTO t (i) VALUES (1) RETURNING (SELECT max(i) FROM t)", "0A000@40 sub-query is not supported"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
}

TEST_F(InsertTest, ReturnsNoMoreThanAnUpdateMayHave) {
  std::string sql = "INSERT INTO t (i) VALUES (1)";
  for (uint32_t row = 1; row < 3000; ++row) {
    sql += ",(1)";
  }
  EXPECT_EQ(failure(sql + " RETURNING repeat('x', 4000)"),
            "54000@0 RETURNING too large: more than 8388608 bytes of rows");
  EXPECT_EQ(failure(sql + " RETURNING repeat('x', 2000)"), "accepted");
}

TEST_F(InsertTest, RoutesListTheKeysOfItsRows) {
  auto compiled = compile("INSERT INTO t (i) VALUES (1), (2), (1)");
  ASSERT_TRUE(compiled.has_value());
  const auto& update = std::get<CompiledUpdate>(*compiled);
  ASSERT_EQ(update.routes.size(), 1U);
  ASSERT_EQ(update.routes[0].equalities_size(), 1);
  EXPECT_EQ(update.routes[0].equalities(0).column(), 2U);
  EXPECT_EQ(update.routes[0].equalities(0).values_size(), 2);
}

TEST_F(InsertTest, HasNoMoreRowsThanAnUpdateMayHave) {
  std::string sql = "INSERT INTO t (i) VALUES (1)";
  for (uint32_t row = 1; row < contract::kUpdateRowsMax; ++row) {
    sql += ",(1)";
  }
  EXPECT_EQ(failure(sql), "accepted");
  EXPECT_EQ(failure(sql + ",(1)"), "54000@0 INSERT too large: more than 65536 rows");
}

TEST_F(InsertTest, PacksNoMoreBytesThanAnUpdateMayHave) {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "w";
  schema->columns = {{"v", {TypeKind::kVarchar, 0, 0, 4096}, true, std::nullopt}};
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->partitions = {{NodeId{0}}};
  Compiler wide(schema, map);
  const auto compiled = [&](size_t rows) {
    wire::v1::StatementBody statement;
    *statement.add_parameters() = untyped(std::string(4096, 'x'));
    std::string sql = "INSERT INTO w VALUES ($1)";
    for (size_t row = 1; row < rows; ++row) {
      sql += ",($1)";
    }
    statement.set_sql(std::move(sql));
    return wide.compile(statement, kNowUs);
  };
  constexpr size_t kRowBytes = 4 + 1 + 2 + 4096;  // Size, NULL bits, length, text.
  constexpr size_t kRows = contract::kUpdateBytesMax / kRowBytes;
  EXPECT_TRUE(compiled(kRows));
  const auto refused = compiled(kRows + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "54000");
  EXPECT_EQ(refused.error().message, "INSERT too large: more than 8388608 bytes of rows");
}

TEST_F(InsertTest, RefusesWhatDoesNotFit) {
  for (const auto& [sql, error] : std::initializer_list<AcceptedWrite>{
           {"INSERT INTO t (i) VALUES (NULL)",
            "23502@27 null value in column \"i\" of relation \"t\" violates not-null constraint"},
           {"INSERT INTO t (v) VALUES ('x')",
            "23502@13 null value in column \"i\" of relation \"t\" violates not-null constraint"},
           {"INSERT INTO t DEFAULT VALUES",
            "23502@13 null value in column \"i\" of relation \"t\" violates not-null constraint"},
           {"INSERT INTO t (i) VALUES (DEFAULT)",
            "23502@27 null value in column \"i\" of relation \"t\" violates not-null constraint"},
           {"INSERT INTO t (i, s) VALUES (1, 40000)", "22003@33 smallint out of range (column \"s\")"},
           {"INSERT INTO t (i) VALUES ('12x')",
            "22P02@27 invalid input syntax for type integer: \"12x\" (column \"i\")"},
           {"INSERT INTO t (i, v) VALUES (1, 'longer than ten')",
            "22001@33 value too long for type character varying(10) (column \"v\")"},
           {"INSERT INTO t (i, c) VALUES (1, 'abcdef')",
            "22001@33 value too long for type character(5) (column \"c\")"},
           {"INSERT INTO t (i, day) VALUES (1, 5)",
            "42804@35 column \"day\" is of type date but expression is of type integer"},
           {"INSERT INTO t (i, b) VALUES (1, 1)",
            "42804@33 column \"b\" is of type boolean but expression is of type integer"},
           {"INSERT INTO t (i) VALUES (1, 2)", "42601@30 INSERT has more expressions than target columns"},
           {"INSERT INTO t (i, v) VALUES (1)", "42601@19 INSERT has more target columns than expressions"},
           {"INSERT INTO t (i, v) VALUES (1, 'a'), (2)", "42601@40 VALUES lists must all be the same length"},
           {"INSERT INTO t (i, i) VALUES (1, 1)", "42701@19 column \"i\" specified more than once"},
           {"INSERT INTO t (i, z) VALUES (1, 1)", "42703@19 column \"z\" of relation \"t\" does not exist"},
           {"INSERT INTO u VALUES (1)", "42P01@13 relation \"u\" does not exist"},
           {"INSERT INTO t (i) VALUES (i)", "0A000@27 a column among the values to insert is not supported"},
           {"INSERT INTO t (i) VALUES (lower('x'))",
            "42804@27 column \"i\" is of type integer but expression is of type text"},
           {"INSERT INTO t (i) VALUES ((SELECT 1 FROM t))", "0A000@27 sub-query is not supported"},
           {"INSERT INTO t SELECT * FROM t", "0A000@15 INSERT ... SELECT is not supported"},
           {"INSERT INTO t (i) VALUES (1) ON CONFLICT DO NOTHING", "0A000@30 ON CONFLICT is not supported"},
           {"INSERT INTO t (i) OVERRIDING USER VALUE VALUES (1)", "0A000@19 OVERRIDING is not supported"},
           {"WITH w AS (SELECT 1) INSERT INTO t (i) VALUES (1)", "0A000@1 WITH is not supported"},
           {"INSERT INTO t (i) VALUES (1) LIMIT 1",
            "0A000@19 VALUES with ORDER BY, LIMIT, WITH or FOR is not supported"},
           {"INSERT INTO t (i[1]) VALUES (1)", "0A000@16 writing a part of a column is not supported"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
}

TEST_F(InsertTest, TakesAThousandRows) {
  std::string sql = "INSERT INTO t (i, v) VALUES ";
  for (int i = 0; i < 1000; ++i) {
    sql += (i == 0 ? "(" : ",(") + std::to_string(i) + ",'row')";
  }
  auto compiled = compile(sql);
  ASSERT_TRUE(compiled.has_value());
  EXPECT_EQ(std::get<CompiledUpdate>(*compiled).body.parts(0).insert().row_count(), 1000U);
}

TEST_F(InsertTest, TellsTheMistakeThatPostgresFindsFirst) {
  for (const auto& [sql, error] : std::initializer_list<AcceptedWrite>{
           // PostgreSQL computes one row in the order of the table's columns, in whatever order they are written.
           {"INSERT INTO t (i, l, s) VALUES (1, 1 / 0, 100000 + 1)", "22003@43 smallint out of range (column \"s\")"},
           {"INSERT INTO t (i, k, l) VALUES (1, NULL::int, 1 / 0)", "22012@0 division by zero"},
           {"INSERT INTO t (i, s) VALUES (1, 1 / 0) RETURNING sqrt(-1.0)", "22012@0 division by zero"},
           {"INSERT INTO t (i, s) VALUES (1, 1 / 0) RETURNING nothing", "42703@50 column \"nothing\" does not exist"},
           {"INSERT INTO t (i, s) VALUES (1, 1 / 0), (2, 'x')",
            "22P02@45 invalid input syntax for type smallint: \"x\" (column \"s\")"},
           // PostgreSQL computes several rows as they are written, and RETURNING before them.
           {"INSERT INTO t (i, l, s) VALUES (1, 1 / 0, 100000 + 1), (2, 3, 4)", "22012@0 division by zero"},
           {"INSERT INTO t (i, s) VALUES (1, 1 / 0), (2, 3) RETURNING sqrt(-1.0)",
            "2201F@0 cannot take square root of a negative number"},
           {"INSERT INTO t (i, k) VALUES (1, NULL), (2, 1 / 0)", "22012@0 division by zero"},
           {"INSERT INTO t (i, c) VALUES (1, DATE '2000-01-01' + 1), (1 / 0, 'x')", "22012@0 division by zero"},
           // A stable function is computed with its row, and what was written before is returned before.
           {"INSERT INTO t (i, day) VALUES (1, to_date('x', 'YYYY')), (2 / 0, NULL)", "22012@0 division by zero"},
           {"INSERT INTO t (i, day) VALUES (1, NULL), (2, to_date('x', 'YYYY')) RETURNING 1 / (i - 1)",
            "22012@0 division by zero"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
}

TEST_F(InsertTest, TakesWhatIsComputedOfIntervals) {
  EXPECT_EQ(inserted("INSERT INTO t (i, day) VALUES (1, DATE '2000-01-01' - (- INTERVAL '1 day'))"),
            inserted("INSERT INTO t (i, day) VALUES (1, DATE '2000-01-02')"));
}

TEST_F(UpdateTest, AssignsConstantsAndChanges) {
  for (const auto& [sql, expected] : std::initializer_list<AcceptedWrite>{
           {"UPDATE t SET k = 5 WHERE i = 1", "k=5 where i=1"},
           {"UPDATE t SET k = DEFAULT, v = DEFAULT", "k=7, v=- where all"},
           {"UPDATE t SET v = NULL, d = 1 WHERE FALSE", "v=-, d=1 where never"},
           {"UPDATE t AS a SET v = 'x' WHERE a.i = 1", "v='x' where i=1"},
           {"UPDATE t SET clock = (INTERVAL '1 day 02:03:04.6')::interval second(0)", "clock=02:03:05 where all"},
           {"UPDATE t SET k = k + 1", "k+=1 where all"},
           {"UPDATE t SET k = 1 + k", "k+=1 where all"},
           {"UPDATE t SET k = t.k - 1", "k+=-1 where all"},
           {"UPDATE t SET k = k + -1", "k+=-1 where all"},
           {"UPDATE t SET k = k - '5'", "k+=-5 where all"},
           {"UPDATE t SET k = k + 2.0", "k+=2 where all"},
           {"UPDATE t SET n = n + 0.5, h = h - 1", "n+=0.50, h+=-1.0000 where all"},
           {"UPDATE t SET d = d + 0.1, r = r - 1", "d+=0.1, r+=-1 where all"},
           {"UPDATE t SET day = day + 7", "day+=7 where all"},
           {"UPDATE t SET day = day - 7", "day+=-7 where all"},
           {"UPDATE t SET l = l + NULL", "l=- where all"},
           {"UPDATE t SET at = now(), day = current_date", "at=2013-06-15 12:34:56.789, day=2013-06-15 where all"},
           {"UPDATE t SET k = 2.5, \"Mixed\" = 'y'", "k=3, Mixed='y' where all"},
       }) {
    EXPECT_EQ(assigned(sql), expected) << sql;
  }
  for (const auto& [sql, expected] : std::initializer_list<AcceptedWrite>{
           {"UPDATE t SET v = v || 'x'", "v:=||(cast(v as text),x) where all"},
           {"UPDATE t SET k = l, l = k", "k:=l, l:=k where all"},
           {"UPDATE t SET k = l + 1, n = n + 0.005", "k:=+(l,1), n:=+(n,0.005) where all"},
           {"UPDATE t SET k = 1 - k, d = sqrt(d), v = n", "k:=-(1,k), d:=sqrt(d), v:=n where all"},
           {"UPDATE t SET d = sin(1.0::float8) * d", "d:=*(0.8414709848078965,d) where all"},
           {"UPDATE t SET day = at, at = at + INTERVAL '1 day'", "day:=at, at:=+(at,1 day) where all"},
           {"UPDATE t SET day = day - INTERVAL '1 day'", "day:=-(day,1 day) where all"},
           {"UPDATE t SET k = k + 3000000000", "k:=+(cast(k as bigint),3000000000) where all"},
           {"UPDATE t SET k = k - (-2147483647 - 1)", "k:=-(k,-2147483648) where all"},
           {"UPDATE t SET k = 2 + 3 * length('abc')", "k=11 where all"},
           {"UPDATE t SET k = 1 WHERE k + 1 > l AND i = 3", "k=1 where i=3 AND >(cast(+(k,1) as bigint),l)"},
       }) {
    EXPECT_EQ(assigned(sql), expected) << sql;
  }
  EXPECT_EQ(assigned("UPDATE t SET k = k + $1 WHERE i = $2", {untyped("3"), untyped("4")}), "k+=3 where i=4");
}

TEST_F(UpdateTest, RefusesWhatItCannotDo) {
  for (const auto& [sql, error] : std::initializer_list<AcceptedWrite>{
           {"UPDATE t SET i = 1",
            "0A000@14 assigning column \"i\" is not supported: it is a partitioning column, which decides where a row "
            "lives"},
           {"UPDATE t SET s = 1",
            "0A000@14 assigning column \"s\" is not supported: it is a segmentation column, which decides where a row "
            "lives"},
           {"UPDATE t SET k = NULL",
            "23502@18 null value in column \"k\" of relation \"t\" violates not-null constraint"},
           {"UPDATE t SET k = k + NULL",
            "23502@22 null value in column \"k\" of relation \"t\" violates not-null constraint"},
           {"UPDATE t SET k = 1, k = 2", "42601@0 multiple assignments to same column \"k\""},
           {"UPDATE t SET z = 1", "42703@14 column \"z\" of relation \"t\" does not exist"},
           {"UPDATE t SET k = z", "42703@18 column \"z\" does not exist"},
           {"UPDATE t SET k = k + DATE '2013-01-01'",
            "42804@18 column \"k\" is of type integer but expression is of type date"},
           {"UPDATE t SET day = day + 2.0", "42883@24 operator does not exist: date + numeric"},
           {"UPDATE t SET v = 'longer than ten'",
            "22001@18 value too long for type character varying(10) (column \"v\")"},
           {"UPDATE t SET (k, v) = (1, 'x', 2)", "0A000@10 assignment to several columns at once is not supported"},
           {"UPDATE t SET k = 1 FROM u", "0A000@20 UPDATE ... FROM is not supported"},
           {"UPDATE t SET k = 1 RETURNING k", "0A000@20 RETURNING is not supported"},
           {"UPDATE u SET k = 1", "42P01@8 relation \"u\" does not exist"},
           {"UPDATE t SET k = 1 WHERE CURRENT OF c", "0A000@20 WHERE CURRENT OF is not supported"},
           {"UPDATE t SET k = (SELECT 1 FROM t)", "0A000@18 sub-query is not supported"},
           {"UPDATE t SET k = count(*)", "42803@18 aggregate functions are not allowed in UPDATE"},
           {"UPDATE t SET v = v + 1", "42883@20 operator does not exist: character varying + integer"},
           {"UPDATE t SET at = at + 1", "42883@22 operator does not exist: timestamp without time zone + integer"},
           {"UPDATE t SET k = v",
            "42804@18 column \"k\" is of type integer but expression is of type character varying"},
           {"UPDATE t SET b = k", "42804@18 column \"b\" is of type boolean but expression is of type integer"},
           {"UPDATE t SET k = k / 0 * l", "accepted"},
           {"UPDATE t SET k = k + 1 / 0", "22012@18 division by zero"},
           {"UPDATE t SET d = sin(d)", "0A000@18 sin in UPDATE and DELETE is not supported"},
           {"UPDATE t SET d = d ^ 2", "0A000@18 ^ in UPDATE and DELETE is not supported"},
           {"UPDATE t SET n = n ^ 2", "0A000@18 ^ in UPDATE and DELETE is not supported"},
           {"UPDATE t SET d = random()", "0A000@18 function random() is not supported"},
           {"UPDATE t SET k = 1 WHERE exp(d) > 2", "0A000@26 exp in UPDATE and DELETE is not supported"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
}

TEST_F(UpdateTest, ANullWhereThereMayBeNoneIsToldBehindWhatIsWrongWithTheCondition) {
  EXPECT_EQ(failure("UPDATE t SET k = NULL WHERE sqrt(-1.0) > i").substr(0, 5), "2201F");
  EXPECT_EQ(failure("UPDATE t SET k = NULL::int + 1 WHERE sqrt(-1.0) > i").substr(0, 5), "2201F");
  EXPECT_EQ(failure("UPDATE t SET k = NULL WHERE sqrt(1.0) > i").substr(0, 5), "23502");
}

TEST_F(UpdateTest, TakesFloatingNumbersWhereNoMachineRoundsOtherwise) {
  EXPECT_EQ(failure("UPDATE t SET at = make_timestamp(2000, 1, 1, 0, 0, d), clock = make_time(0, 0, d)"), "accepted");
  EXPECT_EQ(failure("UPDATE t SET r = float4larger(r, r), l = hashfloat8(d) WHERE btfloat8cmp(d, d) = 0"), "accepted");
  EXPECT_EQ(failure("UPDATE t SET d = sin(d)").substr(0, 5), "0A000");
}

TEST_F(UpdateTest, DefersTheErrorOfAStableFunctionToTheFirstRow) {
  EXPECT_EQ(failure("UPDATE t SET day = to_date('x', 'YYYY')"), "accepted");
  EXPECT_EQ(failure("UPDATE t SET l = l + to_number('x', '9')::bigint"), "accepted");
  EXPECT_EQ(failure("UPDATE t SET l = 1 / 0 WHERE i = 5000000000::int"), "22012@18 division by zero");
  EXPECT_EQ(failure("UPDATE t SET l = 1 / 0 WHERE i = 'x'"), "22P02@34 invalid input syntax for type integer: \"x\"");
}

TEST_F(DeleteTest, DeletesByAPredicate) {
  const auto deleted = [&](std::string_view sql) {
    auto compiled = compile(sql);
    if (!compiled) {
      return compiled.error().message;
    }
    const std::string body = std::get<CompiledUpdate>(*compiled).body.SerializeAsString();
    auto parts = contract::to_update(*schema_, map_->placement_columns(), body);
    const auto& part = std::get<contract::DeletePart>(parts->at(0));
    return to_text(*schema_, part.predicate) + to_text(*schema_, part.residuals);
  };
  EXPECT_EQ(deleted("DELETE FROM t WHERE i = 1 AND v LIKE 'x%'"), "i=1 AND v starts 'x'");
  EXPECT_EQ(deleted("DELETE FROM t"), "all");
  EXPECT_EQ(deleted("DELETE FROM t WHERE i = 1 AND upper(v) = 'X' AND k / l > 1"),
            "i=1 AND =(upper(cast(v as text)),X) AND >(/(cast(k as bigint),l),1)");
  EXPECT_EQ(deleted("DELETE FROM t WHERE 10 / k > 1 AND k > l"), "all AND >(cast(k as bigint),l) AND >(/(10,k),1)");
  EXPECT_EQ(deleted("DELETE FROM public.t AS a WHERE a.day < '2013-01-01'"), "day<2013-01-01");
}

TEST_F(DeleteTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(failure("DELETE FROM t USING u WHERE t.i = 1"), "0A000@15 DELETE ... USING is not supported");
  EXPECT_EQ(failure("DELETE FROM t RETURNING *"), "0A000@15 RETURNING is not supported");
  EXPECT_EQ(failure("DELETE FROM u"), "42P01@13 relation \"u\" does not exist");
  EXPECT_EQ(failure("DELETE FROM t WHERE CURRENT OF c"), "0A000@15 WHERE CURRENT OF is not supported");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

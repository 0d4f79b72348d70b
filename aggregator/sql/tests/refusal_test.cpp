// Every construct outside the supported SQL: code, position, name.
#include <fmt/format.h>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class RefusalTest : public SqlTest {};

struct Refused {
  const char* sql;
  const char* error;
};

TEST_F(RefusalTest, Clauses) {
  for (const auto& [sql, error] : std::initializer_list<Refused>{
           {"SELECT t.i FROM t JOIN u ON t.i = u.i", "0A000@19 JOIN is not supported"},
           {"SELECT i FROM t, u", "0A000@18 more than one table in FROM is not supported"},
           {"SELECT i FROM (SELECT i FROM t LIMIT 1) q",
            "0A000@23 sub-query in FROM with LIMIT or OFFSET is not supported"},
           {"SELECT i FROM (SELECT DISTINCT i FROM t) q", "0A000@32 sub-query in FROM with DISTINCT is not supported"},
           {"SELECT i FROM (SELECT i FROM t UNION SELECT i FROM t) q",
            "0A000@1 sub-query in FROM with UNION, INTERSECT or EXCEPT is not supported"},
           {"SELECT n FROM (SELECT 1 AS n) q",
            "0A000@23 sub-query in FROM with anything but one table in FROM is not supported"},
           {"SELECT max(n) FROM (SELECT count(*) AS n FROM t GROUP BY i) q",
            "0A000@8 grouping a sub-query in FROM that has groups is not supported"},
           {"SELECT i FROM generate_series(1, 2)", "0A000@10 function in FROM is not supported"},
           {"SELECT i FROM t TABLESAMPLE SYSTEM (1)", "0A000@17 TABLESAMPLE is not supported"},
           {"WITH q AS (SELECT 1) SELECT i FROM t",
            "0A000@6 WITH query \"q\" that FROM does not name is not supported"},
           {"WITH RECURSIVE q AS (SELECT i FROM t) SELECT i FROM q", "0A000@1 WITH RECURSIVE is not supported"},
           {"WITH q AS (DELETE FROM t) SELECT 1 FROM q", "0A000@6 WITH of a statement that writes is not supported"},
           {"WITH q AS (SELECT i FROM t) SELECT i FROM q AS r (z)",
            "0A000@43 renaming columns in FROM is not supported"},
           {"SELECT i FROM t UNION SELECT i FROM t", "0A000@17 UNION is not supported"},
           {"SELECT i FROM t UNION ALL SELECT i FROM t", "0A000@17 UNION is not supported"},
           {"SELECT i FROM t INTERSECT SELECT i FROM t", "0A000@17 INTERSECT is not supported"},
           {"SELECT i FROM t EXCEPT SELECT i FROM t", "0A000@17 EXCEPT is not supported"},
           {"SELECT i FROM (SELECT * FROM (VALUES (1)) q (i)) r",
            "0A000@1 sub-query in FROM with VALUES is not supported"},
           {"SELECT i FROM (VALUES (1) LIMIT 1) q (i)",
            "0A000@1 VALUES with ORDER BY, LIMIT or OFFSET in FROM is not supported"},
           {"SELECT i INTO u FROM t", "0A000@10 SELECT INTO is not supported"},
           {"SELECT i FROM t FOR UPDATE", "0A000@17 FOR UPDATE or FOR SHARE is not supported"},
           {"SELECT sum(i) OVER w FROM t WINDOW w AS ()", "0A000@29 WINDOW is not supported"},
           {"SELECT FROM t", "0A000@1 SELECT with an empty list is not supported"},
           {"SELECT count(*) FROM t GROUP BY CUBE (i, s, l, r, d, n, day, v)",
            "0A000@33 more than 128 grouping sets is not supported"},
           {"SELECT count(DISTINCT i) FROM t GROUP BY CUBE (i, s, l, r, d, n, day)",
            "0A000@1 grouping in more than 128 ways, one more for each DISTINCT or ordered aggregate, is not "
            "supported"},
           {"SELECT v FROM t GROUP BY nosuch(v)", "0A000@26 function nosuch() is not supported"},
           {"SELECT v FROM t ORDER BY nosuch(v)", "0A000@26 function nosuch() is not supported"},
           {"SELECT v FROM t ORDER BY v COLLATE \"de_DE\"", "0A000@26 COLLATE is not supported"},
           {"SELECT v FROM t ORDER BY v USING <", "0A000@34 ORDER BY ... USING is not supported"},
           {"SELECT percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY i) FROM t",
            "0A000@24 ARRAY is not supported"},
           {"SELECT percentile_cont(i) WITHIN GROUP (ORDER BY i) FROM t",
            "0A000@24 percentile_cont() of a fraction that is no constant is not supported"},
           {"SELECT percentile_disc(1.5) WITHIN GROUP (ORDER BY i) FROM t",
            "22003@0 percentile value 1.5 is not between 0 and 1"},
           {"SELECT percentile_cont(0.5) FROM t",
            "42883@8 function percentile_cont() without WITHIN GROUP does not exist"},
           {"SELECT i FROM t AS a (z)", "0A000@15 renaming columns in FROM is not supported"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
}

TEST_F(RefusalTest, ExpressionsInTheList) {
  for (const auto& [item, name] : std::initializer_list<Refused>{
           {"nosuch(v)", "function nosuch()"},
           {"foo.lower(v)", "function of another schema"},
           {"v @@ 'x'", "an expression with operator \"@@\""},
           {"(SELECT max(i) FROM t)", "sub-query"},
           {"(SELECT count(*))", "sub-query"},
           {"EXISTS (SELECT 1)", "EXISTS (sub-query)"},
           {"ARRAY[i]", "ARRAY"},
           {"ROW(i, v)", "row value in this place"},
           {"CURRENT_USER", "CURRENT_USER"},
           {"CURRENT_TIME", "CURRENT_TIME"},
           {"LOCALTIME(3)", "LOCALTIME with a precision"},
           {"LOCALTIMESTAMP(3)", "LOCALTIMESTAMP with a precision"},
           {"row_number() OVER ()", "window function row_number()"},
           {"sum(i) OVER ()", "window function sum() OVER"},
           {"count(i) WITHIN GROUP (ORDER BY i)", "WITHIN GROUP of count()"},
           {"t", "a whole row as a value"},
       }) {
    const Error error = error_of(fmt::format("SELECT {} FROM t", item));
    EXPECT_EQ(error.sqlstate, "0A000") << item;
    EXPECT_EQ(error.message, std::string(name) + " is not supported") << item;
    EXPECT_GE(error.position, 8U) << item;
    EXPECT_LE(error.position, 14U) << item;
  }
}

TEST_F(RefusalTest, Conditions) {
  for (const auto& [condition, error] : std::initializer_list<Refused>{
           {"i = ANY ('{{1},{2}}')", "0A000@32 an array of several dimensions is not supported"},
           {"i = ANY ('{1,2')", "22P02@32 malformed array literal: \"{1,2\""},
           {"i = ANY (l)", "42809@25 op ANY/ALL (array) requires array on right side"},
           {"i IN (SELECT 1)", "0A000@25 IN or ANY (sub-query) is not supported"},
           {"EXISTS (SELECT 1)", "0A000@23 EXISTS (sub-query) is not supported"},
           {"i = (SELECT max(i) FROM t)", "0A000@27 sub-query is not supported"},
           {"i = (SELECT s)", "0A000@27 sub-query is not supported"},
           {"i = (SELECT 1, 2)", "42601@27 subquery must return only one column"},
           {"v ~ '(x)\\1'", "0A000@25 a reference back to a group (\\1) in a regular expression is not supported"},
           {"regexp_like(v, 'x(?!y)', 'i')",
            "0A000@23 a condition on what is before or behind ((?=, (?!, (?<=, (?<!) in a regular expression is not "
            "supported"},
           {"v @@ 'x'", "0A000@25 an expression with operator \"@@\" is not supported"},
           {"i LIKE 'x%'", "42883@25 operator does not exist: integer ~~ unknown"},
           {"(i, s) = (1, 2, 3)", "42601@30 unequal number of entries in row expressions"},
           {"v COLLATE \"de_DE\" = 'x'", "0A000@23 COLLATE is not supported"},
           {"count(*) > 1", "42803@23 aggregate functions are not allowed in WHERE"},
           {"sum(i) = 1 AND b", "42803@23 aggregate functions are not allowed in WHERE"},
           {"at > '2013-01-01'::timetz", "0A000@42 type time with time zone is not supported"},
           {"at = LOCALTIMESTAMP(3)", "0A000@28 LOCALTIMESTAMP with a precision is not supported"},
           {"at = ANY ('{2013-01-01}'::timestamp(3)[])",
            "0A000@47 an array of SQL timestamps of fewer digits is not supported"},
           {"n = n + 'NaN'", "0A000@31 numeric \"NaN\" is not supported"},
           {"i = B'1'", "0A000@27 bit-string constant is not supported"},
       }) {
    EXPECT_EQ(failure(std::string("SELECT i FROM t WHERE ") + condition), error) << condition;
  }
}

TEST_F(RefusalTest, NamesAndTypes) {
  for (const auto& [sql, error] : std::initializer_list<Refused>{
           {"SELECT i FROM u", "42P01@15 relation \"u\" does not exist"},
           {"SELECT i FROM \"T\"", "42P01@15 relation \"T\" does not exist"},
           {"SELECT i FROM other.t", "42P01@15 relation \"other.t\" does not exist"},
           {"SELECT i FROM a.b.t", "0A000@15 cross-database references are not implemented: \"a.b.t\""},
           {"SELECT z FROM t", "42703@8 column \"z\" does not exist"},
           {"SELECT t.z FROM t", "42703@8 column t.z does not exist"},
           {"SELECT \"I\" FROM t", "42703@8 column \"I\" does not exist"},
           {"SELECT mixed FROM t", "42703@8 column \"mixed\" does not exist"},
           {"SELECT u.i FROM t", "42P01@8 missing FROM-clause entry for table \"u\""},
           {"SELECT t.i FROM t AS a", "42P01@8 invalid reference to FROM-clause entry for table \"t\""},
           {"SELECT u.* FROM t", "42P01@8 missing FROM-clause entry for table \"u\""},
           {"SELECT i FROM t WHERE z = 1", "42703@23 column \"z\" does not exist"},
           {"SELECT i FROM t ORDER BY z", "42703@26 column \"z\" does not exist"},
           {"SELECT i FROM t GROUP BY z", "42703@26 column \"z\" does not exist"},
           {"SELECT sum(z) FROM t", "42703@12 column \"z\" does not exist"},
           {"SELECT 'é' , z FROM t", "42703@14 column \"z\" does not exist"},
           {"SELECT i FROM t WHERE v = 'é' AND z = 1", "42703@35 column \"z\" does not exist"},
           {"SELECT i FROM t WHERE i = DATE '2013-01-01'", "42883@25 operator does not exist: integer = date"},
           {"SELECT i FROM t WHERE day = 5", "42883@27 operator does not exist: date = integer"},
           {"SELECT i FROM t WHERE v = 5", "42883@25 operator does not exist: character varying = integer"},
           {"SELECT i FROM t WHERE b > 5", "42883@25 operator does not exist: boolean > integer"},
           {"SELECT i FROM t WHERE day = 'x'::text", "42883@27 operator does not exist: date = text"},
           {"SELECT i FROM t WHERE 1 = DATE '2013-01-01'", "42883@25 operator does not exist: integer = date"},
           {"SELECT i FROM t WHERE i = 'abc'", "22P02@27 invalid input syntax for type integer: \"abc\""},
           {"SELECT i FROM t WHERE i = '3000000000'", "22003@27 value \"3000000000\" is out of range for type integer"},
           {"SELECT i FROM t WHERE i = 'x'::nosuch", "42704@32 type \"nosuch\" does not exist"},
           {"SELECT i FROM t WHERE i = 5::date", "42846@28 cannot cast type integer to date"},
           {"SELECT i FROM t WHERE i = 2147483647 + 1", "22003@0 integer out of range"},
           {"SELECT i FROM t WHERE i = '1' + '2'", "42725@31 operator is not unique: unknown + unknown"},
           {"SELECT i FROM t WHERE i = DATE '2013-01-01' + DATE '2013-01-01'",
            "42883@45 operator does not exist: date + date"},
           {"SELECT i FROM t WHERE i = -DATE '2013-01-01'", "42883@27 operator does not exist: - date"},
           {"SELECT i FROM t WHERE i", "42804@23 argument of WHERE must be type boolean, not type integer"},
           {"SELECT i FROM t WHERE b AND i", "42804@29 argument of AND must be type boolean, not type integer"},
           {"SELECT i FROM t WHERE NOT 1", "42804@27 argument of NOT must be type boolean, not type integer"},
           {"SELECT i FROM t WHERE i IS TRUE", "42804@23 argument of IS TRUE must be type boolean, not type integer"},
           {"SELECT sum(day) FROM t", "42883@8 function sum(date) does not exist"},
           {"SELECT count() FROM t", "42809@8 count(*) must be used to call a parameterless aggregate function"},
           {"SELECT sum(*) FROM t", "42883@8 function sum() does not exist"},
           {"SELECT sum(max(i)) FROM t", "42803@12 aggregate function calls cannot be nested"},
           {"SELECT v, count(*) FROM t",
            "42803@8 column \"t.v\" must appear in the GROUP BY clause or be used in an aggregate function"},
           {"SELECT count(*), a.i FROM t a GROUP BY v",
            "42803@18 column \"a.i\" must appear in the GROUP BY clause or be used in an aggregate function"},
           {"SELECT v FROM t GROUP BY v ORDER BY i",
            "42803@37 column \"t.i\" must appear in the GROUP BY clause or be used in an aggregate function"},
           {"SELECT v FROM t ORDER BY count(*)",
            "42803@8 column \"t.v\" must appear in the GROUP BY clause or be used in an aggregate function"},
           {"SELECT count(*) FROM t GROUP BY 1", "42803@8 aggregate functions are not allowed in GROUP BY"},
           {"SELECT i + max(s) AS m FROM t GROUP BY m", "42803@12 aggregate functions are not allowed in GROUP BY"},
           {"SELECT (v), count(*) FROM t",
            "42803@9 column \"t.v\" must appear in the GROUP BY clause or be used in an aggregate function"},
           {"SELECT v, grouping(i, n + 1) FROM t GROUP BY i",
            "42803@23 arguments to GROUPING must be grouping expressions of the associated query level"},
           {"SELECT grouping(nullif(l, i)) FROM t GROUP BY i",
            "42803@17 arguments to GROUPING must be grouping expressions of the associated query level"},
           {"SELECT grouping(DATE '2000-01-01' - i) FROM t GROUP BY i",
            "42803@22 arguments to GROUPING must be grouping expressions of the associated query level"},
           {"SELECT i FROM t GROUP BY i HAVING grouping(v) = 0",
            "42803@44 arguments to GROUPING must be grouping expressions of the associated query level"},
           {"SELECT v FROM t GROUP BY count(*)", "42803@26 aggregate functions are not allowed in GROUP BY"},
           {"SELECT v FROM t GROUP BY 2", "42P10@26 GROUP BY position 2 is not in select list"},
           {"SELECT v FROM t ORDER BY 0", "42P10@26 ORDER BY position 0 is not in select list"},
           {"SELECT v FROM t ORDER BY -1", "42P10@26 ORDER BY position -1 is not in select list"},
           {"SELECT v FROM t ORDER BY 'v'", "42601@26 non-integer constant in ORDER BY"},
           {"SELECT v FROM t GROUP BY 1.5", "42601@26 non-integer constant in GROUP BY"},
           {"SELECT i AS a, v AS a FROM t ORDER BY a", "42702@39 ORDER BY \"a\" is ambiguous"},
           {"SELECT i FROM t LIMIT -1", "2201W@0 LIMIT must not be negative"},
           {"SELECT i FROM t LIMIT -1 OFFSET -1", "2201X@0 OFFSET must not be negative"},
           {"SELECT i FROM t LIMIT 1e300 OFFSET -1", "22003@23 bigint out of range"},
           {"SELECT i FROM t OFFSET -1", "2201X@0 OFFSET must not be negative"},
           {"SELECT i FROM t LIMIT i", "42P10@23 argument of LIMIT must not contain variables"},
           {"SELECT i FROM t LIMIT 'x'", "22P02@23 invalid input syntax for type bigint: \"x\""},
           {"SELECT i FROM t LIMIT true", "42804@23 argument of LIMIT must be type bigint, not type boolean"},
           {"SELECT i FROM t WHERE i = $1", "42P02@27 there is no parameter $1"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
  EXPECT_EQ(failure("SELECT i FROM t", {untyped("1")}), "08P01@0 1 parameters were given, but the statement takes 0");
  EXPECT_EQ(failure("SELECT i FROM t WHERE i = $1", {untyped("x")}),
            "22P02@27 invalid input syntax for type integer: \"x\"");
}

TEST_F(RefusalTest, OtherStatementsByName) {
  for (const auto& [sql, name] : std::initializer_list<Refused>{
           {"CREATE TABLE u (a int)", "CREATE TABLE"},
           {"DROP TABLE t", "DROP TABLE"},
           {"ALTER TABLE t ADD z int", "ALTER TABLE"},
           {"CREATE UNIQUE INDEX ON t (i)", "CREATE INDEX"},
           {"BEGIN", "BEGIN"},
           {"COMMIT", "COMMIT"},
           {"ROLLBACK", "ROLLBACK"},
           {"EXPLAIN SELECT i FROM t", "EXPLAIN"},
           {"COPY t FROM STDIN", "COPY"},
           {"SET x = 1", "SET"},
           {"SHOW x", "SHOW"},
           {"TRUNCATE t, t", "TRUNCATE"},
           {"VACUUM", "VACUUM"},
           {"PREPARE p AS SELECT 1", "PREPARE"},
           {"LOCK t", "LOCK"},
           {"GRANT ALL ON t TO u", "GRANT"},
           {"CALL f()", "CALL"},
           {"DO 'x'", "DO"},
           {"MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", "MERGE"},
       }) {
    EXPECT_EQ(failure(sql), std::string("0A000@1 ") + name + " is not supported") << sql;
  }
  EXPECT_EQ(failure("  -- why\n  BEGIN"), "0A000@12 BEGIN is not supported");
}

TEST_F(RefusalTest, Hints) {
  EXPECT_FALSE(error_of("BEGIN").hint.empty());
  EXPECT_FALSE(error_of("SELECT v FROM t UNION SELECT v FROM t").hint.empty());
  EXPECT_FALSE(error_of("SELECT i FROM t WHERE v ~ 'a(?=x)'").hint.empty());
  EXPECT_FALSE(error_of("UPDATE t SET i = 1").hint.empty());
  EXPECT_FALSE(error_of("SELECT t.i FROM t JOIN u ON true").hint.empty());
}

TEST_F(RefusalTest, HintsSayWhatToDoInsteadOfStatementsThatAreNotSupported) {
  for (const auto& [sql, words] : std::initializer_list<Refused>{
           {"EXPLAIN SELECT i FROM t", "without it"},
           {"EXPLAIN (ANALYZE) SELECT i FROM t", "without it"},
           {"SET x = 1", "configuration"},
           {"SHOW x", "configuration"},
           {"RESET ALL", "configuration"},
           {"BEGIN", "leave it out"},
           {"START TRANSACTION", "leave it out"},
           {"COMMIT", "leave it out"},
           {"ROLLBACK", "leave it out"},
           {"SAVEPOINT a", "leave it out"},
           {"VACUUM", "leave it out"},
           {"ANALYZE t", "leave it out"},
           {"LOCK t", "leave it out"},
           {"DECLARE c CURSOR FOR SELECT i FROM t", "as they arrive"},
           {"GRANT ALL ON t TO u", "users file"},
           {"DESCRIBE t", "bin/daedalus sql"},
           {"desc t", "bin/daedalus sql"},
           {"SHOW COLUMNS FROM t", "bin/daedalus sql"},
           {"use flights", "one table"},
           {"quit", "\\q"},
           {"SELEC i FROM t", "Perhaps you meant SELECT."},
           {"/* x */ upadte t SET i = 1", "Perhaps you meant UPDATE."},
       }) {
    EXPECT_NE(error_of(sql).hint.find(words), std::string::npos) << sql << ": " << error_of(sql).hint;
  }
  EXPECT_EQ(error_of("SELECT i FORM t").hint, "");
  EXPECT_EQ(error_of("nonsense").hint, "");
}

TEST_F(RefusalTest, HintNamesTheColumnsThatAreNear) {
  for (const auto& [sql, hint] : std::initializer_list<Refused>{
           {"SELECT daay FROM t", "Perhaps you meant to reference the column \"t.day\"."},
           {"SELECT a.DAYS FROM t a", "Perhaps you meant to reference the column \"a.day\"."},
           {"SELECT i FROM t WHERE mixed = 'a'", "Perhaps you meant to reference the column \"t.Mixed\"."},
           {"SELECT \"I\" FROM t", "Perhaps you meant to reference the column \"t.i\"."},
           {"SELECT mix FROM t", "Perhaps you meant to reference the column \"t.Mixed\"."},
           {"SELECT ax FROM t", "Perhaps you meant to reference the column \"t.at\" or the column \"t.x\"."},
           {"UPDATE t SET dya = NULL WHERE i = 1", "Perhaps you meant to reference the column \"t.day\"."},
           {"UPDATE t SET dai = NULL WHERE i = 1", "Perhaps you meant to reference the column \"t.day\"."},
           {"INSERT INTO t (i, dayy) VALUES (1, NULL)", "Perhaps you meant to reference the column \"t.day\"."},
           {"SELECT z FROM t", ""},
           {"SELECT passenger FROM t", ""},
       }) {
    EXPECT_EQ(error_of(sql).hint, hint) << sql;
  }
  const std::string endless(1 << 16, 'a');
  EXPECT_EQ(error_of("SELECT " + endless + " FROM t").sqlstate, "42703");
}

TEST_F(RefusalTest, SyntaxErrorsCarryPostgresPosition) {
  for (const auto& [sql, error] : std::initializer_list<Refused>{
           {"SELEC i FROM t", "42601@1 syntax error at or near \"SELEC\""},
           {"SELECT i FORM t WHERE", "42601@15 syntax error at or near \"t\""},
           {"SELECT 'é', i, FROM t", "42601@16 syntax error at or near \"FROM\""},
           {"SELECT i FROM t WHERE i = 'x", "42601@27 unterminated quoted string at or near \"'x\""},
           {"SELECT i FROM t WHERE", "42601@22 syntax error at end of input"},
           {"SELECT i FROM t LIMIT 1, 2", "42601@17 LIMIT #,# syntax is not supported"},
           {"SELECT i FROM t; SELECT v FROM t", "42601@18 cannot run multiple statements: one statement at a time"},
           {"", "42601@0 empty statement"},
           {" ; -- nothing", "42601@0 empty statement"},
       }) {
    EXPECT_EQ(failure(sql), error) << sql;
  }
  EXPECT_EQ(failure(std::string_view("SELECT \0 i", 10)), "22021@8 invalid byte sequence for encoding \"UTF8\": 0x00");
}

TEST_F(RefusalTest, TextThatIsNotUtf8) {
  EXPECT_EQ(error_of("SELECT i FROM t WHERE v = '\xff'").sqlstate, "22021");
  EXPECT_EQ(error_of("SELECT i FROM t WHERE v = E'\\xff'").sqlstate, "22021");
  EXPECT_EQ(error_of("SELECT \xc3 FROM t").sqlstate, "22021");
  EXPECT_EQ(failure("SELEC i FROM t -- \xff"), "22021@0 invalid byte sequence for encoding \"UTF8\"");
}

TEST_F(RefusalTest, DeepNestingIsRefusedNotCrashedOn) {
  const auto nested = [](std::string_view open, std::string_view close, int depth) {
    std::string sql = "SELECT i FROM t WHERE ";
    for (int i = 0; i < depth; ++i) {
      sql += open;
    }
    sql += "i = 1";
    for (int i = 0; i < depth; ++i) {
      sql += close;
    }
    return sql;
  };
  for (const int depth : {10'000, 100'000}) {
    EXPECT_EQ(error_of(nested("(", ")", depth)).sqlstate, "54001");
    EXPECT_EQ(error_of(nested("NOT ", "", depth)).sqlstate, "54001");
    EXPECT_EQ(error_of(nested("i + ", "", depth)).sqlstate, "54001");
  }
  EXPECT_EQ(error_of(nested("(i = 1 OR ", ")", 10'000)).sqlstate, "54001");
  EXPECT_EQ(failure(nested("(", ")", 200)), "accepted");  // Parentheses leave no trace in the tree.
  EXPECT_EQ(failure(nested("NOT ", "", 200)), "accepted");
}

TEST_F(RefusalTest, LongListsAndConstantsAreRefused) {
  const auto outputs = [](int count) {
    std::string sql = "SELECT i";
    for (int i = 1; i < count; ++i) {
      sql += ",i";
    }
    return sql + " FROM t";
  };
  EXPECT_EQ(failure(outputs(1'664)), "accepted");
  EXPECT_EQ(error_of(outputs(1'665)).sqlstate, "54011");
  const auto condition = [](std::string_view operation, size_t size) {
    return fmt::format("SELECT i FROM t WHERE v {} '{}'", operation, std::string(size, 'x'));
  };
  EXPECT_EQ(failure(condition("LIKE", UINT16_MAX)), "accepted");
  EXPECT_EQ(error_of(condition("LIKE", UINT16_MAX + 1)).sqlstate, "54000");
  EXPECT_EQ(failure(condition("=", UINT16_MAX)), "accepted");
  EXPECT_EQ(error_of(condition("=", UINT16_MAX + 1)).sqlstate, "54000");
}

TEST_F(RefusalTest, LargeStatementsAreRefused) {
  const std::string blanks(1 << 20, ' ');
  EXPECT_EQ(error_of("SELECT i FROM t" + blanks).sqlstate, "54000");
  EXPECT_EQ(failure("INSERT INTO t (i) VALUES (1)" + blanks), "accepted");
  EXPECT_EQ(error_of("INSERT INTO t (i) VALUES (1)" + std::string(8 << 20, ' ')).sqlstate, "54000");
  std::string list = "SELECT i FROM t WHERE i IN (0";
  for (uint32_t i = 1; i < semantics::kLiteralsMax; ++i) {
    list += fmt::format(",{}", i);
  }
  EXPECT_EQ(failure(fmt::format("{})", list)), "accepted");
  EXPECT_EQ(failure(fmt::format("{},0)", list)), "54001@23 the condition is too complex: more than 16384 comparisons");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

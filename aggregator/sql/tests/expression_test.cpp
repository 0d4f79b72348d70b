// Expressions in every clause of a SELECT: what they are bound to, and what is wrong with them.
#include <fmt/format.h>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class ExpressionTest : public SqlTest {
 protected:
  /// Says what an expression of a SELECT's list becomes, and its type.
  std::string bound(const std::string& expression) {
    const auto compiled = compile(fmt::format("SELECT {} AS e FROM t", expression));
    if (!compiled) {
      return fmt::format("{} {}", compiled.error().sqlstate, compiled.error().message);
    }
    const semantics::Selection& selection = *std::get<CompiledSelect>(*compiled).selection;
    const semantics::BoundExpression& output = selection.outputs[0].expression;
    return fmt::format("{} {}", expression_text(*schema_, output), semantics::to_string(output.type));
  }
};

struct Bound {
  const char* sql;
  const char* expected;
};

TEST_F(ExpressionTest, CallsHaveAtMostAHundredArguments) {
  const auto call = [](size_t count) {
    std::string made = "num_nulls(i";
    while (--count > 0) {
      made += ", i";
    }
    return made + ")";
  };
  EXPECT_TRUE(bound(call(100)).ends_with(") integer"));
  EXPECT_EQ(bound(call(101)), "54023 cannot pass more than 100 arguments to a function");
}

TEST_F(ExpressionTest, OperandsAreBroughtToWhatTheOperatorTakes) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"i + 1", "+(i,1) integer"},
           {"s + i", "+(cast(s as integer),i) integer"},
           {"i + l", "+(cast(i as bigint),l) bigint"},
           {"i * n", "*(cast(i as numeric(10,0)),n) numeric(20,2)"},
           {"n * n", "*(n,n) numeric(20,4)"},
           {"n / 2", "/(n,2) numeric"},
           {"h * h", "*(h,h) numeric"},  // More than 38 digits have no bound.
           {"r + d", "+(r,d) double precision"},
           {"n + d", "+(cast(n as double precision),d) double precision"},
           {"day + 1", "+(day,1) date"},
           {"day - day", "-(day,day) integer"},
           {"tag::text", "cast(tag as text) text"},
           {"tag = '00112233445566778899aabbccddeeff'", "=(tag,00112233-4455-6677-8899-aabbccddeeff) boolean"},
           {"tag = v", "42883 operator does not exist: uuid = character varying"},
           {"max(tag)", "42883 function max(uuid) does not exist"},
           {"tag::bigint", "42846 cannot cast type uuid to bigint"},
           {"'x'::uuid", "22P02 invalid input syntax for type uuid: \"x\""},
           {"day + clock", "+(day,clock) timestamp without time zone"},
           {"clock + INTERVAL '1 day 02:00'", "+(clock,1 day 02:00:00) time without time zone"},
           {"date_trunc('hour', clock)::text", "cast(date_trunc(hour,cast(clock as interval)) as text) text"},
           {"at::time", "cast(at as time without time zone) time without time zone"},
           {"clock + clock", "42725 operator is not unique: time without time zone + time without time zone"},
           {"day::time", "42846 cannot cast type date to time without time zone"},
           {"clock = at", "42883 operator does not exist: time without time zone = timestamp without time zone"},
           {"coalesce(clock, at)",
            "42846 COALESCE could not convert type timestamp without time zone to time without "
            "time zone"},
           {"i + '1'", "+(i,1) integer"},
           {"day > '2013-01-01'", ">(day,2013-01-01) boolean"},
           {"v || 5", "||(cast(v as text),5) text"},
           {"c = v", "=(cast(c as text),cast(cast(v as character) as text)) boolean"},
           {"c = 'x'::text", "=(cast(c as text),x) boolean"},
           {"upper(v)", "upper(cast(v as text)) text"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, ComputesConstantsOnce) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"1 + 2 * 3", "7 integer"},
           {"i + (2 - 1)", "+(i,1) integer"},
           {"1.0 / 3", "0.33333333333333333333 numeric(20,20)"},
           {"upper('ab')", "AB text"},
           {"'ab' LIKE 'a_'", "t boolean"},
           {"CASE WHEN false THEN 1/0 ELSE i END", "i integer"},
           {"coalesce(NULL, 3, 1/0)", "3 integer"},
           {"b AND false", "f boolean"},
           {"i + NULL", "null integer"},
           {"1/0", "22012 division by zero"},
           {"CASE WHEN b THEN 1/0 ELSE i END", "22012 division by zero"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, MomentsMoveByIntervals) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"at + INTERVAL '1 day'", "+(at,1 day) timestamp without time zone"},
           {"day - INTERVAL '1 mon'", "-(day,1 mon) timestamp without time zone"},
           {"TIMESTAMP '2013-03-31 12:00' - INTERVAL '1' MONTH", "2013-02-28 12:00:00 timestamp without time zone"},
           {"(INTERVAL '1 year 2 days' * 1.5)::text", "1 year 6 mons 3 days text"},
           {"(now() - at) > INTERVAL '2 hours'",
            ">(-(2013-06-15 12:34:56.789+00,cast(at as timestamp with time zone)),02:00:00) boolean"},
           {"date_trunc('month', at)", "date_trunc(month,at) timestamp without time zone"},
           {"date_trunc('month', day)",
            "date_trunc(month,cast(day as timestamp with time zone)) timestamp with time zone"},
           {"extract(year from day)", "extract(year,day) numeric"},
           {"at - at", "-(at,at) interval"},
           {"INTERVAL '90' MINUTE * 2", "03:00:00 interval"},
           {"INTERVAL '1-2' YEAR TO MONTH", "1 year 2 mons interval"},
           {"INTERVAL(0) '1.5'", "00:00:02 interval"},
           {"(at - at)::interval minute", "interval(-(at,at),134283263) interval"},
           {"v::interval(9)", "interval(cast(v as interval),2147418118) interval"},
           {"make_interval(1, days => i)", "make_interval(1,0,0,i,0,0,0) interval"},
           {"make_interval()", "00:00:00 interval"},
           {"make_interval(days => 1, 2)", "42601 positional argument cannot follow named argument"},
           {"make_interval(days => 1, days => 2)", "42601 argument name \"days\" used more than once"},
           {"make_interval(day => 1)", "42883 function make_interval() with these arguments does not exist"},
           {"make_interval(1, years => 2)", "42883 function make_interval() with these arguments does not exist"},
           {"make_date(year => 1, month => 2, day => 3)", "0A000 named argument is not supported"},
           {"stddev(at - at)", "42883 function stddev_samp(interval) does not exist"},
           {"INTERVAL '1 day 2 days'", "22007 invalid input syntax for type interval: \"1 day 2 days\""},
           {"INTERVAL 'one day'", "22007 invalid input syntax for type interval: \"one day\""},
           {"date_trunc('fortnight', at)",
            "date_trunc(fortnight,at) timestamp without time zone"},  // Found at the first row.
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
  EXPECT_EQ(where("at > now() - INTERVAL '1 day'"), "at>2013-06-14 12:34:56.789");
  EXPECT_EQ(where("moment > now() - INTERVAL '1 day'"), "moment>2013-06-14 12:34:56.789+00");
  EXPECT_EQ(where("day < make_date(2013, 1, 1 + 1)"), "day<2013-01-02");
}

TEST_F(ExpressionTest, ZonesAreBoundWhereTheStatementIsRead) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"moment AT TIME ZONE INTERVAL '1 hour'", "timezone(01:00:00,moment) timestamp without time zone"},
           {"TIMESTAMPTZ '2013-01-01 12:00 EST' AT TIME ZONE 'CEST'",
            "2013-01-01 19:00:00 timestamp without time zone"},
           {"TIMESTAMP '2013-01-01 12:00' AT TIME ZONE 'UTC+3'", "2013-01-01 15:00:00+00 timestamp with time zone"},
           {"date_trunc('day', TIMESTAMPTZ '2013-01-01 23:30Z', 'CET')",
            "2013-01-01 23:00:00+00 timestamp with time zone"},
           {"make_timestamptz(2013, 1, 1, 12, 0, 0, '+02')", "2013-01-01 10:00:00+00 timestamp with time zone"},
           {"at AT TIME ZONE v", "0A000 a time zone that is no constant is not supported"},
           {"at AT TIME ZONE 'Europe/Zurich'",
            "0A000 time zone \"Europe/Zurich\" is not supported where there is no time zone database"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
  EXPECT_EQ(where("moment = '2013-01-01 05:00+05:30'"), "moment=2012-12-31 23:30:00+00");
  EXPECT_EQ(where("moment >= DATE '2013-01-01'"), "moment>=2013-01-01 00:00:00+00");
  EXPECT_EQ(where("moment < TIMESTAMP '2013-01-01 12:00'"), "moment<2013-01-01 12:00:00+00");
  EXPECT_EQ(where("day = TIMESTAMPTZ '2013-01-01 12:00+12'"), "day=2013-01-01");
}

TEST_F(ExpressionTest, FormsSayWhatTheyCompare) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"CASE i WHEN 1 THEN 'x' ELSE v END", "case(=(i,1),x,v) character varying(10)"},
           {"i IN (1, 2, s)", "or(in(i,1,2),=(i,cast(s as integer))) boolean"},
           {"i NOT BETWEEN 3 AND s", "or(<(i,3),>(i,cast(s as integer))) boolean"},
           {"i BETWEEN SYMMETRIC 3 AND 1", "or(and(>=(i,3),<=(i,1)),and(>=(i,1),<=(i,3))) boolean"},
           {"(i = 1) IS NOT TRUE", "is_not_true(=(i,1)) boolean"},
           {"i IS DISTINCT FROM 1", "is_distinct(i,1) boolean"},
           {"NULLIF(v, 'x')", "nullif(cast(v as text),x) text"},
           {"GREATEST(i, l, 2.5)", "greatest(cast(i as numeric(10,0)),cast(l as numeric(19,0)),2.5) numeric"},
           {"b AND (b OR b) AND b", "and(b,or(b,b),b) boolean"},
           {"concat('x', i, NULL, c)", "concat(x,i,null,c) text"},
           {"concat_ws(v, i)", "concat_ws(cast(v as text),i) text"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, MistakesHavePostgresCodes) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"i + day + v", "42883 operator does not exist: date + character varying"},
           {"upper(i)", "42883 function upper(integer) does not exist"},
           {"'1' + '2'", "42725 operator is not unique: unknown + unknown"},
           {"i + 'x'", "22P02 invalid input syntax for type integer: \"x\""},
           {"CASE WHEN b THEN 1 ELSE v END", "42804 CASE types character varying and integer cannot be matched"},
           {"COALESCE(i, day)", "42804 COALESCE types integer and date cannot be matched"},
           {"CASE WHEN i THEN 1 END", "42804 argument of CASE/WHEN must be type boolean, not type integer"},
           {"i::date", "42846 cannot cast type integer to date"},
           {"sum(count(*))", "42803 aggregate function calls cannot be nested"},
           {"concat()", "42883 function concat() does not exist"},
           {"concat_ws('x')", "42883 function concat_ws(unknown) does not exist"},
           {"sum('1')", "42725 function sum(unknown) is not unique"},
           {"bit_and(NULL)", "42725 function bit_and(unknown) is not unique"},
           {"bool_and(i)", "42883 function bool_and(integer) does not exist"},
           {"stddev(v)", "42883 function stddev_samp(character varying) does not exist"},
           {"every(i)", "42883 function bool_and(integer) does not exist"},
           {"string_agg(i, ',')", "42883 function string_agg(integer, …) does not exist"},
           {"string_agg(v)", "42883 function string_agg() with 1 arguments does not exist"},
           {"string_agg(DISTINCT v, ',' ORDER BY i)",
            "42P10 in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"},
           {"grouping(i)", "42803 arguments to GROUPING must be grouping expressions of the associated query level"},
           {"sum(grouping(i))", "42803 aggregate function calls cannot be nested"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, GroupsAreOfExpressions) {
  EXPECT_EQ(failure("SELECT i + 1, count(*) FROM t GROUP BY i + 1"), "accepted");
  EXPECT_EQ(failure("SELECT (i + 1) * 2 FROM t GROUP BY i + 1"), "accepted");
  EXPECT_EQ(failure("SELECT sum(i) / count(*) FROM t HAVING max(i) > 1"), "accepted");
  EXPECT_EQ(failure("SELECT upper(v) AS u FROM t GROUP BY u ORDER BY count(*)"), "accepted");
  EXPECT_EQ(failure("SELECT i + 2 FROM t GROUP BY i + 1"),
            "42803@8 column \"t.i\" must appear in the GROUP BY clause or be used in an aggregate function");
  EXPECT_EQ(failure("SELECT count(*) FROM t HAVING i > 1"),
            "42803@31 column \"t.i\" must appear in the GROUP BY clause or be used in an aggregate function");
  EXPECT_EQ(failure("SELECT n / 3, count(DISTINCT n / 7) FROM t GROUP BY n / 3"), "accepted");
  EXPECT_EQ(failure("SELECT DISTINCT i + 1 FROM t ORDER BY i"),
            "42P10@39 for SELECT DISTINCT, ORDER BY expressions must appear in select list");
  EXPECT_EQ(failure("SELECT i FROM t GROUP BY i HAVING count(*)"),
            "42804@35 argument of HAVING must be type boolean, not type bigint");
}

/// As a key that is put out, NaN is itself; 0.0 and −0.0 are not the same argument.
TEST_F(ExpressionTest, ConstantsAreTheSameIfNothingTellsThemApart) {
  EXPECT_EQ(failure("SELECT coalesce(d, 'NaN'), count(*) FROM t GROUP BY coalesce(d, 'NaN')"), "accepted");
  EXPECT_EQ(failure("SELECT DISTINCT d + 'NaN' FROM t ORDER BY d + 'NaN'"), "accepted");
  const auto compiled = compile("SELECT max(atan2(d, '0')), max(atan2(d, '-0')), max(atan2(d, '-0')) FROM t");
  const semantics::Selection& selection = *std::get<CompiledSelect>(*compiled).selection;
  EXPECT_EQ(selection.grouping->aggregates.size(), 2U);
}

TEST_F(ExpressionTest, GroupsAreOfSets) {
  EXPECT_EQ(failure("SELECT i, grouping(i, s), count(*) FROM t GROUP BY ROLLUP (i, (s, l)), GROUPING SETS ((), b)"),
            "accepted");
  EXPECT_EQ(failure("SELECT i + 1 AS e, grouping(i + 1) FROM t GROUP BY CUBE (1, s)"), "accepted");
  EXPECT_EQ(failure("SELECT count(*) FROM t GROUP BY ()"), "accepted");
  EXPECT_EQ(failure("SELECT i FROM t GROUP BY GROUPING SETS ((s), ())"),
            "42803@8 column \"t.i\" must appear in the GROUP BY clause or be used in an aggregate function");
  EXPECT_EQ(failure("SELECT i FROM t WHERE grouping(i) = 0 GROUP BY i"),
            "42803@23 grouping operations are not allowed in WHERE");
  const auto compiled = compile("SELECT i, count(DISTINCT v), sum(DISTINCT k) FROM t GROUP BY ROLLUP (i)");
  const semantics::Selection& selection = *std::get<CompiledSelect>(*compiled).selection;
  EXPECT_EQ(semantics::group_sets(*selection.grouping).size(), 6U);  // Each of two sets, and its two lists of values.
  EXPECT_TRUE(selection.outputs[0].expression.nullable);
}

TEST_F(ExpressionTest, ASelectWithoutFromIsOneRowOfConstants) {
  EXPECT_EQ(failure("SELECT 1 + 1 AS two, upper('a'), now()"), "accepted");
  EXPECT_EQ(failure("SELECT 1 WHERE 2 > 1 ORDER BY 1 LIMIT 1"), "accepted");
  EXPECT_TRUE(bound("version()").starts_with("PostgreSQL 15 "));
  EXPECT_TRUE(bound("current_schema() || '.' || current_database()").starts_with("public.t "));
  EXPECT_EQ(failure("SELECT i"), "42703@8 a column is named, and there is no FROM");
  EXPECT_EQ(failure("SELECT *"), "42601@8 SELECT * with no tables specified is not valid");
  EXPECT_EQ(failure("SELECT count(*)"), "0A000@1 an aggregate without FROM is not supported");
  EXPECT_EQ(failure("SELECT 1 GROUP BY 1"), "0A000@1 GROUP BY or HAVING without FROM is not supported");
  EXPECT_EQ(failure("SELECT 1/0"), "22012@0 division by zero");
  EXPECT_EQ(described("SELECT 1 + $1"), "integer -> ?column? integer");
}

TEST_F(ExpressionTest, ConjunctsThatCannotBeLookedUpAreComputed) {
  const auto residuals = [&](const std::string& where) {
    const auto compiled = compile("SELECT i FROM t WHERE " + where);
    const semantics::Selection& selection = *std::get<CompiledSelect>(*compiled).selection;
    std::string text;
    for (const semantics::BoundExpression& residual : selection.residuals) {
      text += (text.empty() ? "" : " and ") + expression_text(*schema_, residual);
    }
    return fmt::format("{} clauses, {}", selection.predicate.clauses.size(), text);
  };
  EXPECT_EQ(residuals("i = 1 AND l > 2"), "2 clauses, ");
  EXPECT_EQ(residuals("i = 1 AND i + 1 > s AND l > 2"), "2 clauses, >(+(i,1),cast(s as integer))");
  // A conjunct that cannot fail comes before one that can, whichever was written first.
  EXPECT_EQ(residuals("i / x = 1 AND s < r"), "0 clauses, <(cast(s as double precision),r) and =(/(i,x),1)");
  EXPECT_EQ(residuals("upper('x') = 'X' AND i = 1"), "1 clauses, ");
  EXPECT_EQ(residuals("upper('x') = 'x' AND i = 1"), "1 clauses, ");
}

TEST_F(ExpressionTest, NothingIsComputedBehindAConjunctThatIsFalse) {
  EXPECT_EQ(failure("SELECT i FROM t WHERE upper('x') = 'x' AND i < ANY (ARRAY[5, 1 / 0])"), "accepted");
  EXPECT_EQ(failure("SELECT i FROM t WHERE s = 1 AND upper('x') = 'x' AND i = 1 / 0"), "accepted");
  EXPECT_EQ(failure("SELECT i FROM t WHERE i < ANY (ARRAY[5, 1 / 0]) AND false"), "22012@0 division by zero");
  EXPECT_EQ(failure("SELECT i FROM t WHERE NULL AND i < ANY (ARRAY[5, 1 / 0])"), "22012@0 division by zero");
  EXPECT_EQ(failure("SELECT i FROM t WHERE false AND nosuch = ANY (ARRAY[5, 1 / 0])").substr(0, 5), "42703");
}

TEST_F(ExpressionTest, CharactersWithoutALengthAreNotPadded) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"i::bpchar", "cast(i as character) character"},
           {"c::bpchar", "c character(5)"},
           {"2::bpchar", "2 character"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, CharactersOfSeveralLengthsKeepTheirOwnBlanks) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"coalesce(c, c)", "coalesce(c,c) character(5)"},
           {"coalesce(c, '-')", "coalesce(cast(c as character),-) character"},
           {"coalesce(c, v)", "coalesce(cast(c as character),cast(v as character)) character"},
           {"coalesce(c, v::text)", "coalesce(cast(c as character),cast(cast(v as text) as character)) character"},
           {"greatest(c, c::char(3))",
            "greatest(cast(c as character),cast(cast(c as character(3)) as character)) character"},
           {"CASE WHEN b THEN c ELSE 'x ' END", "case(b,cast(c as character),x ) character"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, BlanksOfCharactersDoNotCountWhereTheyAreCompared) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"coalesce(c, '-') = 'x '", "=(coalesce(cast(c as text),-),x) boolean"},
           {"greatest(c, 'x') IN ('a ', c)",
            "or(=(cast(greatest(cast(c as character),x) as text),a),=(cast(greatest(cast(c as character),x) as "
            "text),cast(c as text))) boolean"},
           {"coalesce(c, '-') IS DISTINCT FROM c", "is_distinct(coalesce(cast(c as text),-),cast(c as text)) boolean"},
           {"length(coalesce(c, '-'))", "length(cast(coalesce(cast(c as text),-) as character)) integer"},
           {"octet_length(coalesce(c, '-'))", "octet_length(coalesce(cast(c as character),-)) integer"},
           {"coalesce(c, '-') LIKE 'x '", "~~(coalesce(cast(c as character),-),x ) boolean"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, NullIfHasTheTypeOfWhatItsLeftSideIsComparedAs) {
  for (const auto& [sql, expected] : std::initializer_list<Bound>{
           {"nullif(c, 'x')", "nullif(c,x) character(5)"},
           {"nullif(v, 'x')", "nullif(cast(v as text),x) text"},
           {"nullif(c, v)", "nullif(c,cast(v as character)) character(5)"},
           {"nullif(day, at)", "cast(nullif(cast(day as timestamp without time zone),at) as date) date"},
           {"nullif(s, i)", "cast(nullif(cast(s as integer),i) as smallint) smallint"},
           {"nullif(s, n)", "nullif(cast(s as numeric(5,0)),n) numeric(5,0)"},
           {"nullif(r, d)", "nullif(r,d) real"},
       }) {
    EXPECT_EQ(bound(sql), expected) << sql;
  }
}

TEST_F(ExpressionTest, MovesHavingOverKeysToTheRows) {
  const auto asked = [&](const std::string& behind) {
    const auto compiled = compile("SELECT count(*) FROM t " + behind);
    const semantics::Selection& selection = *std::get<CompiledSelect>(*compiled).selection;
    std::string text;
    for (const semantics::BoundExpression& residual : selection.residuals) {
      text += expression_text(*schema_, residual) + " of rows ";
    }
    text += selection.predicate.clauses.empty() ? "" : "of clauses ";
    return text + (selection.having ? "of groups" : "");
  };
  EXPECT_EQ(asked("GROUP BY s HAVING s > 5"), ">(cast(s as integer),5) of rows ");
  EXPECT_EQ(asked("GROUP BY s HAVING s > 5 AND max(i) > 5"), ">(cast(s as integer),5) of rows of groups");
  EXPECT_EQ(asked("GROUP BY s HAVING max(i) > 5"), "of groups");
  EXPECT_EQ(asked("GROUP BY s HAVING false"), "of clauses ") << "of no row";
  EXPECT_EQ(asked("HAVING false"), "of clauses of groups") << "there is one group without rows, too";
  EXPECT_EQ(asked("GROUP BY ROLLUP (s) HAVING s > 5"), "of groups") << "there s is NULL behind the rows";
}

TEST_F(ExpressionTest, TellsTheMistakeThatPostgresFindsFirst) {
  EXPECT_EQ(failure("SELECT make_timestamptz(1, 1, 1, 1, 1 / 0, 0, like_escape('a', 'ab')) FROM t"),
            "22012@0 division by zero");
  EXPECT_EQ(failure("SELECT 1 / 0 FROM t WHERE i = 5000000000::int"), "22012@0 division by zero");
  EXPECT_EQ(failure("SELECT 1 / 0 FROM t WHERE i = 'x'"), "22P02@31 invalid input syntax for type integer: \"x\"");
  EXPECT_EQ(failure("SELECT i FROM t WHERE i = 5000000000::int ORDER BY 1 / 0"), "22012@0 division by zero");
  EXPECT_EQ(failure("SELECT count(*) FROM t WHERE i > 1 / 0 HAVING count(*) > 5000000000::int"),
            "22012@0 division by zero");
}

TEST_F(ExpressionTest, ANullAmongRowsOfValuesHidesNothingBesideIt) {
  EXPECT_EQ(bound("(i, NULL::bigint) < (1, l / l)"),
            "case(<(i,1),t,=(i,1),case(is_null(is_null(/(l,l))),null,null),is_null(<(i,1)),null,f) boolean");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

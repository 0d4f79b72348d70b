// SELECT: list, groups, order and bounds, as the selection that nodes and mergers execute.
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class SelectTest : public SqlTest {};

struct Accepted {
  const char* sql;
  const char* selection;
};

TEST_F(SelectTest, Lists) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT i, v FROM t", "i:i v:v"},
           {"SELECT t.i AS one, t.v two FROM t", "one:i two:v"},
           {"SELECT a.i FROM t AS a", "i:i"},
           {"SELECT a.i FROM public.t a", "i:i"},
           {"select I from T", "i:i"},
           {"SELECT \"Mixed\" AS \"Some Name\" FROM t", "Some Name:Mixed"},
           {"SELECT i, i AS again FROM t", "i:i again:i"},
           {"SELECT v, * FROM t",
            "v:v b:b s:s i:i l:l r:r d:d n:n h:h day:day at:at c:c v:v Mixed:Mixed k:k x:x moment:moment clock:clock "
            "tag:tag"},
           {"SELECT a.* FROM t a",
            "b:b s:s i:i l:l r:r d:d n:n h:h day:day at:at c:c v:v Mixed:Mixed k:k x:x moment:moment clock:clock "
            "tag:tag"},
           {"SELECT count(*) FROM t", "count:count_rows"},
           {"SELECT COUNT(1) FROM t", "count:count_rows"},
           {"SELECT count(v), sum(i), min(v), max(day), avg(n) FROM t",
            "count:count(v) sum:sum(i) min:min(v) max:max(day) avg:avg(n)"},
           {"SELECT pg_catalog.sum(i) AS total FROM t", "total:sum(i)"},
           {"TABLE t",
            "b:b s:s i:i l:l r:r d:d n:n h:h day:day at:at c:c v:v Mixed:Mixed k:k x:x moment:moment clock:clock "
            "tag:tag"},
           {"SELECT i FROM ONLY t;", "i:i"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
}

TEST_F(SelectTest, AsksForNothingButTheNumberOfCountedRows) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT EXISTS (SELECT v, upper(v) FROM t ORDER BY i)", "count:t limit 1"},
           {"SELECT EXISTS (SELECT FROM t LIMIT 5 OFFSET 7)", "count:t limit 1 offset 7"},
           {"SELECT EXISTS (SELECT 1 FROM t LIMIT 0)", "count:t limit 0"},
           {"SELECT NOT EXISTS (SELECT max(v) FROM t GROUP BY s)", "count:t group by s limit 1"},
           {"SELECT count(*) FROM (SELECT DISTINCT v, s FROM t ORDER BY 1) q", "count:t group by v,s"},
           {"SELECT count(*) FROM (SELECT v FROM t ORDER BY i LIMIT 10001) q", "count:t limit 10001"},
           {"SELECT count(1) FROM (SELECT v FROM t ORDER BY s FETCH FIRST 2 ROWS WITH TIES) q",
            "v:v [s:s] order by 1 asc nulls last limit 2 ties by 1"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
}

TEST_F(SelectTest, AQueryInFromIsOneWithTheOuter) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT a, q.b AS c FROM (SELECT i AS a, v AS b FROM t) q", "a:i c:v"},
           {"SELECT * FROM (SELECT i + 1 AS a, * FROM t AS u) q (z) ORDER BY z DESC, l",
            "z:+(i,1) b:b s:s i:i l:l r:r d:d n:n h:h day:day at:at c:c v:v Mixed:Mixed k:k x:x moment:moment "
            "clock:clock tag:tag order by 0 desc nulls "
            "first,4 asc nulls last"},
           {"SELECT a FROM (SELECT 5 AS a FROM t) q GROUP BY a", "a:5 group by 5"},
           {"SELECT i + 1 AS l FROM (SELECT s AS i FROM t) q GROUP BY l",
            "l:+(cast(s as integer),1) group by +(cast(s as integer),1)"},
           {"SELECT i AS l FROM (SELECT s AS i, v AS l FROM t) q ORDER BY l", "l:s order by 0 asc nulls last"},
           {"WITH q AS (SELECT s AS a FROM t), r (z) AS (SELECT a FROM q) SELECT count(DISTINCT z) FROM r",
            "count:count(s)"},
           {"WITH t AS (SELECT i FROM t) SELECT * FROM t LIMIT 3", "i:i limit 3"},
           {"SELECT 1 AS e, n FROM (SELECT v AS z, count(*) AS n FROM t GROUP BY 1) q", "e:1 n:count_rows group by v"},
           {"SELECT n FROM (SELECT upper(v) AS z, count(*) AS n FROM t GROUP BY z) q",
            "n:count_rows group by upper(cast(v as text))"},
           {"SELECT n FROM (SELECT v, count(*) AS n FROM t GROUP BY v) q", "n:count_rows group by v"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
  const auto compiled = compile("SELECT a FROM (SELECT i AS a FROM t WHERE s = 1) q WHERE a > 5");
  EXPECT_EQ(to_text(*schema_, std::get<CompiledSelect>(*compiled).selection->predicate), where("s = 1 AND i > 5"));
  EXPECT_EQ(failure("SELECT i FROM (SELECT i AS a FROM t) q"), "42703@8 column \"i\" does not exist");
  EXPECT_EQ(failure("SELECT t.a FROM (SELECT i AS a FROM t) q"), "42P01@8 missing FROM-clause entry for table \"t\"");
  EXPECT_EQ(failure("SELECT a FROM (SELECT i AS a, s AS a FROM t) q"), "42702@8 column reference \"a\" is ambiguous");
  EXPECT_EQ(failure("SELECT a FROM (SELECT i FROM t) q (a, b)"),
            "42P10@0 table \"q\" has 1 columns available but 2 columns specified");
}

TEST_F(SelectTest, Groups) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT v, count(*) FROM t GROUP BY v", "v:v count:count_rows group by v"},
           {"SELECT count(*) FROM t GROUP BY v", "count:count_rows group by v"},
           {"SELECT v AS name, max(i) FROM t GROUP BY name", "name:v max:max(i) group by v"},
           {"SELECT v, day FROM t GROUP BY 2, 1", "v:v day:day group by day,v"},
           {"SELECT v FROM t GROUP BY v, t.v, 1", "v:v group by v"},
           {"SELECT i AS v FROM t GROUP BY v, i", "v:i group by v,i"},  // A column comes before an alias.
           {"SELECT v, v FROM t GROUP BY v", "v:v v:v group by v"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
}

TEST_F(SelectTest, Orders) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT i FROM t ORDER BY i", "i:i order by 0 asc nulls last"},
           {"SELECT i FROM t ORDER BY i ASC", "i:i order by 0 asc nulls last"},
           {"SELECT i FROM t ORDER BY i DESC", "i:i order by 0 desc nulls first"},
           {"SELECT i FROM t ORDER BY i DESC NULLS LAST", "i:i order by 0 desc nulls last"},
           {"SELECT i FROM t ORDER BY i NULLS FIRST", "i:i order by 0 asc nulls first"},
           {"SELECT i, v FROM t ORDER BY 2, 1 DESC", "i:i v:v order by 1 asc nulls last,0 desc nulls first"},
           {"SELECT i AS x FROM t ORDER BY x", "x:i order by 0 asc nulls last"},  // An output comes before a column.
           {"SELECT i AS x FROM t ORDER BY t.x", "x:i [x:x] order by 1 asc nulls last"},
           {"SELECT i FROM t ORDER BY v, v DESC", "i:i [v:v] order by 1 asc nulls last"},
           {"SELECT i AS one FROM t ORDER BY i", "one:i order by 0 asc nulls last"},
           {"SELECT v FROM t GROUP BY v ORDER BY count(*) DESC",
            "v:v [count:count_rows] group by v order by 1 desc nulls first"},
           {"SELECT v, sum(i) FROM t GROUP BY v ORDER BY sum(i), sum(l)",
            "v:v sum:sum(i) [sum:sum(l)] group by v order by 1 asc nulls last,2 asc nulls last"},
           {"SELECT count(*) FROM t GROUP BY day ORDER BY day",
            "count:count_rows [day:day] group by day order by 1 asc nulls last"},
           {"SELECT i, i FROM t ORDER BY i", "i:i i:i order by 0 asc nulls last"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
}

TEST_F(SelectTest, Bounds) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT i FROM t LIMIT 5", "i:i limit 5"},
           {"SELECT i FROM t LIMIT 0", "i:i limit 0"},
           {"SELECT i FROM t LIMIT ALL", "i:i"},
           {"SELECT i FROM t LIMIT NULL", "i:i"},
           {"SELECT i FROM t LIMIT 2 + 3 OFFSET 1", "i:i limit 5 offset 1"},
           {"SELECT i FROM t OFFSET 7", "i:i offset 7"},
           {"SELECT i FROM t OFFSET 7 ROWS FETCH FIRST 3 ROWS ONLY", "i:i limit 3 offset 7"},
           {"SELECT i FROM t FETCH NEXT ROW ONLY", "i:i limit 1"},
           {"SELECT i FROM t LIMIT '5'", "i:i limit 5"},
           {"SELECT i FROM t LIMIT 4.6", "i:i limit 5"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
  EXPECT_EQ(selection("SELECT i FROM t LIMIT $1 OFFSET $2", {untyped("5"), untyped("2")}), "i:i limit 5 offset 2");
  wire::v1::Constant null = untyped("");
  null.clear_packed();
  null.set_is_null(true);
  EXPECT_EQ(selection("SELECT i FROM t LIMIT $1 OFFSET $2", {null, null}), "i:i");
  EXPECT_EQ(failure("SELECT i FROM t LIMIT $1", {untyped("-1")}), "2201W@0 LIMIT must not be negative");
  EXPECT_EQ(failure("SELECT i FROM t OFFSET $1", {untyped("-1")}), "2201X@0 OFFSET must not be negative");
}

TEST_F(SelectTest, TiesAreThoseOfTheKeysOfOrderBy) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT i FROM t ORDER BY i FETCH FIRST 2 ROWS WITH TIES",
            "i:i order by 0 asc nulls last limit 2 ties by 1"},
           {"SELECT i FROM t ORDER BY v, i OFFSET 1 FETCH FIRST ROW WITH TIES",
            "i:i [v:v] order by 1 asc nulls last,0 asc nulls last limit 1 offset 1 ties by 2"},
           {"SELECT i FROM t ORDER BY i FETCH FIRST 0 ROWS WITH TIES", "i:i order by 0 asc nulls last limit 0"},
           {"SELECT DISTINCT ON (v, i) i FROM t ORDER BY v FETCH FIRST 2 ROWS WITH TIES",
            "i:i [v:v] order by 1 asc nulls last,0 asc nulls last limit 2 ties by 1 distinct by 2"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
  EXPECT_EQ(failure("SELECT i FROM t ORDER BY i FETCH FIRST NULL ROWS WITH TIES"),
            "2201W@0 row count cannot be null in FETCH FIRST ... WITH TIES clause");
  EXPECT_EQ(failure("SELECT i FROM t FETCH FIRST 1 ROW WITH TIES"),
            "42601@0 WITH TIES cannot be specified without ORDER BY clause");
}

TEST_F(SelectTest, DistinctOnIsOfTheFirstKeysOfTheOrder) {
  for (const auto& [sql, expected] : std::initializer_list<Accepted>{
           {"SELECT DISTINCT ON (v) v, i FROM t", "v:v i:i order by 0 asc nulls last distinct by 1"},
           {"SELECT DISTINCT ON (2, v) v, i FROM t ORDER BY v DESC",
            "v:v i:i order by 0 desc nulls first,1 asc nulls last distinct by 2"},
           {"SELECT DISTINCT ON (s, s) v FROM t ORDER BY s, l",
            "v:v [s:s] [l:l] order by 1 asc nulls last,2 asc nulls last distinct by 1"},
           {"SELECT DISTINCT ON (q) a AS q FROM (SELECT i AS a FROM t) u ORDER BY q, a + 1",
            "q:i [?column?:+(i,1)] order by 0 asc nulls last,1 asc nulls last distinct by 1"},
           {"SELECT DISTINCT count(*) FROM t GROUP BY v",
            "count:count_rows group by v order by 0 asc nulls last distinct by 1"},
       }) {
    EXPECT_EQ(selection(sql), expected) << sql;
  }
  constexpr const char* kMismatch = " SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
  EXPECT_EQ(failure("SELECT DISTINCT ON (v) v FROM t ORDER BY i"), std::string("42P10@21") + kMismatch);
  EXPECT_EQ(failure("SELECT DISTINCT ON (v, s) v FROM t ORDER BY v, i, s"), std::string("42P10@24") + kMismatch);
  EXPECT_EQ(failure("SELECT DISTINCT ON (v) count(*) FROM t"),
            "42803@21 column \"t.v\" must appear in the GROUP BY clause or be used in an aggregate function");
}

TEST_F(SelectTest, BodyIsPartialAndComparesInTheColumnsOwnType) {
  auto compiled = compile("SELECT v, avg(i) FROM t WHERE i < 1.5 GROUP BY v");
  ASSERT_TRUE(compiled.has_value());
  const auto& select = std::get<CompiledSelect>(*compiled);
  const wire::v1::SelectBody body =
      contract::from_selection(*schema_, *select.selection, select.condition.get(), wire::v1::RESULT_FORM_PARTIAL);
  EXPECT_EQ(body.form(), wire::v1::RESULT_FORM_PARTIAL);
  EXPECT_EQ(body.filter().call().operator_(), wire::v1::OPERATOR_LESS_OR_EQUAL);
  EXPECT_EQ(body.filter().call().arguments(0).column(), 2U);
  EXPECT_EQ(body.filter().call().arguments(1).constant().type().kind(), wire::v1::TYPE_KIND_INT);
  EXPECT_TRUE(select.selection->grouping.has_value());
  ASSERT_EQ(select.columns->size(), 2U);
  EXPECT_EQ(select.columns->at(0).name, "v");
  EXPECT_EQ(select.columns->at(0).type, (semantics::Type{semantics::TypeKind::kVarchar, 0, 0, 10}));
  EXPECT_EQ(select.columns->at(1).name, "avg");
  EXPECT_EQ(select.columns->at(1).type.kind, semantics::TypeKind::kNumeric);
}

TEST_F(SelectTest, TypesOfAggregatesAreThoseOfPostgres) {
  auto compiled = compile("SELECT sum(s), sum(i), sum(l), sum(n), sum(r), sum(d), avg(i), count(v), max(c) FROM t");
  ASSERT_TRUE(compiled.has_value());
  std::string types;
  for (const semantics::Column& column : *std::get<CompiledSelect>(*compiled).columns) {
    types += std::string(semantics::kind_name(column.type.kind)) + ",";
  }
  EXPECT_EQ(types, "bigint,bigint,numeric,numeric,real,double precision,numeric,bigint,character,");
}

TEST_F(SelectTest, RepeatedStatementsAreParsedTwiceAtMostAndBoundAnew) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(where("i = $1", {untyped(std::to_string(i))}), "i=" + std::to_string(i));
  }
  EXPECT_EQ(compiler_.cache_counters().misses, 2U) << "it is kept when it comes again";
  EXPECT_EQ(compiler_.cache_counters().hits, 8U);
  EXPECT_EQ(compiler_.cache_counters().statements, 1U);
}

TEST_F(SelectTest, ASliceIsPartOfASelectAlone) {
  wire::v1::StatementBody statement;
  statement.mutable_slice()->set_partition(1);
  statement.mutable_slice()->set_first_slot(64);
  statement.set_sql("SELECT * FROM t");
  const auto compiled = compiler_.compile(statement, kNowUs);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto& select = std::get<CompiledSelect>(*compiled);
  ASSERT_TRUE(select.selection->slice.has_value());
  EXPECT_EQ(select.selection->slice->partition, 1u);
  const wire::v1::SelectBody body =
      contract::from_selection(*schema_, *select.selection, select.condition.get(), wire::v1::RESULT_FORM_PARTIAL);
  EXPECT_EQ(body.slice().first_slot(), 64u);
  EXPECT_EQ(body.outputs_size(), static_cast<int>(schema_->columns.size()));
  for (const char* sql : {"SELECT count(*) FROM t", "SELECT i FROM t ORDER BY i", "SELECT i FROM t LIMIT 1",
                          "DELETE FROM t", "UPDATE t SET k = 1"}) {
    statement.set_sql(sql);
    const auto refused = compiler_.compile(statement, kNowUs);
    ASSERT_FALSE(refused.has_value()) << sql;
    EXPECT_EQ(refused.error().sqlstate, "0A000") << sql;
  }
  statement.clear_slice();
  statement.set_sql("SELECT * FROM t");
  EXPECT_FALSE(std::get<CompiledSelect>(*compiler_.compile(statement, kNowUs)).selection->slice.has_value());
}

}  // namespace
}  // namespace daedalus::aggregator::testing

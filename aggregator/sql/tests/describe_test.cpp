// Statements described before their parameters have values: what PostgreSQL's describe says of them.
#include <fmt/format.h>

#include <map>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::TypeKind;

class DescribeTest : public SqlTest {
 protected:
  /// The parameter types of SELECT i FROM t WHERE `condition`.
  std::string parameters(std::string_view condition) {
    const std::string whole = described(fmt::format("SELECT i FROM t WHERE {}", condition));
    const size_t arrow = whole.find(" -> ");
    return whole.substr(0, arrow);
  }
};

struct Described {
  const char* sql;
  const char* description;
};

TEST_F(DescribeTest, OutputsHaveTheNamesAndTypesOfTheAnswer) {
  for (const auto& [sql, expected] : std::initializer_list<Described>{
           {"SELECT i, v AS name, n FROM t", "none -> i integer not null, name character varying(10), n numeric(10,2)"},
           {"SELECT count(*), sum(i) AS total, sum(l), avg(i), max(day) FROM t",
            "none -> count bigint not null, total bigint, sum numeric, avg numeric, max date"},
           {"SELECT c FROM t GROUP BY c, v ORDER BY v, count(*)", "none -> c character(5)"},
           {"SELECT EXISTS (SELECT 1 FROM t WHERE i = $1), $2::date AS x",
            "integer, date -> exists boolean not null, x date"},
           {"SELECT (SELECT $1), (SELECT $2::date) AS x FROM t WHERE v > (SELECT $3)",
            "text, date, text -> ?column? text, x date"},
           {"SELECT count(*) AS a FROM (SELECT DISTINCT v FROM t WHERE n < $1 LIMIT $2) q",
            "numeric, bigint -> a bigint not null"},
           {"INSERT INTO t (i) VALUES (1)", "none -> nothing"},
           {"UPDATE t SET v = 'x' WHERE i = 1", "none -> nothing"},
           {"DELETE FROM t WHERE day = CURRENT_DATE", "none -> nothing"},
       }) {
    EXPECT_EQ(described(sql), expected) << sql;
  }
}

TEST_F(DescribeTest, DescribesAStatementThatCannotBeComputed) {
  const std::string zero = "22012 division by zero";
  for (const auto& [sql, expected, mistake] : std::initializer_list<std::tuple<const char*, const char*, std::string>>{
           {"SELECT i, 1 / 0 AS x FROM t", "none -> i integer not null, x integer not null", zero},
           {"SELECT v FROM t WHERE i > 1 / 0 LIMIT $1", "bigint -> v character varying(10)", ""},
           {"SELECT coalesce($1, 1 / 0) AS x FROM t", "integer -> x integer not null", ""},
           {"VALUES (1 / 0, 'x')", "none -> column1 integer, column2 text", zero},
           {"INSERT INTO t (i) VALUES (1 / 0) RETURNING v", "none -> v character varying(10)", zero},
           {"UPDATE t SET k = 1 / 0", "none -> nothing", zero},
           {"DELETE FROM t WHERE i = 1 / 0", "none -> nothing", zero},
           {"SELECT v FROM t WHERE false AND i > 1 / 0", "none -> v character varying(10)", ""},
       }) {
    EXPECT_EQ(described(sql), expected) << sql;
    const auto description = compiler_.describe(sql);
    ASSERT_TRUE(description) << sql;
    const auto& met = description->mistake;
    EXPECT_EQ(met ? met->sqlstate + " " + met->message : "", mistake) << sql;
  }
}

TEST_F(DescribeTest, AColumnOfTheTableIsToldByItsPlaceThere) {
  const auto place = [&](std::string_view name) { return static_cast<uint16_t>(*schema_->find(name) + 1); };
  using Origins = std::vector<uint16_t>;
  EXPECT_EQ(compiler_.describe("SELECT v AS name, i + 1, i FROM t")->origins, (Origins{place("v"), 0, place("i")}));
  EXPECT_EQ(compiler_.describe("SELECT c, count(*), max(i) FROM t GROUP BY v, c")->origins,
            (Origins{place("c"), 0, 0}));
  EXPECT_EQ(compiler_.describe("SELECT 1")->origins, (Origins{0}));
  EXPECT_EQ(compiler_.describe("VALUES (1, 2)")->origins, (Origins{0, 0}));
}

TEST_F(DescribeTest, AParameterHasTheTypeOfTheColumnItIsComparedWith) {
  for (const auto& [condition, expected] : std::initializer_list<Described>{
           {"i = $1", "integer"},
           {"$1 <= at", "timestamp without time zone"},
           {"b = $1 OR s <> $2 AND l < $3", "boolean, smallint, bigint"},
           {"r > $1 AND d > $2 AND n >= $3 AND h >= $4", "real, double precision, numeric, numeric"},
           {"c = $1 AND v = $2 AND \"Mixed\" = $3", "character, text, text"},
           {"day BETWEEN $2 AND $1", "date, date"},
           {"i NOT BETWEEN $1 AND 7", "integer"},
           {"v IN ('a', $2) AND day NOT IN ($1)", "date, character varying"},
           {"s IN ($1, $2, 3)", "integer, integer"},
           {"c LIKE $1", "text"},
           {"NOT (t.v = $1)", "text"},
       }) {
    EXPECT_EQ(parameters(condition), expected) << condition;
  }
}

TEST_F(DescribeTest, AParameterHasTheTypeThatItsPlaceAsksFor) {
  for (const auto& [condition, expected] : std::initializer_list<Described>{
           {"$1", "boolean"},
           {"i = $1::bigint", "bigint"},
           {"day = CAST($1 AS date)", "date"},
           {"v = $1::text AND c = $2::char(3)", "text, character"},
           {"i = $1 + 1", "integer"},
           {"l = 2.5 - $1", "numeric"},
           {"day > $1::date - $2::int", "date, integer"},
           {"$1 = 4", "integer"},
           {"$1 = $2", "text, text"},
           {"v = $1 AND v LIKE $2 AND v IN ($3) AND v || $4 > $5", "text, text, text, text, text"},
           {"$1::int IS NULL OR i = $1", "integer"},
       }) {
    EXPECT_EQ(parameters(condition), expected) << condition;
  }
  EXPECT_EQ(described("SELECT v FROM t LIMIT $1 OFFSET $2"), "bigint, bigint -> v character varying(10)");
  EXPECT_EQ(described("SELECT count($1::int) FROM t"), "integer -> count bigint not null");
}

TEST_F(DescribeTest, AParameterKeepsTheTypeOfItsFirstPlace) {
  for (const auto& [condition, expected] : std::initializer_list<Described>{
           {"s = $1 AND l = $1", "smallint"},
           {"c = $1 AND v = $1 AND v LIKE $1", "character"},
           {"n = $1 OR d = $1", "numeric"},
           {"v = $1 OR c = $1", "text"},
       }) {
    EXPECT_EQ(parameters(condition), expected) << condition;
  }
  EXPECT_EQ(described("SELECT i FROM t WHERE i = $1 AND day = $1"), "42883@38 operator does not exist: date = integer");
  EXPECT_EQ(described("SELECT i FROM t WHERE i = $1 AND $1"),
            "42804@34 argument of AND must be type boolean, not type integer");
}

TEST_F(DescribeTest, ADeclaredParameterHasItsTypeWhateverItsPlaceAsksFor) {
  using Declared = std::vector<std::optional<ParameterKind>>;
  using Kinds = std::vector<ParameterKind>;
  const auto kinds = [&](std::string_view sql, const Declared& declared) {
    const auto description = compiler_.describe(sql, declared);
    return description ? description->parameters : Kinds();
  };
  const char* const two = "SELECT i FROM t WHERE i = $1 AND day = $2";
  EXPECT_EQ(kinds(two, {TypeKind::kBigint}), (Kinds{TypeKind::kBigint, TypeKind::kDate}));
  EXPECT_EQ(kinds(two, {std::nullopt, TypeKind::kTimestamp}), (Kinds{TypeKind::kInt, TypeKind::kTimestamp}));
  EXPECT_EQ(kinds("SELECT count(*) FROM t WHERE $1 IS NULL", {TypeKind::kDate}), Kinds{TypeKind::kDate});
  const Declared wrong{TypeKind::kBool};
  const auto refused = compiler_.describe("SELECT i FROM t WHERE day = $1", wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sqlstate, "42883");
}

TEST_F(DescribeTest, AssignedParametersHaveTheTypeOfTheirColumn) {
  for (const auto& [sql, expected] : std::initializer_list<Described>{
           {"INSERT INTO t (i, day, v, c) VALUES ($1, $2, $3, $4), (5, $5, NULL, DEFAULT)",
            "integer, date, character varying, character, date -> nothing"},
           {"INSERT INTO t (i, k) VALUES ($1 + 1, $2::smallint)", "integer, smallint -> nothing"},
           {"INSERT INTO t (v) VALUES ($1)",
            "character varying -> nothing"},  // compile() says that i is missing; describe() does not.
           {"UPDATE t SET v = $1, l = l + $2, day = day - $3::int WHERE i = $4",
            "character varying, bigint, integer, integer -> nothing"},
           {"UPDATE t SET k = $1", "integer -> nothing"},  // NOT NULL, and no value is known.
           {"DELETE FROM t WHERE n < $1", "numeric -> nothing"},
       }) {
    EXPECT_EQ(described(sql), expected) << sql;
  }
}

TEST_F(DescribeTest, RefusesWhatNoValueMakesRight) {
  for (const auto& [sql, expected] : std::initializer_list<Described>{
           {"SELECT i FROM t WHERE $1 IS NULL", "42P18@0 could not determine data type of parameter $1"},
           {"SELECT i FROM t WHERE i = $2", "42P18@0 could not determine data type of parameter $1"},
           {"SELECT i FROM t WHERE i = $1 AND l = $3", "42P18@0 could not determine data type of parameter $2"},
           {"SELECT count($1) FROM t", "42P18@0 could not determine data type of parameter $1"},
           {"SELECT $1 FROM t WHERE i = $1", "42P08@8 inconsistent types deduced for parameter $1"},
           {"SELECT repeat($1, $1) FROM t", "42P08@19 inconsistent types deduced for parameter $1"},
           {"INSERT INTO t (i, v, day) VALUES ($1, $2, $2)", "42P08@43 inconsistent types deduced for parameter $2"},
           {"SELECT i FROM t WHERE (i, l) = ($1, $1)", "42P08@37 inconsistent types deduced for parameter $1"},
           {"SELECT i FROM t WHERE $1 IS NULL AND i = $1", "42P08@23 could not determine data type of parameter $1"},
           {"UPDATE t SET at = $1 WHERE s = $1",
            "42804@19 column \"at\" is of type timestamp without time zone but expression is of type smallint"},
           {"SELECT i FROM t WHERE i = ANY($1) AND i = $1", "42883@41 operator does not exist: integer = integer[]"},
           {"SELECT sum($1) FROM t", "42725@8 function sum(unknown) is not unique"},
           {"SELECT i FROM t WHERE i = $0", "42P02@27 there is no parameter $0"},
           {"SELECT i FROM t WHERE i = $65536", "42P18@0 could not determine data type of parameter $1"},
           {"SELECT i FROM t WHERE i = -$1", "42725@27 operator is not unique: - unknown"},
           {"SELECT i FROM t WHERE i = $1 + $2", "42725@30 operator is not unique: unknown + unknown"},
           {"SELECT i FROM t WHERE nix = $1", "42703@23 column \"nix\" does not exist"},
           {"SELECT i FROM t WHERE i LIKE $1", "42883@25 operator does not exist: integer ~~ unknown"},
           {"SELECT i + $1, $1 || v FROM t", "integer -> ?column? integer, ?column? text"},
           {"UPDATE t SET i = $1",
            "0A000@14 assigning column \"i\" is not supported: it is a partitioning column, "
            "which decides where a row lives"},
           {"SELECT i FROM t WHERE day = '2013-02-30' AND i = $1",
            "22008@29 date/time field value out of range: \"2013-02-30\""},
           {"SELEC i", "42601@1 syntax error at or near \"SELEC\""},
           {"CREATE TABLE u ()", "0A000@1 CREATE TABLE is not supported"},
       }) {
    EXPECT_EQ(described(sql), expected) << sql;
  }
}

/// Values of the described types are taken, and the answer has the columns that were described.
TEST_F(DescribeTest, CompilesWithValuesOfTheDescribedTypes) {
  const std::map<TypeKind, const char*> values{
      {TypeKind::kBool, "true"},    {TypeKind::kSmallint, "1"},      {TypeKind::kInt, "2"},
      {TypeKind::kBigint, "3"},     {TypeKind::kReal, "1.5"},        {TypeKind::kDouble, "2.5"},
      {TypeKind::kNumeric, "4.25"}, {TypeKind::kDate, "2013-06-15"}, {TypeKind::kTimestamp, "2013-06-15 12:00:00"},
      {TypeKind::kChar, "abc"},     {TypeKind::kVarchar, "abc"},     {TypeKind::kText, "abc"},
  };
  for (const char* sql : {
           "SELECT i, avg(n) FROM t WHERE b = $1 AND s = $2 AND l > $3 AND r < $4 AND d < $5 GROUP BY i LIMIT $6",
           "SELECT * FROM t WHERE n BETWEEN $1 AND $2 AND day >= $3 AND at < $4 AND c = $5 AND v LIKE $6",
           "SELECT v FROM t WHERE v IN ($1, $2) OR i IN ($3, $4) OR $5::int = 2 OR s = $6 AND l = $6",
           "INSERT INTO t (i, b, s, l, n, day, at, c, v) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
           "UPDATE t SET l = l + $1, v = $2, day = day + $3::int, k = $4 WHERE h > $5",
           "DELETE FROM t WHERE c = $1 AND v = $1",
       }) {
    const auto description = compiler_.describe(sql);
    ASSERT_TRUE(description) << sql << ": " << description.error().message;
    std::vector<wire::v1::Constant> parameters;
    for (const ParameterKind& parameter : description->parameters) {
      parameters.push_back(untyped(values.at(parameter.kind)));
    }
    const auto compiled = compile(sql, std::move(parameters));
    ASSERT_TRUE(compiled) << sql << ": " << compiled.error().message;
    std::vector<semantics::Column> columns;
    if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
      columns = *select->columns;
    }
    ASSERT_EQ(description->columns.size(), columns.size()) << sql;
    for (size_t i = 0; i < columns.size(); ++i) {
      EXPECT_EQ(description->columns[i].name, columns[i].name) << sql;
      EXPECT_EQ(description->columns[i].type, columns[i].type) << sql;
    }
  }
}

}  // namespace
}  // namespace daedalus::aggregator::testing

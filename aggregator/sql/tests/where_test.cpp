// WHERE: every supported condition, as the normal form that the nodes will evaluate.
#include <fmt/format.h>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class WhereTest : public SqlTest {
 protected:
  /// Also where it is bound first, as everything is that is not plain.
  void expect_indexable(std::string_view condition, std::string_view predicate) {
    EXPECT_EQ(where(condition), predicate) << condition;
    EXPECT_EQ(where(fmt::format("NOT (NOT ({}))", condition)), predicate) << "bound: " << condition;
  }
};

struct AcceptedCondition {
  const char* condition;
  const char* predicate;
};

TEST_F(WhereTest, ArraysAndRowsAreLookedUp) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"i = ANY ('{1, 2}')", "i in (1,2)"},
           {"i = ANY ('{1, 2}'::bigint[])", "i in (1,2)"},
           {"i = ANY (ARRAY[1, 2.5])", "i=1"},
           {"NOT (i <> ALL (ARRAY[1, 2]))", "i in (1,2)"},
           {"i <> ALL ('{1, 2}'::int[])", "i not in (1,2)"},
           {"v = ANY ('{a,\"b,c\"}')", "v in ('a','b,c')"},
           {"i = ANY ('{}')", "never"},
           {"i <> ALL ('{}')", "all"},
           {"i = ANY (NULL)", "never"},
           {"i <> ALL ('{1,NULL}')", "never"},
           {"(i, l) = (1, 2)", "i=1 AND l=2"},
           {"(i, l) IN ((1, 2), (3, 4))", "i in (1,3) AND (i=1 OR l=4) AND (l=2 OR i=3) AND l in (2,4)"},
           {"(i, l) >= (1, 2)", "(i>1 OR i=1) AND (i>1 OR l>=2)"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, Comparisons) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"i = 1", "i=1"},
           {"i <> 1", "i<>1"},
           {"i != 1", "i<>1"},
           {"i < 1", "i<1"},
           {"i <= 1", "i<=1"},
           {"i > 1", "i>1"},
           {"i >= 1", "i>=1"},
           {"1 < i", "i>1"},
           {"1 = i", "i=1"},
           {"i = -1", "i=-1"},
           {"i = - 1", "i=-1"},
           {"i = -(-(1))", "i=1"},
           {"i = +1", "i=1"},
           {"t.i = 1", "i=1"},
           {"public.t.i = 1", "i=1"},
           {"I = 1", "i=1"},
           {"\"i\" = 1", "i=1"},
           {"\"Mixed\" = 'a'", "Mixed='a'"},
           {"i OPERATOR(pg_catalog.=) 1", "i=1"},
           {"l = 9223372036854775807", "l=9223372036854775807"},
           {"l = -9223372036854775808", "l=-9223372036854775808"},
           {"l > 9223372036854775808", "never"},
           {"s < 100000", "s not null"},
           {"i < 1.5", "i<=1"},
           {"i = 1e3", "i=1000"},
           {"i = '12'", "i=12"},
           {"n = 1.005", "never"},
           {"n = '1.50'", "n=1.50"},
           {"n < '1.005'", "n<=1.00"},
           {"h >= 99999999999999999999.5", "h>=99999999999999999999.5000"},
           {"d = 1.5", "d=1.5"},
           {"d = '1.5e10'", "d=15000000000"},
           {"d = 'NaN'", "d=NaN"},
           {"r = '1.5'", "r=1.5"},
           {"day = '2013-01-01'", "day=2013-01-01"},
           {"day = DATE '2013-01-01'", "day=2013-01-01"},
           {"day = '2013-01-01'::date", "day=2013-01-01"},
           {"day = CAST('2013-01-01' AS date)", "day=2013-01-01"},
           {"day >= TIMESTAMP '2013-01-01 12:00:00'", "day>=2013-01-02"},
           {"at < '2013-01-01 05:00:00.5'", "at<2013-01-01 05:00:00.5"},
           {"at < DATE '2013-01-01'", "at<2013-01-01 00:00:00"},
           {"at = '2013-01-01'::date::timestamp", "at=2013-01-01 00:00:00"},
           {"c = 'ab'", "c='ab'"},
           {"c = 'ab   '", "c='ab'"},
           {"c = 'abcdefgh'", "never"},
           {"v = 'it''s'", "v='it's'"},
           {"v = E'a\\tb'", "v='a\tb'"},
           {"v = 'a '", "v='a '"},
           {"v < 'longer than ten bytes'", "v<'longer than ten bytes'"},
           {"v = 'x'::text", "v='x'"},
           {"v = 'abcdef'::varchar(3)", "v='abc'"},
           {"v = $$quoted$$", "v='quoted'"},
           {"i = 5::bigint", "i=5"},
           {"i = '5'::int4", "i=5"},
           {"i = 2.5::int", "i=3"},
           {"i = 1 + 2 - 5", "i=-2"},
           {"n = 1.5 + 1", "n=2.50"},
           {"day = DATE '2013-01-31' + 1", "day=2013-02-01"},
           {"day > CURRENT_DATE - 7", "day>2013-06-08"},
           {"i = DATE '2013-01-31' - DATE '2013-01-01'", "i=30"},
       }) {
    expect_indexable(condition, predicate);
  }
}

// char(n) becomes text beside text, whose trailing blanks count; beside varchar and in lists text becomes char(n).
TEST_F(WhereTest, CharBesideOtherStrings) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"c = 'ab'::text", "c='ab'"},
           {"c = 'ab '::text", "never"},
           {"c <> 'ab '::text", "c not null"},
           {"c < 'ab '::text", "c<'ab '"},
           {"'ab '::text >= c", "c<='ab '"},
           {"c <= 'ab '::text::varchar::text", "c<='ab '"},
           {"c BETWEEN 'a '::text AND 'b '", "c>='a ' AND c<='b'"},
           {"c IN ('ab '::text)", "never"},
           {"c NOT IN ('ab '::text)", "c not null"},
           {"c IN ('ab '::text, 'x')", "c in ('ab','x')"},
           {"c IN ('ab '::text, NULL)", "c='ab'"},
           {"c = 'ab '::varchar", "c='ab'"},
           {"c < 'ab '::varchar(3)", "c<'ab'"},
           {"c = 'ab '::char(3)", "c='ab'"},
           {"c = 'ab '::text::char(5)", "c='ab'"},
           {"c = 'ab '::char(5)::text", "c='ab'"},
           {"c LIKE 'ab '::char(5)", "never"},
           {"c LIKE 'ab%'::text", "c starts 'ab'"},
           {"v = 'ab '::text", "v='ab '"},
           {"v IN ('ab '::char(5), 'x ')", "v in ('ab','x ')"},
           {"v LIKE 'ab '::char(5)", "v='ab'"},
           {"'ab '::char(5) = 'ab '::text", "never"},
           {"'ab '::char(5) = 'ab  '::varchar", "all"},
           {"'ab '::char(5) = 'ab  '", "all"},
           {"'ab ' = 'ab  '::text", "never"},
       }) {
    expect_indexable(condition, predicate);
  }
  using semantics::Type;
  using semantics::TypeKind;
  EXPECT_EQ(where("c = $1", {untyped("ab ")}), "c='ab'");
  EXPECT_EQ(where("c = $1", {typed({TypeKind::kVarchar, 0, 0, 9}, std::string("ab "))}), "c='ab'");
  EXPECT_EQ(where("c = $1::text", {untyped("ab ")}), "never");
  EXPECT_EQ(where("c = $1::text", {typed({TypeKind::kVarchar, 0, 0, 9}, std::string("ab"))}), "c='ab'");
  EXPECT_EQ(assigned("UPDATE t SET v = 'x' WHERE c < 'ab '::text"), "v='x' where c<'ab '");
}

TEST_F(WhereTest, DatesInOtherSpellings) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"day = '20130630'", "day=2013-06-30"},
           {"day = 'June 3, 2013'", "day=2013-06-03"},
           {"day = DATE '06/30/2013'", "day=2013-06-30"},
           {"day IN ('J2456474', '2013.181', '3-Jun-2013')", "day in (2013-06-03,2013-06-30)"},
           {"at = '2013-06-30 1:2:3'", "at=2013-06-30 01:02:03"},
           {"at > '20000229T123456.789'", "at>2000-02-29 12:34:56.789"},
           {"at = CAST('2013-06-30 01:02 PM +02' AS timestamp)", "at=2013-06-30 13:02:00"},
           {"tag = '{00112233445566778899AABBCCDDEEFF}'", "tag=00112233-4455-6677-8899-aabbccddeeff"},
           {"clock = '04:05'", "clock=04:05:00"},
           {"clock < TIME '24:00'", "clock<24:00:00"},
           {"clock IN ('4:05 PM', '040506', 'allballs')", "clock in (00:00:00,04:05:06,16:05:00)"},
           {"clock > '22:00'::time + INTERVAL '3 hours'", "clock>01:00:00"},
       }) {
    expect_indexable(condition, predicate);
  }
  EXPECT_EQ(failure("SELECT i FROM t WHERE day = '30/06/2013'"),
            "22008@29 date/time field value out of range: \"30/06/2013\"");
}

TEST_F(WhereTest, InfinityOfAMomentIsAnEndOfItsNumbers) {
  for (const auto& [condition, predicate] : std::initializer_list<std::pair<std::string, std::string>>{
           {"day < 'infinity'", "day<infinity"},
           {"at = 'infinity'", "at=infinity"},
           {"at >= '-infinity'::date", "at not null"},
           {"moment > TIMESTAMPTZ '-infinity'", "moment>-infinity"},
           {"day > 'infinity'", "never"},
           {"day <= 'infinity'::timestamp", "day not null"},
           {"n < 'NaN'", "n not null"},
           {"n = 'infinity'::numeric", "never"},
           {"n IN ('NaN', 1) OR b IS TRUE", "(n=1.00 OR b=t) AND (n=1.00 OR b not null)"},
       }) {
    expect_indexable(condition, predicate);
  }
  EXPECT_EQ(where("at < '5874897-12-31'::date"), "at<=294247-01-10 04:00:54.775806");
}

TEST_F(WhereTest, TimeFoldsToTheCallersNow) {
  EXPECT_EQ(where("at = 'now'"), "at=2013-06-15 12:34:56.789");
  EXPECT_EQ(where("day BETWEEN 'yesterday' AND 'tomorrow'::text::date"), "day>=2013-06-14 AND day<=2013-06-16");
  EXPECT_EQ(where("at < $1", {untyped("today 18:00")}), "at<2013-06-15 18:00:00");
  EXPECT_EQ(assigned("UPDATE t SET day = 'today', at = 'now'"), "day=2013-06-15, at=2013-06-15 12:34:56.789 where all");
  EXPECT_EQ(where("at <= now()"), "at<=2013-06-15 12:34:56.789");
  EXPECT_EQ(where("at <= CURRENT_TIMESTAMP"), "at<=2013-06-15 12:34:56.789");
  EXPECT_EQ(where("at <= LOCALTIMESTAMP"), "at<=2013-06-15 12:34:56.789");
  EXPECT_EQ(where("clock <= LOCALTIME"), "clock<=12:34:56.789");
  EXPECT_EQ(where("clock = 'now'"), "clock=12:34:56.789");
  EXPECT_EQ(where("day = CURRENT_DATE"), "day=2013-06-15");
  EXPECT_EQ(where("day = now()::date"), "day=2013-06-15");
}

TEST_F(WhereTest, ListsRangesAndNullTests) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"i BETWEEN 1 AND 3", "i>=1 AND i<=3"},
           {"i NOT BETWEEN 1 AND 3", "(i<1 OR i>3)"},
           {"2 BETWEEN i AND 3", "i<=2"},
           {"NOT i BETWEEN 1 AND 3", "(i<1 OR i>3)"},
           {"day BETWEEN '2013-01-01' AND '2013-01-31'", "day>=2013-01-01 AND day<=2013-01-31"},
           {"i IN (3, 1, 2, 1)", "i in (1,2,3)"},
           {"i IN (1)", "i=1"},
           {"i NOT IN (2, 1)", "i not in (1,2)"},
           {"i IN (1, NULL)", "i=1"},
           {"i NOT IN (1, NULL)", "never"},
           {"v IN ('b', 'a')", "v in ('a','b')"},
           {"i IN (-1, 1.5, '2')", "i in (-1,2)"},
           {"NOT i IN (1, 2)", "i not in (1,2)"},
           {"s IS NULL", "s null"},
           {"s IS NOT NULL", "s not null"},
           {"NOT s IS NULL", "s not null"},
           {"s ISNULL", "s null"},
           {"s NOTNULL", "s not null"},
           {"s = NULL", "never"},
           {"NOT s = NULL", "never"},
           {"s <> NULL::int", "never"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, LikeWithAPrefix) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"v LIKE 'ab%'", "v starts 'ab'"},
           {"v NOT LIKE 'ab%'", "v not starts 'ab'"},
           {"v LIKE 'ab%%'", "v starts 'ab'"},
           {"v LIKE '%'", "v not null"},
           {"v NOT LIKE '%'", "never"},
           {"NOT v LIKE '%'", "never"},
           {"v LIKE 'ab'", "v='ab'"},
           {"v NOT LIKE 'ab'", "v<>'ab'"},
           {"v LIKE '10\\%'", "v='10%'"},
           {"v LIKE 'a\\_b%'", "v starts 'a_b'"},
           {"v LIKE 'a\\\\%'", "v starts 'a\\'"},
           {"v LIKE ''", "v=''"},
           {"v LIKE NULL", "never"},
           {"NOT v LIKE NULL", "never"},
           {"c LIKE 'ab%'", "c starts 'ab'"},
           {"c LIKE 'abcde'", "c='abcde'"},
           {"c LIKE 'abc  '", "c='abc'"},
           {"c LIKE 'abc'", "never"},  // PostgreSQL pads char(n) before it matches.
           {"c NOT LIKE 'abc'", "c not null"},
           {"NOT c LIKE 'abc'", "c not null"},
           {"v LIKE 'longer than ten bytes%'", "never"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, ARegularExpressionThatIsAPrefixIsLookedUp) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"v ~ '^ab'", "v starts 'ab'"},
           {"v !~ '^ab'", "v not starts 'ab'"},
           {"NOT v ~ '^ab'", "v not starts 'ab'"},
           {"v ~ '^a\\.b$'", "v='a.b'"},
           {"v !~ '^ab$'", "v<>'ab'"},
           {"v ~ '^10%'", "v starts '10%'"},
           {"v ~ '^'", "v not null"},
           {"c ~ '^ab$'", "never"},  // PostgreSQL matches the padding of char(n), too.
           {"c ~ '^ab'", "c starts 'ab'"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, BooleansAndConstants) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"b", "b=t"},
           {"NOT b", "b<>t"},
           {"b = true", "b=t"},
           {"b = 'yes'", "b=t"},
           {"b <> false", "b<>f"},
           {"b IS TRUE", "b=t AND b not null"},
           {"b IS NOT TRUE", "(b=f OR b null)"},
           {"b IS FALSE", "b=f AND b not null"},
           {"b IS NOT FALSE", "(b=t OR b null)"},
           {"b IS UNKNOWN", "b null"},
           {"b IS NOT UNKNOWN", "b not null"},
           {"NOT (b IS TRUE)", "(b<>t OR b null)"},
           {"TRUE", "all"},
           {"FALSE", "never"},
           {"NULL", "never"},
           {"NOT NULL", "never"},
           {"NOT TRUE", "never"},
           {"NOT FALSE", "all"},
           {"'t'", "all"},
           {"1 = 1", "all"},
           {"1 > 2.5", "never"},
           {"'a' = 'a'", "all"},
           {"DATE '2013-01-01' < now()", "all"},
           {"5::bool", "all"},
           {"i = true::int", "i=1"},
           {"v = true::varchar(2)", "v='tr'"},
           {"1 = NULL", "never"},
           {"NULL IS NULL", "all"},
           {"TRUE AND i = 1", "i=1"},
           {"i = 1 AND 1 = 1", "i=1"},
           {"i = 1 OR TRUE", "all"},
           {"i = 1 OR FALSE", "i=1"},
           {"i = 1 AND FALSE", "never"},
           {"i = 1 OR NULL", "i=1"},
           {"i = 1 AND NULL", "never"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, ConnectivesBecomeConjunctiveNormalForm) {
  for (const auto& [condition, predicate] : std::initializer_list<AcceptedCondition>{
           {"i = 1 AND s = 2 AND v = 'x'", "i=1 AND s=2 AND v='x'"},
           {"i = 1 OR s = 2", "(i=1 OR s=2)"},
           {"i = 1 AND (s = 2 OR l = 3)", "i=1 AND (s=2 OR l=3)"},
           {"NOT (i = 1 OR s = 2)", "i<>1 AND s<>2"},
           {"NOT (i = 1 AND s = 2)", "(i<>1 OR s<>2)"},
           {"(i = 1 AND s = 2) OR l = 3", "(i=1 OR l=3) AND (s=2 OR l=3)"},
           {"NOT NOT i = 1", "i=1"},
       }) {
    expect_indexable(condition, predicate);
  }
}

TEST_F(WhereTest, ParametersTakeTheTypeTheirPlaceAsksFor) {
  using semantics::Type;
  using semantics::TypeKind;
  EXPECT_EQ(where("i = $1 AND v = $2", {untyped("5"), untyped("x")}), "i=5 AND v='x'");
  EXPECT_EQ(where("day = $1", {untyped("2013-01-01")}), "day=2013-01-01");
  EXPECT_EQ(where("i = $1", {typed({TypeKind::kBigint}, int64_t{5})}), "i=5");
  EXPECT_EQ(where("day = $1", {typed({TypeKind::kDate}, int64_t{0})}), "day=1970-01-01");
  EXPECT_EQ(where("i = $1", {typed({TypeKind::kInt}, {})}), "never");
  EXPECT_EQ(where("$1 IS NULL OR i = $1", {typed({TypeKind::kInt}, {})}), "all");
  EXPECT_EQ(where("$1 IS NULL OR i = $1", {typed({TypeKind::kInt}, int64_t{3})}), "i=3");
  EXPECT_EQ(where("i IN ($2, $1)", {untyped("2"), untyped("1")}), "i in (1,2)");
  EXPECT_EQ(where("v LIKE $1", {untyped("ab%")}), "v starts 'ab'");
  EXPECT_EQ(where("i = $1::int + 1", {untyped("4")}), "i=5");
  EXPECT_EQ(where("i = -$1::int", {untyped("4")}), "i=-4");
  EXPECT_EQ(where("$1", {typed({TypeKind::kBool}, true)}), "all");
}

TEST_F(WhereTest, ConditionsThatDoNotMultiplyOutAreTrees) {
  EXPECT_EQ(where("i = 1 AND l < 1 OR i = 1 AND l > 9"), "i=1 AND (l<1 OR l>9)");
  EXPECT_EQ(where("i = 1 AND l < 1 OR i = 2 AND l < 2 OR i = 3 AND l < 3 OR i = 4 AND l < 4 OR i = 5 AND b"),
            "i in (1,2,3,4,5) AND TREE ((i=1 AND l<1) OR (i=2 AND l<2) OR (i=3 AND l<3) OR (i=4 AND l<4) OR (i=5 AND "
            "b=t))");
  std::string pairs = "i = 0 AND l = 0";
  for (int i = 1; i < 300; ++i) {
    pairs += fmt::format(" OR (i = {} AND l = {})", i, 2 * i);
  }
  auto compiled = compile("SELECT v FROM t WHERE " + pairs);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto& select = std::get<CompiledSelect>(*compiled);
  ASSERT_EQ(select.selection->predicate.clauses.size(), 2U);  // Lists of what i and l may be.
  EXPECT_EQ(select.selection->predicate.tree.children.size(), 300U);
  const auto routes = contract::routes_of(*schema_, *map_, select.selection->predicate);
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].equalities(0).values_size(), 300);
  EXPECT_TRUE(compile("UPDATE t SET l = 1 WHERE " + pairs).has_value());
  EXPECT_TRUE(compile("DELETE FROM t WHERE NOT (" + pairs + ")").has_value());
}

TEST_F(WhereTest, ChainsAreFlatHoweverTheyAreBracketed) {
  std::string left = "i < 0";
  std::string right = "l < 0";
  for (int i = 1; i < 200; ++i) {
    left = fmt::format("({} OR l < {})", left, i);
    right = fmt::format("(l < {} OR {})", i, right);
  }
  EXPECT_TRUE(compile("SELECT v FROM t WHERE " + left).has_value());
  EXPECT_TRUE(compile("SELECT v FROM t WHERE " + right).has_value());
  std::string chain = "i < 0";
  for (int i = 1; i < 8'000; ++i) {
    chain += fmt::format(" OR l < {}", i);
  }
  EXPECT_TRUE(compile("SELECT v FROM t WHERE " + chain).has_value());
}

TEST_F(WhereTest, SendsNoTreeDeeperThanReadersOfMessagesTake) {
  const auto nested = [](int levels) {
    std::string text = "l < 0";
    for (int i = 1; i < levels; ++i) {
      text = fmt::format("(l < {} {} {})", i, i % 2 == 0 ? "AND" : "OR", text);
    }
    return text;
  };
  for (const int levels : {2, 20, 39, 40}) {
    auto compiled = compile("UPDATE t SET l = 1 WHERE " + nested(levels));
    ASSERT_TRUE(compiled.has_value()) << levels << " " << compiled.error().message;
    wire::v1::SubmitBody submit;
    *submit.mutable_update() = std::get<CompiledUpdate>(*compiled).body;
    EXPECT_TRUE(wire::v1::SubmitBody().ParseFromString(submit.SerializeAsString())) << levels;
  }
  EXPECT_EQ(failure("SELECT v FROM t WHERE " + nested(42)),
            "54001@24 the condition is too complex: more than 40 levels of nesting");
}

TEST_F(WhereTest, RoutesPinThePartitioningColumn) {
  const auto routes_of = [&](std::string_view condition) {
    auto compiled = compile("SELECT v FROM t WHERE " + std::string(condition));
    EXPECT_TRUE(compiled.has_value()) << condition;
    return contract::routes_of(*schema_, *map_, std::get<CompiledSelect>(*compiled).selection->predicate);
  };
  const auto one = routes_of("i = 7 AND v = 'x'");
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(one[0].equalities_size(), 1);
  EXPECT_EQ(one[0].equalities(0).column(), 2U);
  EXPECT_EQ(one[0].equalities(0).values_size(), 1);
  const auto several = routes_of("i IN (1, 2, 3)");
  ASSERT_EQ(several.size(), 1U);
  EXPECT_EQ(several[0].equalities(0).values_size(), 3);
  const auto everywhere = routes_of("v = 'x'");
  EXPECT_TRUE(everywhere.empty() || everywhere[0].equalities_size() == 0);
}

}  // namespace
}  // namespace daedalus::aggregator::testing

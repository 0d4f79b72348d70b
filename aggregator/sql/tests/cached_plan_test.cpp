// Statements bound to values against the same statements compiled with them by a compiler that knows nothing: byte for
// byte the same operation, or the same error at the same place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>
#include <string>

#include "daedalus/semantics/text.hpp"
#include "plan_variants.hpp"
#include "random_values.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using semantics::testing::Random;

class CachedPlanTest : public SqlTest {
 protected:
  /// Binds the statement if it is known, else compiles it, and compares with what a new compiler makes of it. Whether
  /// it was bound.
  bool bind_and_compile(Compiler& compiler, const wire::v1::StatementBody& statement) {
    const auto known = compiler.find(statement.sql());
    CompiledSelect bound;
    const bool is_bound = known != nullptr && known->bind(statement, bound);
    const std::string made = is_bound ? sent(bound) : outcome(compiler.compile(statement, kNowUs));
    EXPECT_EQ(made, outcome(Compiler(schema_, map_).compile(statement, kNowUs)))
        << (is_bound ? "bound: " : "compiled: ") << statement.DebugString();
    return is_bound;
  }

  static wire::v1::StatementBody statement(std::string_view sql, const std::vector<wire::v1::Constant>& parameters) {
    wire::v1::StatementBody body;
    body.set_sql(std::string(sql));
    body.mutable_parameters()->Add(parameters.begin(), parameters.end());
    return body;
  }

  /// Returns whether the statement, compiled with the first parameters, is bound to the second.
  bool is_bound(std::string_view sql, const std::vector<wire::v1::Constant>& first,
                const std::vector<wire::v1::Constant>& second) {
    Compiler compiler(schema_, map_);
    EXPECT_FALSE(bind_and_compile(compiler, statement(sql, first)));
    EXPECT_FALSE(bind_and_compile(compiler, statement(sql, first))) << "kept before it came again";
    return bind_and_compile(compiler, statement(sql, second));
  }

  static wire::v1::Constant number(int64_t value) { return typed(Type{TypeKind::kInt}, Value(value)); }
};

TEST_F(CachedPlanTest, ValuesTakePlacesOfOthers) {
  EXPECT_TRUE(is_bound("SELECT v, i FROM t WHERE i = $1 AND day BETWEEN $2 AND $3 AND v = $4 AND c <> $5",
                       {number(1), untyped("2013-01-01"), untyped("2013-01-02"), untyped("a"), untyped("b")},
                       {number(2), untyped("2014-01-01"), untyped("2014-01-02"), untyped("x"), untyped("y ")}));
  EXPECT_TRUE(is_bound("SELECT max(v) FROM t WHERE $1 < l OR i = $2 GROUP BY i ORDER BY i LIMIT 3",
                       {number(1), number(2)}, {number(-1), number(-2)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE b", {}, {}));
}

TEST_F(CachedPlanTest, KeepsAnAnswerFromTheNumberOfRowsWithItsQuery) {
  EXPECT_TRUE(is_bound("SELECT NOT EXISTS (SELECT v FROM t WHERE i = $1) AS a, 5 AS b", {number(1)}, {number(2)}));
  EXPECT_TRUE(is_bound("SELECT count(*) + 1 FROM (SELECT DISTINCT v FROM t WHERE i = $1) q", {number(1)}, {number(2)}));
  const std::string_view beside = "SELECT EXISTS (SELECT v FROM t WHERE i = $1), $2";
  EXPECT_TRUE(is_bound(beside, {number(1), number(5)}, {number(2), number(5)}));
  EXPECT_FALSE(is_bound(beside, {number(1), number(5)}, {number(2), number(6)}));
}

constexpr std::string_view kEast = "<+03>-03";
constexpr std::string_view kWest = "<-05>+05";

TEST_F(CachedPlanTest, KeepsAQueryThatDependsOnTheZoneForOneZone) {
  const std::string by_text = "SELECT i FROM t WHERE moment = $1";
  const std::string by_clock = "SELECT moment::date FROM t WHERE i = $1";
  for (const auto& [sql, value] : {std::pair(by_text, untyped("2013-01-01 05:00")), std::pair(by_clock, number(1))}) {
    Compiler compiler(schema_, map_);
    const auto asks = [&](std::string_view zone) {
      wire::v1::StatementBody asked = statement(sql, {value});
      asked.set_time_zone(std::string(zone));
      return bind_and_compile(compiler, asked);
    };
    EXPECT_FALSE(asks(kEast));
    EXPECT_FALSE(asks(kEast)) << "kept before it came again";
    EXPECT_TRUE(asks(kEast)) << sql;
    EXPECT_FALSE(asks(kWest)) << sql;
    EXPECT_FALSE(asks("")) << sql;
    EXPECT_TRUE(asks(kWest)) << "beside the others: " << sql;
    EXPECT_TRUE(asks("")) << sql;
    EXPECT_TRUE(asks(kEast)) << sql;
  }
}

TEST_F(CachedPlanTest, KeepsAQueryThatDoesNotDependOnTheZoneForAllZones) {
  Compiler compiler(schema_, map_);
  wire::v1::StatementBody asked =
      statement("SELECT i, moment FROM t WHERE i = $1 AND at < $2", {number(1), untyped("2013-01-01")});
  EXPECT_FALSE(bind_and_compile(compiler, asked));
  EXPECT_FALSE(bind_and_compile(compiler, asked)) << "kept before it came again";
  asked.set_time_zone(std::string(kEast));
  EXPECT_TRUE(bind_and_compile(compiler, asked));
  // A moment may take the same place, but which time of the clock it is depends on the zone.
  *asked.mutable_parameters(1) = typed(Type{TypeKind::kTimestampTz}, Value(int64_t{1}));
  EXPECT_FALSE(bind_and_compile(compiler, asked));
  asked.clear_time_zone();
  static_cast<void>(bind_and_compile(compiler, asked));  // Which compares, whichever way it comes about.
}

TEST_F(CachedPlanTest, WhatHangsOnTheOrderOfDatesIsKnownForItsUsualOrderOnly) {
  for (const std::string_view sql : {"SELECT i FROM t WHERE day = '01/02/2013'", "SELECT v::date FROM t WHERE i = 1"}) {
    Compiler compiler(schema_, map_);
    wire::v1::StatementBody asked = statement(sql, {});
    EXPECT_FALSE(bind_and_compile(compiler, asked));
    EXPECT_FALSE(bind_and_compile(compiler, asked)) << "kept before it came again";
    EXPECT_TRUE(bind_and_compile(compiler, asked)) << sql;
    asked.set_date_order("DMY");
    EXPECT_FALSE(bind_and_compile(compiler, asked)) << sql;
    EXPECT_FALSE(bind_and_compile(compiler, asked)) << sql;
    asked.clear_date_order();
    EXPECT_TRUE(bind_and_compile(compiler, asked)) << sql;
  }
}

TEST_F(CachedPlanTest, ValuesAreReadInTheOrderOfTheSession) {
  Compiler compiler(schema_, map_);
  wire::v1::StatementBody asked = statement("SELECT i FROM t WHERE day = $1", {untyped("2013-01-02")});
  EXPECT_FALSE(bind_and_compile(compiler, asked));
  EXPECT_FALSE(bind_and_compile(compiler, asked)) << "kept before it came again";
  *asked.mutable_parameters(0) = untyped("01/02/2013");
  for (const char* order : {"", "DMY", ""}) {
    asked.set_date_order(order);
    EXPECT_TRUE(bind_and_compile(compiler, asked)) << order;
  }
}

TEST_F(CachedPlanTest, LiteralsAreByTheClocksOfTheSession) {
  Compiler compiler(schema_, map_);
  for (const std::string_view zone : {kEast, kWest, std::string_view()}) {
    for (int run = 0; run < 4; ++run) {
      wire::v1::StatementBody asked =
          statement(fmt::format("SELECT i FROM t WHERE moment >= '2013-01-0{} 00:00' AND i = {}", run + 1, run), {});
      asked.set_time_zone(std::string(zone));
      CompiledSelect bound;
      const bool is_bound = compiler.bind(asked, bound);
      const std::string made = is_bound ? sent(bound) : outcome(compiler.compile(asked, kNowUs));
      EXPECT_EQ(made, outcome(Compiler(schema_, map_).compile(asked, kNowUs))) << zone << " " << run;
    }
  }
}

TEST_F(CachedPlanTest, ListsAndPrefixesHavePlacesToo) {
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i IN ($1, $2, $3) AND l NOT IN ($4, $5)",
                       {number(1), number(2), number(3), number(4), number(5)},
                       {number(30), number(20), number(10), number(7), number(6)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE v IN ($1, $2) AND c IN ($3, $4)",
                       {untyped("a"), untyped("b"), untyped("c"), untyped("d")},
                       {untyped("y"), untyped("x"), untyped("z "), untyped("w")}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE v LIKE $1 AND c NOT LIKE $2", {untyped("a%"), untyped("b%")},
                       {untyped("x\\%y%"), untyped("yz%")}));
  // Another number of members, or another form.
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i IN ($1, $2)", {number(1), number(2)}, {number(3), number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i IN ($1, $2)", {number(1), number(1)}, {number(2), number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i IN ($1, $2)", {number(1), number(2)},
                        {number(3), typed(Type{TypeKind::kInt}, {})}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i IN (5, $1)", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i IN ($1, $2) OR i = $3", {number(1), number(2), number(3)},
                        {number(4), number(5), number(6)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE v LIKE $1", {untyped("a%")}, {untyped("a")}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE v LIKE $1", {untyped("a%")}, {untyped("%")}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE v LIKE $1", {untyped("a")}, {untyped("b")}));
}

TEST_F(CachedPlanTest, CompilesAnewWhenValuesMayChangeTheResult) {
  const auto decimal =
      typed(Type{TypeKind::kNumeric, 0, 0}, *semantics::parse_text(Type{TypeKind::kNumeric, 5, 1}, "1.5"));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1", {number(1)}, {decimal}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE l = $1", {number(1)}, {typed(Type{TypeKind::kInt}, {})}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 AND i = $2", {number(1), number(1)}, {number(1), number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i >= 5 AND i >= $1", {number(5)}, {number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 OR i = $2", {number(1), number(2)}, {number(1), number(1)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE l = $1 OR (i <> $2 AND l = $3)", {number(1), number(2), number(3)},
                        {number(4), number(5), number(6)}));
  // The first value leaves no comparison with $1: the one that is there is the other's.
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE (l = 1 AND k = $1) OR (s = 2 AND k = 3)",
                        {typed(Type{TypeKind::kReal}, Value(1e30))}, {number(7)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 LIMIT $2", {number(1), number(2)}, {number(1), number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 + 1", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = -$1", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE l = $1::int", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE NOT (i < $1) AND i < 5", {number(5)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE at < now() AND i = $1", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE day = 'today' AND i = $1", {number(1)}, {number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE day = $1", {untyped("2013-01-01")}, {untyped("tomorrow")}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE v = $1", {untyped("a")}, {untyped("longer than its column")}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1", {number(1)}, {}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1", {number(1)}, {number(1), number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE day = $1", {untyped("2013-01-01")}, {untyped("2013-02-30")}));
}

TEST_F(CachedPlanTest, KeepsAQueryForTheValuesThatDecideOtherParts) {
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 LIMIT $2 OFFSET $3", {number(1), number(2), number(3)},
                       {number(7), number(2), number(3)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 AND l = $2 + 1", {number(1), number(2)}, {number(7), number(2)}));
  EXPECT_TRUE(
      is_bound("SELECT i FROM t WHERE v LIKE $1 AND i = $2", {untyped("abc"), number(1)}, {untyped("abc"), number(2)}));
  EXPECT_TRUE(
      is_bound("SELECT i FROM t WHERE i IN ($1, 5) AND l = $2", {number(1), number(2)}, {number(1), number(3)}));
  EXPECT_FALSE(
      is_bound("SELECT i FROM t WHERE i IN ($1, 5) AND l = $2", {number(1), number(2)}, {number(5), number(2)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE l = ANY ($1) AND i = $2", {untyped("{1,2}"), number(1)},
                       {untyped("{1,2}"), number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE l = ANY ($1) AND i = $2", {untyped("{1,2}"), number(1)},
                        {untyped("{1,3}"), number(1)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 LIMIT $1", {number(3)}, {number(3)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 LIMIT $1", {number(3)}, {number(4)}));
}

TEST_F(CachedPlanTest, DistinguishesVariantsByTheirComparisons) {
  const auto null = typed(Type{TypeKind::kInt}, {});
  const auto huge = typed(Type{TypeKind::kDouble}, Value(1e10));
  const auto decimal = [](std::string_view text) {
    return typed(Type{TypeKind::kNumeric, 0, 0}, *semantics::parse_text(Type{TypeKind::kNumeric, 5, 1}, text));
  };
  const auto untyped_null = typed(Type{TypeKind::kVarchar}, {});
  // FALSE, whatever the other values are.
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 AND l = $2", {null, number(1)}, {null, number(7)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 AND l = $2", {huge, number(1)}, {huge, number(7)}));
  EXPECT_TRUE(
      is_bound("SELECT i FROM t WHERE i = $1", {huge}, {typed(Type{TypeKind::kBigint}, Value(int64_t{1} << 40))}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1", {null}, {huge})) << "both are FALSE";
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE v = $1", {untyped("longer than its column")}, {untyped_null}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i IN ($1, $2)", {null, number(2)}, {null, number(3)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i NOT IN ($1, $2)", {null, number(2)}, {null, number(3)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i IN ($1, $2)", {number(1), number(1)}, {number(2), number(2)}));
  // TRUE but for NULL, and another operator.
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i <> $1 AND l = $2", {huge, number(1)}, {decimal("1.5"), number(2)}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i < $1", {decimal("1.5")}, {decimal("-7.5")}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i < $1", {decimal("1.5")}, {decimal("2.0")}));
  EXPECT_TRUE(is_bound("SELECT i FROM t WHERE i = $1 OR l = $2", {null, number(1)}, {null, number(2)}));
  EXPECT_FALSE(is_bound("SELECT i FROM t WHERE i = $1 OR l = $2", {null, number(1)}, {number(1), number(2)}));
  // The comparison that is left is another's: a constant's, or one that was decided with others.
  EXPECT_FALSE(
      is_bound("SELECT i FROM t WHERE (l = $1 AND k = $2) OR (s = 2 AND k = 3)", {null, number(3)}, {null, number(4)}));
  EXPECT_FALSE(
      is_bound("SELECT i FROM t WHERE (k = $1 OR $2 = 5) AND k = 3", {number(3), number(5)}, {number(4), number(5)}));
  EXPECT_TRUE(
      is_bound("SELECT i FROM t WHERE (k = $1 OR $2 = 5) AND k = 3", {number(3), number(5)}, {number(3), number(5)}));
}

TEST_F(CachedPlanTest, KeepsAQueryThatIsNotFollowedByItsValues) {
  for (const std::string_view sql :
       {"SELECT i FROM t WHERE i = $1 AND i = $2", "SELECT i FROM t WHERE NOT (i < $1) OR l = $2"}) {
    const wire::v1::StatementBody one = statement(sql, {number(1), number(2)});
    EXPECT_FALSE(bind_and_compile(compiler_, one));
    EXPECT_FALSE(bind_and_compile(compiler_, one)) << "kept before it came again";
    EXPECT_FALSE(bind_and_compile(compiler_, one)) << "kept before its values came again with a text that is kept";
    EXPECT_TRUE(bind_and_compile(compiler_, one));
    EXPECT_FALSE(bind_and_compile(compiler_, statement(sql, {number(1), number(3)})));
  }
}

TEST_F(CachedPlanTest, FormsOfOneTextStandSideBySideAndAreBounded) {
  constexpr std::string_view kSql = "SELECT i FROM t WHERE i = $1 AND l <> $2 AND s < $3 AND k >= $4";
  const auto ask = [&](uint32_t nulls, int64_t value) {
    std::vector<wire::v1::Constant> parameters;
    for (uint32_t bit = 0; bit < 4; ++bit) {
      parameters.push_back(typed(Type{TypeKind::kInt}, (nulls >> bit & 1) != 0 ? Value() : Value(value)));
    }
    return bind_and_compile(compiler_, statement(kSql, parameters));
  };
  EXPECT_FALSE(ask(0, 1));
  for (uint32_t form = 0; form < sql::PlanVariants::kVariantsMax; ++form) {
    EXPECT_FALSE(ask(form, 1)) << form;
  }
  for (uint32_t form = 0; form < sql::PlanVariants::kVariantsMax; ++form) {
    EXPECT_TRUE(ask(form, 2)) << form;
  }
  EXPECT_EQ(compiler_.cache_counters().more_variants, sql::PlanVariants::kVariantsMax - 1);
  EXPECT_FALSE(ask(15, 1));
  EXPECT_TRUE(ask(15, 2));
  EXPECT_FALSE(ask(0, 3)) << "the oldest has made room";
  EXPECT_EQ(compiler_.cache_counters().more_variants, sql::PlanVariants::kVariantsMax - 1);
}

TEST_F(CachedPlanTest, EvictsTheOldestVariantOfFixedValues) {
  constexpr std::string_view kSql = "SELECT i FROM t WHERE v LIKE $1 AND i = $2";
  const auto ask = [&](const std::string& pattern) {
    return bind_and_compile(compiler_, statement(kSql, {untyped(pattern), number(1)}));
  };
  const auto certain = [](size_t variant) { return "v" + std::to_string(variant); };
  EXPECT_FALSE(ask("pre%"));
  EXPECT_FALSE(ask("pre%")) << "kept before it came again";
  for (size_t variant = 0; variant + 1 < sql::PlanVariants::kVariantsMax; ++variant) {
    EXPECT_FALSE(ask(certain(variant)));
  }
  for (size_t variant = 0; variant + 1 < sql::PlanVariants::kVariantsMax; ++variant) {
    EXPECT_TRUE(ask(certain(variant))) << variant;
  }
  EXPECT_FALSE(ask("more"));
  EXPECT_TRUE(ask("more"));
  EXPECT_TRUE(ask("oth%")) << "it is for all values";
  EXPECT_TRUE(ask(certain(1)));
  EXPECT_FALSE(ask(certain(0))) << "the oldest";
}

TEST_F(CachedPlanTest, AllVariantsTogetherAreTwiceAsManyAsStatements) {
  constexpr int64_t kTexts = Compiler::kCachedStatementsMax;
  for (int64_t text = 0; text < kTexts + 10; ++text) {
    const std::string sql = fmt::format("SELECT i FROM t WHERE i = {} LIMIT $1", text);
    for (int64_t limit = 0; limit <= 3; ++limit) {
      EXPECT_FALSE(bind_and_compile(compiler_, statement(sql, {number(limit)})));
    }
    ASSERT_LE(compiler_.cache_counters().more_variants, size_t{kTexts});
    ASSERT_TRUE(bind_and_compile(compiler_, statement(sql, {number(3)}))) << "the last is always known";
  }
  EXPECT_EQ(compiler_.cache_counters().statements, size_t{kTexts});
  EXPECT_GE(compiler_.cache_counters().more_variants, size_t{kTexts} - 2);
}

TEST_F(CachedPlanTest, StatementsThatDifferInLiteralsAreKnownByOneOfThem) {
  const auto is_known = [&](std::string_view first, std::string_view second) {
    EXPECT_TRUE(compile(first).has_value()) << first;
    wire::v1::StatementBody body = statement(second, {});
    CompiledSelect bound;
    EXPECT_FALSE(compiler_.bind(body, bound)) << "kept before one like it came again";
    EXPECT_TRUE(compile(first).has_value()) << first;
    if (!compiler_.bind(body, bound)) {
      return false;
    }
    const auto compiled = compile(second);
    EXPECT_TRUE(compiled.has_value());
    EXPECT_EQ(sent(bound), sent(std::get<CompiledSelect>(*compiled))) << second;
    return true;
  };
  EXPECT_TRUE(is_known("SELECT i FROM t WHERE i = 1 AND v = 'a' AND day BETWEEN '2013-01-01' AND '2013-01-02'",
                       "SELECT i FROM t WHERE i = 22 AND v = 'it''s' AND day BETWEEN '2014-05-06' AND '2014-05-07'"));
  EXPECT_TRUE(
      is_known("SELECT i FROM t WHERE l < 5 ORDER BY 1 LIMIT 3", "SELECT i FROM t WHERE l < 50 ORDER BY 1 LIMIT 3"));
  EXPECT_FALSE(is_known("SELECT i FROM t WHERE l < 6 LIMIT 3", "SELECT i FROM t WHERE l < 60 LIMIT 4"));
  EXPECT_FALSE(is_known("SELECT i FROM t WHERE s = 7", "SELECT i FROM t WHERE s = 1.5"));
  EXPECT_FALSE(is_known("SELECT i FROM t WHERE s <> 7", "SELECT i FROM t WHERE s <> 99999"));
  EXPECT_FALSE(
      is_known("SELECT i FROM t WHERE day = '2013-01-01' AND k = 1", "SELECT i FROM t WHERE day = 'today' AND k = 1"));
  EXPECT_FALSE(is_known("SELECT i FROM t WHERE l = 7 + 1", "SELECT i FROM t WHERE l = 8 + 1"));
  EXPECT_FALSE(
      is_known("SELECT i FROM t WHERE day > DATE '2013-01-01'", "SELECT i FROM t WHERE day > DATE '2013-01-02'"));
  // One more way to write it is one more text.
  EXPECT_FALSE(is_known("SELECT i FROM t WHERE i=1", "SELECT i FROM t WHERE i = 1 -- not 2"));
}

/// Statements of a few texts, again and again with other values of other types.
class Statements {
 public:
  Statements(Random& random, const semantics::Schema& schema) : random_(random), schema_(schema) {
    for (int text = 0; text < 100; ++text) {
      texts_.push_back(make_text());
    }
  }

  wire::v1::StatementBody next() {
    const auto& [sql, columns] = texts_[at(texts_.size())];
    wire::v1::StatementBody body;
    body.set_sql(sql);
    for (const uint32_t column : columns) {
      *body.add_parameters() = column == kSmall ? typed(Type{TypeKind::kInt}, Value(random_.between(0, 2)))
                                                : value(schema_.columns[column].type);
    }
    return body;
  }

 private:
  size_t at(size_t size) { return static_cast<size_t>(random_.between(0, static_cast<int64_t>(size) - 1)); }

  std::pair<std::string, std::vector<uint32_t>> make_text() {
    std::vector<uint32_t> columns;
    std::string where;
    for (int64_t count = random_.between(1, 6); count > 0; --count) {
      where += where.empty() ? "" : random_.chance(85) ? " AND " : " OR ";
      where += random_.chance(10) ? pair(columns) : comparison(columns);
    }
    std::string sql = "SELECT v, i FROM t WHERE " + where;
    sql += random_.chance(20) ? " ORDER BY i" : "";
    sql += random_.chance(10) ? " LIMIT 7" : "";
    return {sql, columns};
  }

  /// Joins two comparisons. One may decide the other: by what it compares a column with, or because it compares
  /// constants.
  std::string pair(std::vector<uint32_t>& columns) {
    const std::string first = comparison(columns);
    const std::string second = random_.chance(30) ? decided(columns) : comparison(columns);
    return fmt::format("({} {} {})", first, random_.chance(50) ? "AND" : "OR", second);
  }

  std::string decided(std::vector<uint32_t>& columns) {
    columns.push_back(kSmall);
    return fmt::format("${} = 1", columns.size());
  }

  std::string comparison(std::vector<uint32_t>& columns) {
    static constexpr std::string_view kOperators[] = {"=", "=", "=", "<>", "<", "<=", ">", ">="};
    const auto column = static_cast<uint32_t>(at(schema_.columns.size()));
    const std::string name = fmt::format("\"{}\"", schema_.columns[column].name);
    if (random_.chance(5)) {
      return name + " IS NULL";
    }
    if (random_.chance(10)) {
      return fmt::format("{} = {}", name, literal(column));
    }
    if (random_.chance(8)) {
      return list(name, column, columns);
    }
    columns.push_back(column);
    const size_t parameter = columns.size();
    if (semantics::is_string(schema_.columns[column].type.kind) && random_.chance(15)) {
      return fmt::format("{} {}LIKE ${}", name, random_.chance(30) ? "NOT " : "", parameter);
    }
    if (random_.chance(10)) {
      columns.push_back(column);
      return fmt::format("{} BETWEEN ${} AND ${}", name, parameter, parameter + 1);
    }
    const std::string_view op = kOperators[at(std::size(kOperators))];
    return random_.chance(10)  ? fmt::format("${} {} {}", parameter, op, name)
           : random_.chance(5) ? fmt::format("NOT {} {} ${}", name, op, parameter)
                               : fmt::format("{} {} ${}", name, op, parameter);
  }

  std::string list(const std::string& name, uint32_t column, std::vector<uint32_t>& columns) {
    std::string members;
    for (int64_t count = random_.between(1, 4); count > 0; --count) {
      columns.push_back(column);
      members += fmt::format("{}${}", members.empty() ? "" : ", ", columns.size());
    }
    return fmt::format("{} {}IN ({})", name, random_.chance(30) ? "NOT " : "", members);
  }

  std::string literal(uint32_t column) {
    const Type& type = schema_.columns[column].type;
    const Value value = random_.value(type);
    return semantics::is_null(value) ? "NULL" : fmt::format("'{}'", quoted(semantics::format_text(type, value)));
  }

  static std::string quoted(std::string text) {
    for (size_t quote = text.find('\''); quote != std::string::npos; quote = text.find('\'', quote + 2)) {
      text.insert(quote, 1, '\'');
    }
    return text;
  }

  /// Returns NULL or a value that a column of the type may not hold: it may be too large, too long, or too fine.
  wire::v1::Constant beyond(const Type& type) {
    switch (random_.between(0, 4)) {
      case 0:
        return random_.chance(50) ? typed(type, Value()) : typed(Type{TypeKind::kVarchar}, Value());
      case 1:
        return typed(Type{TypeKind::kDouble}, Value(random_.chance(50) ? 1e10 : -1e300));
      case 2:
        return typed(Type{TypeKind::kNumeric, 0, 0}, Value(semantics::Decimal{random_.between(-99, 99), 1}));
      case 3:
        return typed(Type{TypeKind::kBigint}, Value(random_.chance(50) ? INT64_MAX : INT64_MIN));
      default:
        return untyped(std::string(static_cast<size_t>(random_.between(5, 40)), 'x') + (random_.chance(20) ? "%" : ""));
    }
  }

  /// Mostly of the column's own type; else as text, of a type beside it, or of any.
  wire::v1::Constant value(const Type& type) {
    if (semantics::is_string(type.kind) && random_.chance(15)) {
      return untyped(std::string(static_cast<size_t>(random_.between(0, 2)), 'a') + "%");
    }
    if (random_.chance(random_.chance(25) ? 30 : 1)) {
      return beyond(type);
    }
    if (random_.chance(70)) {
      return own(type);
    }
    if (random_.chance(40)) {
      const Value value = random_.value(type);
      return semantics::is_null(value) ? typed(type, value) : untyped(semantics::format_text(type, value));
    }
    if (random_.chance(20)) {
      return untyped(random_.chance(50) ? "today" : "nothing of the kind");
    }
    return own(schema_.columns[at(schema_.columns.size())].type);
  }

  wire::v1::Constant own(const Type& type) { return typed(type, random_.chance(3) ? Value() : random_.value(type)); }

  static constexpr uint32_t kSmall = UINT32_MAX;  ///< Stands for a number that is compared with no column.

  Random& random_;
  const semantics::Schema& schema_;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> texts_;
};

bool has_null(const wire::v1::StatementBody& statement) {
  return std::any_of(statement.parameters().begin(), statement.parameters().end(),
                     [](const wire::v1::Constant& parameter) { return parameter.is_null(); });
}

TEST_F(CachedPlanTest, BoundIsWhatWouldHaveBeenCompiled) {
  Random random(7);
  uint32_t bound = 0;
  uint32_t bound_with_null = 0;
  const char* dose = std::getenv("DAEDALUS_BOUND_SETS");
  const uint32_t sets = dose == nullptr ? 20 : static_cast<uint32_t>(std::stoul(dose));
  for (uint32_t set = 0; set < sets; ++set) {
    Statements statements(random, *schema_);
    for (int i = 0; i < 5'000 && !HasFailure(); ++i) {
      const wire::v1::StatementBody statement = statements.next();
      const bool is_bound = bind_and_compile(compiler_, statement);
      bound += is_bound ? 1 : 0;
      bound_with_null += is_bound && has_null(statement) ? 1 : 0;
    }
  }
  // Else nothing has been shown.
  EXPECT_GT(bound, sets * 900);
  EXPECT_LT(bound, sets * 4'500);
  EXPECT_GT(bound_with_null, sets * 10);
  RecordProperty("bound", std::to_string(bound));
  RecordProperty("bound_with_null", std::to_string(bound_with_null));
}

}  // namespace
}  // namespace daedalus::aggregator::testing

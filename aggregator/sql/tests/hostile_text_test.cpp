// Texts made to take long: each compiles or is refused within a time that its size bounds, whatever its shape.
#include <fmt/format.h>

#include "daedalus/base/testing/cpu_time.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

/// Seconds of processor time for a statement other than INSERT, and for each byte of an INSERT: some two to four times
/// of what they take on a machine that others use, too.
constexpr double kStatementSeconds = 0.5;
constexpr double kInsertByteSeconds = 4e-6;

class HostileTextTest : public SqlTest {
 protected:
  /// `part` again and again up to the size that statements may have.
  static std::string filled(const std::string& start, const std::string& part, const std::string& end = "") {
    std::string text = start;
    while (text.size() + part.size() + end.size() <= kStatementTextSizeMax) {
      text += part;
    }
    return text + end;
  }

  static std::string repeated(std::string_view part, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      text += part;
    }
    return text;
  }

  void expect_quick(const std::string& name, const std::string& sql, double seconds_max = kStatementSeconds) {
    std::string outcome;
    const double seconds = daedalus::testing::cpu_seconds_of([&] { outcome = failure(sql); });
    EXPECT_LT(seconds, seconds_max) << name << ": " << outcome.substr(0, 100);
    RecordProperty(name, fmt::format("{:.0f} ms {}", seconds * 1e3, outcome.substr(0, 60)));
  }
};

TEST_F(HostileTextTest, CommentsStringsAndNames) {
  const size_t half = kStatementTextSizeMax / 4;
  expect_quick("nested", filled("SELECT 1", "/*"));
  expect_quick("nested and closed", "SELECT i FROM t " + repeated("/*", half - 20) + repeated("*/", half - 20));
  expect_quick("adjacent", filled("SELECT i FROM t ", "/**/"));
  expect_quick("adjacent in front", filled("", "/**/", "SELECT i FROM t"));
  expect_quick("nested with blanks", "SELECT i FROM t " + repeated("/* ", half / 2) + repeated("*/", half / 2));
  expect_quick("adjacent with blanks", filled("SELECT i FROM t ", "/**/ "));
  expect_quick("slashes", filled("SELECT i FROM t /*", "/", "*/"));
  expect_quick("stars", filled("SELECT i FROM t /*", "*", "*/"));
  expect_quick("operators", filled("SELECT i FROM t /*", "+-@", "*/"));
  expect_quick("lines", filled("SELECT i FROM t", "--\n"));
  expect_quick("a line", filled("SELECT i FROM t --", "/*"));
  expect_quick("quotes", filled("SELECT '", "''", "'"));
  expect_quick("strings", filled("SELECT i FROM t WHERE v = 'a'", "\n'a'"));
  expect_quick("no continuation", filled("SELECT i FROM t WHERE v = 'a'", " --\n", "b"));
  expect_quick("escapes", filled("SELECT i FROM t WHERE v = E'", "\\'", "'"));
  expect_quick("unicode", filled("SELECT i FROM t WHERE v = U&'", "\\0041", "'"));
  expect_quick("tags", filled("SELECT $a$ ", "$b"));
  expect_quick("tag", filled("SELECT $", "a"));
  expect_quick("open tags", filled("SELECT ", "$a "));
  expect_quick("long name", filled("SELECT ", "a", " FROM t"));
  expect_quick("letters", filled("SELECT ", "\xc3\xa9", " FROM t"));
  expect_quick("number", filled("SELECT i FROM t WHERE i = ", "1"));
  expect_quick("fraction", filled("SELECT i FROM t WHERE n = 0.", "1"));
  expect_quick("bits", filled("SELECT i FROM t WHERE i = B'", "1", "'"));
}

TEST_F(HostileTextTest, ListsAndChains) {
  expect_quick("dots", filled("SELECT a", ".a", " FROM t"));
  expect_quick("outputs", filled("SELECT i", ",i", " FROM t"));
  expect_quick("sums", filled("SELECT ", "sum(i),", "i FROM t"));
  expect_quick("orders", filled("SELECT i FROM t ORDER BY i", ",i"));
  expect_quick("groups", filled("SELECT i FROM t GROUP BY i", ",i"));
  expect_quick("list", filled("SELECT i FROM t WHERE i IN (1", ",1", ")"));
  expect_quick("negative list", filled("SELECT i FROM t WHERE i IN (1", ",-1", ")"));
  expect_quick("texts", filled("SELECT i FROM t WHERE v IN (''", ",''", ")"));
  expect_quick("ors", filled("SELECT i FROM t WHERE i = 1", " OR i = 1"));
  expect_quick("ors and ands", filled("SELECT i FROM t WHERE i = 1", " OR i = 1 AND l = 2"));
  expect_quick("betweens", filled("SELECT i FROM t WHERE i = 1", " OR i BETWEEN 1 AND 2"));
  expect_quick("casts", filled("SELECT i FROM t WHERE i IN (1", "::int,1", ")"));
  expect_quick("signs", filled("SELECT i FROM t WHERE i IN (1", "," + repeated("+-", 100) + "1", ")"));
  expect_quick("parameters", filled("SELECT i FROM t WHERE i IN ($1", ",$1", ")"));
  expect_quick("statements", filled("SELECT i FROM t", ";SELECT 1"));
  expect_quick("semicolons", filled("SELECT i FROM t", ";"));
  expect_quick("cases", filled("SELECT CASE ", "WHEN b THEN i ", "END FROM t"));
  expect_quick("tables", filled("SELECT i FROM t", ",t"));
  expect_quick("with", filled("WITH a AS (SELECT 1)", ",a AS (SELECT 1)", " SELECT 1"));
  expect_quick("columns", filled("CREATE TABLE t (a int", ",a int", ")"));
  expect_quick("assignments", filled("UPDATE t SET l = 1", ",l = 1"));
  expect_quick("nots",
               "SELECT i FROM t WHERE " + repeated("NOT ", 200) + filled("i IN (1", ",1", ")").substr(0, 1 << 19));
}

TEST_F(HostileTextTest, ConditionsUpToTheirBounds) {
  const auto junction = [](std::string_view word, size_t count, auto&& part) {
    std::string text = "SELECT i FROM t WHERE ";
    for (size_t i = 0; i < count; ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : word, part(i));
    }
    return text;
  };
  expect_quick("pairs", junction(" OR ", 5'000, [](size_t i) { return fmt::format("i={} AND l={}", i, i % 7); }));
  expect_quick("ranges", junction(" OR ", 5'000, [](size_t i) { return fmt::format("i<{} AND l>{}", i, i % 7); }));
  expect_quick("clauses", junction(" AND ", 5'000, [](size_t i) { return fmt::format("(i<{} OR l>{})", i, i); }));
  expect_quick("values", junction(" OR ", 16'000, [](size_t i) { return fmt::format("i={}", i); }));
  expect_quick("doubles", junction(" OR ", 8'000, [](size_t i) { return fmt::format("l={}e12::float8", i); }));
  expect_quick("numerics", junction(" OR ", 8'000, [](size_t i) { return fmt::format("n<1.{}", i); }));
  expect_quick("fractions",
               junction(" OR ", 800, [](size_t) { return fmt::format("n<1.{}", std::string(1'000, '3')); }));
  expect_quick("products", junction(" AND ", 2'000, [](size_t) { return "(i=1 AND l=2 OR i=3 AND l=4 OR b)"; }));
}

TEST_F(HostileTextTest, Inserts) {
  const auto expect_in_time = [&](const char* name, const std::string& sql) {
    expect_quick(name, sql, kInsertByteSeconds * static_cast<double>(sql.size()));
  };
  expect_in_time("rows", filled("INSERT INTO t (i) VALUES (1)", ",(1)"));
  expect_in_time("signs", filled("INSERT INTO t (i) VALUES (1)", ",(" + repeated("+-", 100) + "1)"));
  expect_in_time("a row", filled("INSERT INTO t (i) VALUES (1", ",1", ")"));
  expect_in_time("comments", filled("INSERT INTO t (i) VALUES (1)", "/**/"));
}

}  // namespace
}  // namespace daedalus::aggregator::testing

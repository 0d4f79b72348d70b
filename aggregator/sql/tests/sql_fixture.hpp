// A table with every type, a compiler for it, and selections and predicates written out so that tests read like SQL.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/aggregator/compile.hpp"

namespace daedalus::aggregator::testing {

/// 2013-06-15 12:34:56.789 UTC.
constexpr int64_t kNowUs = 1'371'299'696'789'000;

/// Table t, partitioned by hash(i) and segmented by hash(s):
///   b bool, s smallint, i int NOT NULL, l bigint, r real, d double precision, n numeric(10,2), h numeric(38,4), day
///   date, at timestamp, c char(5), v varchar(10), "Mixed" varchar(4), k int NOT NULL DEFAULT 7, x int NOT NULL DEFAULT
///   0
std::shared_ptr<const semantics::Schema> test_schema();
std::shared_ptr<const contract::PartitionMap> test_map();

/// Conjunctive normal form as text: clauses joined by " AND ", literals of a clause by " OR "; "all" for no clauses.
std::string to_text(const semantics::Schema& schema, const semantics::Condition& condition);
std::string to_text(const semantics::Schema& schema, const semantics::Predicate& predicate);
/// A call as "name(arguments)", a cast as "cast(argument as type)", NULL as "null".
std::string expression_text(const semantics::Schema& schema, const semantics::BoundExpression& expression);
/// Outputs "name:source", hidden ones in brackets, then " group by ...", " order by ...", " limit ...", " offset ...".
std::string to_text(const semantics::Schema& schema, const semantics::Selection& selection);
/// Assignments "col=value", "col+=value" or "col:=expression", joined by ", ".
std::string to_text(const semantics::Schema& schema, const std::vector<semantics::Assignment>& assignments);
/// The conditions that are computed row by row, each behind " AND ".
std::string to_text(const semantics::Schema& schema, const semantics::Residuals& residuals);
/// Values of a row joined by "|"; NULL as "-".
std::string to_text(const semantics::Schema& schema, const std::vector<semantics::Value>& row);

class SqlTest : public ::testing::Test {
 protected:
  /// Random bits are 0, 1, 2 and so on.
  SqlTest()
      : schema_(test_schema()),
        map_(test_map()),
        compiler_(schema_, map_, nullptr, [next = uint64_t{0}]() mutable { return next++; }) {}

  Result<Compiled> compile(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// The selection as text, or the error's message in angle brackets.
  std::string selection(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// The predicate of SELECT i FROM t WHERE `where`.
  std::string where(std::string_view condition, std::vector<wire::v1::Constant> parameters = {});
  /// The rows of an INSERT, each a line.
  std::string inserted(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// "name type, ..." of what an INSERT returns, and its rows, each a line; "nothing" without RETURNING.
  std::string returned(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// The assignments of an UPDATE.
  std::string assigned(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// "sqlstate@position message" of the error; "accepted" if there is none.
  std::string failure(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// "parameter types -> name type, ..." of a description, or "sqlstate@position message" of the error.
  std::string described(std::string_view sql);
  /// The error itself.
  Error error_of(std::string_view sql, std::vector<wire::v1::Constant> parameters = {});
  /// Writes out all that would be sent for a SELECT, and where to; without a shape its selection.
  [[nodiscard]] std::string sent(const CompiledSelect& select) const;
  /// Writes out what comes of a statement: the message that would be sent, or the whole error.
  [[nodiscard]] std::string outcome(const Result<Compiled>& compiled) const;

  std::shared_ptr<const semantics::Schema> schema_;
  std::shared_ptr<const contract::PartitionMap> map_;
  Compiler compiler_;
};

/// Parameters: as a quoted literal is, of a type, and NULL.
wire::v1::Constant untyped(std::string_view text);
wire::v1::Constant typed(semantics::Type type, const semantics::Value& value);

}  // namespace daedalus::aggregator::testing

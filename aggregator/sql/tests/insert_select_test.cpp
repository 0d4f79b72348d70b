// INSERT … SELECT of rows that the statement brings itself.
#include <fmt/format.h>

#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

class InsertSelectTest : public SqlTest {};

constexpr const char* kInsertOfArrays = "INSERT INTO t (i, v) SELECT * FROM unnest($1::int[], $2::varchar(10)[])";

/// A parameter that is an array of int, as sessions give it.
wire::v1::Constant array_of_int(std::string text) {
  wire::v1::Constant constant;
  constant.mutable_type()->set_kind(wire::v1::TYPE_KIND_INT);
  constant.set_is_array(true);
  constant.set_text(std::move(text));
  return constant;
}

TEST_F(InsertSelectTest, ArraysSideBySideBecomeRowsFilledUpWithNull) {
  EXPECT_EQ(inserted(kInsertOfArrays, {untyped("{1,2,3}"), untyped("{a,NULL}")}),
            "-|-|1|-|-|-|-|-|-|-|-|'a'|-|7|0|-|-|-\n-|-|2|-|-|-|-|-|-|-|-|-|-|7|0|-|-|-\n"
            "-|-|3|-|-|-|-|-|-|-|-|-|-|7|0|-|-|-");
  EXPECT_EQ(inserted("INSERT INTO t (day, i) SELECT '2020-01-02', a FROM unnest(ARRAY[1, 2]) AS a WHERE a > 1"),
            "-|-|2|-|-|-|-|-|2020-01-02|-|-|-|-|7|0|-|-|-");
}

TEST_F(InsertSelectTest, ParametersAreArraysOfWhatTheyAreCastTo) {
  EXPECT_EQ(described(kInsertOfArrays), "integer[], character varying[] -> nothing");
  EXPECT_EQ(described("INSERT INTO t (i, day) SELECT a, $2 FROM unnest($1::int[]) AS a RETURNING day"),
            "integer[], date -> day date");
  EXPECT_EQ(failure("INSERT INTO t (i) SELECT * FROM unnest($1)", {untyped("{1}")}),
            "42725@33 function unnest(unknown) is not unique");
}

TEST_F(InsertSelectTest, WithoutRowsNothingIsToBeSubmitted) {
  for (const char* sql : {"INSERT INTO t (i) SELECT * FROM unnest('{}'::int[])",
                          "INSERT INTO t (i) SELECT * FROM unnest('{1}'::int[]) AS a WHERE a > 1",
                          "INSERT INTO t (i) SELECT * FROM unnest(NULL::int[])"}) {
    const auto compiled = compile(sql);
    ASSERT_TRUE(compiled) << sql;
    EXPECT_EQ(std::get<CompiledUpdate>(*compiled).body.parts_size(), 0) << sql;
  }
}

TEST_F(InsertSelectTest, TakesNoMoreRowsThanAnUpdateMayHave) {
  std::string array = "{1";
  for (uint32_t count = 1; count < contract::kUpdateRowsMax; ++count) {
    array += ",1";
  }
  constexpr const char* kSql = "INSERT INTO t (i) SELECT * FROM unnest($1::int[])";
  EXPECT_EQ(failure(fmt::format("INSERT INTO t (i) SELECT * FROM unnest('{}}}'::int[])", array)), "accepted");
  EXPECT_EQ(failure(kSql, {array_of_int(array + "}")}), "accepted");
  EXPECT_EQ(failure(kSql, {array_of_int(array + ",1}")}),
            fmt::format("54000@33 INSERT too large: more than {} rows", contract::kUpdateRowsMax));
}

TEST_F(InsertSelectTest, ATextAmongTheElementsIsNoLongerThanAnyOther) {
  const std::string longest(semantics::kStringLengthMax, 'x');
  const auto first_letter = [&](const std::string& text) {
    return failure(fmt::format("INSERT INTO t (i, v) SELECT 1, left(a, 1) FROM unnest('{{{}}}'::text[]) AS a", text));
  };
  EXPECT_EQ(first_letter(longest), "accepted");
  EXPECT_EQ(first_letter(longest + "x"), "54000@55 a text of 4097 bytes is longer than an expression may take: 4096");
  EXPECT_EQ(failure(fmt::format("SELECT i FROM t WHERE v || 'x' = ANY ('{{{}x}}')", longest)),
            "54000@32 a text of 4097 bytes is longer than an expression may take: 4096");
}

TEST_F(InsertSelectTest, RefusesOtherSourcesByName) {
  EXPECT_EQ(failure("INSERT INTO t (i) SELECT k FROM t"), "0A000@19 INSERT ... SELECT is not supported");
  EXPECT_EQ(failure("INSERT INTO t (i) SELECT a FROM unnest('{1}'::int[]) WITH ORDINALITY AS u(a, n)"),
            "0A000@33 unnest() WITH ORDINALITY is not supported");
  EXPECT_EQ(failure("INSERT INTO t (i) SELECT a FROM generate_series(1, 2) AS a"),
            "0A000@19 INSERT ... SELECT is not supported");
}

}  // namespace
}  // namespace daedalus::aggregator::testing

// Texts in the three orders of DateStyle. tests/postgres/test_date_order_against_postgres.py compares many more with
// PostgreSQL 15.
#include "daedalus/semantics/date_order.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

struct Read {
  const char* text;
  const char* month_first;
  const char* day_first;
  const char* year_first;
};

/// Returns what reading and printing again gives, or the error's code.
std::string date_in(const char* order, const char* text) {
  const Result<Value> value = parse_text(kDate, text, std::nullopt, nullptr, nullptr, date_order_of(order));
  return value ? format_text(kDate, *value) : value.error().sqlstate;
}

TEST(DateOrder, EachOrderReadsWhatPostgresReads) {
  for (const Read& read : std::initializer_list<Read>{
           {"01/02/2013", "2013-01-02", "2013-02-01", "22008"},
           {"01/02/03", "2003-01-02", "2003-02-01", "2001-02-03"},
           {"31.12.2013", "22008", "2013-12-31", "22008"},
           {"12 31 2013", "2013-12-31", "22008", "22008"},
           {"8-Jan-99", "1999-01-08", "1999-01-08", "22008"},
           {"99-Jan-08", "22008", "22008", "1999-01-08"},
           {"Jan-08-99", "1999-01-08", "1999-01-08", "22008"},
           {"3-jun-2013", "2013-06-03", "2013-06-03", "2013-06-03"},
           {"2013-01-02", "2013-01-02", "2013-01-02", "2013-01-02"},
           {"20130102", "2013-01-02", "2013-01-02", "2013-01-02"},
           {"130102", "2013-01-02", "2013-01-02", "2013-01-02"},
       }) {
    EXPECT_EQ(date_in("MDY", read.text), read.month_first) << read.text;
    EXPECT_EQ(date_in("DMY", read.text), read.day_first) << read.text;
    EXPECT_EQ(date_in("YMD", read.text), read.year_first) << read.text;
  }
}

TEST(DateOrder, ATextHangsOnTheOrderUnlessItsYearComesFirst) {
  for (const char* text :
       {"01/02/2013", "Jan 8 99", " 1-2-3", "05:00 01/02/2013", "004:05 01/02/2013", ",2013-01-02"}) {
    EXPECT_TRUE(may_hang_on_date_order(TypeKind::kTimestamp, text)) << text;
  }
  for (const char* text : {"2013-01-02", " 20130102 05:00", "today", "-infinity", ""}) {
    EXPECT_FALSE(may_hang_on_date_order(TypeKind::kTimestamp, text)) << text;
  }
  EXPECT_FALSE(may_hang_on_date_order(TypeKind::kVarchar, "01/02/2013"));
}

TEST(DateOrder, ATimeHangsOnTheOrderWhereADateMayStandInFrontOfIt) {
  for (const char* text : {"01/02/2013 05:00", "jan08_99 05:00"}) {
    EXPECT_TRUE(may_hang_on_date_order(TypeKind::kTime, text)) << text;
  }
  for (const char* text : {"05:00:00.5", "040506", "05:00 am", "2013-01-02 05:00"}) {
    EXPECT_FALSE(may_hang_on_date_order(TypeKind::kTime, text)) << text;
  }
}

}  // namespace
}  // namespace daedalus::semantics

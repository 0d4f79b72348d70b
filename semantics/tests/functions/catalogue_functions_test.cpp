// Functions of PostgreSQL's catalogue that stand behind others, or are called by other names, and families whose values
// were taken from PostgreSQL 15. What each means for any argument PostgreSQL judges (tests/oracle).
#include <gtest/gtest.h>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"

namespace daedalus::semantics {
namespace {

constexpr Type kChar{.kind = TypeKind::kChar, .length = 5};

struct Argument {
  Type type;
  std::string text;
};

Result<BoundExpression> call_of(std::string_view name, const std::vector<Argument>& given) {
  std::vector<BoundExpression> arguments;
  std::vector<ArgumentKind> kinds;
  for (const auto& [type, text] : given) {
    arguments.push_back(make_constant(type, text == "NULL" ? Value() : *parse_text(type, text)));
    kinds.push_back({type.kind, false});
  }
  const auto function = resolve_function(name, false, kinds);
  return function ? make_named_call(**function, std::move(arguments)) : function.error();
}

/// The call's value as text, or its error.
std::string called(std::string_view name, const std::vector<Argument>& given) {
  const auto call = call_of(name, given);
  const auto value = call ? evaluate(*call, {}) : call.error();
  if (!value) {
    return value.error().sqlstate;
  }
  return is_null(*value) ? "NULL" : format_text(call->type, *value);
}

TEST(CatalogueFunctions, NamesHaveTheIdsOfWhatTheyStandFor) {
  const ArgumentKind two_ints[] = {{TypeKind::kInt, false}, {TypeKind::kInt, false}};
  const auto sum = resolve_function("+", true, two_ints);
  EXPECT_EQ((*resolve_function("int4pl", false, two_ints))->id, (*sum)->id);
  const auto call = call_of("int24pl", {{kSmallint, "7"}, {kInt, "2147483647"}});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->function, (*sum)->id);
  EXPECT_TRUE(call->arguments[0].is_call(FunctionId::kCast));
  EXPECT_EQ(evaluate(*call, {}).error().sqlstate, "22003");
  for (const ScalarFunction& name : implementation_names()) {
    EXPECT_FALSE(name.is_operator);
    EXPECT_TRUE(name.id == FunctionId::kCast || find_function(name.id) != nullptr) << name.name;
  }
}

TEST(CatalogueFunctions, NamesOfOperatorsAndFunctions) {
  EXPECT_EQ(called("int84div", {{kBigint, "7"}, {kInt, "0"}}), "22012");
  EXPECT_EQ(called("date_lt_timestamp", {{kDate, "2000-01-01"}, {kTimestamp, "2000-01-01 00:00:01"}}), "t");
  EXPECT_EQ(called("bpcharlike", {{kChar, "ab"}, {kText, "a%"}}), "t");
  EXPECT_EQ(called("dsqrt", {{kDouble, "-1"}}), "2201F");
  EXPECT_EQ(called("numeric_div_trunc", {{kNumeric, "7.5"}, {kNumeric, "2"}}), "3");
  EXPECT_EQ(called("int4pl", {{kInt, "1"}, {kNumeric, "1"}}), "42883");
}

TEST(CatalogueFunctions, TypesNamesCastWhatTheyMay) {
  EXPECT_EQ(called("int4", {{kDouble, "2.5"}}), "2");
  EXPECT_EQ(called("int4", {{kText, "17"}}), "17");
  EXPECT_EQ(called("text", {{kInt, "5"}}), "5");
  EXPECT_EQ(called("bool", {{kInt, "2"}}), "t");
  EXPECT_EQ(called("date", {{kDate, "2000-01-01"}}), "2000-01-01");
  EXPECT_EQ(called("time", {{kTimestamp, "2000-01-01 05:06:07"}}), "05:06:07");
  EXPECT_EQ(called("uuid", {{kInt, "1"}}), "42883");
  EXPECT_EQ(called("bool", {{kBigint, "1"}}), "42883");
  const ArgumentKind unknown[] = {{TypeKind::kText, true}};
  EXPECT_EQ((*resolve_function("float8", false, unknown))->arguments, std::vector<TypeKind>{TypeKind::kDouble});
}

TEST(CatalogueFunctions, OrdersTellHowFarBytesAreApart) {
  EXPECT_EQ(called("bttextcmp", {{kText, "a"}, {kText, "d"}}), "-3");
  EXPECT_EQ(called("bttextcmp", {{kText, "ab"}, {kText, "a"}}), "1");
  EXPECT_EQ(called("btint2cmp", {{kSmallint, "5"}, {kSmallint, "2"}}), "3");
  EXPECT_EQ(called("btint4cmp", {{kInt, "5"}, {kInt, "2"}}), "1");
  EXPECT_EQ(called("interval_cmp", {{kInterval, "1 mon"}, {kInterval, "30 days"}}), "0");
}

TEST(CatalogueFunctions, ChoosesTheSecondOfEqualsAndTheFirstOfPaddedOnes) {
  EXPECT_EQ(called("numeric_larger", {{kNumeric, "1.0"}, {kNumeric, "1.00"}}), "1.00");
  EXPECT_EQ(called("interval_smaller", {{kInterval, "1 mon"}, {kInterval, "30 days"}}), "30 days");
  EXPECT_EQ(called("float8larger", {{kDouble, "NaN"}, {kDouble, "1"}}), "NaN");
  EXPECT_EQ(called("bpchar_larger", {{kChar, "ab"}, {kChar, "b"}}), "b    ");
}

TEST(CatalogueFunctions, HashesAreThoseOfPostgres) {
  EXPECT_EQ(called("hashint4", {{kInt, "1"}}), "-1905060026");
  EXPECT_EQ(called("hashint8", {{kBigint, "5000000000"}}), "-694934712");
  EXPECT_EQ(called("hashtext", {{kText, ""}}), "-1477818771");
  EXPECT_EQ(called("hashtext", {{kText, "abcdefghijklmnopqrstuvwxyz"}}), "167831483");
  EXPECT_EQ(called("hashtextextended", {{kText, "abc"}, {kBigint, "0"}}), "-6747756470228489321");
  EXPECT_EQ(called("hashfloat8", {{kDouble, "NaN"}}), "-1275764840");
  EXPECT_EQ(called("hash_numeric", {{kNumeric, "1.50"}}), "692967894");
  EXPECT_EQ(called("hash_numeric", {{kNumeric, "12345678.9"}}), "-1037569625");
  EXPECT_EQ(called("hashbpchar", {{kChar, "ab"}}), "1718550461");
  EXPECT_EQ(called("timestamp_hash", {{kTimestamp, "2000-01-01 00:00:01"}}), "-723906379");
  EXPECT_EQ(called("interval_hash_extended", {{kInterval, "1 day"}, {kBigint, "5"}}), "-4720678035368750082");
  EXPECT_EQ(called("uuid_hash", {{kUuid, "00112233-4455-6677-8899-aabbccddeeff"}}), "776152245");
}

TEST(CatalogueFunctions, AFrameReachesAsFarAsItsOffset) {
  const auto in_range = [](const Type& type, const std::string& value, const std::string& base, const Type& offset_type,
                           const std::string& offset, const std::string& is_before, const std::string& is_less) {
    return called("in_range",
                  {{type, value}, {type, base}, {offset_type, offset}, {kBool, is_before}, {kBool, is_less}});
  };
  EXPECT_EQ(in_range(kInt, "1", "2", kInt, "-1", "t", "t"), "22013");
  EXPECT_EQ(in_range(kBigint, "9223372036854775800", "9223372036854775807", kBigint, "500", "f", "f"), "f");
  EXPECT_EQ(in_range(kDouble, "NaN", "1", kDouble, "1", "t", "t"), "f");
  EXPECT_EQ(in_range(kDouble, "-Infinity", "Infinity", kDouble, "Infinity", "t", "t"), "t");
  EXPECT_EQ(in_range(kTime, "01:00", "23:00", kInterval, "02:00", "f", "t"), "t");
  EXPECT_EQ(in_range(kDate, "2000-01-01", "2000-01-31", kInterval, "1 mon", "t", "t"), "f");
  EXPECT_EQ(in_range(kInterval, "1 mon", "31 days", kInterval, "-1 days", "f", "f"), "22013");
}

TEST(CatalogueFunctions, StepsOfAggregates) {
  EXPECT_EQ(called("int2_sum", {{kBigint, "NULL"}, {kSmallint, "5"}}), "5");
  EXPECT_EQ(called("int4_sum", {{kBigint, "9223372036854775807"}, {kInt, "1"}}), "-9223372036854775808");
  EXPECT_EQ(called("int8_sum", {{kNumeric, "1.50"}, {kBigint, "2"}}), "3.50");
  EXPECT_EQ(called("int8inc", {{kBigint, "9223372036854775807"}}), "22003");
  EXPECT_EQ(called("tsrange_subdiff", {{kTimestamp, "2000-01-01"}, {kTimestamp, "2001-01-01 00:00:00.5"}}),
            "-31622400.5");
}

TEST(CatalogueFunctions, ModifiersCutAndRound) {
  EXPECT_EQ(called("numeric", {{kNumeric, "1.255"}, {kInt, "655366"}}), "1.26");  // numeric(10, 2)
  EXPECT_EQ(called("numeric", {{kNumeric, "100"}, {kInt, "131078"}}), "22003");   // numeric(2, 2)
  EXPECT_EQ(called("time", {{kTime, "05:06:07.55"}, {kInt, "1"}}), "05:06:07.6");
  EXPECT_EQ(called("timestamp", {{kTimestamp, "1999-12-31 23:59:58.5"}, {kInt, "0"}}), "1999-12-31 23:59:58");
  EXPECT_EQ(called("timestamp", {{kTimestamp, "2000-01-01"}, {kInt, "7"}}), "22023");
}

TEST(CatalogueFunctions, SizesOfBytes) {
  EXPECT_EQ(called("pg_size_pretty", {{kBigint, "10239"}}), "10239 bytes");
  EXPECT_EQ(called("pg_size_pretty", {{kBigint, "-9223372036854775808"}}), "-8192 PB");
  EXPECT_EQ(called("pg_size_pretty", {{kNumeric, "-12345678.9"}}), "-12 MB");
  EXPECT_EQ(called("pg_size_bytes", {{kText, " 1.5 mb "}}), "1572864");
  EXPECT_EQ(called("pg_size_bytes", {{kText, "1e2"}}), "100");
  EXPECT_EQ(called("pg_size_bytes", {{kText, "1 B"}}), "22023");
  EXPECT_EQ(called("pg_size_bytes", {{kText, "99999999PB"}}), "22003");
}

TEST(CatalogueFunctions, EscapesAndPatterns) {
  EXPECT_EQ(called("unistr", {{kText, "\\D83D\\DE00\\\\\\+000041"}}), "\xf0\x9f\x98\x80\\A");
  EXPECT_EQ(called("unistr", {{kText, "\\D83Dx"}}), "42601");
  EXPECT_EQ(called("unistr", {{kText, "\\0000"}}), "22023");
  EXPECT_EQ(called("similar_to_escape", {{kText, "a(b|_)%[%]"}}), "^(?:a(?:b|.).*[%])$");
  EXPECT_EQ(called("similar_to_escape", {{kText, "[^]%].[[a%]."}}), "^(?:[^]%]\\.[[a%].)$");
  EXPECT_EQ(called("similar_escape", {{kText, "a#\"b#\"c"}, {kText, "#"}}), "^(?:a){1,1}?(b){1,1}(?:c)$");
  EXPECT_EQ(called("quote_ident", {{kText, "select"}}), "\"select\"");
  EXPECT_EQ(called("quote_ident", {{kText, "a_1"}}), "a_1");
  EXPECT_EQ(called("quote_nullable", {{kText, "NULL"}}), "NULL");
}

TEST(CatalogueFunctions, PlacesOfATextTakeValues) {
  EXPECT_EQ(called("format", {{kText, "%2$s|%1$5s|%-4s|%%"}, {kText, "a"}, {kInt, "7"}}), "7|    a|7   |%");
  EXPECT_EQ(called("format", {{kText, "%I %L %s."}, {kText, "B c"}, {kText, "NULL"}, {kText, "NULL"}}),
            "\"B c\" NULL .");
  EXPECT_EQ(called("format", {{kText, "%*s"}, {kInt, "-3"}, {kText, "x"}}), "x  ");
  EXPECT_EQ(called("format", {{kText, "%I"}, {kText, "NULL"}}), "22004");
  EXPECT_EQ(called("format", {{kText, "%s"}}), "22023");
  EXPECT_EQ(called("format", {{kText, "%2000000000s"}, {kText, "x"}}), "54000");
}

TEST(CatalogueFunctions, PeriodsOverlap) {
  const auto overlaps = [](const std::string& from, const std::string& to, const std::string& other_from,
                           const std::string& other_to) {
    return called("overlaps", {{kTimestamp, from}, {kTimestamp, to}, {kTimestamp, other_from}, {kTimestamp, other_to}});
  };
  EXPECT_EQ(overlaps("2000-01-01", "2000-01-03", "2000-01-05", "2000-01-02"), "t");
  EXPECT_EQ(overlaps("2000-01-01", "2000-01-02", "2000-01-02", "2000-01-03"), "f");
  EXPECT_EQ(overlaps("2000-01-01", "NULL", "2000-01-02", "2000-01-03"), "NULL");
  EXPECT_EQ(overlaps("2000-01-02", "NULL", "2000-01-03", "2000-01-01"), "t");
  EXPECT_EQ(called("overlaps", {{kTime, "23:00"}, {kInterval, "02:00"}, {kTime, "00:30"}, {kTime, "00:45"}}), "f");
  EXPECT_EQ(called("overlaps", {{kTime, "05:00"}, {kInterval, "02:00"}, {kTime, "06:30"}, {kTime, "NULL"}}), "t");
}

TEST(CatalogueFunctions, NumbersAreWrittenAsTemplatesSay) {
  const auto written = [](const Type& type, const std::string& value, const std::string& format) {
    return called("to_char", {{type, value}, {kText, format}});
  };
  EXPECT_EQ(written(kNumeric, "-1234.5", "9G999D99S"), "1,234.50-");
  EXPECT_EQ(written(kNumeric, "0.5", "99.99"), "   .50");
  EXPECT_EQ(written(kInt, "5", "FM000PR"), "005");
  EXPECT_EQ(written(kInt, "12345", "999"), " ###");
  EXPECT_EQ(written(kInt, "3", "9th"), " 3rd");
  EXPECT_EQ(written(kNumeric, "3999.4", "rn"), "      mmmcmxcix");
  EXPECT_EQ(written(kNumeric, "99.96", "9.9EEEE"), " 10.0e+01");
  EXPECT_EQ(written(kReal, "123456.78", "9999999.99"), "  123457");
  EXPECT_EQ(written(kDouble, "NaN", "999.9"), " NaN");
  EXPECT_EQ(written(kDouble, "NaN", "999th"), "22P02");
  EXPECT_EQ(written(kInt, "2000000000", "9V99"), "22003");
  EXPECT_EQ(written(kInt, "1", "9.9.9"), "42601");
  EXPECT_EQ(written(kInt, "1", "sPL"), "42601");
}

TEST(CatalogueFunctions, NumbersAreReadAsTemplatesSay) {
  const auto read = [](const std::string& text, const std::string& format) {
    return called("to_number", {{kText, text}, {kText, format}});
  };
  EXPECT_EQ(read("-12,454.8", "99G999D9S"), "-12454.8");
  EXPECT_EQ(read("<5>", "9PR"), "-5");
  EXPECT_EQ(read("5-", "99MI"), "-5");
  EXPECT_EQ(read("5-", "99"), "5");
  EXPECT_EQ(read("1234", "99V99"), "12.3400000000000000");
  EXPECT_EQ(read("\xe2\x82\xac"
                 "1",
                 "L9"),
            "1");
  EXPECT_EQ(read("abc", "999"), "22P02");
  EXPECT_EQ(read("1", "9EEEE"), "0A000");
  EXPECT_EQ(read("1", ""), "NULL");
}

TEST(CatalogueFunctions, IntervalsAreWrittenAsTemplatesSay) {
  const auto written = [](const std::string& value, const std::string& format) {
    return called("to_char", {{kInterval, value}, {kText, format}});
  };
  EXPECT_EQ(written("14 months 35 days 29:45:06.789", "YYYY-MM-DD HH24:MI:SS.MS DDD"), "0001-02-35 29:45:06.789 455");
  EXPECT_EQ(written("-14 months -35 days -29:45:06", "YYYY MM DD HH24 HH12 WW"), "-0001 -02 -35 -29 -05 -64");
  EXPECT_EQ(written("-1 mon", "RM DDD IDDD"), "XII  -30 301");
  EXPECT_EQ(written("1 day", "Day"), "22007");
  EXPECT_EQ(written("29:00", "HH24TH"), "29TH");
}

TEST(CatalogueFunctions, DatesAreReadAsTemplatesSay) {
  const auto date = [](const std::string& text, const std::string& format) {
    return called("to_date", {{kText, text}, {kText, format}});
  };
  EXPECT_EQ(date("05 Dec 2000", "DD Mon YYYY"), "2000-12-05");
  EXPECT_EQ(date("2006-42-4", "IYYY-IW-ID"), "2006-10-19");
  EXPECT_EQ(date("2000-100", "YYYY-DDD"), "2000-04-09");
  EXPECT_EQ(date("20 99", "CC YY"), "1999-01-01");
  EXPECT_EQ(date("97", "YY"), "1997-01-01");
  EXPECT_EQ(date("2451187", "J"), "1999-01-08");
  EXPECT_EQ(date("2000-02-30", "YYYY-MM-DD"), "22008");
  EXPECT_EQ(date("2000 2001", "YYYY YYYY"), "22007");
  EXPECT_EQ(date("2000 10", "YYYY IW"), "22007");
  EXPECT_EQ(date("x", "TZ"), "0A000");
  EXPECT_EQ(date("100 BC", "YYYY BC"), "0100-01-01 BC");  // Years before 1 are beyond what is here.
  const auto moment = [](const std::string& text, const std::string& format) {
    return called("to_timestamp", {{kText, text}, {kText, format}});
  };
  EXPECT_EQ(moment("2000-01-01 05:00 +05:30", "YYYY-MM-DD HH24:MI TZH:TZM"), "1999-12-31 23:30:00+00");
  EXPECT_EQ(moment("2000 12:34 PM .5", "YYYY HH12:MI AM .MS"), "2000-01-01 12:34:00.5+00");
  EXPECT_EQ(moment("13:00", "HH12:MI"), "22007");
  EXPECT_EQ(moment("2000 30", "YYYY TZH"), "22009");
  EXPECT_EQ(moment("\xc3\xa9\xc3\xa9\xc3\xa9", "YYYY"), "22007");
}

TEST(CatalogueFunctions, MatchesThatTakeTooLongAreRefused) {
  // Each letter is a match, and for each all of the text is looked at for a longer one.
  const std::string text(4'000, 'a');
  const std::string expression = "a|a*" + std::string(100, '.') + "b";
  for (const char* name : {"regexp_count", "regexp_replace"}) {
    std::vector<Argument> arguments{{kText, text}, {kText, expression}};
    if (name == std::string_view("regexp_replace")) {
      arguments.insert(arguments.end(), {{kText, ""}, {kText, "g"}});
    }
    EXPECT_EQ(called(name, arguments), "54000") << name;
    arguments[0].text.resize(100);
    EXPECT_EQ(called(name, arguments), arguments.size() == 2 ? "100" : "") << name;
  }
  EXPECT_EQ(called("regexp_substr", {{kText, text}, {kText, expression}, {kInt, "1"}, {kInt, "3999"}}), "54000");
  EXPECT_EQ(called("regexp_count", {{kText, text}, {kText, "a"}}), "4000");
  EXPECT_EQ(called("regexp_count", {{kText, text}, {kText, "[ab]"}}), "4000");
}

}  // namespace
}  // namespace daedalus::semantics

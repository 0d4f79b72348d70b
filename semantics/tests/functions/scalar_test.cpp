// Functions of the table by themselves. What each of them means PostgreSQL judges (tests/oracle); here is what has a
// plain twin, and what no statement can write.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "plain_types.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

/// The call's value as text, or its error.
std::string called(std::string_view name, const Type& type, const std::vector<std::string>& texts) {
  std::vector<BoundExpression> arguments;
  std::vector<ArgumentKind> kinds;
  for (const std::string& text : texts) {
    arguments.push_back(make_constant(type, text == "NULL" ? Value() : *parse_text(type, text)));
    kinds.push_back({type.kind, false});
  }
  const auto function = resolve_function(name, false, kinds);
  const auto call = function ? make_call((*function)->id, std::move(arguments)) : function.error();
  const auto value = call ? evaluate(*call, {}) : call.error();
  if (!value) {
    return value.error().sqlstate;
  }
  return is_null(*value) ? "NULL" : format_text(call->type, *value);
}

TEST(Scalar, DigestsAreThoseOfTheRfc) {
  EXPECT_EQ(called("md5", kText, {""}), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(called("md5", kText, {"abc"}), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(called("md5", kText, {"12345678901234567890123456789012345678901234567890123456789012345678901234567890"}),
            "57edf4a22be3c955ac49da2e2107b67a");
  // The length just fits into the block, and just does not.
  EXPECT_EQ(called("md5", kText, {std::string(55, 'a')}), "ef1772b6dff9a122358552954ad0df65");
  EXPECT_EQ(called("md5", kText, {std::string(56, 'a')}), "3b0c8ac703f828b04c6c197006d17218");
}

TEST(Scalar, CharactersHaveTheBytesOfUtf8) {
  EXPECT_EQ(called("chr", kInt, {"97"}), "a");
  EXPECT_EQ(called("chr", kInt, {"233"}), "\xc3\xa9");
  EXPECT_EQ(called("chr", kInt, {"8364"}), "\xe2\x82\xac");
  EXPECT_EQ(called("chr", kInt, {"128512"}), "\xf0\x9f\x98\x80");
  for (const std::string code : {"127", "128", "2047", "2048", "65535", "65536", "1114111"}) {
    EXPECT_EQ(called("ascii", kText, {called("chr", kInt, {code})}), code);
  }
}

/// Buffers are as long as types say that texts may be.
TEST(Scalar, NoTextIsLongerThanItsType) {
  Random random(7);
  const auto below = [&](int64_t bound) { return random.between(0, bound - 1); };
  const auto some_text = [&] {
    constexpr std::string_view kCharacters[] = {"a", "b", "'", "\\", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    std::string made;
    for (int64_t size = below(6); size > 0; --size) {
      made += kCharacters[below(std::ssize(kCharacters))];
    }
    return made;
  };
  const auto is_drawn = [](TypeKind kind) { return kind == TypeKind::kText || is_integer(kind); };
  for (const ScalarFunction& function : scalar_functions()) {
    if (function.result != TypeKind::kText || function.evaluate == nullptr ||
        !std::all_of(function.arguments.begin(), function.arguments.end(), is_drawn)) {
      continue;
    }
    for (int draw = 0; draw < 200; ++draw) {
      std::vector<BoundExpression> arguments;
      std::vector<Value> row;
      for (const TypeKind kind : function.arguments) {
        Type type{kind};
        row.push_back(kind == TypeKind::kText ? Value(some_text()) : Value(below(16) - 3));
        type.length =
            kind == TypeKind::kText ? std::max(1u, static_cast<uint32_t>(std::get<std::string>(row.back()).size())) : 0;
        const auto place = static_cast<uint32_t>(row.size() - 1);
        arguments.push_back(below(2) == 0 ? make_input(place, type, false) : make_constant(Type{kind}, row.back()));
      }
      const Result<BoundExpression> call = make_call(function.id, std::move(arguments));
      const Result<Value> value = call ? evaluate(*call, row) : Result<Value>(Value());
      if (value && !is_null(*value)) {
        ASSERT_LE(std::get<std::string>(*value).size(), call->type.length) << function.name;
      }
    }
  }
}

TEST(Scalar, ATimeGoesRoundItsDay) {
  const auto moved = [](const char* time, const char* interval) {
    const ArgumentKind kinds[] = {{TypeKind::kTime, false}, {TypeKind::kInterval, false}};
    const auto function = resolve_function("+", true, kinds);
    const auto call = make_call((*function)->id,
                                {make_constant({TypeKind::kTime}, *parse_text({TypeKind::kTime}, time)),
                                 make_constant({TypeKind::kInterval}, *parse_text({TypeKind::kInterval}, interval))});
    return format_text({TypeKind::kTime}, *evaluate(*call, {}));
  };
  EXPECT_EQ(moved("23:00", "02:00"), "01:00:00");
  EXPECT_EQ(moved("01:00", "-02:00"), "23:00:00");
  EXPECT_EQ(moved("24:00", "00:00"), "00:00:00");
  EXPECT_EQ(moved("12:00", "5 mons 3 days 48:00"), "12:00:00");
  // The beginning of its day is beyond 64 bits for the least span that there is.
  const Value least = Interval{0, 0, std::numeric_limits<int64_t>::min()};
  const Result<Value> time = assign({TypeKind::kInterval}, least, {TypeKind::kTime});
  ASSERT_TRUE(time);
  EXPECT_EQ(std::get<int64_t>(*time), 71'945'224'192);
}

TEST(Scalar, WholePowersAreProducts) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Decimal base{BigInt(random.between(-99'999, 99'999)), static_cast<int32_t>(random.between(0, 5))};
    const int64_t exponent = random.between(0, 20);
    Decimal product{1, 0};
    for (int64_t times = 0; times < exponent; ++times) {
      product = multiply(product, base);
    }
    const std::string expected = format_decimal(rescale(product, 16));
    EXPECT_EQ(called("power", kNumeric, {format_decimal(base), std::to_string(exponent)}), expected);
  }
}

TEST(Scalar, LogarithmsAndPowersUndoEachOther) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const Decimal value{BigInt(random.between(1, 1'000'000'000)), static_cast<int32_t>(random.between(0, 9))};
    // The logarithm is right to half of its last digit, which the power magnifies by the value.
    const std::string logarithm = called("ln", kNumeric, {format_decimal(rescale(value, 40))});
    const Decimal back = std::get<Decimal>(*parse_text(kNumeric, called("exp", kNumeric, {logarithm})));
    const Decimal difference = add(back, {BigInt(-value.unscaled), value.scale});
    EXPECT_LT(compare_decimals({BigInt(boost::multiprecision::abs(difference.unscaled)), difference.scale}, {1, 25}), 0)
        << format_decimal(value);
  }
}

TEST(Scalar, FunctionsOfAnyValuesTakeNulls) {
  EXPECT_EQ(called("concat", kText, {"a", "NULL", "b"}), "ab");
  EXPECT_EQ(called("concat_ws", kText, {"-", "a", "NULL", "b"}), "a-b");
  EXPECT_EQ(called("concat_ws", kText, {"NULL", "a"}), "NULL");
  EXPECT_EQ(called("num_nulls", kText, {"a", "NULL", "b", "c", "NULL", "d"}), "2");
  EXPECT_EQ(called("upper", kText, {"NULL"}), "NULL");
}

TEST(Scalar, ACallWithoutTheValuesThatItTakesIsMalformed) {
  const std::vector<ArgumentKind> one(1, ArgumentKind{TypeKind::kText, false});
  const FunctionId concat = (*resolve_function("concat", false, one))->id;
  EXPECT_EQ(make_call(concat, {}).error().sqlstate, "08P01");
  EXPECT_EQ(resolve_function("concat", false, {}).error().sqlstate, "42883");
}

}  // namespace
}  // namespace daedalus::semantics

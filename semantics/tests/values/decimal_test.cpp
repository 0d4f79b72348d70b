// Decimals are the same whether their digits fit into 128 bits or not: each operation against plain BigInt arithmetic.
#include "daedalus/semantics/decimal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

namespace daedalus::semantics {
namespace {

uint64_t seed() {
  const char* given = std::getenv("DAEDALUS_SEED");
  const uint64_t made = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "DAEDALUS_SEED=" << made << '\n';
  return made;
}

/// Draws a number of few digits, of many, or beside 2^63, 2^64, 2^126, 2^127 and 2^128.
BigInt some_number(std::mt19937_64& random) {
  constexpr std::array<uint32_t, 6> kEdges = {0, 63, 64, 126, 127, 128};
  const BigInt edge = BigInt(1) << kEdges[random() % kEdges.size()];
  const BigInt near = edge + static_cast<int64_t>(random() % 5) - 2;
  const BigInt any = (BigInt(random()) << 64 | random()) >> (random() % 130);
  const BigInt made = random() % 2 == 0 ? near : any;
  return random() % 2 == 0 ? made : BigInt(-made);
}

Decimal some_decimal(std::mt19937_64& random) { return {some_number(random), static_cast<int32_t>(random() % 24)}; }

BigInt scaled(const Decimal& value, int32_t scale) {
  return value.unscaled * boost::multiprecision::pow(BigInt(10), static_cast<uint32_t>(scale - value.scale));
}

/// Half away from zero.
BigInt quotient(const BigInt& numerator, const BigInt& denominator) {
  const BigInt twice = 2 * boost::multiprecision::abs(numerator) + boost::multiprecision::abs(denominator);
  const BigInt made = twice / (2 * boost::multiprecision::abs(denominator));
  return numerator.sign() * denominator.sign() < 0 ? BigInt(-made) : made;
}

std::string digits_of(const Decimal& value) {
  std::string digits = BigInt(boost::multiprecision::abs(value.unscaled)).str();
  const auto scale = static_cast<size_t>(value.scale);
  digits.insert(0, digits.size() > scale ? 0 : scale + 1 - digits.size(), '0');
  return (value.unscaled.sign() < 0 ? "-" : "") + digits.substr(0, digits.size() - scale) +
         (scale > 0 ? "." + digits.substr(digits.size() - scale) : "");
}

class DecimalProperty : public ::testing::Test {
 protected:
  template <typename Check>
  void for_pairs(Check&& check) {
    constexpr int kPairs = 20'000;
    for (int pair = 0; pair < kPairs && !HasFatalFailure(); ++pair) {
      const Decimal left = some_decimal(random_);
      const Decimal right = some_decimal(random_);
      SCOPED_TRACE(digits_of(left) + " and " + digits_of(right));
      check(left, right, std::max(left.scale, right.scale));
    }
  }

  std::mt19937_64 random_{seed()};
};

TEST_F(DecimalProperty, SumsProductsAndRemaindersAreThoseOfBigIntegers) {
  for_pairs([](const Decimal& left, const Decimal& right, int32_t scale) {
    ASSERT_EQ(add(left, right), (Decimal{BigInt(scaled(left, scale) + scaled(right, scale)), scale}));
    ASSERT_EQ(multiply(left, right), (Decimal{BigInt(left.unscaled * right.unscaled), left.scale + right.scale}));
    ASSERT_EQ(compare_decimals(left, right), scaled(left, scale).compare(scaled(right, scale)));
    if (!right.unscaled.is_zero()) {
      ASSERT_EQ(remainder(left, right), (Decimal{BigInt(scaled(left, scale) % scaled(right, scale)), scale}));
    }
  });
}

TEST_F(DecimalProperty, QuotientsAreRoundedAtTheScaleThatTheyHave) {
  for_pairs([](const Decimal& left, const Decimal& right, int32_t scale) {
    if (right.unscaled.is_zero()) {
      return;
    }
    const Decimal made = divide(left, right);
    ASSERT_GE(made.scale, scale);
    ASSERT_EQ(made.unscaled, quotient(scaled(left, made.scale + right.scale), right.unscaled));
  });
}

TEST_F(DecimalProperty, ScalesAndBoundsAreThoseOfBigIntegers) {
  for_pairs([](const Decimal& left, const Decimal& right, int32_t) {
    const BigInt unit =
        boost::multiprecision::pow(BigInt(10), static_cast<uint32_t>(std::abs(left.scale - right.scale)));
    const BigInt at_scale = right.scale >= left.scale ? BigInt(left.unscaled * unit) : quotient(left.unscaled, unit);
    ASSERT_EQ(rescale(left, right.scale), (Decimal{at_scale, right.scale}));
    for (const uint32_t precision : {1u, 18u, 19u, 37u, 38u, 39u, 40u}) {
      const BigInt bound = boost::multiprecision::pow(BigInt(10), precision);
      ASSERT_EQ(fits_precision(left, precision), boost::multiprecision::abs(left.unscaled) < bound) << precision;
    }
    const BigInt divisor = boost::multiprecision::abs(right.unscaled) + 1;
    const BigInt floor = left.unscaled.sign() >= 0 ? BigInt(left.unscaled / divisor)
                                                   : BigInt(-((-left.unscaled + divisor - 1) / divisor));
    ASSERT_EQ(divide_floor(left.unscaled, divisor), floor);
    ASSERT_EQ(divide_rounded(left.unscaled, divisor), quotient(left.unscaled, divisor));
  });
}

TEST_F(DecimalProperty, TextAndFloatingNumbersAreThoseOfTheDigits) {
  for_pairs([](const Decimal& value, const Decimal&, int32_t) {
    ASSERT_EQ(format_decimal(value), digits_of(value));
    std::string text = "before ";
    append_decimal(value, text);
    ASSERT_EQ(text, "before " + digits_of(value));
    ASSERT_EQ(to_double(value).value_or(0), std::strtod(digits_of(value).c_str(), nullptr));
    const float narrow = std::strtof(digits_of(value).c_str(), nullptr);
    ASSERT_EQ(to_float(value).value_or(0), std::isinf(narrow) ? 0 : narrow);
  });
}

/// digits · 10^e = mantissa · 2^b, by BigInt.
TEST_F(DecimalProperty, DecimalsThatAreBinaryAreFound) {
  int equal = 0;
  for (int draw = 0; draw < 50'000; ++draw) {
    const auto decimal_exponent = static_cast<int>(random_() % 60) - 30;
    auto mantissa = static_cast<int64_t>((random_() >> 9) >> (random_() % 54)) + 1;
    uint64_t digits = random_() % 1'000'000 + 1;
    int binary_exponent = static_cast<int>(random_() % 200) - 100;
    if (random_() % 2 == 0 && std::abs(decimal_exponent) < 8) {
      // One that is: fives on the side that lacks them.
      int64_t fives = 1;
      for (int five = std::abs(decimal_exponent); five > 0; --five) {
        fives *= 5;
      }
      const auto odd = static_cast<int64_t>(random_() % 1'000) * 2 + 1;
      digits = static_cast<uint64_t>(decimal_exponent > 0 ? odd : odd * fives) << (random_() % 8);
      mantissa = decimal_exponent > 0 ? odd * fives : odd;
      binary_exponent = decimal_exponent + __builtin_ctzll(digits);
    }
    BigInt left = digits;
    BigInt right = mantissa;
    (decimal_exponent > 0 ? left : right) *=
        boost::multiprecision::pow(BigInt(10), static_cast<uint32_t>(std::abs(decimal_exponent)));
    (binary_exponent > 0 ? right : left) <<= static_cast<uint32_t>(std::abs(binary_exponent));
    ASSERT_EQ(is_equal(digits, decimal_exponent, mantissa, binary_exponent), left == right)
        << digits << "e" << decimal_exponent << " and " << mantissa << "p" << binary_exponent;
    equal += left == right ? 1 : 0;
  }
  EXPECT_GT(equal, 1'000);
}

}  // namespace
}  // namespace daedalus::semantics

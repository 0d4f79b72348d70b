// The table's word on a function holds for whatever it is asked: each entry, with random and extreme values.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "random_values.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

/// Texts that mean something to some function: patterns, formats, flags, fields, numbers, moments, and nothing at all.
const std::vector<std::string> kTexts = {
    "",         " ",      "S",     "^S",         "(a)|b",      "a.*",        "[ab]+",     "(",
    "%",        "a_%",    "\\",    "%s %I",      "%1$L",       "i",          "g",         "hex",
    "base64",   "escape", "\\xff", "YYYY-MM-DD", "HH24",       "999.9",      "FM0V9",     "day",
    "epoch",    "year",   "week",  "isodow",     "2013-02-29", "2013-02-28", "12:00",     "1 day",
    "-12",      "1e3",    "NaN",   "true",       "abab",       "aabb",       "\xc3\xa9z", "\xf0\x9f\x98\x80",
    "public",   "PT1H",   "#",     "a#\"b#\"c",  "0001-01-01", "SSSSSS",     "RN",        "9EEEE",
    "infinity", "{1,2}"};

constexpr std::array kKinds = {TypeKind::kBool,     TypeKind::kSmallint,    TypeKind::kInt,       TypeKind::kBigint,
                               TypeKind::kReal,     TypeKind::kDouble,      TypeKind::kNumeric,   TypeKind::kDate,
                               TypeKind::kChar,     TypeKind::kVarchar,     TypeKind::kTimestamp, TypeKind::kText,
                               TypeKind::kInterval, TypeKind::kTimestampTz, TypeKind::kTime,      TypeKind::kUuid};

/// Each function has so many rounds; up to the second for a NULL that is declared and has not come yet.
constexpr int kRounds = 100;
constexpr int kRoundsMax = 10'000;

/// A type of the kind, as a column or something computed may have it.
Type type_of(Random& random, TypeKind kind) {
  Type type{kind};
  if (is_string(kind)) {
    type.length = static_cast<uint32_t>(random.between(1, 10));
  } else if (kind == TypeKind::kNumeric && random.chance(70)) {
    type.precision = static_cast<uint32_t>(random.between(1, kNumericPrecisionMax));
    type.scale = static_cast<uint32_t>(random.between(0, type.precision));
  }
  return type;
}

/// A value of the type: small ones often, so that they meet, and the ends of its range.
Value value_of(Random& random, const Type& type) {
  if (is_string(type.kind) && random.chance(70)) {
    std::string text = random.pick(kTexts);
    if (text.size() <= type.length && (type.kind != TypeKind::kChar || !text.ends_with(' '))) {
      return text;
    }
  }
  if (is_integer(type.kind) && random.chance(60)) {
    return random.between(-3, 6);
  }
  return random.value(type);
}

/// One argument: a column of the row, or a constant.
struct Drawn {
  BoundExpression argument;
  Value value;
};

Drawn draw(Random& random, TypeKind kind, uint32_t place, bool may_be_null) {
  const Type type = type_of(random, kind);
  const Value value = may_be_null && random.chance(25) ? Value() : value_of(random, type);
  return {random.chance(60) ? make_input(place, type, may_be_null) : make_constant(type, value), value};
}

/// Draws what bind_zone() makes of a zone, which is what such an argument is when a row is asked.
Drawn draw_zone(Random& random, bool may_be_offset) {
  const std::vector<std::string> zones = {"UTC", "+3", "-03:30", "<x>-1"};
  const std::string& name = random.pick(zones);
  const Result<std::string> bound = may_be_offset ? bind_zone_or_offset(name, nullptr) : bind_zone(name, nullptr);
  EXPECT_TRUE(bound) << name;
  const Value value = bound ? *bound : std::string();
  return {make_constant({TypeKind::kText}, value), value};
}

/// A call and the row that it is asked about.
struct Question {
  std::vector<BoundExpression> arguments;
  std::vector<Value> row;

  void add(Drawn drawn) {
    arguments.push_back(std::move(drawn.argument));
    row.push_back(std::move(drawn.value));
  }
};

Question question_for(Random& random, const ScalarFunction& function, bool may_be_null) {
  Question made;
  for (size_t place = 0; place < function.arguments.size(); ++place) {
    const bool is_zone = function.zone_place == static_cast<int8_t>(place) ||
                         (function.is_at_zone && place + 1 == function.arguments.size());
    made.add(is_zone ? draw_zone(random, function.zone_may_be_offset)
                     : draw(random, function.arguments[place], static_cast<uint32_t>(place), may_be_null));
  }
  for (int64_t more = function.takes_any ? random.between(1, 3) : 0; more > 0; --more) {
    const TypeKind kind = kKinds[static_cast<size_t>(random.between(0, std::ssize(kKinds) - 1))];
    made.add(draw(random, kind, static_cast<uint32_t>(made.row.size()), may_be_null));
  }
  return made;
}

/// Why the value is none of the type: another alternative, more bytes, other digits. Empty: it is one.
std::string fault_of(const Type& type, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (!is_string(type.kind) && type.kind != TypeKind::kUuid) {
      return "a text";
    }
    const bool is_longer = type.length > 0 && text->size() > type.length;
    return is_longer ? std::to_string(text->size()) + " bytes instead of " + std::to_string(type.length) : "";
  }
  if (const auto* number = std::get_if<Decimal>(&value)) {
    if (type.kind != TypeKind::kNumeric) {
      return "a numeric";
    }
    const bool fits = type.precision == 0 ||
                      (number->scale == static_cast<int32_t>(type.scale) && fits_precision(*number, type.precision));
    return fits ? "" : "a numeric of other digits: " + format_decimal(*number);
  }
  if (std::holds_alternative<double>(value)) {
    return is_floating(type.kind) ? "" : "a floating number";
  }
  if (std::holds_alternative<bool>(value)) {
    return type.kind == TypeKind::kBool ? "" : "a truth";
  }
  if (std::holds_alternative<Interval>(value)) {
    return type.kind == TypeKind::kInterval ? "" : "an interval";
  }
  if (is_integer(type.kind)) {
    const IntegerRange range = integer_range(type.kind);
    const int64_t number = std::get<int64_t>(value);
    return number >= range.low && number <= range.high ? "" : "an integer out of range";
  }
  return is_timestamp(type.kind) || type.kind == TypeKind::kDate || type.kind == TypeKind::kTime ? "" : "an integer";
}

std::string described(const BoundExpression& call, const std::vector<Value>& row) {
  std::string made = std::to_string(static_cast<int>(call.function)) + " of";
  for (size_t place = 0; place < row.size(); ++place) {
    const Type& type = call.arguments[place].type;
    made += " " + (is_null(row[place]) ? "NULL" : "'" + format_text(type, row[place]) + "'") + "::" + to_string(type);
  }
  return made;
}

/// Asks a call once; returns why what it answers is not what was declared. Empty: it is.
std::string broken_promise(const BoundExpression& call, const std::vector<Value>& row,
                           std::set<FunctionId>& made_null) {
  const Result<Value> value = evaluate(call, row);
  if (!value) {
    const bool is_null = value.error().message == unexpected_null(call).message;
    return can_fail(call) && !is_null ? "" : "it fails: " + value.error().message;
  }
  if (is_null(*value)) {
    if (std::none_of(row.begin(), row.end(), [](const Value& each) { return is_null(each); })) {
      made_null.insert(call.function);
    }
    return "";
  }
  const std::string fault = fault_of(call.type, *value);
  return fault.empty() ? "" : to_string(call.type) + ": it is " + fault;
}

TEST(DeclaredFunctions, KeepWhatTheTableSaysOfNullsErrorsTypesAndLengths) {
  Random random(39);
  std::set<FunctionId> made_null;
  for (const ScalarFunction& function : scalar_functions()) {
    if (function.evaluate == nullptr) {
      continue;
    }
    const auto is_missing = [&] { return function.may_be_null && !made_null.contains(function.id); };
    for (int round = 0; round < kRounds || (is_missing() && round < kRoundsMax); ++round) {
      const Question asked = question_for(random, function, round % 2 == 0);
      const Result<BoundExpression> call = make_call(function.id, asked.arguments);
      if (!call) {
        ASSERT_EQ(call.error().sqlstate.substr(0, 2), "54") << function.name << ": " << call.error().message;
        continue;
      }
      const std::string broken = broken_promise(*call, asked.row, made_null);
      ASSERT_EQ(broken, "") << function.name << ", " << described(*call, asked.row);
    }
  }
  for (const ScalarFunction& function : scalar_functions()) {
    const bool is_found = made_null.contains(function.id);
    if (function.may_be_null) {
      EXPECT_TRUE(is_found) << function.name << " is declared to make NULLs, and makes none";
    }
  }
}

TEST(DeclaredFunctions, CastsKeepWhatTheirTypesSay) {
  Random random(40);
  std::set<FunctionId> made_null;
  for (const TypeKind from : kKinds) {
    for (const TypeKind to : kKinds) {
      for (int round = 0; round < 60 && can_cast_explicitly(from, to); ++round) {
        Question asked;
        asked.add(draw(random, from, 0, round % 2 == 0));
        const Result<BoundExpression> call = make_call(FunctionId::kCast, asked.arguments, type_of(random, to));
        ASSERT_TRUE(call) << call.error().message;
        const std::string broken = broken_promise(*call, asked.row, made_null);
        ASSERT_EQ(broken, "") << to_string(call->type) << ", " << described(*call, asked.row);
      }
    }
  }
}

TEST(DeclaredFunctions, ANullWhereNoneMayBeIsAnError) {
  BoundExpression call = *make_call(FunctionId::kNot, {make_input(0, {TypeKind::kBool}, false)});
  const std::array<Value, 1> row = {Value()};
  EXPECT_EQ(evaluate(call, row).error().sqlstate, "XX000");
}

}  // namespace
}  // namespace daedalus::semantics

// No expression allocates memory per row: functions, casts and forms, whether they have kernels or not.
//
// Each is evaluated over the same chunks again and again; once it is warm, allocations are counted. Decides what its
// arguments are: columns where rows are fit for it, otherwise constants. Prints what each costs, the dearest first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>

#include "counted_allocations.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/selection.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "daedalus/semantics/uuid.hpp"
#include "expression_column.hpp"
#include "filled_store.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::ScalarFunction;
using semantics::Type;
using semantics::TypeKind;

constexpr uint32_t kChunkRows = 2'048;
constexpr uint32_t kChunks = 4;
constexpr int kPasses = 3;
/// A warm batch does not allocate by rows: a fraction of this at most.
constexpr double kPerRowMax = 0.01;

// ---- rows that most functions take ----

/// An interval(3) has this kind: all fields, three digits behind the point.
constexpr int64_t kMillisecondsOnly = int64_t{0x7fff} << 16 | 3;

const uint32_t kMomentPlace = *test_schema().find("moment");
const uint32_t kClockPlace = *test_schema().find("clock");
const uint32_t kTagPlace = *test_schema().find("tag");

Row sensible_row(Random& random, int64_t slot) {
  const auto number = [&](uint64_t bound) { return static_cast<int64_t>(below(random, bound)) + 1; };
  const auto letters = [&](size_t size) {
    std::string made;
    while (made.size() < size) {
      made += static_cast<char>('a' + below(random, 26));
    }
    return made;
  };
  Row row(test_schema().columns.size());
  row[kId] = slot;
  row[kKey] = number(20);
  row[kBool] = one_in(random, 2);
  row[kSmall] = number(20);
  row[kInt] = number(1'000'000);
  row[kBig] = number(1'000'000'000'000);
  row[kReal] = static_cast<double>(static_cast<float>(number(999)) / 1'000);
  row[kDouble] = static_cast<double>(number(999'999)) / 1'000'000;
  row[kNumeric] = decimal(number(100'000), 2);
  row[kWide] = decimal(number(1'000'000'000'000), 4);
  row[kDay] = 15'706 + number(10'000);
  row[kTime] = (15'706 + number(1'000)) * semantics::kMicrosPerDay + number(semantics::kMicrosPerDay - 1);
  row[kChar] = letters(5);
  row[kText] = letters(12);
  row[kFlag] = letters(1);
  row[kCode] = letters(8);
  row[kName] = letters(21);
  row[kMomentPlace] = (15'706 + number(1'000)) * semantics::kMicrosPerDay + number(semantics::kMicrosPerDay - 1);
  row[kClockPlace] = number(semantics::kMicrosPerDay - 1);
  row[kTagPlace] = semantics::uuid_bytes(__int128{number(INT64_MAX - 1)} << 60);
  return row;
}

// ---- arguments ----

BoundExpression column(uint32_t number) { return semantics::column_of(test_schema(), number); }

BoundExpression cast(BoundExpression from, Type to) {
  return *semantics::make_call(FunctionId::kCast, {std::move(from)}, to);
}

BoundExpression constant(TypeKind kind, Value value) { return semantics::make_constant(Type{kind}, std::move(value)); }

BoundExpression text(std::string value) { return constant(TypeKind::kText, std::move(value)); }

/// A call of the function or operator of this name that takes these.
BoundExpression named_call(const std::string& name, std::vector<BoundExpression> arguments) {
  std::vector<semantics::ArgumentKind> kinds;
  for (const BoundExpression& argument : arguments) {
    kinds.push_back({argument.type.kind, false});
  }
  const auto function = semantics::resolve_function(name, !std::isalpha(name.front()), kinds);
  return *semantics::make_named_call(**function, std::move(arguments));
}

/// The span between two columns.
BoundExpression some_interval() {
  return named_call("-", {column(kTime), constant(TypeKind::kTimestamp, int64_t{1'356'998'400'000'000})});
}

/// Returns what may stand for an argument of a kind, the most telling first.
std::vector<BoundExpression> candidates(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return {column(kBool)};
    case TypeKind::kSmallint:
      return {column(kSmall)};
    case TypeKind::kInt:
      return {column(kKey), column(kInt), constant(kind, int64_t{6}), constant(kind, kMillisecondsOnly)};
    case TypeKind::kBigint:
      return {column(kBig), cast(column(kSmall), Type{kind})};
    case TypeKind::kReal:
      return {column(kReal)};
    case TypeKind::kDouble:
      return {column(kDouble), cast(column(kSmall), Type{kind}), constant(kind, 2.0)};
    case TypeKind::kNumeric:
      return {column(kNumeric), column(kWide), cast(column(kSmall), Type{kind}), constant(kind, decimal(2, 0))};
    case TypeKind::kDate:
      return {column(kDay)};
    case TypeKind::kTimestamp:
      return {column(kTime), constant(kind, int64_t{1'356'998'400'000'000})};
    case TypeKind::kTimestampTz:
      return {column(kMomentPlace), constant(kind, int64_t{1'356'998'400'000'000})};
    case TypeKind::kTime:
      return {column(kClockPlace)};
    case TypeKind::kUuid:
      return {column(kTagPlace)};
    case TypeKind::kChar:
      return {column(kCode)};
    case TypeKind::kInterval:
      return {some_interval(), constant(kind, semantics::Interval{0, 0, 5'400'000'000})};
    default:
      return {cast(column(kName), Type{TypeKind::kText}), text("a"), text("day"), text("hour"),
              cast(column(kText), Type{TypeKind::kText})};
  }
}

/// A regular one.
bool takes_expression(const ScalarFunction& function) {
  static const std::set<std::string_view> kNames = {"~", "!~", "~*", "!~*"};
  const bool takes_two_texts = function.arguments == std::vector<TypeKind>(2, TypeKind::kText);
  return function.name.starts_with("regexp_") || (function.arguments.size() == 2 && kNames.contains(function.name)) ||
         (function.name == "substring" && takes_two_texts);
}

std::vector<BoundExpression> candidates(const ScalarFunction& function, size_t place) {
  const bool is_of_session = function.is_at_zone && place + 1 == function.arguments.size();
  if (static_cast<int>(place) == function.zone_place || is_of_session) {
    return {text(semantics::bind_offset(3'600))};
  }
  if (takes_expression(function) && place > 0) {
    return function.arguments[place] == TypeKind::kInt ? std::vector{constant(TypeKind::kInt, int64_t{1})}
           : place == 1                                ? std::vector{text("([a-m])(.)+")}
                                                       : std::vector{text("\\2<\\1>"), text("i")};
  }
  if (function.name == "to_char" && place == 1) {
    return semantics::is_numeric(function.arguments[0])
               ? std::vector<BoundExpression>{text("FM999,999,999,999,990.00\" of them\"")}
               : std::vector<BoundExpression>{text("YYYY-MM-DD HH24:MI:SS\" or so\""), text("YYYY-MM")};
  }
  if (function.name == "to_number") {
    return {place == 0 ? cast(column(kNumeric), Type{TypeKind::kText}) : text("999999999.99")};
  }
  if (function.is_at_zone && function.arguments == std::vector<TypeKind>(2, TypeKind::kText)) {
    return {cast(column(kMomentPlace), Type{TypeKind::kText})};
  }
  if (function.name == "pg_size_bytes") {
    return {text("6.5 MB")};
  }
  if ((function.name == "to_date" || function.name == "to_timestamp") && function.arguments[0] == TypeKind::kText) {
    return {place == 0 ? cast(column(kDay), Type{TypeKind::kText}) : text("YYYY-MM-DD\" at\" HH24")};
  }
  std::vector<BoundExpression> made = candidates(function.arguments[place]);
  std::rotate(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(place % made.size()), made.end());
  return made;
}

struct Named {
  std::string name;
  BoundExpression expression;
};

class RowAllocations : public testing::Test {
 protected:
  RowAllocations() : random_(1), filled_(random_, kChunkRows, kChunks, 100, sensible_row) { remember_elsewhere(); }

  /// Then no expression remembers anything: what is seen is its evaluation.
  void remember_elsewhere() {
    for (RememberedValues& each : others_) {
      for (uint64_t asked = 0; asked < 1'000; ++asked) {
        static_cast<void>(each.find(asked % 10));
      }
    }
  }

  [[nodiscard]] bool has_no_error(const BoundExpression& expression) const {
    return std::all_of(filled_.rows.begin(), filled_.rows.begin() + kChunkRows,
                       [&](const Row& row) { return semantics::evaluate(expression, row).has_value(); });
  }

  /// The first choice of arguments of which no row is an error.
  [[nodiscard]] std::optional<BoundExpression> fitting_call(const ScalarFunction& function) const {
    std::vector<std::vector<BoundExpression>> choices;
    for (size_t place = 0; place < function.arguments.size(); ++place) {
      choices.push_back(candidates(function, place));
    }
    if (function.takes_any) {
      choices.insert(choices.end(), {{column(kName)}, {column(kNumeric)}, {column(kTime)}});
    }
    std::vector<size_t> chosen(choices.size());
    for (size_t place = 0; place <= choices.size();) {
      std::vector<BoundExpression> arguments;
      for (size_t each = 0; each < choices.size(); ++each) {
        arguments.push_back(choices[each][chosen[each]]);
      }
      Result<BoundExpression> call = semantics::make_call(function.id, std::move(arguments));
      if (call && has_no_error(*call)) {
        return std::move(*call);
      }
      for (place = 0; place < choices.size() && ++chosen[place] == choices[place].size(); ++place) {
        chosen[place] = 0;
      }
      place = place == choices.size() ? place + 1 : 0;
    }
    return std::nullopt;
  }

  void pass(const ExpressionColumn& computed) {
    for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      const ChunkView view = filled_.store.view(chunk);
      ASSERT_TRUE(computed.compute({.chunk = &view, .rows = nullptr, .first = 0, .count = kChunkRows}, room_));
    }
  }

  struct Cost {
    double allocations = 0;
    double nanoseconds = 0;
    bool is_by_row = false;
  };

  Cost cost_of(const BoundExpression& expression) {
    using Clock = std::chrono::steady_clock;
    constexpr double kRows = kChunkRows * kChunks;
    const ExpressionColumn computed(filled_.layout, expression);
    pass(computed);
    Cost cost{.allocations = 0, .nanoseconds = 1e9, .is_by_row = computed.is_by_row()};
    for (int number = 0; number < kPasses; ++number) {
      const uint64_t before = daedalus::test::allocations;
      const Clock::time_point begin = Clock::now();
      pass(computed);
      const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
      cost.allocations = static_cast<double>(daedalus::test::allocations - before) / kRows;
      cost.nanoseconds = std::min(cost.nanoseconds, taken.count() / kRows);
    }
    return cost;
  }

  void expect_none(const std::vector<Named>& all) {
    std::multimap<double, std::string> lines;
    for (const auto& [name, expression] : all) {
      const Cost cost = cost_of(expression);
      EXPECT_LT(cost.allocations, kPerRowMax) << name;
      char line[160];
      std::snprintf(line, sizeof line, "%8.2f allocations %8.1f ns a row  %-6s %s", cost.allocations, cost.nanoseconds,
                    cost.is_by_row ? "plain" : "kernel", name.c_str());
      lines.emplace(-cost.nanoseconds, line);
    }
    for (const auto& [order, line] : lines) {
      std::cout << line << '\n';
    }
  }

  Random random_;
  FilledStore filled_;
  VectorRoom room_;
  std::deque<RememberedValues> others_{RememberedValues::kTablesMax};
};

std::string name_of(const ScalarFunction& function) {
  std::string name = std::string(function.name) + "(";
  for (const TypeKind argument : function.arguments) {
    name += (name.ends_with('(') ? "" : ", ") + std::string(semantics::kind_name(argument));
  }
  return name + ")";
}

TEST_F(RowAllocations, FunctionsAllocateNothing) {
  std::vector<Named> all;
  size_t without_rows = 0;
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    if (function.evaluate == nullptr) {
      continue;
    }
    if (std::optional<BoundExpression> call = fitting_call(function)) {
      all.push_back({name_of(function), std::move(*call)});
    } else {
      std::cout << "not counted, because no row is fit for it: " << name_of(function) << '\n';
      ++without_rows;
    }
  }
  expect_none(all);
  EXPECT_EQ(without_rows, 0) << "candidates() has no arguments that they take";
}

/// A number that 128 bits do not hold.
BoundExpression wide_number() {
  const semantics::Decimal far{semantics::BigInt(boost::multiprecision::pow(semantics::BigInt(10), 45)), 2};
  return named_call("+", {column(kWide), constant(TypeKind::kNumeric, far)});
}

TEST_F(RowAllocations, NumericsBeyond128BitsAllocateNothing) {
  std::vector<Named> all;
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    const bool takes_them =
        std::find(function.arguments.begin(), function.arguments.end(), TypeKind::kNumeric) != function.arguments.end();
    if (function.evaluate == nullptr || !takes_them) {
      continue;
    }
    std::vector<BoundExpression> arguments;
    for (size_t place = 0; place < function.arguments.size(); ++place) {
      const bool is_wide = function.arguments[place] == TypeKind::kNumeric;
      arguments.push_back(is_wide ? wide_number() : candidates(function, place).front());
    }
    Result<BoundExpression> call = semantics::make_call(function.id, std::move(arguments));
    if (call && has_no_error(*call)) {
      all.push_back({name_of(function), std::move(*call)});
    }
  }
  expect_none(all);
  EXPECT_GT(all.size(), 30) << "wide_number() is a number that few functions take";
}

TEST_F(RowAllocations, ManyArgumentsAllocateNothing) {
  std::vector<Named> all;
  for (const size_t count : {size_t{9}, size_t{16}, size_t{17}, semantics::kArgumentsMax}) {
    const BoundExpression made = cast(column(kName), Type{TypeKind::kText});
    std::vector<BoundExpression> arguments{constant(TypeKind::kText, std::string("%s, %s"))};
    while (arguments.size() < count) {
      arguments.push_back(arguments.size() % 10 == 0 ? cast(column(kTime), Type{TypeKind::kText}) : column(kFlag));
    }
    for (const char* name : {"concat", "concat_ws", "format", "num_nulls"}) {
      all.push_back({fmt::format("{} of {}", name, count), named_call(name, arguments)});
    }
    for (const FunctionId form : {FunctionId::kCoalesce, FunctionId::kGreatest, FunctionId::kIn}) {
      const std::vector<BoundExpression> same(count, made);
      all.push_back({fmt::format("form {} of {}", static_cast<int>(form), count), *semantics::make_call(form, same)});
    }
  }
  expect_none(all);
}

TEST_F(RowAllocations, CastsAllocateNothing) {
  constexpr TypeKind kKinds[] = {TypeKind::kBool,     TypeKind::kSmallint, TypeKind::kInt,         TypeKind::kBigint,
                                 TypeKind::kReal,     TypeKind::kDouble,   TypeKind::kNumeric,     TypeKind::kDate,
                                 TypeKind::kChar,     TypeKind::kText,     TypeKind::kTimestamp,   TypeKind::kVarchar,
                                 TypeKind::kInterval, TypeKind::kTime,     TypeKind::kTimestampTz, TypeKind::kUuid};
  std::vector<Named> all;
  for (const TypeKind from : kKinds) {
    for (const TypeKind to : kKinds) {
      Type target{to};
      target.length = semantics::is_string(to) ? 80 : 0;
      const Result<BoundExpression> made = semantics::make_call(FunctionId::kCast, {candidates(from)[0]}, target);
      if (!made) {
        continue;
      }
      const std::string name = std::string(kind_name(from)) + "::" + std::string(kind_name(to));
      if (has_no_error(*made)) {
        all.push_back({name, *made});
      }
      if (to == TypeKind::kText && !semantics::is_string(from)) {
        const Result<BoundExpression> back = semantics::make_call(FunctionId::kCast, {*made}, Type{from});
        ASSERT_TRUE(back);
        all.push_back({name + "::" + std::string(kind_name(from)), *back});
      }
    }
  }
  expect_none(all);
}

TEST_F(RowAllocations, FormsAllocateNothing) {
  std::vector<Named> all;
  for (const TypeKind kind : {TypeKind::kText, TypeKind::kNumeric, TypeKind::kInterval, TypeKind::kDate}) {
    const BoundExpression first = candidates(kind).front();
    const BoundExpression second = candidates(kind).back();
    const auto add = [&](const char* name, FunctionId function, std::vector<BoundExpression> arguments) {
      const Result<BoundExpression> made = semantics::make_call(function, std::move(arguments));
      ASSERT_TRUE(made) << name;
      all.push_back({std::string(name) + " of " + std::string(kind_name(kind)), *made});
    };
    add("CASE", FunctionId::kCase, {column(kBool), first, second});
    add("COALESCE", FunctionId::kCoalesce, {first, second});
    add("NULLIF", FunctionId::kNullIf, {first, second});
    add("GREATEST", FunctionId::kGreatest, {first, second});
    add("IN", FunctionId::kIn, {first, second, first});
    add("IS NULL", FunctionId::kIsNull, {first});
    add("IS DISTINCT FROM", FunctionId::kIsDistinct, {first, second});
  }
  expect_none(all);
}

}  // namespace
}  // namespace daedalus::engine::test

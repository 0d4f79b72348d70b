// Names that PostgreSQL's catalogue has for what is here by another one: the functions behind operators (int4pl is +),
// behind other functions (dsqrt is sqrt), and casts that are written as functions (int4(x) is x::int4).
//
// Nothing is evaluated here. A name's entry takes the arguments that PostgreSQL's takes, so that overloads are chosen
// among those, and has the id of what it stands for: nodes and the wire know no other one. Where that takes wider
// numbers, arguments are cast, as operators of two widths cast them.
#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>

#include "daedalus/base/check.hpp"
#include "families.hpp"

namespace daedalus::semantics {
namespace scalar {
namespace {

using Kinds = std::vector<TypeKind>;

using enum TypeKind;

/// A type as its functions name it.
struct Named {
  std::string_view name;
  TypeKind kind;
};

/// Two sides of an operator as its functions name them, and what both are cast to; of one kind: nothing is cast.
struct NamedPair {
  std::string_view name;
  TypeKind left;
  TypeKind right;
  TypeKind common;
};

struct Word {
  std::string_view name;
  std::string_view sign;
};

constexpr Word kComparisons[] = {{"eq", "="}, {"ne", "<>"}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}};
constexpr Word kArithmetic[] = {{"pl", "+"}, {"mi", "-"}, {"mul", "*"}, {"div", "/"}};
constexpr Named kIntegerNames[] = {{"int2", kSmallint}, {"int4", kInt}, {"int8", kBigint}};
constexpr Named kFloatings[] = {{"float4", kReal}, {"float8", kDouble}};
constexpr NamedPair kWidths[] = {
    {"int24", kSmallint, kInt, kInt},       {"int42", kInt, kSmallint, kInt},  {"int28", kSmallint, kBigint, kBigint},
    {"int82", kBigint, kSmallint, kBigint}, {"int48", kInt, kBigint, kBigint}, {"int84", kBigint, kInt, kBigint},
};
/// Types whose comparisons are named with a line between, as numeric_lt.
constexpr Named kOrdered[] = {
    {"numeric", kNumeric}, {"date", kDate},         {"timestamp", kTimestamp}, {"timestamptz", kTimestampTz},
    {"time", kTime},       {"interval", kInterval}, {"uuid", kUuid},
};
/// SQL timestamps of two kinds: date_lt_timestamp.
struct SqlTimestamps {
  Named left;
  Named right;
  TypeKind common;
};
constexpr SqlTimestamps kSqlTimestamps[] = {
    {{"date", kDate}, {"timestamp", kTimestamp}, kTimestamp},
    {{"date", kDate}, {"timestamptz", kTimestampTz}, kTimestampTz},
    {{"timestamp", kTimestamp}, {"date", kDate}, kTimestamp},
    {{"timestamp", kTimestamp}, {"timestamptz", kTimestampTz}, kTimestampTz},
    {{"timestamptz", kTimestampTz}, {"date", kDate}, kTimestampTz},
    {{"timestamptz", kTimestampTz}, {"timestamp", kTimestamp}, kTimestampTz},
};
/// Types by the names that casts may be called by. char, which is another type there, is none of them.
constexpr Named kTypes[] = {
    {"bool", kBool},         {"int2", kSmallint},       {"int4", kInt},
    {"int8", kBigint},       {"float4", kReal},         {"float8", kDouble},
    {"numeric", kNumeric},   {"text", kText},           {"date", kDate},
    {"time", kTime},         {"timestamp", kTimestamp}, {"timestamptz", kTimestampTz},
    {"interval", kInterval}, {"uuid", kUuid},
};
constexpr std::pair<TypeKind, TypeKind> kCasts[] = {
    {kInt, kBool},
    {kChar, kText},
    {kBool, kText},
    {kBool, kInt},
    {kTimestamp, kDate},
    {kTimestampTz, kDate},
    {kTimestamp, kTime},
    {kTimestampTz, kTime},
    {kInterval, kTime},
    {kDate, kTimestamp},
    {kTimestampTz, kTimestamp},
    {kDate, kTimestampTz},
    {kTimestamp, kTimestampTz},
    {kTime, kInterval},
};
constexpr TypeKind kKinds[] = {kBool,    kSmallint, kInt,       kBigint,           kReal, kDouble,
                               kNumeric, kDate,     kTimestamp, kTimestampTz,      kTime, kInterval,
                               kText,    kChar,     kUuid,      TypeKind::kVarchar};
constexpr TypeKind kNumbers[] = {kSmallint, kInt, kBigint, kReal, kDouble, kNumeric};

bool is_zoned(TypeKind kind) { return kind == kTimestampTz; }

/// The session's zone counts where one of the two has a time zone and the other has none.
bool asks_zone(TypeKind from, TypeKind to) { return is_zoned(from) != is_zoned(to) && from != kText; }

ScalarFunction cast_of(std::string_view name, TypeKind from, TypeKind to) {
  ScalarFunction made;
  made.id = FunctionId::kCast;
  made.name = name;
  made.arguments = {from};
  made.result = to;
  made.is_stable = asks_zone(from, to);
  return made;
}

class Names {
 public:
  [[nodiscard]] Functions& entries() { return entries_; }

  /// `name` of `own` kinds is `sign`, an operator or a function, of `taken` kinds.
  void add(std::string name, std::string_view sign, bool is_operator, Kinds own, const Kinds& taken) {
    const auto functions = scalar_functions();
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const ScalarFunction& function) {
      return function.is_operator == is_operator && function.name == sign && function.arguments == taken;
    });
    CHECK(found != functions.end());
    ScalarFunction& made = entries_.emplace_back(*found);
    for (size_t place = 0; place < own.size(); ++place) {
      made.is_stable = made.is_stable || asks_zone(own[place], taken[place]);
    }
    made.name = texts_.emplace_back(std::move(name));
    made.is_operator = false;
    made.arguments = std::move(own);
  }
  void sign(std::string name, std::string_view sign, const Kinds& kinds) {
    add(std::move(name), sign, true, kinds, kinds);
  }
  void function(std::string name, std::string_view other, const Kinds& kinds) {
    add(std::move(name), other, false, kinds, kinds);
  }
  void cast(std::string_view name, TypeKind from, TypeKind to) { entries_.push_back(cast_of(name, from, to)); }

 private:
  Functions entries_;
  std::deque<std::string> texts_;  ///< They are the entries' names.
};

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string made;
  for (const std::string_view part : parts) {
    made += part;
  }
  return made;
}

void add_integer_names(Names& names) {
  constexpr Word kBits[] = {{"mod", "%"}, {"and", "&"}, {"or", "|"}, {"xor", "#"}};
  for (const auto& [type, kind] : kIntegerNames) {
    for (const auto& [word, sign] : kArithmetic) {
      names.sign(joined({type, word}), sign, {kind, kind});
    }
    for (const auto& [word, sign] : kComparisons) {
      names.sign(joined({type, word}), sign, {kind, kind});
    }
    for (const auto& [word, sign] : kBits) {
      names.sign(joined({type, word}), sign, {kind, kind});
    }
    for (const auto& [word, sign] : {Word{"um", "-"}, Word{"up", "+"}, Word{"not", "~"}}) {
      names.sign(joined({type, word}), sign, {kind});
    }
    names.sign(joined({type, "shl"}), "<<", {kind, kInt});
    names.sign(joined({type, "shr"}), ">>", {kind, kInt});
    names.function(joined({type, "abs"}), "abs", {kind});
  }
  for (const auto& [type, left, right, common] : kWidths) {
    for (const auto& [word, sign] : kArithmetic) {
      names.add(joined({type, word}), sign, true, {left, right}, {common, common});
    }
    for (const auto& [word, sign] : kComparisons) {
      names.add(joined({type, word}), sign, true, {left, right}, {common, common});
    }
    names.add(joined({"bt", type, "cmp"}), joined({"btint", common == kInt ? "4" : "8", "cmp"}), false, {left, right},
              {common, common});
  }
}

void add_floating_names(Names& names) {
  for (const auto& [type, kind] : kFloatings) {
    names.sign(joined({type, "um"}), "-", {kind});
    names.sign(joined({type, "up"}), "+", {kind});
    names.function(joined({type, "abs"}), "abs", {kind});
  }
  constexpr NamedPair kPairs[] = {{"float4", kReal, kReal, kReal},
                                  {"float8", kDouble, kDouble, kDouble},
                                  {"float48", kReal, kDouble, kDouble},
                                  {"float84", kDouble, kReal, kDouble}};
  for (const auto& [type, left, right, common] : kPairs) {
    for (const auto& [word, sign] : kArithmetic) {
      names.sign(joined({type, word}), sign, {left, right});
    }
    for (const auto& [word, sign] : kComparisons) {
      names.sign(joined({type, word}), sign, {left, right});
    }
    if (left != right) {
      names.add(joined({"bt", type, "cmp"}), "btfloat8cmp", false, {left, right}, {kDouble, kDouble});
    }
  }
  constexpr Word kFunctions[] = {{"dsqrt", "sqrt"}, {"dcbrt", "cbrt"},   {"dexp", "exp"},    {"dlog1", "ln"},
                                 {"dlog10", "log"}, {"dround", "round"}, {"dtrunc", "trunc"}};
  for (const auto& [name, other] : kFunctions) {
    names.function(std::string(name), other, {kDouble});
  }
  names.function("dpow", "power", {kDouble, kDouble});
}

void add_numeric_names(Names& names) {
  constexpr Word kSigns[] = {{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"mod", "%"}};
  for (const auto& [word, sign] : kSigns) {
    names.sign(joined({"numeric_", word}), sign, {kNumeric, kNumeric});
  }
  names.sign("numeric_uminus", "-", {kNumeric});
  names.sign("numeric_uplus", "+", {kNumeric});
  constexpr Word kFunctions[] = {{"abs", "abs"}, {"exp", "exp"}, {"ln", "ln"}, {"sqrt", "sqrt"}};
  for (const auto& [word, other] : kFunctions) {
    names.function(joined({"numeric_", word}), other, {kNumeric});
  }
  constexpr Word kOfTwo[] = {{"div_trunc", "div"}, {"log", "log"}, {"power", "power"}};
  for (const auto& [word, other] : kOfTwo) {
    names.function(joined({"numeric_", word}), other, {kNumeric, kNumeric});
  }
}

void add_comparison_names(Names& names) {
  for (const auto& [word, sign] : kComparisons) {
    for (const auto& [type, kind] : kOrdered) {
      names.sign(joined({type, "_", word}), sign, {kind, kind});
    }
    for (const auto& [left, right, common] : kSqlTimestamps) {
      names.add(joined({left.name, "_", word, "_", right.name}), sign, true, {left.kind, right.kind}, {common, common});
    }
    names.sign(joined({"bool", word}), sign, {kBool, kBool});
    names.sign(joined({"bpchar", word}), sign, {kChar, kChar});
    const bool is_equality = word == "eq" || word == "ne";
    names.sign(joined({is_equality ? "text" : "text_", word}), sign, {kText, kText});
    if (!is_equality) {  // Text is ordered by its bytes anyway.
      names.sign(joined({"text_pattern_", word}), sign, {kText, kText});
      names.sign(joined({"bpchar_pattern_", word}), sign, {kChar, kChar});
    }
  }
  for (const auto& [left, right, common] : kSqlTimestamps) {
    names.add(joined({left.name, "_cmp_", right.name}),
              joined({is_zoned(common) ? "timestamptz" : "timestamp", "_cmp"}), false, {left.kind, right.kind},
              {common, common});
  }
  names.function("bttext_pattern_cmp", "bttextcmp", {kText, kText});
  names.function("btbpchar_pattern_cmp", "bpcharcmp", {kChar, kChar});
}

void add_text_names(Names& names) {
  names.sign("textcat", "||", {kText, kText});
  names.function("textlen", "length", {kText});
  constexpr Word kLikes[] = {{"like", "~~"},   {"nlike", "!~~"},  {"iclike", "~~*"},   {"icnlike", "!~~*"},
                             {"regexeq", "~"}, {"regexne", "!~"}, {"icregexeq", "~*"}, {"icregexne", "!~*"}};
  for (const auto& [word, sign] : kLikes) {
    names.sign(joined({"text", word}), sign, {kText, kText});
    names.sign(joined({"bpchar", word}), sign, {kChar, kText});
  }
  names.sign("like", "~~", {kText, kText});
  names.sign("notlike", "!~~", {kText, kText});
}

void add_time_names(Names& names) {
  struct Sum {
    std::string_view name;
    std::string_view sign;
    TypeKind left;
    TypeKind right;
  };
  constexpr Sum kSums[] = {
      {"date_mi", "-", kDate, kDate},
      {"date_mii", "-", kDate, kInt},
      {"date_pli", "+", kDate, kInt},
      {"integer_pl_date", "+", kInt, kDate},
      {"date_mi_interval", "-", kDate, kInterval},
      {"date_pl_interval", "+", kDate, kInterval},
      {"interval_pl_date", "+", kInterval, kDate},
      {"datetime_pl", "+", kDate, kTime},
      {"timedate_pl", "+", kTime, kDate},
      {"timestamp_mi", "-", kTimestamp, kTimestamp},
      {"timestamp_mi_interval", "-", kTimestamp, kInterval},
      {"timestamp_pl_interval", "+", kTimestamp, kInterval},
      {"interval_pl_timestamp", "+", kInterval, kTimestamp},
      {"timestamptz_mi", "-", kTimestampTz, kTimestampTz},
      {"timestamptz_mi_interval", "-", kTimestampTz, kInterval},
      {"timestamptz_pl_interval", "+", kTimestampTz, kInterval},
      {"interval_pl_timestamptz", "+", kInterval, kTimestampTz},
      {"time_mi_interval", "-", kTime, kInterval},
      {"time_mi_time", "-", kTime, kTime},
      {"time_pl_interval", "+", kTime, kInterval},
      {"interval_pl_time", "+", kInterval, kTime},
      {"interval_pl", "+", kInterval, kInterval},
      {"interval_mi", "-", kInterval, kInterval},
      {"interval_mul", "*", kInterval, kDouble},
      {"mul_d_interval", "*", kDouble, kInterval},
      {"interval_div", "/", kInterval, kDouble},
  };
  for (const auto& [name, sign, left, right] : kSums) {
    names.sign(std::string(name), sign, {left, right});
  }
  names.sign("interval_um", "-", {kInterval});
  names.sign("timestamp", "+", {kDate, kTime});
}

/// A period that says how long it is: make_named_call() adds that to its beginning.
void add_periods(Names& names) {
  for (const TypeKind kind : {kTime, kTimestamp, kTimestampTz}) {
    for (const auto& [first, second] : {std::pair{kInterval, kInterval}, {kInterval, kind}, {kind, kInterval}}) {
      names.add("overlaps", "overlaps", false, {kind, first, kind, second}, {kind, kind, kind, kind});
    }
  }
}

std::string_view type_name(TypeKind kind) {
  return std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Named& type) { return type.kind == kind; })->name;
}

void add_cast_names(Names& names) {
  for (const TypeKind from : kNumbers) {
    for (const TypeKind to : kNumbers) {
      if (from != to) {
        names.cast(type_name(to), from, to);
      }
    }
  }
  for (const auto& [from, to] : kCasts) {
    names.cast(type_name(to), from, to);
  }
}

/// Types that are one and the same in memory, where PostgreSQL casts by saying so.
bool is_same_in_memory(TypeKind from, TypeKind to) { return from == to || (is_string(from) && is_string(to)); }

}  // namespace
}  // namespace scalar

std::span<const ScalarFunction> implementation_names() {
  using scalar::Names;
  static Names names = [] {
    Names made;
    scalar::add_integer_names(made);
    scalar::add_floating_names(made);
    scalar::add_numeric_names(made);
    scalar::add_comparison_names(made);
    scalar::add_text_names(made);
    scalar::add_time_names(made);
    scalar::add_periods(made);
    scalar::add_cast_names(made);
    return made;
  }();
  return names.entries();
}

namespace scalar {

const ScalarFunction* cast_by_name(std::string_view name, const ArgumentKind& argument) {
  static const Functions casts = [] {
    Functions made;
    for (const auto& [type, to] : kTypes) {
      for (const TypeKind from : kKinds) {
        if (is_same_in_memory(from, to) || is_string(from) || is_string(to)) {
          made.push_back(cast_of(type, from, to));
        }
      }
    }
    return made;
  }();
  const auto found = std::find_if(casts.begin(), casts.end(), [&](const ScalarFunction& cast) {
    return cast.name == name && cast.arguments[0] == (argument.is_unknown ? cast.result : argument.kind);
  });
  return found == casts.end() ? nullptr : &*found;
}

bool is_type_name(std::string_view name) {
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](const Named& type) { return type.name == name; });
}

}  // namespace scalar
}  // namespace daedalus::semantics

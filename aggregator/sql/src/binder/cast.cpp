#include "cast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/text.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Type;
using semantics::TypeKind;

struct NamedType {
  std::string_view name;
  TypeKind kind;
  int modifiers_max;
};

constexpr std::array kTypes{
    NamedType{"bool", TypeKind::kBool, 0},
    NamedType{"int2", TypeKind::kSmallint, 0},
    NamedType{"int4", TypeKind::kInt, 0},
    NamedType{"int8", TypeKind::kBigint, 0},
    NamedType{"float4", TypeKind::kReal, 0},
    NamedType{"float8", TypeKind::kDouble, 0},
    NamedType{"numeric", TypeKind::kNumeric, 2},
    NamedType{"date", TypeKind::kDate, 0},
    NamedType{"timestamp", TypeKind::kTimestamp, 1},
    NamedType{"timestamptz", TypeKind::kTimestampTz, 1},
    NamedType{"interval", TypeKind::kInterval, 2},
    NamedType{"time", TypeKind::kTime, 1},
    NamedType{"uuid", TypeKind::kUuid, 0},
    NamedType{"bpchar", TypeKind::kChar, 1},
    NamedType{"varchar", TypeKind::kVarchar, 1},
    NamedType{"text", TypeKind::kVarchar, 0},
};

struct RefusedType {
  std::string_view name;
  std::string_view spelled;
  std::string_view hint;
};

constexpr std::array kRefusedTypes{
    RefusedType{"timetz", "time with time zone", "use time or timestamptz"},
    RefusedType{"bytea", "bytea", "use varchar(n)"},
    RefusedType{"json", "json", "use varchar(n)"},
    RefusedType{"jsonb", "jsonb", "use varchar(n)"},
    RefusedType{"name", "name", "use varchar(n)"},
    RefusedType{"char", "\"char\"", "use char(1)"},
    RefusedType{"money", "money", "use numeric(p, s)"},
    RefusedType{"bit", "bit", "use char(n)"},
    RefusedType{"varbit", "bit varying", "use varchar(n)"},
    RefusedType{"oid", "oid", "use bigint"},
    RefusedType{"regclass", "regclass", ""},
    RefusedType{"inet", "inet", "use varchar(n)"},
    RefusedType{"xml", "xml", "use varchar(n)"},
};

std::string spelled(const grammar::TypeName& name) {
  std::string result;
  for (const std::string_view part : name.names) {
    result += result.empty() ? "" : ".";
    result += part;
  }
  return result;
}

Result<std::vector<int32_t>> modifiers(const Scope& scope, const grammar::TypeName& name) {
  std::vector<int32_t> values;
  for (const grammar::Node& node : name.modifiers) {
    if (node.constant().kind != grammar::ConstantNode::Kind::kInteger) {
      return scope.error("22023", "type modifiers must be simple constants", name.location);
    }
    values.push_back(node.constant().integer);
  }
  return values;
}

/// Gives a type its length, precision and scale.
Result<Type> with_modifiers(const Scope& scope, Type type, const std::vector<int32_t>& values, int32_t location) {
  if (type.kind == TypeKind::kInterval) {
    return type;  // modifier_of_interval() reads the modifiers.
  }
  if (semantics::is_timestamp(type.kind) || type.kind == TypeKind::kTime) {
    return type;  // precision_of_datetime() reads the modifier.
  }
  if (semantics::is_string(type.kind)) {
    if (values[0] < 1 || values[0] > static_cast<int32_t>(semantics::kStringLengthMax)) {
      return scope.error(
          "22023", fmt::format("length {} must be between 1 and {}", values[0], semantics::kStringLengthMax), location);
    }
    type.length = static_cast<uint32_t>(values[0]);
    return type;
  }
  const int32_t scale = values.size() > 1 ? values[1] : 0;
  if (values[0] < 1 || values[0] > static_cast<int32_t>(semantics::kNumericPrecisionMax)) {
    return scope.error(
        "22023",
        fmt::format("numeric precision {} must be between 1 and {}", values[0], semantics::kNumericPrecisionMax),
        location);
  }
  if (scale < 0 || scale > values[0]) {
    return scope.error("22023", fmt::format("numeric scale {} must be between 0 and precision {}", scale, values[0]),
                       location);
  }
  type.precision = static_cast<uint32_t>(values[0]);
  type.scale = static_cast<uint32_t>(scale);
  return type;
}

/// Cuts a string to a type's length in bytes, without splitting a character.
std::string_view cut(std::string_view text, uint32_t length) {
  return length == 0 ? text : semantics::first_bytes(text, length);
}

/// A value that is no string as a cast to one writes it: booleans in full.
std::string as_text(const Constant& constant) {
  if (const bool* truth = std::get_if<bool>(&constant.value)) {
    return *truth ? "true" : "false";
  }
  return semantics::format_text(constant.type, constant.value);
}

}  // namespace

Result<Type> resolve_type(const Scope& scope, const grammar::TypeName& name) {
  if (name.is_array || name.is_set || name.is_of_column) {
    return scope.refuse(fmt::format("type {} as array or set", spelled(name)), name.location);
  }
  const std::string_view plain = plain_name(name.names);
  for (const NamedType& named : kTypes) {
    if (named.name != plain) {
      continue;
    }
    auto values = modifiers(scope, name);
    if (!values) {
      return values.error();
    }
    if (values->size() > static_cast<size_t>(named.modifiers_max)) {
      return scope.error("42601", fmt::format("type modifier is not allowed for type \"{}\"", plain), name.location);
    }
    Type type{named.kind};
    if (semantics::is_string(named.kind) && named.kind != TypeKind::kChar && values->empty()) {
      type.length = semantics::kStringLengthMax;
    }
    return values->empty() ? Result<Type>(type) : with_modifiers(scope, type, *values, name.location);
  }
  for (const RefusedType& refused : kRefusedTypes) {
    if (refused.name == plain) {
      return scope.refuse(fmt::format("type {}", refused.spelled), name.location, std::string(refused.hint));
    }
  }
  return scope.error("42704", fmt::format("type \"{}\" does not exist", spelled(name)), name.location);
}

bool keeps_length(const Type& from, const Type& to) {
  return to == Type{TypeKind::kChar} && from.kind == TypeKind::kChar;
}

std::optional<int32_t> precision_of_datetime(const Type& type, const grammar::TypeName& name) {
  constexpr int32_t kWhole = 6;
  const bool has_clock = semantics::is_timestamp(type.kind) || type.kind == TypeKind::kTime;
  if (!has_clock || name.modifiers.empty() || name.modifiers[0].constant().integer >= kWhole) {
    return std::nullopt;
  }
  return name.modifiers[0].constant().integer;
}

semantics::IntervalModifier modifier_of_interval(const grammar::TypeName& name) {
  semantics::IntervalModifier made;
  if (!name.modifiers.empty()) {
    made.fields = static_cast<uint32_t>(name.modifiers[0].constant().integer);
  }
  if (name.modifiers.size() > 1) {
    made.precision = std::min(name.modifiers[1].constant().integer, semantics::kIntervalPrecisionMax);
  }
  return made;
}

int32_t modifier_of(const Type& type, const grammar::TypeName& name) {
  if (name.modifiers.empty()) {
    return semantics::kNoModifier;
  }
  if (semantics::is_timestamp(type.kind) || type.kind == TypeKind::kTime) {
    constexpr int32_t kDigitsMax = 6;
    return std::min(name.modifiers[0].constant().integer, kDigitsMax);
  }
  if (type.kind == TypeKind::kInterval) {
    return semantics::number_of(modifier_of_interval(name));
  }
  return semantics::modifier_of(type);
}

Result<Constant> cast(const Scope& scope, const Constant& constant, const Type& type) {
  ask_kind(scope, constant, type.kind);
  if (constant.is_array) {
    return semantics::is_string(type.kind) ? Result<Constant>(scope.refuse("an array in this place", constant.location))
                                           : scope.error("42846",
                                                         fmt::format("cannot cast type {} to {}", type_name(constant),
                                                                     semantics::kind_name(type.kind)),
                                                         constant.location);
  }
  if (!constant.is_untyped && !semantics::can_cast_explicitly(constant.type.kind, type.kind)) {
    return scope.error("42846",
                       fmt::format("cannot cast type {} to {}", type_name(constant), semantics::kind_name(type.kind)),
                       constant.location);
  }
  Constant result{keeps_length(constant.type, type) ? constant.type : type, {}, false, constant.location};
  if (semantics::is_null(constant.value)) {
    return result;
  }
  if (auto may = check_interval_text(scope, constant, type); !may) {
    return may.error();
  }
  const bool from_string = constant.is_untyped || semantics::is_string(constant.type.kind);
  if (!from_string && semantics::is_cast_by_zone(constant.type.kind, type.kind) && scope.session_zone() != nullptr) {
    return at_session_zone(scope, constant, type);
  }
  const bool to_string = semantics::is_string(type.kind);
  Result<semantics::Value> value = [&]() -> Result<semantics::Value> {
    if (from_string) {
      const std::string_view text = std::get<std::string>(constant.value);
      return read_text(scope, type, to_string ? cut(text, type.length) : text);
    }
    if (to_string) {
      return semantics::parse_text(type, cut(as_text(constant), type.length));
    }
    if (constant.type.kind == TypeKind::kInterval && type.kind == TypeKind::kInterval) {
      return constant.value;
    }
    if (constant.type.kind == TypeKind::kInt && type.kind == TypeKind::kBool) {
      return semantics::Value(std::get<int64_t>(constant.value) != 0);
    }
    if (constant.type.kind == TypeKind::kBool && type.kind == TypeKind::kInt) {
      return semantics::Value(int64_t{std::get<bool>(constant.value) ? 1 : 0});
    }
    return semantics::convert(constant.type, constant.value, type);
  }();
  if (!value) {
    Error error = value.error();
    if (error.sqlstate == "42804") {
      error = rejected("42846", fmt::format("cannot cast type {} to {}", semantics::kind_name(constant.type.kind),
                                            semantics::kind_name(type.kind)));
    }
    return scope.located(std::move(error), constant.location);
  }
  result.value = std::move(*value);
  return result;
}

}  // namespace daedalus::aggregator::sql

// Which overload is meant: PostgreSQL's algorithm (parse_func.c, parse_oper.c, parse_coerce.c), once.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "families.hpp"

namespace daedalus::semantics {
namespace {

enum class Category : uint8_t { kBoolean, kNumber, kString, kDateTime, kTimespan, kOther };

using Kinds = std::span<const ArgumentKind>;
using Candidates = std::vector<const ScalarFunction*>;

Category category_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return Category::kBoolean;
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return Category::kDateTime;
    case TypeKind::kInterval:
      return Category::kTimespan;
    case TypeKind::kUuid:
      return Category::kOther;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return Category::kString;
    default:
      return Category::kNumber;
  }
}

/// Numbers are cast to those of a higher rank without being asked.
int number_rank(TypeKind kind) {
  constexpr TypeKind kRanks[] = {TypeKind::kSmallint, TypeKind::kInt,  TypeKind::kBigint,
                                 TypeKind::kNumeric,  TypeKind::kReal, TypeKind::kDouble};
  return static_cast<int>(std::find(std::begin(kRanks), std::end(kRanks), kind) - std::begin(kRanks));
}

/// The kind of its category that others are cast to first.
bool is_preferred(TypeKind kind) {
  return kind == TypeKind::kBool || kind == TypeKind::kDouble || kind == TypeKind::kText ||
         kind == TypeKind::kInterval || kind == TypeKind::kTimestampTz;
}

bool accepts(const ScalarFunction& function, Kinds arguments) {
  const bool has_any = function.takes_any && arguments.size() > function.arguments.size();
  const Kinds named = has_any ? arguments.first(function.arguments.size()) : arguments;
  return has_any == function.takes_any &&
         std::equal(named.begin(), named.end(), function.arguments.begin(), function.arguments.end(),
                    [](const ArgumentKind& argument, TypeKind wanted) {
                      return argument.is_unknown || argument.kind == wanted ||
                             can_cast_implicitly(argument.kind, wanted);
                    });
}

bool is_exact(const ScalarFunction& function, Kinds arguments) {
  const auto is_same = [](const ArgumentKind& argument, TypeKind wanted) {
    return !argument.is_unknown && argument.kind == wanted;
  };
  return !function.takes_any &&
         std::equal(arguments.begin(), arguments.end(), function.arguments.begin(), function.arguments.end(), is_same);
}

/// Keeps the candidates with the highest count.
template <typename Count>
void keep_best(Candidates& candidates, Count count) {
  size_t best = 0;
  for (const ScalarFunction* candidate : candidates) {
    best = std::max(best, count(*candidate));
  }
  std::erase_if(candidates, [&](const ScalarFunction* candidate) { return count(*candidate) < best; });
}

size_t exact_matches(const ScalarFunction& function, Kinds arguments, bool or_preferred) {
  size_t matches = 0;
  for (size_t place = 0; place < arguments.size(); ++place) {
    const TypeKind wanted = function.arguments[place];
    if (arguments[place].is_unknown) {
      continue;
    }
    const bool is_same = arguments[place].kind == wanted;
    const bool is_liked =
        or_preferred && is_preferred(wanted) && category_of(wanted) == category_of(arguments[place].kind);
    matches += is_same || is_liked ? 1 : 0;
  }
  return matches;
}

/// The category that an unknown argument is taken for, if the candidates agree; strings win.
std::optional<Category> category_at(const Candidates& candidates, size_t place) {
  std::optional<Category> chosen;
  bool is_disputed = false;
  for (const ScalarFunction* candidate : candidates) {
    const Category category = category_of(candidate->arguments[place]);
    if (category == Category::kString) {
      return category;
    }
    is_disputed = is_disputed || (chosen && *chosen != category);
    chosen = category;
  }
  return is_disputed ? std::nullopt : chosen;
}

/// Keeps candidates that take unknown arguments for what most would. False: that cannot be said.
bool keep_by_unknowns(Candidates& candidates, Kinds arguments) {
  Candidates kept = candidates;
  for (size_t place = 0; place < arguments.size(); ++place) {
    if (!arguments[place].is_unknown) {
      continue;
    }
    const std::optional<Category> category = category_at(candidates, place);
    if (!category) {
      return false;
    }
    const bool has_preferred = std::any_of(candidates.begin(), candidates.end(), [&](const ScalarFunction* candidate) {
      return category_of(candidate->arguments[place]) == *category && is_preferred(candidate->arguments[place]);
    });
    std::erase_if(kept, [&](const ScalarFunction* candidate) {
      const TypeKind wanted = candidate->arguments[place];
      return category_of(wanted) != *category || (has_preferred && !is_preferred(wanted));
    });
  }
  if (!kept.empty()) {
    candidates = std::move(kept);
  }
  return true;
}

/// Gives the one candidate that takes unknown arguments as the kind that all known ones are of.
const ScalarFunction* by_known_kind(const Candidates& candidates, Kinds arguments) {
  std::optional<TypeKind> known;
  for (const ArgumentKind& argument : arguments) {
    if (argument.is_unknown) {
      continue;
    }
    if (known && *known != argument.kind) {
      return nullptr;
    }
    known = argument.kind;
  }
  if (!known) {
    return nullptr;
  }
  const std::vector<ArgumentKind> assumed(arguments.size(), ArgumentKind{*known, false});
  const ScalarFunction* found = nullptr;
  for (const ScalarFunction* candidate : candidates) {
    if (accepts(*candidate, assumed)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = candidate;
    }
  }
  return found;
}

/// The best candidate; null: several are as good.
const ScalarFunction* choose(Candidates candidates, Kinds arguments) {
  if (candidates.size() == 1) {
    return candidates[0];
  }
  keep_best(candidates, [&](const ScalarFunction& candidate) { return exact_matches(candidate, arguments, false); });
  if (candidates.size() > 1) {
    keep_best(candidates, [&](const ScalarFunction& candidate) { return exact_matches(candidate, arguments, true); });
  }
  const bool has_unknown =
      std::any_of(arguments.begin(), arguments.end(), [](const ArgumentKind& argument) { return argument.is_unknown; });
  if (candidates.size() > 1 && has_unknown) {
    static_cast<void>(keep_by_unknowns(candidates, arguments));
    if (candidates.size() > 1) {
      return by_known_kind(candidates, arguments);
    }
  }
  return candidates.size() == 1 ? candidates[0] : nullptr;
}

std::string spelled(const ArgumentKind& argument) {
  return argument.is_unknown ? "unknown" : std::string(kind_name(argument.kind));
}

std::string signature(std::string_view name, bool is_operator, Kinds arguments) {
  if (is_operator) {
    return arguments.size() == 1 ? fmt::format("{} {}", name, spelled(arguments[0]))
                                 : fmt::format("{} {} {}", spelled(arguments[0]), name, spelled(arguments[1]));
  }
  std::string list;
  for (const ArgumentKind& argument : arguments) {
    list += (list.empty() ? "" : ", ") + spelled(argument);
  }
  return fmt::format("{}({})", name, list);
}

/// An operator's unknown side is of the other's kind, where there is such an operator.
std::vector<ArgumentKind> assumed_alike(Kinds arguments) {
  std::vector<ArgumentKind> assumed(arguments.begin(), arguments.end());
  if (assumed.size() == 2 && assumed[0].is_unknown != assumed[1].is_unknown) {
    assumed[assumed[0].is_unknown ? 0 : 1] = assumed[assumed[0].is_unknown ? 1 : 0];
  }
  return assumed;
}

/// Gives the overloads of the table, then those of other names.
const Candidates& overloads_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Candidates> by_name = [] {
    std::unordered_map<std::string_view, Candidates> made;
    for (const auto functions : {scalar_functions(), implementation_names()}) {
      for (const ScalarFunction& function : functions) {
        if (!function.is_at_zone) {
          made[function.name].push_back(&function);
        }
      }
    }
    return made;
  }();
  static const Candidates none;
  const auto found = by_name.find(name);
  return found != by_name.end() ? found->second : none;
}

}  // namespace

Result<const ScalarFunction*> resolve_function(std::string_view name, bool is_operator, Kinds arguments) {
  if (arguments.size() > kArgumentsMax) {
    return rejected("54023", fmt::format("cannot pass more than {} arguments to a function", kArgumentsMax));
  }
  const std::vector<ArgumentKind> exact =
      is_operator ? assumed_alike(arguments) : std::vector<ArgumentKind>(arguments.begin(), arguments.end());
  Candidates candidates;
  for (const ScalarFunction* function : overloads_of(name)) {
    if (function->is_operator != is_operator) {
      continue;
    }
    if (is_exact(*function, exact)) {
      return function;
    }
    if (accepts(*function, arguments)) {
      candidates.push_back(function);
    }
  }
  if (const ScalarFunction* cast =
          !is_operator && arguments.size() == 1 ? scalar::cast_by_name(name, arguments[0]) : nullptr) {
    return cast;
  }
  const char* what = is_operator ? "operator" : "function";
  if (candidates.empty()) {
    const std::string spelled = signature(name, is_operator, arguments);
    return rejected("42883",
                    is_operator ? fmt::format("operator does not exist: {}", spelled)
                                : fmt::format("function {} does not exist", spelled),
                    fmt::format("No {} matches the given name and argument types. You might need to add explicit type "
                                "casts.",
                                what));
  }
  if (const ScalarFunction* chosen = choose(std::move(candidates), arguments)) {
    return chosen;
  }
  const std::string spelled = signature(name, is_operator, arguments);
  return rejected(
      "42725",
      is_operator ? fmt::format("operator is not unique: {}", spelled)
                  : fmt::format("function {} is not unique", spelled),
      fmt::format("Could not choose a best candidate {}. You might need to add explicit type casts.", what));
}

Result<TypeKind> resolve_common_kind(Kinds values, std::string_view construct) {
  std::optional<TypeKind> common;
  for (const ArgumentKind& value : values) {
    if (value.is_unknown || common == value.kind) {
      continue;
    }
    if (!common) {
      common = value.kind;
      continue;
    }
    if (category_of(*common) != category_of(value.kind)) {
      return rejected("42804", fmt::format("{} types {} and {} cannot be matched", construct, kind_name(*common),
                                           kind_name(value.kind)));
    }
    if (!is_preferred(*common) && can_cast_implicitly(*common, value.kind) &&
        !can_cast_implicitly(value.kind, *common)) {
      common = value.kind;
    }
  }
  return common.value_or(TypeKind::kText);
}

bool can_cast_implicitly(TypeKind from, TypeKind to) {
  if (from == TypeKind::kTime && to == TypeKind::kInterval) {
    return true;
  }
  if (category_of(from) != category_of(to) || from == to) {
    return false;
  }
  switch (category_of(from)) {
    case Category::kNumber:
      return number_rank(from) < number_rank(to);
    case Category::kDateTime:
      return (from != TypeKind::kTime && to == TypeKind::kTimestampTz) ||
             (from == TypeKind::kDate && to == TypeKind::kTimestamp);
    case Category::kString:
      return true;
    case Category::kTimespan:
    case Category::kOther:
    case Category::kBoolean:
      break;
  }
  return false;
}

bool is_cast_of_time(TypeKind from, TypeKind to) {
  return (is_timestamp(from) && to == TypeKind::kTime) || (from == TypeKind::kInterval && to == TypeKind::kTime) ||
         (from == TypeKind::kTime && to == TypeKind::kInterval);
}

bool can_cast_explicitly(TypeKind from, TypeKind to) {
  const Category source = category_of(from);
  const Category target = category_of(to);
  if (source == Category::kString || target == Category::kString || from == to || is_cast_of_time(from, to)) {
    return true;
  }
  if (source == target) {
    return from != TypeKind::kTime && to != TypeKind::kTime;
  }
  return (from == TypeKind::kBool && to == TypeKind::kInt) || (from == TypeKind::kInt && to == TypeKind::kBool);
}

}  // namespace daedalus::semantics

#include "daedalus/semantics/language.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text.hpp"
#include "later_build.hpp"

namespace daedalus::semantics {
namespace {

/// Each version has the hash of its lines of rpc/vectors/language.tsv. A new version's stands at the end, and none is
/// ever changed: messages, directories and journals name them.
constexpr uint64_t kHashes[] = {
    0x8aadf2a07816cab0,
    0xc00cbab950ceb2fc,
};

/// Functions and aggregates say in their own entries since when they are there. What else came after the first version
/// is listed here as {LanguageKind::kCast, number, since}.
std::vector<LaterNumber> later_numbers() {
  std::vector<LaterNumber> later;
  for (const ScalarFunction& function : scalar_functions()) {
    if (function.since > 1) {
      later.push_back({LanguageKind::kFunction, static_cast<uint32_t>(function.id), function.since});
    }
  }
  for (const AggregateEntry& aggregate : kAggregates) {
    if (aggregate.since > 1) {
      later.push_back({LanguageKind::kAggregate, static_cast<uint32_t>(aggregate.function), aggregate.since});
    }
  }
  return later;
}

std::string name_of(const ScalarFunction& function) {
  std::string text = fmt::format("{}(", function.name);
  for (const TypeKind kind : function.arguments) {
    text += fmt::format("{}{}", text.ends_with('(') ? "" : ", ", kind_name(kind));
  }
  return text + ")";
}

/// Calls use(expression) for each expression of a query, until one returns something.
template <typename Use>
std::optional<std::string> first_of(const Selection& selection, Use&& use) {
  std::optional<std::string> found;
  const auto look = [&](const auto& expressions) {
    for (const BoundExpression& expression : expressions) {
      found = found ? found : use(expression);
    }
  };
  look(selection.residuals);
  for (const OutputColumn& output : selection.outputs) {
    found = found ? found : use(output.expression);
  }
  if (selection.having) {
    found = found ? found : use(*selection.having);
  }
  if (selection.grouping) {
    look(selection.grouping->keys);
    look(selection.grouping->list_values);
    for (const BoundAggregate& aggregate : selection.grouping->aggregates) {
      BoundExpression call;
      call.kind = BoundExpression::Kind::kAggregate;
      call.aggregate = aggregate.function;
      call.type = aggregate.type;
      found = found ? found : use(call);
      found = !found && aggregate.argument ? use(*aggregate.argument) : found;
      look(aggregate.more);
    }
  }
  return found;
}

}  // namespace

std::string_view kind_name(LanguageKind kind) {
  constexpr std::string_view kNames[] = {"function", "aggregate", "type", "cast"};
  return kNames[static_cast<size_t>(kind)];
}

Language::Language(std::vector<uint64_t> hashes, const std::vector<LaterNumber>& later) : hashes_(std::move(hashes)) {
  CHECK(!hashes_.empty());
  for (const LaterNumber& each : later) {
    CHECK(each.since > 1 && each.since <= hashes_.size());
    later_[{each.kind, each.number}] = each.since;
  }
}

std::vector<LaterNumber> Language::later() const {
  std::vector<LaterNumber> made;
  for (const auto& [number, since] : later_) {
    made.push_back({number.first, number.second, since});
  }
  return made;
}

const Language& Language::own() {
  static const Language language = [] {
    std::vector<uint64_t> hashes(std::begin(kHashes), std::end(kHashes));
    const auto later = hashes_of_later_build();
    hashes.insert(hashes.end(), later.begin(), later.end());
    return Language(std::move(hashes), later_numbers());
  }();
  return language;
}

std::optional<uint32_t> Language::version_of(uint64_t hash) const {
  if (hash == 0) {
    return 1;
  }
  const auto found = std::find(hashes_.begin(), hashes_.end(), hash);
  return found == hashes_.end() ? std::nullopt : std::optional(static_cast<uint32_t>(found - hashes_.begin()) + 1);
}

std::optional<uint32_t> Language::common_version(std::span<const uint64_t> theirs) const {
  if (theirs.empty()) {
    return 1;
  }
  if (std::find(theirs.begin(), theirs.end(), hash()) != theirs.end()) {
    return version();
  }
  return version_of(theirs.back());
}

uint32_t Language::since(LanguageKind kind, uint32_t number) const {
  const auto found = later_.find({kind, number});
  return found == later_.end() ? 1 : found->second;
}

std::optional<std::string> Language::lacking(uint32_t version, const BoundExpression& expression) const {
  if (version >= this->version()) {
    return std::nullopt;
  }
  const auto is_later = [&](LanguageKind kind, auto number) {
    return since(kind, static_cast<uint32_t>(number)) > version;
  };
  if (expression.kind == BoundExpression::Kind::kCall && is_later(LanguageKind::kFunction, expression.function)) {
    const ScalarFunction* function = find_function(expression.function);
    return function == nullptr ? fmt::format("form {}", static_cast<int>(expression.function)) : name_of(*function);
  }
  if (expression.is_call(FunctionId::kCast)) {
    const TypeKind from = expression.arguments[0].type.kind;
    if (is_later(LanguageKind::kCast, cast_number(from, expression.type.kind))) {
      return fmt::format("a cast of {} to {}", kind_name(from), kind_name(expression.type.kind));
    }
  }
  if (expression.kind == BoundExpression::Kind::kAggregate &&
      is_later(LanguageKind::kAggregate, expression.aggregate)) {
    return std::string(entry_of(expression.aggregate).name);
  }
  if (is_later(LanguageKind::kType, expression.type.kind)) {
    return std::string(kind_name(expression.type.kind));
  }
  std::optional<std::string> found;
  for (const BoundExpression& argument : expression.arguments) {
    found = found ? found : lacking(version, argument);
  }
  return found;
}

std::optional<std::string> Language::lacking(uint32_t version, const Selection& selection) const {
  return version >= this->version()
             ? std::nullopt
             : first_of(selection, [&](const BoundExpression& expression) { return lacking(version, expression); });
}

}  // namespace daedalus::semantics

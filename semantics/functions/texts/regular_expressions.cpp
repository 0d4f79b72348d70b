// Operators and functions of regular expressions. semantics/functions/regular_expression decides which part of a text
// matches.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "adder.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/evaluation_watch.hpp"
#include "daedalus/semantics/regular_expression.hpp"
#include "matches.hpp"
#include "similar.hpp"

namespace daedalus::semantics::scalar {
namespace {

using regular::Flags;
using regular::Syntax;

using enum TypeKind;

/// Nobody waits for the match any more.
Error match_ended() { return rejected("57014", "the search for a match was ended"); }

// ---- whether there is a match ----

Result<Value> found(std::string_view from, std::string_view pattern, const Syntax& syntax, bool is_wanted) {
  const auto expression = kept_expression(pattern, syntax);
  if (!expression) {
    return expression.error();
  }
  if (is_evaluation_over((*expression)->steps_of(from.size()))) {
    return match_ended();
  }
  return Value((*expression)->is_found(from) == is_wanted);
}

/// A char(n) is matched with its blanks.
template <bool kIgnoresCase, bool kWanted>
Result<Value> matches(Arguments arguments, const BoundExpression& call) {
  constexpr Syntax kSyntax{.ignores_case = kIgnoresCase};
  const std::string& from = text(arguments[0]);
  const Type& type = call.arguments[0].type;
  if (type.kind != kChar || from.size() >= type.length) {
    return found(from, text(arguments[1]), kSyntax, kWanted);
  }
  std::string padded = arguments.spare_text(from);
  padded.resize(type.length, ' ');
  const Result<Value> made = found(padded, text(arguments[1]), kSyntax, kWanted);
  arguments.give_back(std::move(padded));
  return made;
}

Result<Value> regexp_like(Arguments arguments, const BoundExpression&) {
  const auto flags = flags_at(arguments, 2, "regexp_like()");
  return flags ? found(text(arguments[0]), text(arguments[1]), flags->syntax, true) : flags.error();
}

// ---- which match ----

Result<Value> regexp_count(Arguments arguments, const BoundExpression&) {
  const auto start = number_at(arguments, 2, "start", 1, 1);
  if (!start) {
    return start.error();
  }
  const auto flags = flags_at(arguments, 3, "regexp_count()");
  if (!flags) {
    return flags.error();
  }
  const auto expression = kept_expression(text(arguments[1]), flags->syntax);
  if (!expression) {
    return expression.error();
  }
  int64_t count = 0;
  Matches each(**expression, text(arguments[0]), *start);
  while (each.next()) {
    ++count;
  }
  const auto ended = each.ended();
  return ended ? Result<Value>(Value(count)) : ended.error();
}

/// At this place regexp_instr() is told whether it is the match's end that is wanted; regexp_substr() has its flags
/// there.
constexpr size_t kEndOption = 4;

/// regexp_instr() and regexp_substr() are asked for these.
struct Wanted {
  int64_t start = 1;
  int64_t match = 1;
  int64_t group = 0;  ///< 0: the match.
  Flags flags;
};

/// flags_place: where the flags stand; a group's number stands behind them.
Result<Wanted> wanted_of(Arguments arguments, size_t flags_place, const char* function) {
  const auto start = number_at(arguments, 2, "start", 1, 1);
  if (!start) {
    return start.error();
  }
  const auto match = number_at(arguments, 3, "n", 1, 1);
  if (!match) {
    return match.error();
  }
  if (flags_place > kEndOption) {
    const auto end_option = number_at(arguments, kEndOption, "endoption", 0, 0);
    if (!end_option || *end_option > 1) {
      return end_option ? rejected("22023", fmt::format("invalid value for parameter \"endoption\": {}", *end_option))
                        : end_option.error();
    }
  }
  const auto group = number_at(arguments, flags_place + 1, "subexpr", 0, 0);
  if (!group) {
    return group.error();
  }
  const auto flags = flags_at(arguments, flags_place, function);
  if (!flags) {
    return flags.error();
  }
  return Wanted{*start, *match, *group, *flags};
}

/// A group of a match; of an expression without groups the first one is the match.
Result<TextSpan> group_of(RegularExpression& expression, std::string_view from, TextSpan match, int64_t group) {
  const uint32_t count = expression.group_count();
  if (group > std::max<int64_t>(count, 1)) {
    return TextSpan{};
  }
  if (group == 0 || count == 0) {
    return match;
  }
  const auto groups = expression.groups(from, match);
  return groups ? Result<TextSpan>((*groups)[static_cast<size_t>(group - 1)]) : groups.error();
}

/// Nowhere: there is none.
Result<TextSpan> part_wanted(Arguments arguments, const Wanted& wanted) {
  const auto expression = kept_expression(text(arguments[1]), wanted.flags.syntax);
  if (!expression) {
    return expression.error();
  }
  Matches each(**expression, text(arguments[0]), wanted.start);
  if (each.next(wanted.match)) {
    return group_of(**expression, text(arguments[0]), each.match(), wanted.group);
  }
  const auto ended = each.ended();
  return ended ? Result<TextSpan>(TextSpan{}) : ended.error();
}

Result<Value> regexp_instr(Arguments arguments, const BoundExpression&) {
  const auto wanted = wanted_of(arguments, kEndOption + 1, "regexp_instr()");
  if (!wanted) {
    return wanted.error();
  }
  const auto part = part_wanted(arguments, *wanted);
  if (!part) {
    return part.error();
  }
  const bool is_end = arguments.size() > kEndOption && integer(arguments[kEndOption]) == 1;
  const std::string_view before = std::string_view(text(arguments[0])).substr(0, is_end ? part->end : part->begin);
  return Value(part->is_somewhere() ? character_count(before) + 1 : 0);
}

Value text_of_part(Arguments arguments, TextSpan part) {
  const std::string_view from = text(arguments[0]);
  return part.is_somewhere() ? arguments.made(from.substr(part.begin, part.end - part.begin)) : Value();
}

Result<Value> regexp_substr(Arguments arguments, const BoundExpression&) {
  const auto wanted = wanted_of(arguments, kEndOption, "regexp_substr()");
  if (!wanted) {
    return wanted.error();
  }
  const auto part = part_wanted(arguments, *wanted);
  return part ? Result<Value>(text_of_part(arguments, *part)) : part.error();
}

// ---- substring() ----

/// The first match; of an expression with groups what the first of them takes.
Result<Value> first_match(Arguments arguments, std::string_view pattern) {
  const auto expression = kept_expression(pattern, Syntax());
  if (!expression) {
    return expression.error();
  }
  const std::string& from = text(arguments[0]);
  const TextSpan match = (*expression)->find(from, 0);
  if (!match.is_somewhere()) {
    return Value();
  }
  const auto part = group_of(**expression, from, match, 1);
  return part ? Result<Value>(text_of_part(arguments, *part)) : part.error();
}

Result<Value> substring_matched(Arguments arguments, const BoundExpression&) {
  return first_match(arguments, text(arguments[1]));
}

Result<Value> substring_similar(Arguments arguments, const BoundExpression&) {
  auto pattern = regular_expression_of(text(arguments[1]), text(arguments[2]), arguments.spare_text());
  if (!pattern) {
    return pattern.error();
  }
  Result<Value> made = first_match(arguments, *pattern);
  arguments.give_back(std::move(*pattern));
  return made;
}

Type type_of_part(Expressions arguments) { return text_of(length_max(arguments[0].type)); }

}  // namespace

// ---- what several of them want ----

Matches::Matches(RegularExpression& expression, std::string_view text, int64_t start)
    : expression_(expression), text_(text), from_(offset_of(text, start - 1)) {
  if (from_ == text.size() && start - 1 > character_count(text)) {
    ++from_;
  }
}

bool Matches::next() {
  if (from_ > text_.size()) {
    return false;
  }
  const uint64_t steps = expression_.steps_of(text_.size() - from_);
  steps_ += steps;
  has_been_ended_ = is_evaluation_over(steps);
  if (has_been_ended_ || steps_ > regular::kStepsMax) {
    return false;
  }
  match_ = expression_.find(text_, from_);
  if (!match_.is_somewhere()) {
    from_ = text_.size() + 1;
    return false;
  }
  from_ = match_.end;
  if (match_.begin == match_.end) {
    // Otherwise it would be found again.
    from_ += from_ < text_.size() ? character_size(text_[from_]) : 1;
  }
  return true;
}

bool Matches::next(int64_t wanted) {
  while (wanted > 0 && next()) {
    --wanted;
  }
  return wanted == 0;
}

Result<void> Matches::ended() const {
  if (has_been_ended_) {
    return match_ended();
  }
  if (steps_ > regular::kStepsMax) {
    return rejected("54000", "the matches of a regular expression take too long to be found in a text",
                    "match a shorter part of the text, or write an expression with fewer repetitions");
  }
  return {};
}

Result<Flags> flags_at(Arguments arguments, size_t place, const char* function) {
  if (place >= arguments.size()) {
    return Flags{};
  }
  auto flags = regular::read_flags(text(arguments[place]));
  if (flags && flags->is_global && function != nullptr) {
    return rejected("22023", fmt::format("{} does not support the \"global\" option", function));
  }
  return flags;
}

Result<int64_t> number_at(Arguments arguments, size_t place, const char* parameter, int64_t otherwise, int64_t least) {
  const int64_t number = place < arguments.size() ? integer(arguments[place]) : otherwise;
  if (number < least) {
    return rejected("22023", fmt::format("invalid value for parameter \"{}\": {}", parameter, number));
  }
  return number;
}

namespace {

constexpr uint16_t kOperatorsFrom = 1960;
constexpr uint16_t kFamilyEnd = 2020;

const std::string* constant_text(const BoundExpression& argument) {
  return argument.is_constant() ? std::get_if<std::string>(&argument.value) : nullptr;
}

/// How a call reads its expression; nothing where that hangs on the row, or is a mistake.
std::optional<Syntax> syntax_of(const BoundExpression& call, const ScalarFunction& function) {
  if (function.is_operator) {
    return Syntax{.ignores_case = function.name.ends_with('*')};
  }
  size_t place = function.name == "regexp_replace" ? 3 : 2;
  while (place < call.arguments.size() && function.arguments[place] != kText) {
    ++place;
  }
  if (place >= call.arguments.size()) {
    return Syntax();
  }
  const std::string* const letters = constant_text(call.arguments[place]);
  const auto flags = letters != nullptr ? regular::read_flags(*letters) : Flags{};
  return letters != nullptr && flags ? std::optional(flags->syntax) : std::nullopt;
}

bool is_of_family(const BoundExpression& call) {
  const auto id = static_cast<uint16_t>(call.function);
  return call.kind == BoundExpression::Kind::kCall && id >= kOperatorsFrom && id < kFamilyEnd;
}

}  // namespace

void add_regular_expressions(Functions& functions) {
  Adder adder(functions);
  for (const auto& [first, kind] : {NumberedKind{1960, kText}, {1964, kChar}}) {
    adder.add_operator(first, "~", {kind, kText}, kBool, matches<false, true>);
    adder.add_operator(first + 1, "!~", {kind, kText}, kBool, matches<false, false>);
    adder.add_operator(first + 2, "~*", {kind, kText}, kBool, matches<true, true>);
    adder.add_operator(first + 3, "!~*", {kind, kText}, kBool, matches<true, false>);
  }
  adder.add(1970, "regexp_like", {kText, kText}, kBool, regexp_like);
  adder.add(1971, "regexp_like", {kText, kText, kText}, kBool, regexp_like);
  adder.add(1972, "regexp_count", {kText, kText}, kInt, regexp_count);
  adder.add(1973, "regexp_count", {kText, kText, kInt}, kInt, regexp_count);
  adder.add(1974, "regexp_count", {kText, kText, kInt, kText}, kInt, regexp_count);
  adder.add(1975, "regexp_instr", {kText, kText}, kInt, regexp_instr);
  adder.add(1976, "regexp_instr", {kText, kText, kInt}, kInt, regexp_instr);
  adder.add(1977, "regexp_instr", {kText, kText, kInt, kInt}, kInt, regexp_instr);
  adder.add(1978, "regexp_instr", {kText, kText, kInt, kInt, kInt}, kInt, regexp_instr);
  adder.add(1979, "regexp_instr", {kText, kText, kInt, kInt, kInt, kText}, kInt, regexp_instr);
  adder.add(1980, "regexp_instr", {kText, kText, kInt, kInt, kInt, kText, kInt}, kInt, regexp_instr);
  adder.add(1981, "regexp_substr", {kText, kText}, kText, regexp_substr, type_of_part);
  adder.may_be_null();
  adder.add(1982, "regexp_substr", {kText, kText, kInt}, kText, regexp_substr, type_of_part);
  adder.may_be_null();
  adder.add(1983, "regexp_substr", {kText, kText, kInt, kInt}, kText, regexp_substr, type_of_part);
  adder.may_be_null();
  adder.add(1984, "regexp_substr", {kText, kText, kInt, kInt, kText}, kText, regexp_substr, type_of_part);
  adder.may_be_null();
  adder.add(1985, "regexp_substr", {kText, kText, kInt, kInt, kText, kInt}, kText, regexp_substr, type_of_part);
  adder.may_be_null();
  adder.add(1986, "regexp_replace", {kText, kText, kText}, kText, replace_first, type_of_replaced_matches);
  adder.add(1987, "regexp_replace", {kText, kText, kText, kText}, kText, replace_by_flags, type_of_replaced_matches);
  adder.add(1988, "regexp_replace", {kText, kText, kText, kInt}, kText, replace_from, type_of_replaced_matches);
  adder.add(1989, "regexp_replace", {kText, kText, kText, kInt, kInt}, kText, replace_from, type_of_replaced_matches);
  adder.add(1990, "regexp_replace", {kText, kText, kText, kInt, kInt, kText}, kText, replace_from,
            type_of_replaced_matches);
  adder.add(1991, "substring", {kText, kText}, kText, substring_matched, type_of_part);
  adder.may_be_null();
  adder.add(1992, "substring", {kText, kText, kText}, kText, substring_similar, type_of_part);
  adder.may_be_null();
}

}  // namespace daedalus::semantics::scalar

namespace daedalus::semantics {

Result<void> check_expression(const BoundExpression& call) {
  if (!scalar::is_of_family(call)) {
    return {};
  }
  const ScalarFunction& function = *find_function(call.function);
  const bool is_similar = function.name == "substring" && call.arguments.size() == 3;
  const std::string* const pattern = is_similar ? nullptr : scalar::constant_text(call.arguments[1]);
  const auto syntax = pattern != nullptr ? scalar::syntax_of(call, function) : std::nullopt;
  if (!syntax) {
    return {};
  }
  const auto expression = kept_expression(*pattern, *syntax);
  return expression || expression.error().sqlstate != "0A000" ? Result<void>() : expression.error();
}

}  // namespace daedalus::semantics

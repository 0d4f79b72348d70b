// regexp_replace().
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/semantics/characters.hpp"
#include "families.hpp"
#include "matches.hpp"

namespace daedalus::semantics::scalar {
namespace {

/// A replacement is written instead of a match: \& is the match, \1 to \9 its groups, \\ a backslash.
struct Replacement {
  std::string_view text;
  bool has_groups = false;

  explicit Replacement(std::string_view replacement) : text(replacement) {
    for (size_t at = text.find('\\'); at != std::string_view::npos && at + 1 < text.size(); at = text.find('\\', at)) {
      has_groups = has_groups || (text[at + 1] >= '1' && text[at + 1] <= '9');
      at += text[at + 1] == '\\' ? 2 : 1;
    }
  }
};

class Replacer {
 public:
  Replacer(RegularExpression& expression, std::string_view from, std::string_view replacement, std::string room)
      : expression_(expression), from_(from), replacement_(replacement), made_(std::move(room)) {}

  /// wanted: which match, from 1; 0: all.
  Result<Value> replaced(int64_t start, int64_t wanted) {
    Matches matches(expression_, from_, start);
    for (int64_t number = 1; matches.next(); ++number) {
      if (wanted != 0 && number != wanted) {
        continue;
      }
      made_ += from_.substr(copied_, matches.match().begin - copied_);
      copied_ = matches.match().end;
      if (auto written = write(matches.match()); !written) {
        return written.error();
      }
      if (wanted != 0) {
        break;
      }
      if (made_.size() > kStringLengthMax) {
        return too_long();
      }
    }
    if (auto ended = matches.ended(); !ended) {
      return ended.error();
    }
    made_ += from_.substr(copied_);
    return Value(std::move(made_));
  }

 private:
  Result<void> write(TextSpan match) {
    std::span<const TextSpan> groups;
    if (replacement_.has_groups && expression_.group_count() > 0) {
      auto found = expression_.groups(from_, match);
      if (!found) {
        return found.error();
      }
      groups = *found;
    }
    std::string_view rest = replacement_.text;
    while (!rest.empty()) {
      const size_t backslash = std::min(rest.find('\\'), rest.size());
      made_ += rest.substr(0, backslash);
      rest.remove_prefix(backslash);
      if (!rest.empty()) {
        rest.remove_prefix(write_escape(rest, match, groups));
      }
    }
    return {};
  }

  /// Writes what begins with a backslash. Returns its size.
  size_t write_escape(std::string_view escape, TextSpan match, std::span<const TextSpan> groups) {
    const char sign = escape.size() > 1 ? escape[1] : '\0';
    if (sign == '&') {
      write_part(match);
    } else if (sign >= '1' && sign <= '9') {
      const auto group = static_cast<size_t>(sign - '1');
      write_part(group < groups.size() ? groups[group] : TextSpan{});
    } else {
      made_ += '\\';
      return sign == '\\' ? 2 : 1;
    }
    return 2;
  }

  void write_part(TextSpan part) {
    if (part.is_somewhere()) {
      made_ += from_.substr(part.begin, part.end - part.begin);
    }
  }

  RegularExpression& expression_;
  std::string_view from_;
  Replacement replacement_;
  std::string made_;
  size_t copied_ = 0;
};

struct WantedReplacement {
  int64_t start = 1;
  int64_t match = 1;
};

Result<Value> replaced(Arguments arguments, const regular::Syntax& syntax, WantedReplacement wanted) {
  const auto expression = kept_expression(text(arguments[1]), syntax);
  if (!expression) {
    return expression.error();
  }
  return Replacer(**expression, text(arguments[0]), text(arguments[2]), arguments.spare_text())
      .replaced(wanted.start, wanted.match);
}

}  // namespace

Result<Value> replace_first(Arguments arguments, const BoundExpression&) { return replaced(arguments, {}, {}); }

Result<Value> replace_by_flags(Arguments arguments, const BoundExpression&) {
  const std::string_view letters = text(arguments[3]);
  if (!letters.empty() && letters[0] >= '0' && letters[0] <= '9') {
    return rejected("22023", fmt::format("invalid regular expression option: \"{}\"", letters[0]),
                    "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to "
                    "integer explicitly.");
  }
  const auto flags = flags_at(arguments, 3, nullptr);
  if (!flags) {
    return flags.error();
  }
  return replaced(arguments, flags->syntax, {.match = flags->is_global ? 0 : 1});
}

Result<Value> replace_from(Arguments arguments, const BoundExpression&) {
  const auto start = number_at(arguments, 3, "start", 1, 1);
  if (!start) {
    return start.error();
  }
  const auto match = number_at(arguments, 4, "n", 1, 0);
  if (!match) {
    return match.error();
  }
  const auto flags = flags_at(arguments, 5, nullptr);
  if (!flags) {
    return flags.error();
  }
  return replaced(arguments, flags->syntax, {*start, *match});
}

/// Each character, and none, may be a match; what parts of matches are written again comes to no more than the text.
Type type_of_replaced_matches(std::span<const BoundExpression> arguments) {
  const uint64_t size = length_max(arguments[0].type);
  const bool is_one = arguments.size() == 3;
  const auto* with = arguments[2].is_constant() ? std::get_if<std::string>(&arguments[2].value) : nullptr;
  const uint64_t with_size = with != nullptr ? with->size() : uint64_t{length_max(arguments[2].type)};
  const uint64_t references =
      with != nullptr ? static_cast<uint64_t>(std::count(with->begin(), with->end(), '\\')) : with_size / 2;
  return text_of(size + (is_one ? 1 : size + 1) * with_size + references * size);
}

}  // namespace daedalus::semantics::scalar

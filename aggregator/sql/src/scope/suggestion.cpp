#include "suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "lexer.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// Names that are so short begin too many others.
constexpr size_t kPrefixSizeMin = 3;
/// Longer words are no keywords, and no names either: PostgreSQL cuts names at 63 bytes.
constexpr size_t kNameSizeMax = 64;

bool is_prefix(std::string_view prefix, std::string_view name) {
  return prefix.size() <= name.size() &&
         std::equal(prefix.begin(), prefix.end(), name.begin(),
                    [](char left, char right) { return lower_letter(left) == lower_letter(right); });
}

/// How far `name` is from what was written: the beginning of a name is as near as one wrong letter.
size_t distance(std::string_view written, std::string_view name) {
  const size_t bound = std::min(kSuggestionDistanceMax, written.size() / 2);
  const size_t edits = edit_distance(written, name, bound);
  if (edits > bound && written.size() >= kPrefixSizeMin && is_prefix(written, name)) {
    return 1;
  }
  return edits > bound ? kSuggestionDistanceMax + 1 : edits;
}

struct Word {
  std::string_view word;  ///< In lower case.
  std::string_view hint;
};

constexpr std::string_view kDescribe =
    "the command line (bin/daedalus sql) has DESCRIBE and \\d, client libraries have describe()";
/// First words of commands that other databases and their tools understand, and PostgreSQL's grammar does not.
constexpr std::array kWords{
    Word{"describe", kDescribe},
    Word{"desc", kDescribe},
    Word{"show", kDescribe},
    Word{"use", "a cluster has one table, which needs no choice"},
    Word{"replace", "use DELETE and INSERT"},
    Word{"upsert", "use DELETE and INSERT"},
    Word{"help", "the command line has bin/daedalus help and, in its shell, \\?"},
    Word{"quit", "the command line's shell ends with \\q"},
    Word{"exit", "the command line's shell ends with \\q"},
};

constexpr std::array<std::string_view, 4> kStatements{"SELECT", "INSERT", "UPDATE", "DELETE"};

}  // namespace

size_t edit_distance(std::string_view left, std::string_view right, size_t bound) {
  const size_t difference = left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
  if (difference > bound) {
    return bound + 1;
  }
  // current[j] is the distance of the first i letters of `left` from the first j of `right`; before and before_that
  // are those of i - 1 and i - 2.
  std::vector<size_t> before_that;
  std::vector<size_t> before(right.size() + 1);
  std::vector<size_t> current(right.size() + 1);
  std::iota(current.begin(), current.end(), 0);
  const auto same = [&](size_t i, size_t j) { return lower_letter(left[i - 1]) == lower_letter(right[j - 1]); };
  for (size_t i = 1; i <= left.size(); ++i) {
    before_that = std::exchange(before, current);
    current[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      current[j] = std::min({before[j - 1] + (same(i, j) ? 0 : 1), before[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) {
        current[j] = std::min(current[j], before_that[j - 2] + 1);
      }
    }
  }
  return std::min(current.back(), bound + 1);
}

std::string suggest_column(const semantics::Schema& schema, std::string_view table, std::string_view name) {
  if (name.size() > kNameSizeMax) {
    return {};
  }
  size_t nearest = kSuggestionDistanceMax;
  std::vector<std::string_view> found;
  for (const semantics::Column& column : schema.columns) {
    const size_t away = distance(name, column.name);
    if (away < nearest) {
      found.clear();
      nearest = away;
    }
    if (away == nearest) {
      found.emplace_back(column.name);
    }
  }
  if (found.size() == 1) {
    return fmt::format("Perhaps you meant to reference the column \"{}.{}\".", table, found[0]);
  }
  if (found.size() == 2) {
    return fmt::format("Perhaps you meant to reference the column \"{}.{}\" or the column \"{}.{}\".", table, found[0],
                       table, found[1]);
  }
  return {};
}

std::string suggest_statement(std::string_view text) {
  const auto first = Lexer(text).next();
  if (!first || first->kind != TokenKind::kWord || first->text.size() > kNameSizeMax) {
    return {};
  }
  for (const Word& word : kWords) {
    if (is_keyword(*first, word.word)) {
      return std::string(word.hint);
    }
  }
  for (const std::string_view statement : kStatements) {
    const size_t away = edit_distance(first->text, statement, 2);
    if (away == 1 || away == 2) {
      return fmt::format("Perhaps you meant {}.", statement);
    }
  }
  return {};
}

}  // namespace daedalus::aggregator::sql

// rpc/vectors/language.tsv pins the language (semantics/language.hpp): a line for each number that messages, logs and
// journals may have in them, with the version that it came with. Lines are added and never changed: what was written
// with a number is read by it for ever.
#include "daedalus/semantics/language.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/update.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "daedalus/wire/v1/values.pb.h"

namespace daedalus::contract {
namespace {

using semantics::Language;
using semantics::LanguageKind;
using semantics::ScalarFunction;

constexpr const char* kForms[] = {"and",
                                  "or",
                                  "not",
                                  "is null",
                                  "is not null",
                                  "is true",
                                  "is not true",
                                  "is false",
                                  "is not false",
                                  "is distinct from",
                                  "is not distinct from",
                                  "case",
                                  "coalesce",
                                  "nullif",
                                  "greatest",
                                  "least",
                                  "in",
                                  "not in",
                                  "cast"};

/// Returns what a line says of a number, apart from since when it is there. Refused functions have numbers that never
/// travel: no version of the language has them.
std::string line_of(const ScalarFunction& function) {
  std::vector<int> kinds;
  for (const semantics::TypeKind kind : function.arguments) {
    kinds.push_back(static_cast<int>(kind));
  }
  return fmt::format("{}\t{}\t{}\t{}\t{}{} {}", function.is_refused() ? "refused" : "function",
                     static_cast<int>(function.id), function.name, function.is_operator ? "operator" : "function",
                     fmt::join(kinds, ","), function.takes_any ? ",any" : "", static_cast<int>(function.result));
}

void add_lines(const google::protobuf::EnumDescriptor& numbers, const char* kind, std::vector<std::string>& lines) {
  for (int place = 0; place < numbers.value_count(); ++place) {
    const auto& value = *numbers.value(place);
    if (value.number() != 0) {
      lines.push_back(fmt::format("{}\t{}\t{}\t", kind, value.number(), value.name()));
    }
  }
}

/// Which kinds of values become which, where that is written and where a column is given a value.
void add_casts(std::vector<std::string>& lines) {
  for (int from = 1; from <= wire::v1::TypeKind_MAX; ++from) {
    for (int to = 1; to <= wire::v1::TypeKind_MAX; ++to) {
      const auto [from_kind, to_kind] = std::pair(semantics::TypeKind(from), semantics::TypeKind(to));
      const uint32_t number = semantics::cast_number(from_kind, to_kind);
      const std::string rest = fmt::format("\t{}\t{} to {}\t", number, from, to);
      if (semantics::can_cast_explicitly(from_kind, to_kind)) {
        lines.push_back("cast" + rest);
      }
      if (semantics::can_assign(from_kind, to_kind)) {
        lines.push_back("assignment" + rest);
      }
    }
  }
}

/// Returns the lines of this build.
std::vector<std::string> built_lines() {
  std::vector<std::string> lines;
  add_lines(*wire::v1::TypeKind_descriptor(), "type", lines);
  add_lines(*wire::v1::Operator_descriptor(), "operator", lines);
  add_lines(*wire::v1::AggregateFunction_descriptor(), "aggregate", lines);
  add_lines(*wire::v1::OperationKind_descriptor(), "operation", lines);
  add_lines(*wire::v1::ResultForm_descriptor(), "result form", lines);
  add_lines(*wire::v1::RowRefusal_descriptor(), "row refusal", lines);
  add_lines(*wire::v1::Distribution_descriptor(), "distribution", lines);
  for (size_t place = 0; place < std::size(kForms); ++place) {
    lines.push_back(fmt::format("form\t{}\t{}\t", place + 1, kForms[place]));
  }
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    lines.push_back(line_of(function));
  }
  add_casts(lines);
  return lines;
}

/// A line of the file.
struct Pinned {
  uint32_t since = 0;  ///< 0: no version has it.
  std::string line;
};

std::vector<Pinned> pinned() {
  std::vector<Pinned> read;
  std::ifstream file(LANGUAGE_VECTORS);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    read.push_back({static_cast<uint32_t>(std::stoul(line.substr(0, tab))), line.substr(tab + 1)});
  }
  return read;
}

/// Kind and number.
std::string number_of(const std::string& line) {
  const std::string kind = line.substr(0, line.find('\t'));
  const size_t number = kind.size() + 1;
  return (kind == "refused" ? "function" : kind) + " " + line.substr(number, line.find('\t', number) - number);
}

uint64_t hash_of(uint32_t version, const std::vector<Pinned>& lines) {
  std::string text;
  for (const Pinned& each : lines) {
    if (each.since > 0 && each.since <= version) {
      text += each.line + "\n";
    }
  }
  return XXH3_64bits(text.data(), text.size());
}

/// With DAEDALUS_WRITE_VECTORS, lines that are missing are added; those that are there stay as they are.
TEST(LanguageTest, EveryNumberIsPinnedAndMeansWhatItAlwaysMeant) {
  std::set<std::string> known;
  for (const Pinned& each : pinned()) {
    known.insert(each.line);
  }
  std::map<std::string, uint32_t> since;
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    since[line_of(function)] = function.is_refused() ? 0 : function.since;
  }
  std::ofstream added;
  if (std::getenv("DAEDALUS_WRITE_VECTORS") != nullptr) {
    added.open(LANGUAGE_VECTORS, std::ios::app);
  }
  for (const std::string& line : built_lines()) {
    if (known.erase(line) == 0) {
      const std::string whole = fmt::format("{}\t{}", since.contains(line) ? since[line] : 1, line);
      added << whole << "\n";
      EXPECT_TRUE(added.is_open()) << "a number is not pinned; a new one has this line at the end of language.tsv: "
                                   << whole;
    }
  }
  for (const std::string& line : known) {
    ADD_FAILURE() << "this number was given, and is gone or means something else now: " << line;
  }
}

TEST(LanguageTest, NoNumberIsGivenTwice) {
  std::set<std::string> numbers;
  for (const Pinned& each : pinned()) {
    EXPECT_TRUE(numbers.insert(number_of(each.line)).second) << each.line;
  }
}

TEST(LanguageTest, EachEntrySaysSinceWhichVersionItIsThere) {
  std::map<std::string, uint32_t> since;
  for (const Pinned& each : pinned()) {
    since[number_of(each.line)] = each.since;
  }
  for (const ScalarFunction& function : semantics::scalar_functions()) {
    EXPECT_EQ(function.is_refused() ? 0 : function.since, since[number_of(line_of(function))]) << line_of(function);
  }
  const Language& own = Language::own();
  for (int number = 1; number <= wire::v1::AggregateFunction_MAX; ++number) {
    EXPECT_EQ(own.since(LanguageKind::kAggregate, static_cast<uint32_t>(number)),
              since[fmt::format("aggregate {}", number)]);
  }
  for (int number = 1; number <= wire::v1::TypeKind_MAX; ++number) {
    EXPECT_EQ(own.since(LanguageKind::kType, static_cast<uint32_t>(number)), since[fmt::format("type {}", number)]);
  }
}

TEST(LanguageTest, EveryVersionHasTheHashOfItsLines) {
  const std::vector<Pinned> lines = pinned();
  uint32_t newest = 0;
  for (const Pinned& each : lines) {
    newest = std::max(newest, each.since);
  }
  const std::vector<uint64_t>& hashes = Language::own().hashes();
  ASSERT_EQ(hashes.size(), newest)
      << "kHashes of semantics/answers/selection/language.cpp has one hash of each version";
  for (uint32_t version = 1; version <= newest; ++version) {
    EXPECT_EQ(hashes[version - 1], hash_of(version, lines))
        << fmt::format("version {} of the language: 0x{:016x}", version, hash_of(version, lines));
  }
}

}  // namespace
}  // namespace daedalus::contract

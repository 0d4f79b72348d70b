// Regular expressions: how they are read and printed, what is wrong with them, and which part of a text takes what.
// PostgreSQL judges what each means for any text (tests/oracle/test_regular_expressions.py).
#include <gtest/gtest.h>

#include <algorithm>

#include "expression.hpp"
#include "parser.hpp"
#include "printer.hpp"

namespace daedalus::semantics::regular {
namespace {

/// As RE2 is given it, or the error's code and message.
std::string pattern_of(std::string_view text, const Syntax& syntax = {}) {
  const auto expression = parse(text, syntax);
  return expression ? printed(expression->root) : expression.error().sqlstate + " " + expression.error().message;
}

Syntax syntax_of(std::string_view letters) { return read_flags(letters)->syntax; }

struct Case {
  std::string_view text;
  std::string_view wanted;
};

void expect(std::initializer_list<Case> cases, const Syntax& syntax = {}) {
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(pattern_of(text, syntax), wanted) << text;
  }
}

TEST(RegularExpression, IsPrintedAsThePatternThatMatchesTheSame) {
  expect({
      {"", ""},
      {"abc1", "abc1"},
      {"a-é€", "a\\x{2d}\\x{e9}\\x{20ac}"},
      {"^a$", "\\Aa\\z"},
      {"\\Aa\\Z", "\\Aa\\z"},
      {"\\ya\\Y", "\\ba\\B"},
      {"a.c", "a(?s:.)c"},
      {"a|b|", "(?:a|b|)"},
      {"(a|b)c", "(?:a|b)c"},
      {"(?:ab)*", "(?:ab)*"},
      {"a*b+c?d{2}e{2,}f{2,3}", "(?:a)*(?:b)+(?:c)?(?:d){2,2}(?:e){2,}(?:f){2,3}"},
      {"a*?b{1,2}?", "(?:a)*(?:b){1,2}"},
      {"a{0}b", "b"},
      {"a{x", "a\\x{7b}x"},
      {"[a-c]", "[a-c]"},
      {"[]a]", "[\\x{5d}a]"},
      {"[^]a]", "[\\x{0}-\\x{5c}\\x{5e}-\\x{60}b-\\x{10ffff}]"},
      {"[a-]", "[\\x{2d}a]"},
      {"[[:digit:][.x.][=y=]]", "[0-9x-y]"},
      {"[[.hyphen.]-0]", "[\\x{2d}-0]"},
      {"\\d\\w", "[0-9][0-9A-Z\\x{5f}a-z]"},
      {"[\\S\\s]", "(?s:.)"},
      {"\\x41\\u00e9\\101\\n\\cJ\\B\\.", "A\\x{e9}A\\x{a}\\x{a}\\x{5c}\\x{2e}"},
      {"\\U00110000", "[^\\x{0}-\\x{10ffff}]"},
      {"a(?#comment)b", "ab"},
      {"***=a.b", "a\\x{2e}b"},
      {"***:(?i)a", "[Aa]"},
  });
}

TEST(RegularExpression, BeginningsAndEndsOfWordsAreEdgesWhereOneSideIsSure) {
  constexpr std::string_view kNever = "[^\\x{0}-\\x{10ffff}]";
  expect({
      {"\\mabc\\M", "\\babc\\b"},
      {"[[:<:]](?:a|[b-d]+)[[:>:]]", "\\b(?:a|(?:[b-d])+)\\b"},
      {"\\m\\y(a|b)", "\\b\\b(?:a|b)"},
      {"a*b\\M", "(?:a)*b\\b"},
      {"-\\m.", "\\x{2d}\\b(?s:.)"},
      {"^\\m.\\M$", "\\A\\b(?s:.)\\b\\z"},
      {"x\\M\\.", "x\\b\\x{2e}"},
  });
  EXPECT_EQ(pattern_of("\\m-"), std::string(kNever) + "\\x{2d}");
  EXPECT_EQ(pattern_of("a\\m."), "a" + std::string(kNever) + "(?s:.)");
  EXPECT_EQ(pattern_of("\\Ma"), std::string(kNever) + "a");
}

TEST(RegularExpression, FlagsAndOptionsChangeWhatIsRead) {
  expect({{"a.[^b]^$", "[Aa][\\x{0}-\\x{9}\\x{b}-\\x{10ffff}][\\x{0}-\\x{9}\\x{b}-AC-ac-\\x{10ffff}](?m:^)(?m:$)"}},
         syntax_of("in"));
  expect({{".^", "(?s:.)(?m:^)"}}, syntax_of("w"));
  expect({{".^", "[\\x{0}-\\x{9}\\x{b}-\\x{10ffff}]\\A"}}, syntax_of("p"));
  expect({{"a b # c\n\\ d[ ]", "ab\\x{20}d\\x{20}"}}, syntax_of("x"));
  expect({{"a+(", "a\\x{2b}\\x{28}"}}, syntax_of("q"));
  expect({{"*a+\\(b\\)\\{2\\}c^", "\\x{2a}a\\x{2b}(?:b){2,2}c\\x{5e}"}}, syntax_of("b"));
  expect({{"a+", "a\\x{2b}"}}, syntax_of("e"));
  expect({{"(?e)a)\\d", "a\\x{29}d"}, {"(?i)a", "[Aa]"}, {"(?xi) a", "[Aa]"}, {"(?q)a.", "a\\x{2e}"}});
}

TEST(RegularExpression, MistakesArePostgresOwn) {
  expect({
      {"(a", "2201B invalid regular expression: parentheses () not balanced"},
      {"a)", "2201B invalid regular expression: parentheses () not balanced"},
      {"*a", "2201B invalid regular expression: quantifier operand invalid"},
      {"a**", "2201B invalid regular expression: quantifier operand invalid"},
      {"^*", "2201B invalid regular expression: quantifier operand invalid"},
      {"(?a", "2201B invalid regular expression: invalid embedded option"},
      {"(?a)", "2201B invalid regular expression: invalid embedded option"},
      {"a(?i)", "2201B invalid regular expression: quantifier operand invalid"},
      {"[b-a]", "2201B invalid regular expression: invalid character range"},
      {"[a-[:alpha:]]", "2201B invalid regular expression: invalid character range"},
      {"[a", "2201B invalid regular expression: brackets [] not balanced"},
      {"[[:x:]]", "2201B invalid regular expression: invalid character class"},
      {"[[.xy.]]", "2201B invalid regular expression: invalid collating element"},
      {"a{2", "2201B invalid regular expression: braces {} not balanced"},
      {"a{2,1}", "2201B invalid regular expression: invalid repetition count(s)"},
      {"a{256}", "2201B invalid regular expression: invalid repetition count(s)"},
      {"\\", "2201B invalid regular expression: invalid escape \\ sequence"},
      {"\\q", "2201B invalid regular expression: invalid escape \\ sequence"},
      {"[\\A]", "2201B invalid regular expression: invalid escape \\ sequence"},
      {"\\1", "2201B invalid regular expression: invalid backreference number"},
      {"(a\\1)", "2201B invalid regular expression: invalid backreference number"},
      {"***?", "2201B invalid regular expression: invalid regexp (reg version 0.8)"},
      {"***a", "2201B invalid regular expression: quantifier operand invalid"},
  });
  EXPECT_EQ(read_flags("iz").error().message, "invalid regular expression option: \"z\"");
  EXPECT_EQ(read_flags("é").error().message, "invalid regular expression option: \"é\"");
  EXPECT_EQ(pattern_of("a", syntax_of("qx")), "2201B invalid regular expression: invalid argument to regex function");
}

TEST(RegularExpression, RefusesUnsupportedSyntaxByNameUnlessThePatternIsWrong) {
  constexpr std::string_view kLook =
      "0A000 a condition on what is before or behind ((?=, (?!, (?<=, (?<!) in a regular expression is not supported";
  constexpr std::string_view kWord =
      "0A000 the beginning or the end of a word (\\m, \\M) beside what may be a word or not in a regular expression is "
      "not supported";
  expect({
      {"(a)\\1", "0A000 a reference back to a group (\\1) in a regular expression is not supported"},
      {"a(?=b)", kLook},
      {"(?<!b)a", kLook},
      {"\\m", kWord},
      {"[[:<:]].", kWord},
      {"\\ma*", kWord},
      {".\\M[^b]", kWord},
      {"(a)\\1(", "2201B invalid regular expression: parentheses () not balanced"},
  });
  const std::string deep = std::string(kDepthMax + 1, '(') + std::string(kDepthMax + 1, ')');
  EXPECT_EQ(pattern_of(deep), "0A000 a group in more than 100 others in a regular expression is not supported");
  EXPECT_EQ(pattern_of(deep.substr(1, 2 * kDepthMax)), "");
  for (const char* large : {"(((a{255}){255}){255}){255}", "(.{255}){100}", "((é|[^a]){200}){200}"}) {
    EXPECT_EQ(RegularExpression::read(large, {}).error().sqlstate, "0A000") << large;
  }
  EXPECT_TRUE(RegularExpression::read("(a{255}){5}", {}));
}

// ---- matching ----

std::string part_of(std::string_view text, TextSpan span) {
  return span.is_somewhere() ? std::string(text.substr(span.begin, span.end - span.begin)) : "-";
}

/// The first match and its groups.
std::string match_of(std::string_view pattern, std::string_view text) {
  const auto expression = RegularExpression::read(pattern, {});
  if (!expression) {
    return expression.error().message;
  }
  const TextSpan match = (*expression)->find(text, 0);
  EXPECT_EQ((*expression)->is_found(text), match.is_somewhere()) << pattern;
  std::string made = part_of(text, match);
  if (match.is_somewhere()) {
    for (const TextSpan& group : *(*expression)->groups(text, match)) {
      made += "," + part_of(text, group);
    }
  }
  return made;
}

struct Matched {
  std::string_view pattern;
  std::string_view text;
  std::string_view wanted;  ///< As PostgreSQL 15 has it.
};

TEST(RegularExpression, MatchesAndGroupsAreThoseOfPostgres) {
  const Matched cases[] = {
      {"a|ab", "xab", "ab"},
      {"a*?", "aaa", ""},
      {"a+?b*", "aabb", "a"},
      {"<.*?>", "a<b>c>", "<b>"},
      {"a+.*?", "aab", "aab"},
      {"(a|ab)(c|bcd)", "abcd", "abcd,a,bcd"},
      {"(a*)(a*)", "aaa", "aaa,aaa,"},
      {"(a*?)(a*)", "aaa", ",,"},
      {"(a+?)(b+)$", "aabb", "aabb,aa,bb"},
      {"(a|b)*", "aba", "aba,a"},
      {"(a|ab|b)*", "abab", "abab,ab"},
      {"((a)|b)*", "ab", "ab,b,-"},
      {"(a)?b", "b", "b,-"},
      {"(a){2,3}", "aaaa", "aaa,a"},
      {"(a(b)?)+", "aba", "aba,a,-"},
      {"x(.*)(é+)", "xaéé", "xaéé,aé,é"},
      {"\\Y", "aéb", "-"},
      {"(a){0}b", "ab", "b,-"},
      {"^abc$", "abc", "abc"},
      {"b", "abc", "b"},
  };
  for (const auto& [pattern, text, wanted] : cases) {
    EXPECT_EQ(match_of(pattern, text), wanted) << pattern << " in " << text;
  }
}

TEST(RegularExpression, MatchesWithFewStatesAsWithAll) {
  // As many states as there are sets of the last fourteen letters: more than may be kept.
  const auto expression = RegularExpression::read("^(?:a|b)*a(?:a|b){14}$", {});
  ASSERT_TRUE(expression);
  std::string text;
  for (uint32_t bits = 0; text.size() < 4'000; bits = bits * 1'664'525 + 1'013'904'223) {
    text += bits >> 31 == 0 ? 'a' : 'b';
  }
  for (size_t size = 4'000; size > 3'900; --size) {
    EXPECT_EQ((*expression)->is_found(std::string_view(text).substr(0, size)), text[size - 15] == 'a') << size;
  }
}

TEST(RegularExpression, ADissectionThatTakesTooLongIsRefused) {
  const auto expression = RegularExpression::read("(ba|b|aa|aaaa|ac)*", {});
  ASSERT_TRUE(expression);
  const auto groups_of = [&](size_t size) {
    const std::string text = "b" + std::string(size, 'a') + "c";
    const TextSpan match = (*expression)->find(text, 0);
    EXPECT_EQ(match, (TextSpan{0, text.size()}));
    return (*expression)->groups(text, match);
  };
  // No others make up the rest where the first one takes two letters, but there are ever more ways to try.
  ASSERT_TRUE(groups_of(15));
  EXPECT_EQ((*groups_of(15))[0], (TextSpan{15, 17}));
  EXPECT_EQ(groups_of(4'001).error().sqlstate, "54000");
}

TEST(RegularExpression, TurnsPlainAndPrefixPatternsIntoPatternsOfLike) {
  EXPECT_EQ(like_pattern_of("^abc"), "abc%");
  EXPECT_EQ(like_pattern_of("^abc$"), "abc");
  EXPECT_EQ(like_pattern_of("^10%_\\."), "10\\%\\_.%");
  EXPECT_EQ(like_pattern_of("^"), "%");
  EXPECT_EQ(like_pattern_of("abc"), std::nullopt);
  EXPECT_EQ(like_pattern_of("^ab*"), std::nullopt);
  EXPECT_EQ(like_pattern_of("^(abc)"), std::nullopt);
  EXPECT_EQ(like_pattern_of("^a("), std::nullopt);
}

TEST(RegularExpression, AThreadKeepsTheLastOnes) {
  RegularExpression* const first = *kept_expression("a[0-9]", false);
  EXPECT_EQ(*kept_expression("a[0-9]", false), first);
  EXPECT_NE(*kept_expression("a[0-9]", true), first);
  for (int number = 0; number < 100; ++number) {
    ASSERT_TRUE(kept_expression("b" + std::to_string(number), false));
  }
  EXPECT_TRUE(is_found(**kept_expression("a[0-9]", false), "xa7"));
  EXPECT_FALSE(kept_expression("a[", false));
}

TEST(RegularExpression, BoundsTheAutomataThatAThreadKeeps) {
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 30; ++number) {
      const std::string wanted = "b" + std::to_string(number);
      RegularExpression* const expression = *kept_expression("(a)(b)(c)?(d)?(" + wanted + ")", Syntax());
      const std::string text = "ab" + wanted;
      const auto groups = expression->groups(text, expression->find(text, 0));
      ASSERT_TRUE(groups);
      EXPECT_EQ(part_of(text, (*groups)[4]), wanted);
      EXPECT_GT(expression->automaton_count(), 5U);
    }
  }
}

}  // namespace
}  // namespace daedalus::semantics::regular

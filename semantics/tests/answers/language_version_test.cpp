#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/semantics/language.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::semantics {
namespace {

const ScalarFunction& square_root() {
  const ArgumentKind argument{TypeKind::kDouble};
  return **resolve_function("sqrt", false, {&argument, 1});
}

/// A language of three versions: sqrt of double precision came with the second one, uuid with the third one.
Language grown() {
  return Language({11, 12, 13}, {{LanguageKind::kFunction, static_cast<uint32_t>(square_root().id), 2},
                                 {LanguageKind::kType, static_cast<uint32_t>(TypeKind::kUuid), 3}});
}

BoundExpression root_of(BoundExpression argument) { return *make_call(square_root().id, {std::move(argument)}); }

TEST(LanguageVersion, AHashNamesAVersionAndNoneIsTheFirst) {
  const Language language = grown();
  EXPECT_EQ(language.version(), 3);
  EXPECT_EQ(language.hash(), 13);
  EXPECT_EQ(language.version_of(0), 1);
  EXPECT_EQ(language.version_of(11), 1);
  EXPECT_EQ(language.version_of(13), 3);
  EXPECT_EQ(language.version_of(14), std::nullopt);
}

TEST(LanguageVersion, TwoBuildsHaveTheOlderOnesVersionInCommon) {
  const auto common = [](std::vector<uint64_t> theirs) { return grown().common_version(theirs); };
  EXPECT_EQ(common({}), 1);
  EXPECT_EQ(common({11, 12}), 2);
  EXPECT_EQ(common({11, 12, 13}), 3);
  EXPECT_EQ(common({11, 12, 13, 14}), 3);
  EXPECT_EQ(common({11, 12, 99}), std::nullopt) << "both added something to the second version";
  EXPECT_EQ(common({99}), std::nullopt);
}

TEST(LanguageVersion, NamesWhatAnOlderVersionLacksWhereverItStands) {
  const BoundExpression column = make_input(0, {TypeKind::kDouble}, false);
  const BoundExpression root = root_of(column);
  Selection plain;
  plain.outputs.push_back({"d", column});
  std::vector<Selection> selections(5, plain);
  selections[0].residuals.push_back(*make_call(FunctionId::kIsNull, {root}));
  selections[1].having = *make_call(FunctionId::kIsNull, {root});
  selections[2].outputs.push_back({"r", root_of(root)});
  selections[3].grouping = Grouping{.keys = {root}};
  selections[4].grouping =
      Grouping{.keys = {}, .aggregates = {{.function = AggregateFunction::kMax, .argument = root, .type = root.type}}};
  const Language language = grown();
  EXPECT_EQ(language.lacking(1, plain), std::nullopt);
  for (const Selection& selection : selections) {
    EXPECT_EQ(language.lacking(1, selection), "sqrt(double precision)");
    EXPECT_EQ(language.lacking(2, selection), std::nullopt);
  }
}

TEST(LanguageVersion, AggregatesKindsAndCastsAreLookedForToo) {
  const BoundExpression text = make_input(0, {TypeKind::kText, 0, 0, 36}, false);
  const BoundExpression cast = *make_call(FunctionId::kCast, {text}, {TypeKind::kUuid});
  EXPECT_EQ(grown().lacking(2, cast), "uuid");
  const Language casts({1, 2}, {{LanguageKind::kCast, cast_number(TypeKind::kText, TypeKind::kUuid), 2}});
  EXPECT_EQ(casts.lacking(1, cast), "a cast of text to uuid");
  const Language aggregates({1, 2}, {{LanguageKind::kAggregate, static_cast<uint32_t>(AggregateFunction::kMax), 2}});
  EXPECT_EQ(aggregates.lacking(1, *make_aggregate(AggregateFunction::kMax, {text})), "max");
  EXPECT_EQ(aggregates.lacking(1, *make_aggregate(AggregateFunction::kMin, {text})), std::nullopt);
}

}  // namespace
}  // namespace daedalus::semantics

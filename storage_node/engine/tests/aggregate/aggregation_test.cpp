// Grouping and aggregates over column vectors against the plain table, and against themselves however rows are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "computed_columns.hpp"
#include "daedalus/semantics/text.hpp"
#include "filled_store.hpp"
#include "operation_mix.hpp"
#include "plain_table.hpp"
#include "set_aggregation.hpp"

namespace daedalus::engine {
namespace {

/// A query for a selection that stays where it is.
Query query_of(const semantics::Selection& selection) {
  return {.selection = {std::shared_ptr<const void>(), &selection}};
}

using semantics::AggregateFunction;
using test::below;
using test::Feed;
using test::FilledStore;
using test::one_in;
using test::Random;

constexpr uint64_t kAnswerBytes = 64u << 20;
constexpr uint64_t kMemoryBytes = 1u << 30;

semantics::Selection random_aggregates(Random& random) {
  test::OperationMix mix(random);
  semantics::Selection selection = mix.selection();
  while (!selection.grouping) {
    selection = mix.selection();
  }
  selection.predicate = {};
  selection.residuals.clear();  // Whoever aggregates is given rows that hold them.
  return selection;
}

template <typename AnyAggregation>
Result<AnswerRows> run(AnyAggregation& aggregation, const FilledStore& filled, Feed how, Random& random) {
  Result<void> taken;
  const auto keep = [&](Result<void> result) {
    if (taken) {
      taken = std::move(result);
    }
  };
  test::feed(
      filled, how, random,
      [&](uint32_t chunk, const uint32_t* rows, uint32_t count) { keep(aggregation.take(chunk, rows, count)); },
      [&](uint32_t chunk, const uint64_t* selection) { keep(aggregation.take_selection(chunk, selection)); });
  if (!taken) {
    return taken.error();
  }
  return aggregation.finish();
}

TEST(AggregationTest, AnswersAreTheSameToTheLastBitHoweverRowsAreFound) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  for (const uint32_t live_percent : {100u, 97u, 50u, 3u, 0u}) {
    const FilledStore filled(random, one_in(random, 2) ? 64 : 2'112, 3, live_percent);
    for (int draw = 0; draw < 40; ++draw) {
      const semantics::Selection selection = random_aggregates(random);
      std::vector<std::string> answers;
      for (const Feed how : test::kFeeds) {
        Groupings groupings(memory);
        SetAggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
        answers.push_back(run(aggregation, filled, how, random).value().bytes);
      }
      ASSERT_EQ(answers[0], answers[1]);
      ASSERT_EQ(answers[0], answers[2]);
      ASSERT_EQ(answers[0], answers[3]);
    }
  }
}

TEST(AggregationTest, AgreesWithAPlainTable) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  for (const uint32_t live_percent : {100u, 97u, 50u, 3u, 0u}) {
    const FilledStore filled(random, one_in(random, 2) ? 64 : 2'112, 2, live_percent);
    test::PlainTable table(test::test_schema(), filled.rows.size());
    std::vector<test::Row> live;
    for (size_t slot = 0; slot < filled.rows.size(); ++slot) {
      if (filled.is_live[slot]) {
        live.push_back(filled.rows[slot]);
      }
    }
    table.apply({Timestamp{1}, {test::insert_rows(test::test_schema(), live)}});
    for (int draw = 0; draw < 30; ++draw) {
      const semantics::Selection selection = random_aggregates(random);
      Groupings groupings(memory);
      SetAggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
      AnswerRows merged = run(aggregation, filled, Feed::kMixed, random).value();
      ASSERT_EQ(table.fault(selection, {.rows = std::move(merged.bytes), .row_count = merged.count}), "");
    }
  }
}

TEST(AggregationTest, GroupsComeInTheOrderOfTheirFirstRow) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  const FilledStore filled(random, 2'112, 1, 90);
  for (const uint32_t key : {test::kSmall, test::kBool, test::kWide, test::kText, test::kDouble}) {
    const semantics::Selection selection = test::selection_of({{.name = "key", .column = key}}, {key});
    Groupings groupings(memory);
    Aggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
    const AnswerRows merged = run(aggregation, filled, Feed::kMixed, random).value();
    std::vector<semantics::Value> expected;
    for (size_t slot = 0; slot < filled.rows.size(); ++slot) {
      const semantics::Value& value = filled.rows[slot][key];
      const bool is_new = std::none_of(expected.begin(), expected.end(), [&](const semantics::Value& other) {
        return semantics::compare_ordered(value, other, {}) == 0;
      });
      if (filled.is_live[slot] && is_new) {
        expected.push_back(value);
      }
    }
    const auto actual = test::decode({test::test_schema().columns[key].type}, merged.bytes);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t group = 0; group < actual.size(); ++group) {
      EXPECT_TRUE(semantics::compare_ordered(actual[group][0], expected[group], {}) == 0) << group;
    }
  }
}

TEST(AggregationTest, RefusesMoreGroupsThanFitItsMemory) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  const FilledStore filled(random, 2'112, 1, 100);
  const semantics::Selection selection = test::selection_of({{.name = "key", .column = test::kId}}, {test::kId});
  for (const Feed how : test::kFeeds) {
    Groupings groupings(memory);
    Aggregation aggregation(filled.layout, filled.store, query_of(selection), 4'096, groupings);
    const auto refused = run(aggregation, filled, how, random);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().sqlstate, "54000");
  }
}

TEST(AggregationTest, FloatingStatesAreThoseOfTheirValuesInAnyOrder) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  constexpr AggregateFunction kFunctions[] = {AggregateFunction::kSum, AggregateFunction::kAvg,
                                              AggregateFunction::kStddevSamp};
  for (const uint32_t live_percent : {100u, 95u, 3u}) {
    const FilledStore filled(random, 2'112, 2, live_percent);
    for (const uint32_t column : {test::kReal, test::kDouble}) {
      std::vector<semantics::SelectItem> items;
      std::vector<semantics::Value> expected;
      for (const AggregateFunction function : kFunctions) {
        items.push_back(test::aggregate_of(function, column));
        semantics::AggregateState state(function, test::test_schema().columns[column].type);
        for (size_t slot = filled.rows.size(); slot-- > 0;) {
          if (filled.is_live[slot]) {
            state.add(filled.rows[slot][column]);
          }
        }
        const std::vector<semantics::Value> partial = state.partial();
        expected.insert(expected.end(), partial.begin(), partial.end());
      }
      const semantics::Selection selection = test::selection_of(std::move(items));
      for (const Feed how : test::kFeeds) {
        Groupings groupings(memory);
        Aggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
        const AnswerRows merged = run(aggregation, filled, how, random).value();
        const auto rows = test::decode(semantics::partial_row_types(selection), merged.bytes);
        ASSERT_TRUE(rows[0] == expected);
      }
    }
  }
}

/// One of some numbers in the floating columns, NULL now and then.
FilledStore::MakeRow row_of(std::vector<double> numbers) {
  return [numbers = std::move(numbers)](Random& random, int64_t slot) {
    test::Row row = test::random_row(random, slot);
    row[test::kDouble] =
        one_in(random, 5) ? semantics::Value() : semantics::Value(numbers[below(random, numbers.size())]);
    row[test::kReal] = row[test::kDouble];
    return row;
  };
}

TEST(AggregationTest, SumsThatLeaveTheRangeOfDoublesOnTheirWayComeBack) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  constexpr double kHuge = 0x1p1023;
  for (const uint32_t live_percent : {100u, 40u}) {
    // Powers of two, so that sums are exact whatever the order.
    const FilledStore filled(random, 2'112, 2, live_percent, row_of({kHuge, -kHuge}));
    for (const bool is_grouped : {false, true}) {
      const semantics::Selection selection =
          test::selection_of({test::aggregate_of(AggregateFunction::kSum, test::kDouble)},
                             is_grouped ? std::vector<uint32_t>{test::kBool} : std::vector<uint32_t>{});
      const size_t sum_place = is_grouped ? 1 : 0;  // Behind the key.
      std::map<size_t, int64_t> expected;           // By key, in units of kHuge.
      const auto key_of = [](const semantics::Value& flag) {
        return semantics::is_null(flag) ? size_t{2} : size_t{std::get<bool>(flag)};
      };
      for (size_t slot = 0; slot < filled.rows.size(); ++slot) {
        if (const auto* number = std::get_if<double>(&filled.rows[slot][test::kDouble]);
            filled.is_live[slot] && number) {
          expected[is_grouped ? key_of(filled.rows[slot][test::kBool]) : 0] += *number > 0 ? 1 : -1;
        }
      }
      for (const Feed how : test::kFeeds) {
        Groupings groupings(memory);
        Aggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
        const AnswerRows merged = run(aggregation, filled, how, random).value();
        const auto rows = test::decode(semantics::partial_row_types(selection), merged.bytes);
        ASSERT_EQ(rows.size(), expected.size());
        for (const test::Row& row : rows) {
          semantics::AggregateState state(AggregateFunction::kSum, {.kind = semantics::TypeKind::kDouble});
          state.merge({row.data() + sum_place, semantics::FloatingSum::kColumns});
          const int64_t count = expected.at(is_grouped ? key_of(row[0]) : 0);
          const Result<semantics::Value> sum = state.finish();
          ASSERT_EQ(sum.has_value(), std::abs(count) < 2) << count;
          ASSERT_TRUE(!sum || std::get<double>(*sum) == static_cast<double>(count) * kHuge) << count;
        }
      }
    }
  }
}

TEST(AggregationTest, InfiniteValuesDecideASumWhateverTheFiniteOnesDo) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double infinite : {kInfinity, -kInfinity}) {
    const FilledStore filled(random, 2'112, 1, 100, row_of({0x1p1023, 0x1p1022, infinite}));
    const semantics::Selection selection =
        test::selection_of({test::aggregate_of(AggregateFunction::kSum, test::kDouble)});
    for (const Feed how : test::kFeeds) {
      Groupings groupings(memory);
      Aggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
      const AnswerRows merged = run(aggregation, filled, how, random).value();
      const auto rows = test::decode(semantics::partial_row_types(selection), merged.bytes);
      semantics::AggregateState state(AggregateFunction::kSum, {.kind = semantics::TypeKind::kDouble});
      state.merge(rows[0]);
      EXPECT_EQ(std::get<double>(*state.finish()), infinite);
    }
  }
}

/// Numbers with the sign of zeros to be seen.
std::string text_of_numbers(const test::Row& row) {
  std::string text;
  for (const semantics::Value& value : row) {
    const auto* number = std::get_if<double>(&value);
    text += number == nullptr ? "NULL," : semantics::format_text({.kind = semantics::TypeKind::kDouble}, *number) + ",";
  }
  return text;
}

/// A partial row whose last columns are the state of a sum, with what the sum is in their place.
test::Row with_sum_at_end(test::Row row) {
  const size_t place = row.size() - semantics::FloatingSum::kColumns;
  semantics::AggregateState state(AggregateFunction::kSum, {.kind = semantics::TypeKind::kDouble});
  state.merge({row.data() + place, semantics::FloatingSum::kColumns});
  row.resize(place);
  row.push_back(*state.finish());
  return row;
}

TEST(AggregationTest, ZerosAreThoseOfTheFirstRowAsKeyAndOfTheLastAsExtreme) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  for (int draw = 0; draw < 20; ++draw) {
    const FilledStore filled(random, 2'112, 1, one_in(random, 2) ? 100 : 5, row_of({0.0, -0.0}));
    for (const uint32_t column : {test::kReal, test::kDouble}) {
      const auto functions = {AggregateFunction::kMin, AggregateFunction::kMax, AggregateFunction::kSum};
      for (const bool is_grouped : {true, false}) {
        std::vector<semantics::SelectItem> items;
        for (const AggregateFunction function : functions) {
          items.push_back(test::aggregate_of(function, column));
        }
        const semantics::Selection selection =
            test::selection_of(std::move(items), is_grouped ? std::vector<uint32_t>{column} : std::vector<uint32_t>{});
        std::vector<double> zeros;
        for (size_t slot = 0; slot < filled.rows.size(); ++slot) {
          if (const auto* number = std::get_if<double>(&filled.rows[slot][column]); filled.is_live[slot] && number) {
            zeros.push_back(*number);
          }
        }
        const bool all_minus = std::all_of(zeros.begin(), zeros.end(), [](double zero) { return std::signbit(zero); });
        test::Row expected = {zeros.front(), zeros.back(), zeros.back(), all_minus ? -0.0 : 0.0};
        if (!is_grouped) {
          expected.erase(expected.begin());
        }
        for (const Feed how : test::kFeeds) {
          Groupings groupings(memory);
          Aggregation aggregation(filled.layout, filled.store, query_of(selection), kAnswerBytes, groupings);
          const AnswerRows merged = run(aggregation, filled, how, random).value();
          const auto rows = test::decode(semantics::partial_row_types(selection), merged.bytes);
          ASSERT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const test::Row& row) {
            return text_of_numbers(with_sum_at_end(row)) == text_of_numbers(expected);
          })) << text_of_numbers(expected);
        }
      }
    }
  }
}

TEST(AggregationTest, QueriesThatShareTheirGroupsAnswerAsTheyWouldAlone) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  for (int draw = 0; draw < 60; ++draw) {
    const FilledStore filled(random, one_in(random, 2) ? 64 : 2'112, 2, one_in(random, 2) ? 100 : 60);
    semantics::Selection grouped = random_aggregates(random);
    while (grouped.grouping->keys.empty()) {
      grouped = random_aggregates(random);
    }
    semantics::Selection others = random_aggregates(random);
    others.grouping->keys = grouped.grouping->keys;
    Groupings shared(memory);
    EXPECT_EQ(shared.finder(filled.layout, query_of(grouped)), shared.finder(filled.layout, query_of(others)));
    Aggregation first(filled.layout, filled.store, query_of(grouped), kAnswerBytes, shared);
    Aggregation second(filled.layout, filled.store, query_of(others), kAnswerBytes, shared);
    Aggregation refused(filled.layout, filled.store, query_of(grouped), 1, shared);
    bool is_refused = false;
    for (uint32_t chunk = 0; chunk < filled.store.chunk_count(); ++chunk) {
      const ChunkView view = filled.store.view(chunk);
      std::vector<uint32_t> rows(view.row_count);
      rows.resize(list_rows(view.live, view.word_count(), rows.data()));
      // Mostly each asks for the same batches, now and then one for others.
      for (Aggregation* aggregation : {&first, &refused, &second}) {
        const bool is_taken = one_in(random, 5) ? aggregation->take(chunk, rows.data(), rows.size()).has_value()
                                                : aggregation->take_selection(chunk, view.live).has_value();
        if (aggregation == &refused) {
          is_refused = is_refused || !is_taken;
        } else {
          ASSERT_TRUE(is_taken);
        }
      }
    }
    for (const auto& [aggregation, selection] : {std::pair(&first, &grouped), std::pair(&second, &others)}) {
      Groupings alone(memory);
      Aggregation single(filled.layout, filled.store, query_of(*selection), kAnswerBytes, alone);
      const auto expected = run(single, filled, Feed::kSelections, random).value();
      const auto actual = aggregation->finish().value();
      ASSERT_EQ(actual.bytes, expected.bytes);
      ASSERT_EQ(is_refused, expected.count > 1);
    }
  }
}

TEST(AggregationTest, ComputedColumnsAreGroupedAndAggregatedLikePlainOnes) {
  AnswerMemory memory(kMemoryBytes);
  Random random(test::test_seed());
  const FilledStore filled(random, 2'112, 2, 90);
  const auto computed = std::make_shared<test::KeyModuloEight>(filled.layout);
  Groupings groupings(memory);
  for (const Feed how : test::kFeeds) {
    AggregationPlan by_computed;
    by_computed.keys.emplace_back(computed);
    by_computed.aggregates.push_back({AggregateFunction::kCountRows, ColumnSource(computed)});
    Aggregation groups(filled.store, std::move(by_computed), kAnswerBytes, groupings);
    AggregationPlan of_computed;
    of_computed.aggregates.push_back({AggregateFunction::kSum, ColumnSource(computed)});
    of_computed.aggregates.push_back({AggregateFunction::kMax, ColumnSource(computed)});
    Aggregation sums(filled.store, std::move(of_computed), kAnswerBytes, groupings);

    std::map<int64_t, int64_t> expected;  // −1: NULL
    int64_t sum = 0;
    for (size_t slot = 0; slot < filled.rows.size(); ++slot) {
      if (filled.is_live[slot]) {
        const int64_t key = std::get<int64_t>(filled.rows[slot][test::kKey]);
        ++expected[key % 5 == 0 ? -1 : key % 8];
        sum += key % 5 == 0 ? 0 : key % 8;
      }
    }
    using semantics::TypeKind;
    const auto grouped = run(groups, filled, how, random).value();
    ASSERT_EQ(grouped.count, expected.size());
    for (const test::Row& row : test::decode({{.kind = TypeKind::kInt}, {.kind = TypeKind::kBigint}}, grouped.bytes)) {
      EXPECT_EQ(std::get<int64_t>(row[1]), expected[semantics::is_null(row[0]) ? -1 : std::get<int64_t>(row[0])]);
    }
    const auto summed = run(sums, filled, how, random).value();
    const auto rows = test::decode({{.kind = TypeKind::kNumeric}, {.kind = TypeKind::kInt}}, summed.bytes);
    EXPECT_EQ(std::get<semantics::Decimal>(rows[0][0]).unscaled, sum);
    EXPECT_EQ(std::get<int64_t>(rows[0][1]), 7);
  }
}

}  // namespace
}  // namespace daedalus::engine

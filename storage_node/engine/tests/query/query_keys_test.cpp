// These tests hold what queries ask keys for against the rows that satisfy them: none may be missed, whatever the form
// of a condition.
#include "query_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "filled_store.hpp"
#include "operation_mix.hpp"

namespace daedalus::engine {
namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;
using test::FilledStore;
using test::OperationMix;
using test::Random;
using test::Value;

using RawKey = std::vector<uint64_t>;

/// Rows of a mix with what planning wants to know about them.
struct KnownRows {
  KnownRows(Random& random, const FilledStore::MakeRow& make_row)
      : filled(random, 64, 6, 80, make_row), sketches(filled.layout, filled.store, 1024) {
    sketches.on_load(filled.store.slot_count());
    for (size_t column = 0; column < filled.layout.columns.size(); ++column) {
      sketches.begin_cycle();  // Each draws some.
    }
  }

  [[nodiscard]] RawKey raw_key(const std::vector<uint32_t>& columns, uint32_t slot) const {
    const ChunkView view = filled.store.view(slot / filled.store.chunk_rows());
    RawKey key;
    for (const uint32_t column : columns) {
      const uint32_t stride = filled.layout.columns[column].stride;
      uint64_t raw = 0;
      std::memcpy(&raw, view.planes[column] + size_t{slot % filled.store.chunk_rows()} * stride,
                  std::min<size_t>(stride, sizeof raw));
      key.push_back(raw);
    }
    return key;
  }

  FilledStore filled;
  Sketches sketches;
};

/// Predicates planned together.
class Planned {
 public:
  Planned(const KnownRows& rows, std::vector<Predicate> predicates, AccessPaths paths)
      : rows_(rows), predicates_(std::move(predicates)) {
    compiled_.reserve(predicates_.size());
    for (uint32_t number = 0; number < predicates_.size(); ++number) {
      compiled_.emplace_back(rows.filled.layout, predicates_[number]);
      const CompiledPredicate& predicate = compiled_.back();
      if (!predicate.is_never()) {
        weighed_.emplace_back(predicate.clauses().size());
        weigh_clauses(predicate, rows.sketches, weighed_.back().data());
        operations_.push_back({number, &predicate, weighed_.back()});
        trees_.push_back(&predicates_[number].tree);
      }
    }
    keys_.emplace(rows.filled.layout, rows.sketches, operations_, trees_, paths);
  }

  [[nodiscard]] const QueryKeys& keys() const { return *keys_; }
  [[nodiscard]] size_t size() const { return operations_.size(); }

  /// Values that an operation asks for, by key.
  [[nodiscard]] std::map<uint32_t, std::set<RawKey>> asked(size_t position) const {
    std::map<uint32_t, std::set<RawKey>> asked;
    for (const QueryKeys::Entry& entry : keys_->entries(position)) {
      keys_->for_each_key(position, entry, [&](std::span<const CodedValue> members) {
        RawKey key;
        for (const CodedValue& member : members) {
          key.push_back(member.raw);
        }
        asked[entry.choice.key].insert(key);
      });
    }
    return asked;
  }

  /// The first live row that satisfies an operation and that none of its keys find.
  [[nodiscard]] std::optional<uint32_t> missed_row(size_t position) const {
    const std::map<uint32_t, std::set<RawKey>> asked_of = asked(position);
    const Predicate& predicate = predicates_[operations_[position].operation];
    for (uint32_t slot = 0; slot < rows_.filled.rows.size(); ++slot) {
      if (!rows_.filled.is_live[slot] ||
          !semantics::evaluate(test::test_schema(), predicate, rows_.filled.rows[slot])) {
        continue;
      }
      const bool is_found = std::any_of(asked_of.begin(), asked_of.end(), [&](const auto& of_key) {
        return of_key.second.contains(rows_.raw_key(keys_->keys()[of_key.first].columns, slot));
      });
      if (!is_found) {
        return slot;
      }
    }
    return std::nullopt;
  }

 private:
  const KnownRows& rows_;
  std::vector<Predicate> predicates_;
  std::vector<CompiledPredicate> compiled_;
  std::vector<std::vector<WeighedClause>> weighed_;
  std::vector<KeyedOperation> operations_;
  std::vector<const semantics::Condition*> trees_;
  std::optional<QueryKeys> keys_;
};

TEST(QueryKeysTest, FindEveryRowThatSatisfiesAConditionOfAnyForm) {
  const uint64_t seed = test::test_seed();
  uint64_t of_alternatives = 0;
  uint64_t of_several_keys = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    Random random(seed + round);
    OperationMix mix(random);
    const KnownRows rows(random, [&](Random&, int64_t) { return mix.row(); });
    std::vector<Predicate> predicates(48);
    std::generate(predicates.begin(), predicates.end(), [&] { return mix.query_predicate(); });
    const AccessPaths paths = round % 2 == 0 ? AccessPaths::kKeys : AccessPaths::kByCost;
    const Planned planned(rows, std::move(predicates), paths);
    for (size_t position = 0; position < planned.size(); ++position) {
      if (!planned.keys().has_key(position)) {
        continue;
      }
      const std::span<const QueryKeys::Entry> entries = planned.keys().entries(position);
      of_several_keys += entries.size() > 1 ? 1 : 0;
      of_alternatives += !entries.empty() && entries[0].group != QueryKeys::kConjunction ? 1 : 0;
      ASSERT_EQ(planned.missed_row(position), std::nullopt)
          << "DAEDALUS_SEED=" << seed + round << " operation " << position;
    }
  }
  EXPECT_GT(of_alternatives, 20u);
  EXPECT_GT(of_several_keys, 5u);
}

semantics::Condition leaf(const Literal& literal) {
  return {.kind = semantics::Condition::Kind::kLiteral, .literal = literal, .children = {}};
}

semantics::Condition joined(semantics::Condition::Kind kind, std::vector<semantics::Condition> children) {
  return {.kind = kind, .literal = {}, .children = std::move(children)};
}

Literal equal(uint32_t column, Value value) {
  return test::compare_literal(column, Operator::kEqual, std::move(value));
}

/// Rows with five values in each column that the examples name.
class QueryKeysExamples : public testing::Test {
 protected:
  QueryKeysExamples()
      : random_(1), rows_(random_, [](Random& random, int64_t slot) {
          test::Row row = test::random_row(random, slot);
          for (const uint32_t column : {test::kSmall, test::kInt, test::kBig, test::kDay}) {
            row[column] = static_cast<int64_t>(test::below(random, 5));
          }
          return row;
        }) {}

  [[nodiscard]] Planned plan(std::vector<Predicate> predicates) const {
    return {rows_, std::move(predicates), AccessPaths::kKeys};
  }

  Random random_;
  KnownRows rows_;
};

TEST_F(QueryKeysExamples, AlternativesOfOneColumnEachAskAKeyEach) {
  const Planned planned = plan({{.clauses = {{equal(test::kInt, int64_t{3}), equal(test::kBig, int64_t{4})}}}});
  ASSERT_TRUE(planned.keys().has_key(0));
  EXPECT_EQ(planned.keys().entries(0).size(), 2u);
  EXPECT_EQ(planned.keys().keys().size(), 2u);
}

TEST_F(QueryKeysExamples, PairsAskOneKeyOfBothColumnsOnceForEachPair) {
  using Kind = semantics::Condition::Kind;
  std::vector<semantics::Condition> pairs;
  for (int64_t number = 0; number < 5; ++number) {
    pairs.push_back(joined(Kind::kAnd, {leaf(equal(test::kInt, number)), leaf(equal(test::kBig, number * 3 % 5))}));
  }
  const Planned planned = plan({semantics::normal_form(joined(Kind::kOr, std::move(pairs)))});
  ASSERT_TRUE(planned.keys().has_key(0));
  ASSERT_EQ(planned.keys().keys().size(), 1u);
  EXPECT_EQ(planned.keys().keys()[0].columns, (std::vector<uint32_t>{test::kInt, test::kBig}));
  EXPECT_EQ(planned.asked(0).at(0).size(), 5u);
}

TEST_F(QueryKeysExamples, ConjunctionsThatWereMultipliedOutAreAskedAsTheyWereWritten) {
  const Literal a = equal(test::kInt, int64_t{1});
  const Literal b = equal(test::kBig, int64_t{2});
  const Literal c = equal(test::kDay, int64_t{3});
  const Literal d = equal(test::kSmall, int64_t{4});
  const Planned planned = plan({{.clauses = {{a, c}, {a, d}, {b, c}, {b, d}}}});
  ASSERT_TRUE(planned.keys().has_key(0));
  size_t values = 0;
  for (const auto& [key, asked] : planned.asked(0)) {
    EXPECT_EQ(planned.keys().keys()[key].columns.size(), 2u);
    values += asked.size();
  }
  EXPECT_EQ(values, 2u);
}

TEST_F(QueryKeysExamples, ADisjunctionWithAnAlternativeThatNamesNothingHasNoKey) {
  const Literal above = test::compare_literal(test::kBig, Operator::kGreater, int64_t{4});
  const Planned planned = plan({{.clauses = {{equal(test::kInt, int64_t{3}), above}}}});
  EXPECT_FALSE(planned.keys().has_key(0));
  EXPECT_TRUE(planned.keys().keys().empty());
}

TEST_F(QueryKeysExamples, ZeroIsAskedInBothSpellingsAndAnyOtherNumberInOne) {
  const Literal list{.column = test::kDouble,
                     .kind = Literal::Kind::kIn,
                     .values = {-1.5, 0.0, 2.5, std::numeric_limits<double>::quiet_NaN()}};
  const Planned planned = plan({{.clauses = {{list}}}});
  ASSERT_TRUE(planned.keys().has_key(0));
  const std::set<RawKey> asked = planned.asked(0).at(0);
  EXPECT_EQ(asked.size(), 5u);
  EXPECT_TRUE(asked.contains({std::bit_cast<uint64_t>(-0.0)}));
  EXPECT_TRUE(asked.contains({std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())}));
}

}  // namespace
}  // namespace daedalus::engine

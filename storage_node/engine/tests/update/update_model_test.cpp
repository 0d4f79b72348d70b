// Updates that get in each other's way within one cycle, against a plain list of rows: keys that move to where a later
// update looks, rows made, changed and deleted by neighbours, NULLs, overflows, ranges over whole chunks, slots used
// again. Few values, so that everything meets everything. DAEDALUS_ENGINE_OPERATIONS scales it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "plain_table.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Assignment;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;

constexpr uint64_t kKeys = 6;
constexpr int64_t kDays = 8;

class UpdateGenerator {
 public:
  explicit UpdateGenerator(Random& random) : random_(&random) {}

  UpdatePart part() {
    switch (draw(12)) {
      case 0:
      case 1:
      case 2:
        return insert_rows(test_schema(), rows());
      case 3:
        return remove(one_in(*random_, 2) ? key_and_more() : days());
      case 4:
        return remove(one_in(*random_, 40) ? Predicate{} : narrow());
      case 5:
      case 6:
        return modify({{kKey, Assignment::Kind::kSet, key()}}, one_in(*random_, 4) ? days() : key_and_more());
      case 7:
        // As a sum: the new key depends on the row.
        return modify({{kKey, Assignment::Kind::kAdd, one_in(*random_, 2) ? int64_t{1} : int64_t{-1}}}, key_and_more());
      default:
        return modify(assignments(), one_in(*random_, 3) ? days() : key_and_more());
    }
  }

 private:
  uint64_t draw(uint64_t bound) { return below(*random_, bound); }
  Value key() { return static_cast<int64_t>(draw(kKeys)); }
  Value day() { return one_in(*random_, 6) ? Value{} : Value{static_cast<int64_t>(draw(kDays))}; }
  Value small() { return static_cast<int64_t>(draw(2) * 32766 + draw(2)); }  // 0, 1, and the edge.

  std::vector<Row> rows() {
    std::vector<Row> made;
    const Value one_day = day();  // Days arrive in order, nearly: chunks of one day.
    for (uint64_t count = one_in(*random_, 4) ? 40 : 1 + draw(4); count > 0; --count) {
      Row row(test_schema().columns.size());
      row[kId] = next_id_++;
      row[kKey] = key();
      row[kSmall] = one_in(*random_, 4) ? Value{} : small();
      row[kDay] = one_in(*random_, 20) ? day() : one_day;
      row[kText] = std::string(1 + draw(3), 'a');
      made.push_back(std::move(row));
    }
    return made;
  }

  /// An equality or a list, and sometimes a second condition that most rows satisfy.
  Predicate key_and_more() {
    Predicate predicate;
    if (one_in(*random_, 3)) {
      Literal list{.column = kKey, .kind = Literal::Kind::kIn};
      const auto first = static_cast<int64_t>(draw(kKeys));
      const auto count = static_cast<int64_t>(one_in(*random_, 5) ? 70 + draw(50) : 2 + draw(2));
      for (int64_t member = first; member < first + count; ++member) {
        list.values.emplace_back(member);
      }
      predicate.clauses.push_back({std::move(list)});
    } else {
      predicate.clauses.push_back({compare_literal(kKey, Operator::kEqual, key())});
    }
    switch (draw(4)) {
      case 0:
        predicate.clauses.push_back({compare_literal(kSmall, Operator::kLessOrEqual, small())});
        break;
      case 1:
        predicate.clauses.push_back({{.column = kSmall, .kind = Literal::Kind::kIsNull}});
        break;
      case 2:
        predicate.clauses.push_back({compare_literal(kText, Operator::kEqual, std::string(1 + draw(3), 'a'))});
        break;
      default:
        break;
    }
    return predicate;
  }

  Predicate days() {
    const auto low = static_cast<int64_t>(draw(kDays));
    switch (draw(4)) {
      case 0:
        return where(kDay, Operator::kLess, low);
      case 1:
        return where(kDay, Operator::kGreaterOrEqual, low);
      case 2:
        return {{{{.column = kDay, .kind = Literal::Kind::kIsNull}}}};
      default:
        return {{{compare_literal(kDay, Operator::kGreaterOrEqual, low)},
                 {compare_literal(kDay, Operator::kLessOrEqual, low + static_cast<int64_t>(draw(2)))}}};
    }
  }

  Predicate narrow() {
    return where(kId, Operator::kEqual, static_cast<int64_t>(draw(static_cast<uint64_t>(next_id_))));
  }

  std::vector<Assignment> assignments() {
    switch (draw(5)) {
      case 0:
        return {{kDay, Assignment::Kind::kSet, day()}};
      case 1:
        return {{kSmall, Assignment::Kind::kAdd, int64_t{1}}, {kText, Assignment::Kind::kSet, std::string("aa")}};
      case 2:
        return {{kSmall, Assignment::Kind::kSet, Value{}}};
      case 3:
        return {{kSmall, Assignment::Kind::kAdd, int64_t{-1}}, {kKey, Assignment::Kind::kSet, key()}};
      default:
        return {{kText, Assignment::Kind::kSet, Value{}}, {kSmall, Assignment::Kind::kSet, small()}};
    }
  }

  Random* random_;
  int64_t next_id_ = 1;
};

/// A segment beside a list of rows.
class Pair {
 public:
  explicit Pair(const SegmentOptions& options)
      : segment_(test_schema(), test_codec(), options), table_(test_schema(), segment_.statistics().rows_max) {}

  /// One cycle, or more when an insert has to wait for a delete; then everything is compared: as it is now, as it was
  /// after the update with that place, and after the one that was named so the last time.
  void cycle(const std::vector<Update>& updates, size_t remembered) {
    for (const Update& update : updates) {
      ASSERT_TRUE(segment_.enqueue(update));
    }
    while (segment_.step({0})) {
    }
    for (size_t place = 0; place < updates.size(); ++place) {
      const Update& update = updates[place];
      const UpdateOutput expected = table_.apply(update);
      if (place == remembered) {
        past_.emplace_back(update.timestamp, table_);
      }
      const auto output = std::get<UpdateOutput>(*segment_.dequeue());
      ASSERT_EQ(output.timestamp, update.timestamp);
      EXPECT_EQ(output.rows_matched, expected.rows_matched) << raw(update.timestamp);
      EXPECT_EQ(output.rows_applied, expected.rows_applied) << raw(update.timestamp);
      EXPECT_EQ(output.refused_no_room, expected.refused_no_room) << raw(update.timestamp);
      EXPECT_EQ(output.refused_overflow, expected.refused_overflow) << raw(update.timestamp);
      EXPECT_EQ(output.failed, expected.failed) << raw(update.timestamp);
      EXPECT_EQ(output.part_rows, expected.part_rows) << raw(update.timestamp);
      parts_counted += output.part_rows.size();
      refused_no_room += output.refused_no_room;
      refused_overflow += output.refused_overflow;
      matched += output.rows_matched;
    }
    EXPECT_EQ(segment_.statistics().rows, table_.rows().size());
    ask(std::nullopt, table_);
    for (const auto& [moment, table] : past_) {
      ask(moment, table);
    }
    while (past_.size() > 1) {
      past_.pop_front();
    }
    segment_.keep_from(past_.front().first);
  }

  uint64_t refused_no_room = 0;
  uint64_t refused_overflow = 0;
  uint64_t matched = 0;
  uint64_t parts_counted = 0;

 private:
  void ask(std::optional<Timestamp> moment, const PlainTable& table) {
    const semantics::Selection everything = select({kId, kKey, kSmall, kDay, kText});
    Query query{QueryHandle{1}, std::make_shared<semantics::Selection>(everything)};
    query.at = moment;
    ASSERT_TRUE(segment_.enqueue(std::move(query)));
    ASSERT_TRUE(segment_.step({0}));
    ASSERT_EQ(table.fault(everything, std::get<QueryOutput>(*segment_.dequeue())), "");
  }

  Segment segment_;
  PlainTable table_;
  std::deque<std::pair<Timestamp, PlainTable>> past_;
};

SegmentOptions options_of_update_models(Random& random) {
  SegmentOptions options{.memory_bytes = one_in(random, 3) ? 1 : 20'000 + below(random, 60'000),
                         .chunk_rows = one_in(random, 2) ? 64u : 128u};
  options.access_paths =
      one_in(random, 2) ? AccessPaths::kKeys : static_cast<AccessPaths>(below(random, kAccessPathsCount));
  options.updates_per_cycle_max = one_in(random, 4) ? 3 : 1024;
  return options;
}

TEST(UpdateModelTest, EachUpdateOfACycleSeesWhatThoseBeforeItLeft) {
  const uint64_t seed = test_seed();
  const uint64_t update_count = from_environment("DAEDALUS_ENGINE_OPERATIONS", 50'000) / 2;
  uint64_t refused_no_room = 0;
  uint64_t refused_overflow = 0;
  uint64_t matched = 0;
  uint64_t parts_counted = 0;
  for (uint64_t done = 0, round = 0; done < update_count; ++round) {
    Random random(seed + round);
    Pair pair(options_of_update_models(random));
    UpdateGenerator generator(random);
    uint64_t timestamp = 0;
    for (uint64_t cycle = 0; cycle < 20; ++cycle) {
      std::vector<Update> updates;
      for (uint64_t count = 1 + below(random, one_in(random, 3) ? 200 : 20); count > 0; --count) {
        timestamp += one_in(random, 10) ? 1 + below(random, 2000) : 1;  // Slots freed long ago are taken again.
        Update update{.timestamp = Timestamp{timestamp}};
        for (uint64_t parts = one_in(random, 8) ? 2 + below(random, 6) : 1; parts > 0; --parts) {
          update.parts.push_back(generator.part());
        }
        updates.push_back(std::move(update));
      }
      pair.cycle(updates, below(random, updates.size()));
      ASSERT_FALSE(HasFailure()) << "round " << round << ", cycle " << cycle;
      done += updates.size();
    }
    refused_no_room += pair.refused_no_room;
    refused_overflow += pair.refused_overflow;
    matched += pair.matched;
    parts_counted += pair.parts_counted;
  }
  // The generator reaches what it aims at.
  EXPECT_GT(refused_no_room, 0u);
  EXPECT_GT(refused_overflow, 0u);
  EXPECT_GT(matched, update_count);
  EXPECT_GT(parts_counted, update_count / 4);
}

}  // namespace
}  // namespace daedalus::engine::test

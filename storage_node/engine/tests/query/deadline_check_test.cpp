// Expressions that are computed a row at a time: a query that nobody waits for any more ends within a chunk.
#include "deadline_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "operation_mix.hpp"
#include "test_expressions.hpp"
#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::BoundExpression;
using semantics::Selection;

/// In one chunk.
constexpr int64_t kPatienceRows = 9'000;

int64_t looks = 0;
std::function<void()> on_look;  // NOLINT(cert-err58-cpp): empty

/// A nanosecond passes between two looks.
Instant clock_of_looks() {
  if (on_look) {
    on_look();
  }
  return {++looks};
}

/// No kernel: md5() of a text.
BoundExpression digest() {
  const std::vector<semantics::ArgumentKind> kinds = {{semantics::TypeKind::kText, false}};
  BoundExpression text =
      *semantics::make_call(semantics::FunctionId::kCast, {semantics::column_of(test_schema(), kName)},
                            semantics::Type{semantics::TypeKind::kText});
  return *semantics::make_call((*semantics::resolve_function("md5", false, kinds))->id, {std::move(text)}, {});
}

BoundExpression is_never() {
  return call("=", digest(), semantics::make_constant(semantics::Type{semantics::TypeKind::kText}, std::string("x")));
}

class DeadlineCheckTest : public testing::Test {
 protected:
  DeadlineCheckTest() {
    looks = 0;
    on_look = {};
    Random random(test_seed());
    std::vector<Row> rows;
    for (int64_t id = 0; id < kPatienceRows; ++id) {
      rows.push_back(random_row(random, id));
      rows.back()[kName] = "name " + std::to_string(id);
    }
    twin_.update({insert_rows(test_schema(), rows)});
  }
  ~DeadlineCheckTest() override { on_look = {}; }

  void enqueue(uint64_t handle, const Selection& selection, Instant deadline,
               std::shared_ptr<const std::atomic<bool>> aborted = nullptr) {
    ASSERT_TRUE(twin_.segment().enqueue(Query{QueryHandle{handle}, std::make_shared<const Selection>(selection),
                                              deadline, std::move(aborted), nullptr, limit_}));
  }

  /// One cycle, whose clock moves with each look. By handle: the error, or nothing.
  std::map<uint64_t, std::string> answers() {
    EXPECT_TRUE(twin_.segment().step({0}, {.clock = clock_of_looks}));
    std::map<uint64_t, std::string> answered;
    while (std::optional<Output> taken = twin_.segment().dequeue()) {
      const auto& output = std::get<QueryOutput>(*taken);
      answered[static_cast<uint64_t>(output.handle)] = output.error ? output.error->sqlstate : "";
    }
    return answered;
  }

  int64_t limit_ = 0;  ///< Says how long queries to come may compute, in nanoseconds.
  TwinSegment twin_{test_schema(),
                    test_codec(),
                    {.memory_bytes = 16u << 20, .chunk_rows = 16'384, .compute_ns_per_row = 0},
                    kPatienceRows};
};

using Answers = std::map<uint64_t, std::string>;
constexpr Instant kFiveLooks{5};
/// A look is taken every sixteenth row, and after every change of whom it is for.
constexpr int64_t kFewLooks = 64;

TEST_F(DeadlineCheckTest, ALateConditionEndsWithinAChunkAndOthersAreAnswered) {
  Selection late = select({kId});
  late.residuals = {is_never()};
  enqueue(1, late, kFiveLooks);
  enqueue(2, select({kId}), kNever);
  EXPECT_EQ(answers(), (Answers{{1, "57014"}, {2, ""}}));
  EXPECT_LT(looks, kFewLooks);
}

TEST_F(DeadlineCheckTest, EndsHeavyOutputsKeysSumsAndOrdersToo) {
  Selection output = select({kId});
  output.outputs[0].expression = digest();
  Selection ordered = output;
  ordered.order_by = {{.output = 0}};
  ordered.limit = 3;
  Selection whole = selection_of({aggregate_of(AggregateFunction::kMax, kName)}, {});
  whole.grouping->aggregates[0].argument = digest();
  Selection grouped =
      selection_of({aggregate_of(AggregateFunction::kCountRows, 0), {.name = "k", .column = kName}}, {kName});
  grouped.grouping->keys[0] = digest();
  for (const Selection& selection : {output, ordered, whole, grouped}) {
    looks = 0;
    enqueue(1, selection, kFiveLooks);
    EXPECT_EQ(answers(), (Answers{{1, "57014"}}));
    EXPECT_LT(looks, kFewLooks);
  }
}

TEST_F(DeadlineCheckTest, ARegularExpressionIsMatchedNoFurther) {
  Selection selection = select({kId});
  BoundExpression text = digest().arguments[0];
  selection.residuals = {
      call("~", std::move(text),
           semantics::make_constant(semantics::Type{semantics::TypeKind::kText}, std::string("(n|m)ame [0-9]+$")))};
  enqueue(1, selection, kFiveLooks);
  EXPECT_EQ(answers(), (Answers{{1, "57014"}}));
  EXPECT_LT(looks, kFewLooks);
}

TEST_F(DeadlineCheckTest, AnAbortEndsItWithinAChunk) {
  const auto aborted = std::make_shared<std::atomic<bool>>(false);
  on_look = [&] { *aborted = looks == 3; };
  Selection selection = select({kId});
  selection.residuals = {is_never()};
  enqueue(1, selection, Instant{1'000'000}, aborted);
  EXPECT_EQ(answers(), (Answers{{1, "57014"}}));
  EXPECT_LT(looks, kFewLooks);
}

TEST_F(DeadlineCheckTest, WaitsForTheLastQueryThatTakesTheSameRows) {
  Selection selection = selection_of({aggregate_of(AggregateFunction::kCountRows, 0)}, {});
  selection.residuals = {is_never()};
  enqueue(1, selection, kFiveLooks);
  enqueue(2, selection, kNever);
  EXPECT_EQ(answers(), (Answers{{1, ""}, {2, ""}}));
  enqueue(3, selection, kFiveLooks);
  enqueue(4, selection, Instant{9});
  looks = 0;
  EXPECT_EQ(answers(), (Answers{{3, "57014"}, {4, "57014"}}));
  EXPECT_GE(looks, 9);
}

TEST_F(DeadlineCheckTest, RefusesAQueryThatComputesForTooLongAndAnswersOthers) {
  Selection heavy = select({kId});
  heavy.residuals = {is_never()};
  Selection grouped =
      selection_of({aggregate_of(AggregateFunction::kCountRows, 0), {.name = "k", .column = kName}}, {kName});
  grouped.grouping->keys[0] = digest();
  limit_ = 20;
  enqueue(1, heavy, kNever);
  enqueue(2, grouped, kNever);
  enqueue(3, select({kId}), kNever);
  EXPECT_EQ(answers(), (Answers{{1, "54000"}, {2, "54000"}, {3, ""}}));
  EXPECT_LT(looks, 2 * kFewLooks);
}

TEST_F(DeadlineCheckTest, GivesSharedComputationsTheLongestLimit) {
  Selection selection = selection_of({aggregate_of(AggregateFunction::kCountRows, 0)}, {});
  selection.residuals = {is_never()};
  limit_ = 20;
  enqueue(1, selection, kNever);
  limit_ = 0;
  enqueue(2, selection, kNever);
  EXPECT_EQ(answers(), (Answers{{1, ""}, {2, ""}}));
}

TEST_F(DeadlineCheckTest, AppliesTheSegmentsLimitByDefault) {
  on_look = [] { looks += kSecond * 3600; };
  Selection heavy = select({kId});
  heavy.residuals = {is_never()};
  enqueue(1, heavy, kNever);
  EXPECT_EQ(answers(), (Answers{{1, "54000"}}));
}

TEST(DeadlineCheck, IsNeverOverWithoutAQuery) {
  DeadlineCheck deadline_check;
  deadline_check.look_at(clock_of_looks);
  ComputeTime time{.allowed_ns = 0};
  {
    const DeadlineCheck::Work work(deadline_check, kNever, nullptr, &time);
    EXPECT_TRUE(deadline_check.is_over());
    EXPECT_EQ(deadline_check.error().sqlstate, "54000");
  }
  EXPECT_FALSE(deadline_check.is_over());
  EXPECT_FALSE(deadline_check.is_over_now());
  EXPECT_GT(time.spent_ns, 0);
}

TEST_F(DeadlineCheckTest, WithoutAClockOnlyChunksAreCut) {
  Selection selection = select({kId});
  selection.residuals = {is_never()};
  enqueue(1, selection, kFiveLooks);
  ASSERT_TRUE(twin_.segment().step({0}));
  EXPECT_FALSE(std::get<QueryOutput>(*twin_.segment().dequeue()).error.has_value());
}

}  // namespace
}  // namespace daedalus::engine::test

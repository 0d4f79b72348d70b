// Checks that a peer reads what the driver sends, and that the driver counts what came.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "answer_counter.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "routed_queries.hpp"

namespace daedalus::aggregator::bench {
namespace {

wire::v1::DescribeReply table(wire::v1::TypeKind key_kind = wire::v1::TYPE_KIND_INT) {
  wire::v1::DescribeReply made;
  made.set_table_name("keyed");
  for (int column = 0; column < 30; ++column) {
    wire::v1::Column& added = *made.add_columns();
    added.set_name("c" + std::to_string(column));
    added.mutable_type()->set_kind(column == 1 ? key_kind : wire::v1::TYPE_KIND_BIGINT);
  }
  made.mutable_map()->set_version(3);
  made.mutable_map()->set_distribution(wire::v1::DISTRIBUTION_HASH);
  made.mutable_map()->add_columns(1);
  return made;
}

TEST(RoutedQueriesTest, AreOperationsThatPinTheKeyWithTheSequenceAskedFor) {
  const auto queries = RoutedQueries::make(table(), 1'000);
  ASSERT_TRUE(queries);
  std::string payload;
  for (const uint64_t sequence : {uint64_t{1}, uint64_t{300}, uint64_t{1} << 34}) {
    queries->append(sequence, payload);
  }
  wire::v1::OperationBatch batch;
  ASSERT_TRUE(batch.ParseFromString(payload));
  ASSERT_EQ(batch.operations_size(), 3);
  EXPECT_EQ(batch.operations(0).header().sequence(), 1u);
  EXPECT_EQ(batch.operations(2).header().sequence(), uint64_t{1} << 34);
  const wire::v1::OperationHeader& header = batch.operations(1).header();
  EXPECT_EQ(header.sequence(), 300u);
  EXPECT_EQ(header.kind(), wire::v1::OPERATION_KIND_SELECT);
  EXPECT_EQ(header.map_version(), 3u);
  EXPECT_EQ(header.shape_handle(), RoutedQueries::kHandle);
  const size_t values_size = sizeof(int32_t) + (RoutedQueries::kConditionsMax - 1) * sizeof(int64_t);
  EXPECT_EQ(batch.operations(1).body().size(), values_size);
  EXPECT_EQ(batch.operations(1).body().substr(0, sizeof(int32_t)), std::string("\x2c\x01\0\0", 4));
}

TEST(RoutedQueriesTest, HaveOneShapeThatIsDefinedBefore) {
  const auto queries = RoutedQueries::make(table(), 1);
  ASSERT_TRUE(queries && queries->definition());
  EXPECT_EQ(queries->definition()->header().kind(), wire::v1::OPERATION_KIND_DEFINE);
  EXPECT_EQ(queries->definition()->header().shape_handle(), RoutedQueries::kHandle);
  wire::v1::ShapeBody body;
  ASSERT_TRUE(body.ParseFromString(queries->definition()->body()));
  EXPECT_EQ(body.select().select().outputs_size(), static_cast<int>(RoutedQueries::kOutputsMax));
  EXPECT_EQ(body.select().clauses_size(), static_cast<int>(RoutedQueries::kConditionsMax));
  EXPECT_EQ(body.select().clauses(0).literals(0).column(), 1u);
  EXPECT_EQ(body.select().select().form(), wire::v1::RESULT_FORM_PARTIAL);
}

TEST(RoutedQueriesTest, AreOneStatementOverAndOver) {
  std::string payload;
  RoutedQueries::of_statement("SELECT 1").append(9, payload);
  wire::v1::OperationBatch batch;
  ASSERT_TRUE(batch.ParseFromString(payload));
  wire::v1::StatementBody body;
  ASSERT_TRUE(body.ParseFromString(batch.operations(0).body()));
  EXPECT_EQ(body.sql(), "SELECT 1");
  EXPECT_FALSE(RoutedQueries::of_statement("SELECT 1").definition());
  EXPECT_EQ(batch.operations(0).header().kind(), wire::v1::OPERATION_KIND_STATEMENT);
  EXPECT_EQ(batch.operations(0).header().sequence(), 9u);
}

TEST(RoutedQueriesTest, WantATableThatIsPartitionedByHashOfAnInteger) {
  EXPECT_FALSE(RoutedQueries::make(table(wire::v1::TYPE_KIND_DATE), 1));
  wire::v1::DescribeReply other = table();
  other.mutable_map()->set_distribution(wire::v1::DISTRIBUTION_ROUND_ROBIN);
  EXPECT_FALSE(RoutedQueries::make(other, 1));
}

TEST(AnswerCounterTest, CountsEndsAndErrorsAndNoRows) {
  wire::v1::ResultBatch batch;
  batch.add_results()->mutable_rows()->set_rows(std::string(300, 'r'));
  batch.mutable_results(0)->mutable_rows()->set_row_count(290);
  batch.add_results()->mutable_end()->add_stamps()->set_node(7);
  batch.add_results()->mutable_end();
  batch.add_results()->mutable_error()->set_message("no");
  for (int i = 0; i < batch.results_size(); ++i) {
    batch.mutable_results(i)->set_sequence(1'000'000'000 + static_cast<uint64_t>(i));
  }
  const std::string payload = batch.SerializeAsString();
  const Endings endings = count_endings(payload);
  EXPECT_TRUE(endings.is_whole);
  EXPECT_EQ(endings.answered, 2u);
  EXPECT_EQ(endings.failed, 1u);
  EXPECT_EQ(endings.rows, 290u);
  EXPECT_FALSE(count_endings(std::string_view(payload).substr(0, payload.size() - 1)).is_whole);
  EXPECT_FALSE(count_endings("\xff\xff").is_whole);
}

}  // namespace
}  // namespace daedalus::aggregator::bench

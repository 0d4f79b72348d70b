// Random operations against a plain list of rows, in random cycles. DAEDALUS_ENGINE_OPERATIONS scales it.
#include <gtest/gtest.h>

#include <algorithm>

#include "plain_table.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

using Operation = std::variant<Query, Update>;

UpdatePart random_part(Random& random, int64_t& next_id) {
  switch (below(random, 8)) {
    case 0:
    case 1:
    case 2: {
      std::vector<Row> rows;
      for (uint64_t count = 1 + below(random, one_in(random, 10) ? 60 : 6); count > 0; --count) {
        rows.push_back(random_row(random, next_id++));
        if (one_in(random, 4)) {
          rows.push_back(rows.back());  // Duplicates are rows in their own right.
        }
      }
      return insert_rows(test_schema(), rows);
    }
    case 3: {
      semantics::Predicate predicate = random_predicate(random);
      if (!one_in(random, 20)) {
        predicate.clauses.push_back({compare_literal(kKey, semantics::Operator::kEqual, random_value(random, kKey))});
      }
      return remove(predicate);
    }
    default:
      return modify(random_assignments(random), random_predicate(random));
  }
}

std::vector<Operation> random_operations(Random& random, uint64_t count) {
  std::vector<Operation> operations;
  int64_t next_id = 1;
  uint64_t timestamp = 0;
  for (uint64_t number = 0; number < count; ++number) {
    if (one_in(random, 2)) {
      operations.push_back(
          Query{QueryHandle{number}, std::make_shared<semantics::Selection>(random_selection(random))});
      continue;
    }
    timestamp += one_in(random, 5) ? 1 + below(random, 3000) : 1;
    Update update{.timestamp = Timestamp{timestamp}};
    for (uint64_t parts = one_in(random, 10) ? below(random, 4) : 1; parts > 0; --parts) {
      update.parts.push_back(random_part(random, next_id));
    }
    operations.push_back(std::move(update));
  }
  return operations;
}

SegmentOptions random_options(Random& random) {
  SegmentOptions options;
  options.chunk_rows = one_in(random, 2) ? 64 : 128;
  if (one_in(random, 6)) {
    options.chunk_rows = 2'112;  // More than the rows that a probe takes at a time.
  }
  options.access_paths = static_cast<AccessPaths>(below(random, 4));
  options.sketch_planes_per_cycle_max = one_in(random, 2) ? 1024 : static_cast<uint32_t>(below(random, 4));
  options.memory_bytes = one_in(random, 3) ? 1 : 20'000 + below(random, 100'000);
  options.operations_in_flight_max = 64;
  options.share_factor_max = 1 + static_cast<uint32_t>(below(random, 40));
  options.updates_per_cycle_max = 1 + static_cast<uint32_t>(below(random, 40));
  return options;
}

/// Feeds all operations in batches of at most `batch_max` and returns the outputs in their order.
std::vector<Output> run(Segment& segment, const std::vector<Operation>& operations, Random& random,
                        uint64_t batch_max) {
  std::vector<Output> outputs;
  for (size_t next = 0; next < operations.size();) {
    const size_t end = std::min<size_t>(operations.size(), next + 1 + below(random, batch_max));
    for (; next < end; ++next) {
      EXPECT_TRUE(std::visit([&](const auto& operation) { return segment.enqueue(operation); }, operations[next]));
    }
    while (segment.step({0})) {
    }
    while (std::optional<Output> output = segment.dequeue()) {
      outputs.push_back(std::move(*output));
    }
  }
  return outputs;
}

/// Checks every output against the plain table, which follows along.
void expect_outputs(const std::vector<Operation>& operations, const std::vector<Output>& outputs, uint64_t rows_max,
                    PlainTable& table) {
  ASSERT_EQ(outputs.size(), operations.size());
  std::map<Timestamp, const Update*> updates;
  for (const Operation& operation : operations) {
    if (const auto* update = std::get_if<Update>(&operation)) {
      updates[update->timestamp] = update;
    }
  }
  Timestamp prefix{};
  for (const Output& output : outputs) {
    if (const auto* done = std::get_if<UpdateOutput>(&output)) {
      ASSERT_EQ(done->timestamp, updates.begin()->first);
      const UpdateOutput expected = table.apply(*updates.begin()->second);
      EXPECT_EQ(done->rows_matched, expected.rows_matched);
      EXPECT_EQ(done->rows_applied, expected.rows_applied);
      EXPECT_EQ(done->refused_no_room, expected.refused_no_room);
      EXPECT_EQ(done->refused_overflow, expected.refused_overflow);
      prefix = done->timestamp;
      updates.erase(updates.begin());
    } else {
      const auto& answer = std::get<QueryOutput>(output);
      ASSERT_EQ(answer.prefix, prefix);
      table.expect_answer(*std::get<Query>(operations[raw(answer.handle)]).selection, answer);
    }
    ASSERT_LE(table.rows().size(), rows_max);
    ASSERT_FALSE(testing::Test::HasFailure()) << "at prefix " << raw(prefix);
  }
}

std::string all_rows(Segment& segment) {
  std::vector<uint32_t> columns(test_schema().columns.size());
  for (uint32_t column = 0; column < columns.size(); ++column) {
    columns[column] = column;
  }
  EXPECT_TRUE(segment.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(select(columns))}));
  EXPECT_TRUE(segment.step({0}));
  return std::get<QueryOutput>(*segment.dequeue()).rows;
}

TEST(SegmentModelTest, AgreesWithAListOfRowsHoweverOperationsAreCutIntoCycles) {
  const uint64_t seed = test_seed();
  const uint64_t operation_count = from_environment("DAEDALUS_ENGINE_OPERATIONS", 50'000);
  constexpr uint64_t kRoundOperations = 1'250;
  for (uint64_t done = 0; done < operation_count; done += kRoundOperations) {
    Random random(seed + done);
    const std::vector<Operation> operations = random_operations(random, kRoundOperations);
    const SegmentOptions options = random_options(random);
    Segment segment(test_schema(), test_codec(), options);
    PlainTable table(test_schema(), segment.statistics().rows_max);
    const std::vector<Output> outputs = run(segment, operations, random, 1 + below(random, 64));
    expect_outputs(operations, outputs, segment.statistics().rows_max, table);
    ASSERT_FALSE(HasFatalFailure() || HasNonfatalFailure()) << "round " << done;
    EXPECT_EQ(segment.statistics().rows, table.rows().size());
  }
}

TEST(SegmentModelTest, OutcomesAndSlotsDoNotDependOnHowUpdatesAreCutIntoCycles) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < 8; ++round) {
    Random random(seed + round);
    std::vector<Operation> operations = random_operations(random, 800);
    std::erase_if(operations, [](const Operation& operation) { return std::holds_alternative<Query>(operation); });
    SegmentOptions options = random_options(random);
    std::vector<std::string> rows;
    std::vector<std::vector<uint64_t>> outcomes;
    for (const uint64_t batch_max : {1u, 3u, 64u}) {
      options.updates_per_cycle_max = static_cast<uint32_t>(batch_max);
      Segment segment(test_schema(), test_codec(), options);
      std::vector<uint64_t> outcome;
      for (const Output& output : run(segment, operations, random, batch_max)) {
        const auto& update = std::get<UpdateOutput>(output);
        outcome.insert(outcome.end(), {raw(update.timestamp), update.rows_matched, update.rows_applied,
                                       update.refused_no_room, update.refused_overflow});
      }
      outcomes.push_back(std::move(outcome));
      rows.push_back(all_rows(segment));
    }
    EXPECT_EQ(rows[0], rows[1]);
    EXPECT_EQ(rows[0], rows[2]);
    EXPECT_EQ(outcomes[0], outcomes[1]);
    EXPECT_EQ(outcomes[0], outcomes[2]);
  }
}

}  // namespace
}  // namespace daedalus::engine::test

// A segment and its plain twin that are given the same; what the segment puts out is compared at once.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "plain_table.hpp"

namespace daedalus::engine::test {

class TwinSegment {
 public:
  TwinSegment(const semantics::Schema& schema, const semantics::RowCodec& codec, const SegmentOptions& options,
              uint64_t rows_max)
      : segment_(schema, codec, options), table_(schema, rows_max) {}

  /// One update in a cycle of its own, with the next timestamp.
  void update(std::vector<UpdatePart> parts) {
    const Update update{Timestamp{++timestamp_}, std::move(parts)};
    ASSERT_TRUE(segment_.enqueue(update));
    ASSERT_TRUE(segment_.step({0}));
    const std::optional<Output> taken = segment_.dequeue();
    ASSERT_TRUE(taken.has_value());
    const auto& output = std::get<UpdateOutput>(*taken);
    const UpdateOutput expected = table_.apply(update);
    EXPECT_EQ(output.rows_matched, expected.rows_matched);
    EXPECT_EQ(output.rows_applied, expected.rows_applied);
    EXPECT_EQ(output.part_rows, expected.part_rows);
  }

  void ask(const semantics::Selection& selection) { ask_together({selection}); }

  /// In one cycle.
  void ask_together(const std::vector<semantics::Selection>& selections) {
    for (uint32_t query = 0; query < selections.size(); ++query) {
      ASSERT_TRUE(
          segment_.enqueue(Query{QueryHandle{query}, std::make_shared<semantics::Selection>(selections[query])}));
    }
    ASSERT_TRUE(segment_.step({0}));
    std::set<QueryHandle> answered;
    while (const std::optional<Output> taken = segment_.dequeue()) {
      const auto& output = std::get<QueryOutput>(*taken);
      EXPECT_EQ(table_.fault(selections.at(static_cast<size_t>(output.handle)), output), "");
      EXPECT_TRUE(answered.insert(output.handle).second) << "answered twice";
    }
    EXPECT_EQ(answered.size(), selections.size());
  }

  [[nodiscard]] Segment& segment() { return segment_; }
  [[nodiscard]] const PlainTable& table() const { return table_; }

 private:
  Segment segment_;
  PlainTable table_;
  uint64_t timestamp_ = 0;
};

}  // namespace daedalus::engine::test

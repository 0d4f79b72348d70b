// The answer of a stepped segment to one query, its parts put together.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

/// Nothing else is under way in the segment, which is stepped chunk by chunk.
inline QueryOutput whole_answer(Segment& segment, Query query) {
  EXPECT_TRUE(segment.enqueue(std::move(query)));
  QueryOutput whole;
  while (true) {
    while (std::optional<Output> taken = segment.dequeue()) {
      auto& output = std::get<QueryOutput>(*taken);
      whole.rows += output.rows;
      whole.row_count += output.row_count;
      whole.prefix = output.prefix;
      whole.error = output.error;
      whole.next_slot = output.next_slot;
      if (output.is_last) {
        return whole;
      }
    }
    EXPECT_TRUE(segment.step({0}, {.chunks_max = 1}));
  }
}

inline Query query_of(semantics::Selection selection, std::optional<Timestamp> at = std::nullopt) {
  Query query{QueryHandle{1}, std::make_shared<const semantics::Selection>(std::move(selection))};
  query.at = at;
  return query;
}

/// The ids of rows that have nothing else.
inline std::vector<int64_t> ids_of(const QueryOutput& output) {
  std::vector<int64_t> found;
  for (const Row& row : decode({test_schema().columns[kId].type}, output.rows)) {
    found.push_back(std::get<int64_t>(row[0]));
  }
  return found;
}

/// The numbers from the first one up to `end`.
inline std::vector<int64_t> numbers_from(int64_t first, int64_t end) {
  std::vector<int64_t> made;
  for (int64_t number = first; number < end; ++number) {
    made.push_back(number);
  }
  return made;
}

}  // namespace daedalus::engine::test

// Tests what the lists of a cycle's queries take: the cycle's memory is bounded, and who does not fit waits for the
// next.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "daedalus/engine/segment.hpp"
#include "test_table.hpp"

namespace {

std::atomic<int64_t> held_bytes{0};
std::atomic<int64_t> held_bytes_max{0};

void* held(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  const int64_t now = held_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  held_bytes_max = std::max(held_bytes_max.load(), now);
  return memory;
}

void release(void* memory) noexcept {
  held_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// Every allocation of C++ comes through one of these; the others of the standard library call them.
void* operator new(size_t size) { return held(std::malloc(size)); }
void* operator new(size_t size, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  return held(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }

namespace daedalus::engine::test {
namespace {

using semantics::Literal;

constexpr int64_t kRows = 20'000;
constexpr int64_t kQueries = 512;
constexpr int64_t kMembers = 10'000;
/// The most that compiled conditions and indexes of one cycle take before others wait, and a quarter for what the last
/// query admitted takes and what grows by doubling.
constexpr int64_t kCycleBytesMax = (256 << 20) * 5 / 4;

/// Query q asks for the keys q, q + 512, q + 1,024 and so on, or for one id.
std::shared_ptr<const semantics::Selection> long_list(int64_t query) {
  Literal list{.column = kKey, .kind = Literal::Kind::kIn, .values = {}};
  list.values.reserve(kMembers);
  for (int64_t member = 0; member < kMembers; ++member) {
    list.values.emplace_back(query + member * kQueries);
  }
  semantics::Selection selection = select({kId}, {.clauses = {{list}}});
  if (query % 2 == 1) {
    selection.predicate.clauses[0].push_back(compare_literal(kId, semantics::Operator::kEqual, query));
  }
  return std::make_shared<const semantics::Selection>(std::move(selection));
}

TEST(EntryMemoryTest, ListsThatDoNotFitWaitForTheNextCycleAndMemoryStaysBounded) {
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 32u << 20, .access_paths = AccessPaths::kKeys});
  ASSERT_TRUE(segment.enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), rows_of(kRows))}}));
  ASSERT_TRUE(segment.step({0}));
  ASSERT_TRUE(segment.dequeue().has_value());
  const uint64_t cycles_before = segment.statistics().cycles;
  for (int64_t query = 0; query < kQueries; ++query) {
    ASSERT_TRUE(segment.enqueue(Query{QueryHandle{static_cast<uint64_t>(query)}, long_list(query)}));
  }
  const int64_t before = held_bytes;
  held_bytes_max = before;
  while (segment.step({0})) {
  }
  EXPECT_LT(held_bytes_max - before, kCycleBytesMax);
  EXPECT_GT(held_bytes_max - before, 64 << 20);  // It is measured.
  const uint64_t cycles = segment.statistics().cycles - cycles_before;
  EXPECT_GT(cycles, 1u);
  EXPECT_LT(cycles, 8u);
  while (const std::optional<Output> output = segment.dequeue()) {
    const auto& answer = std::get<QueryOutput>(*output);
    const auto query = static_cast<int64_t>(answer.handle);
    ASSERT_FALSE(answer.error.has_value());
    EXPECT_EQ(answer.row_count, static_cast<uint64_t>((kRows - query + kQueries - 1) / kQueries));
  }
}

}  // namespace
}  // namespace daedalus::engine::test

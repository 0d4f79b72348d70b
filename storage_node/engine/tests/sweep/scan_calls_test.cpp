// Invariant 6: the scan thread allocates nothing, takes no lock and asks the kernel for nothing per row.
//
// Decides by comparison: the same operations, in a segment and in one of eight times as many rows, warmed up. What a
// cycle costs beyond the rows (planning, buffers that double) is nearly the same in both; anything per row would show
// eight times. Allocations and locks are counted where they are called, system calls by a tracer: the cycles run in a
// child process, which needs no privilege.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment.hpp"
#include "test_table.hpp"

namespace {

constexpr size_t kCallsMax = 512;

/// Counts what one cycle did. Shared by the child, which sets is_counting and counts, and its tracer, which counts
/// calls.
struct Counts {
  volatile bool is_counting = false;
  uint64_t allocations = 0;
  uint64_t locks = 0;
  std::array<uint64_t, kCallsMax> calls{};  ///< By number of the system call.
  uint64_t rows_matched = 0;                ///< By updates of that cycle: that it had work on every row.
  uint64_t rows_answered = 0;

  [[nodiscard]] uint64_t call_count() const {
    uint64_t count = 0;
    for (const uint64_t of_number : calls) {
      count += of_number;
    }
    return count;
  }
};

Counts* counts = nullptr;  ///< Null outside of the child.

bool is_counting() { return counts != nullptr && counts->is_counting; }

void count_lock() {
  if (is_counting()) {
    ++counts->locks;
  }
}

/// The function that the one of this program hides.
template <typename Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* counted_allocation(size_t size, size_t alignment) {
  if (is_counting()) {
    ++counts->allocations;
  }
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

// Every allocation of C++ comes through one of these; the others of the standard library call them.
void* operator new(size_t size) { return counted_allocation(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return counted_allocation(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

// Every std::mutex and shared_mutex of the program comes through these.
extern "C" {
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const real = hidden<int(pthread_mutex_t*)>("pthread_mutex_lock");
  count_lock();
  return real(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const real = hidden<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  count_lock();
  return real(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static auto* const real = hidden<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  count_lock();
  return real(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static auto* const real = hidden<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  count_lock();
  return real(lock);
}
}

namespace daedalus::engine::test {
namespace {

using semantics::AggregateFunction;
using semantics::Assignment;
using semantics::Operator;

constexpr uint32_t kChunkRows = 1024;
constexpr uint32_t kRowsFew = 8 * kChunkRows;
constexpr uint32_t kRowsMany = 8 * kRowsFew;
constexpr uint32_t kCyclesBefore = 4;  ///< Enough for every sketch to be made and every buffer to have its size.

semantics::Selection aggregate(const std::vector<uint32_t>& group_by) {
  return selection_of({aggregate_of(AggregateFunction::kCountRows, 0), aggregate_of(AggregateFunction::kSum, kInt)},
                      group_by);
}

/// A segment and one cycle of everything: rows found by keys, by bitmaps and by passes, encoded, aggregated and
/// grouped, beside updates that insert, modify by key, modify all rows, and delete.
class MixedSweep {
 public:
  explicit MixedSweep(uint32_t row_count)
      : row_count_(row_count),
        segment_(test_schema(), test_codec(),
                 {.memory_bytes = uint64_t{2 * row_count} * 512, .chunk_rows = kChunkRows}) {
    for (uint32_t first = 0; first < row_count; first += kChunkRows) {
      std::vector<Row> rows;
      for (uint32_t row = first; row < first + kChunkRows; ++row) {
        rows.push_back(row_of(row));
      }
      update({insert_rows(test_schema(), rows)});
      step();
    }
  }

  void admit_all() {
    update({modify({{kInt, Assignment::Kind::kAdd, int64_t{1}}}, {})});
    update({modify({{kText, Assignment::Kind::kSet, std::string("longer text")}},
                   where(kBig, Operator::kLess, int64_t{row_count_ / 2}))});
    for (int64_t key = 0; key < 32; ++key) {
      update({modify({{kSmall, Assignment::Kind::kSet, key}}, where(kKey, Operator::kEqual, key))});
    }
    update({remove(where(kId, Operator::kGreaterOrEqual, int64_t{row_count_}))});
    update({insert_rows(test_schema(), {row_of(row_count_), row_of(row_count_ + 1)})});
    for (int64_t key = 0; key < 32; ++key) {
      query(select({kId, kInt, kText}, where(kId, Operator::kEqual, key * 7)));
    }
    for (int64_t day = 0; day < 16; ++day) {
      query(select({kId, kDay, kText}, where(kDay, Operator::kLess, day)));
    }
    query(select({kId, kText}));
    query(aggregate({}));
    query(aggregate({kDay}));
  }

  void step() {
    CHECK(segment_.step({0}));
    CHECK(!segment_.is_mid_cycle());
  }

  void take_outputs(Counts& into) {
    while (const std::optional<Output> output = segment_.dequeue()) {
      if (const auto* done = std::get_if<UpdateOutput>(&*output)) {
        into.rows_matched += done->rows_matched;
      } else {
        CHECK(!std::get<QueryOutput>(*output).error.has_value());
        into.rows_answered += std::get<QueryOutput>(*output).row_count;
      }
    }
  }

 private:
  [[nodiscard]] static Row row_of(int64_t id) {
    Row row(test_schema().columns.size());
    row[kId] = id;
    row[kKey] = id;
    row[kSmall] = id % 100;
    row[kInt] = id % 1000;
    row[kBig] = id;
    row[kDay] = id % 500;
    row[kText] = std::string("text");
    return row;
  }
  void update(std::vector<UpdatePart> parts) {
    CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
  }
  void query(semantics::Selection selection) {
    CHECK(
        segment_.enqueue(Query{QueryHandle{++handle_}, std::make_shared<semantics::Selection>(std::move(selection))}));
  }

  uint32_t row_count_;
  Segment segment_;
  uint64_t timestamp_ = 0;
  uint64_t handle_ = 0;
};

/// In the child: warms up, then counts over one cycle.
void run_cycles(uint32_t row_count) {
  MixedSweep sweep(row_count);
  Counts ignored;
  for (uint32_t cycle = 0; cycle < kCyclesBefore; ++cycle) {
    sweep.admit_all();
    sweep.step();
    sweep.take_outputs(ignored);
  }
  sweep.admit_all();
  counts->is_counting = true;
  sweep.step();
  counts->is_counting = false;
  sweep.take_outputs(*counts);
}

/// Follows the child from one system call to the next until it ends; its exit status.
int trace(pid_t child) {
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
  CHECK(ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
  long signal = 0;
  while (true) {
    CHECK(ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFSTOPPED(status)) {
      return status;
    }
    signal = 0;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      signal = WSTOPSIG(status);
      continue;
    }
    __ptrace_syscall_info info{};
    CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && counts->is_counting) {
      ++counts->calls[std::min<size_t>(info.entry.nr, kCallsMax - 1)];
    }
  }
}

/// Returns what one cycle over so many rows does, as counted in a child process.
Counts counts_of(uint32_t row_count) {
  void* shared = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  counts = new (shared) Counts;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0);
    CHECK(raise(SIGSTOP) == 0);
    run_cycles(row_count);
    _exit(0);
  }
  const int status = trace(child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with status " << status;
  const Counts result = *counts;
  counts = nullptr;
  munmap(shared, sizeof(Counts));
  return result;
}

TEST(ScanCallsTest, NoAllocationNoLockAndNoSystemCallPerRow) {
  const Counts few = counts_of(kRowsFew);
  const Counts many = counts_of(kRowsMany);
  // The larger cycle had so much more to do.
  ASSERT_GE(many.rows_matched, few.rows_matched + kRowsMany - kRowsFew);
  ASSERT_GE(many.rows_answered, few.rows_answered + kRowsMany - kRowsFew);

  // Buffers of answers double: three times more for eight times as many rows, for each query.
  constexpr uint64_t kQueries = 51;
  constexpr uint64_t kDoublings = 3;
  EXPECT_LE(many.allocations, few.allocations + kQueries * kDoublings);
  EXPECT_EQ(few.locks, 0u);
  EXPECT_EQ(many.locks, 0u);
  // Large memory comes from the kernel and goes back there: at most with every allocation that is too many.
  constexpr std::array kOfMemory{SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise};
  uint64_t of_memory = 0;
  for (const long number : kOfMemory) {
    of_memory += many.calls[static_cast<size_t>(number)];
  }
  EXPECT_EQ(many.call_count(), of_memory) << "a call for anything but memory";
  EXPECT_LE(many.call_count(), few.call_count() + kQueries * kDoublings);
  std::cout << few.allocations << " and " << many.allocations << " allocations, " << few.call_count() << " and "
            << many.call_count() << " system calls, " << many.locks << " locks\n";
}

}  // namespace
}  // namespace daedalus::engine::test

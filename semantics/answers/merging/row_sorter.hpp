// Puts rows in order, a bounded piece of work at a time: short runs are sorted while rows come, long ones that come in
// order are taken as they are, and at the end all runs are merged.
//
// Decides how rows are compared and in which pieces. Refuses to know what is in a row: it sees keys (sort_key.hpp), and
// bytes that somebody else keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daedalus/semantics/work_budget.hpp"

namespace daedalus::semantics {

class RowSorter {
 public:
  /// One row on its way out.
  struct Sorted {
    std::string_view row;
    std::string_view key_head;  ///< With key_tail the key that was given.
    std::string_view key_tail;
    uint64_t place = 0;  ///< See add().
  };

  /// `row` stays where it is until it has come out. Among equal keys the lower place is first; places are unique, and
  /// within one `stream` they ascend from call to call. Cost: some ns; every kRunRows rows a sort of as many.
  void add(uint32_t stream, std::string_view key, uint64_t place, std::string_view row, WorkBudget& budget);

  /// No more rows. Returns true once rows may be taken out; until then more steps are needed.
  [[nodiscard]] bool prepare(WorkBudget& budget);
  /// The next row in order, or nothing after the last. Cost: one comparison for each doubling of the number of runs.
  [[nodiscard]] std::optional<Sorted> next(WorkBudget& budget);

  [[nodiscard]] uint64_t row_count() const { return row_count_; }
  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_; }
  /// Frees a piece of what is kept; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  /// Rows of a run that has to be sorted: a millisecond's work. More make the merge at the end shallower.
  static constexpr size_t kRunRows = 4096;
  /// Rows of a run that came in order: growing costs a copy, which is to stay short.
  static constexpr size_t kSortedRunRows = 1u << 16;

  struct Entry {
    uint64_t key_head = 0;  ///< The key's first eight bytes as a number, zero-padded.
    uint64_t place = 0;
    const char* row = nullptr;
    uint32_t row_size = 0;
    uint32_t tail_begin = 0;
    uint32_t tail_size = 0;
  };
  struct Run {
    std::vector<Entry> entries;
    std::string tails;  ///< They are what keys have behind their first eight bytes.
    bool is_sorted = true;
    size_t at = 0;  ///< The next row to come out.
    uint64_t counted_bytes = 0;
  };
  using RunPtr = std::unique_ptr<Run>;

  [[nodiscard]] static std::string_view tail_of(const Run& run, const Entry& entry) {
    return {run.tails.data() + entry.tail_begin, entry.tail_size};
  }
  [[nodiscard]] static bool precedes(const Run& left_run, const Entry& left, const Run& right_run, const Entry& right);
  [[nodiscard]] static bool precedes(const Run& left, const Run& right) {
    return precedes(left, left.entries[left.at], right, right.entries[right.at]);
  }
  void close(RunPtr run, WorkBudget& budget);
  void sift_down();

  std::unordered_map<uint32_t, RunPtr> open_;  ///< By stream.
  std::vector<RunPtr> runs_;                   ///< Sorted; once prepared a heap, the least row's run first.
  bool is_heap_ = false;
  uint64_t row_count_ = 0;
  uint64_t memory_bytes_ = 0;
  std::string head_bytes_;  ///< They are those of the row that came out last.
  RunPtr spent_;            ///< The run of the row that came out last, when it was its last one.
};

}  // namespace daedalus::semantics

// The four ways partial answers become one: passed on as they come, laid end to end, sorted, grouped.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/packed.hpp"
#include "row_sorter.hpp"

namespace daedalus::semantics {

/// One aggregate as a merge sees it.
struct MergeAggregate {
  AggregateFunction function = AggregateFunction::kCountRows;
  Type argument;
  uint32_t first_partial = 0;
  uint32_t partial_count = 1;  ///< None: it is made of a list, or of the group's set.
  std::optional<uint32_t> list = std::nullopt;
  std::vector<uint32_t> keys = {};  ///< GROUPING() has these places among the keys.
};

/// A merge plan is what a selection means for a merge, worked out once.
struct MergePlan {
  AnswerForm form = AnswerForm::kFinal;
  std::vector<OrderKey> order_by;
  std::vector<Type> partial_types;  ///< They are those of a group: its keys' first.
  uint32_t first_key = 0;           ///< GROUP BY has it: behind the set where there are sets.
  uint32_t own_keys = 0;            ///< GROUP BY has so many. None: there is a single group, or one of each set.
  uint32_t list_values = 0;         ///< All lists have so many, behind the keys.
  std::vector<GroupSet> sets;       ///< None: the groups are those of all keys.
  std::vector<ValueList> lists;     ///< That aggregates are made of.
  std::vector<MergeAggregate> aggregates;
  std::vector<BoundExpression> outputs;   ///< They are of a group's keys and, behind them, finished aggregates.
  std::optional<BoundExpression> having;  ///< Groups where it is not true are no part of a final answer.
  std::vector<Type> final_types;
  uint64_t rows_wanted = UINT64_MAX;  ///< offset + limit: no more rows than these matter.
  uint64_t rows_skipped = 0;          ///< The offset, where this merge is the last.
  uint32_t ties_by = 0;               ///< See Selection.
  uint32_t distinct_by = 0;
  AnswerLimit limit;  ///< It bounds rows kept, and rows put out.

  /// Counts what groups are told apart by: their set, where there are sets, and the keys of GROUP BY.
  [[nodiscard]] uint32_t key_count() const { return first_key + own_keys; }
};

[[nodiscard]] MergePlan make_plan(const Selection& selection, AnswerForm form, AnswerLimit limit);

/// Rows of one part as they came, and how far they have been looked at. Stays where it is: rows are referred to.
class RowsBlock {
 public:
  RowsBlock(uint32_t part, std::string rows, uint64_t row_count)
      : part_(part), rows_(std::move(rows)), row_count_(row_count), walk_(rows_) {}
  RowsBlock(const RowsBlock&) = delete;
  RowsBlock& operator=(const RowsBlock&) = delete;

  [[nodiscard]] uint32_t part() const { return part_; }
  [[nodiscard]] uint64_t bytes() const { return rows_.size(); }
  /// Counts what they take, room behind them included.
  [[nodiscard]] uint64_t memory_bytes() const { return rows_.capacity(); }
  /// As whoever brought them said.
  [[nodiscard]] uint64_t row_count() const { return row_count_; }
  /// See PackedRows::next().
  [[nodiscard]] Result<std::optional<std::string_view>> next() { return walk_.next(); }
  /// All rows. Ends this object's use.
  [[nodiscard]] std::string take() { return std::move(rows_); }

 private:
  uint32_t part_;
  std::string rows_;
  uint64_t row_count_;
  PackedRows walk_;
};
using RowsBlockPtr = std::unique_ptr<RowsBlock>;

/// Rows of one message on their way out, within the bound of the message and of the answer.
class AnswerWriter {
 public:
  explicit AnswerWriter(const AnswerLimit& limit) : limit_(limit) {}

  /// Rows are appended until they reach `bytes_max`; one row alone may be larger.
  void begin(size_t bytes_max) { bytes_max_ = bytes_max; }
  /// Says whether a row of so many bytes, its size field not counted, belongs into the next message.
  [[nodiscard]] bool is_full_for(size_t row_bytes) {
    is_full_ = !rows_.rows.empty() && rows_.rows.size() + sizeof(uint32_t) + row_bytes > bytes_max_;
    return is_full_;
  }
  /// A row did not fit in: this message goes.
  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] Result<void> append_bytes(std::string_view row);  ///< Bytes after the u32 size.
  /// Appends nothing, and says so by false, when the row belongs into the next message.
  [[nodiscard]] Result<bool> append_values(std::span<const Type> types, std::span<const Value> values);
  [[nodiscard]] Result<void> append_rows(std::string rows, uint64_t row_count);
  [[nodiscard]] MergedRows take() {
    is_full_ = false;
    return std::exchange(rows_, {});
  }
  [[nodiscard]] bool is_empty() const { return rows_.rows.empty(); }
  [[nodiscard]] size_t bytes_max() const { return bytes_max_; }

 private:
  [[nodiscard]] Result<void> count(uint64_t bytes);

  MergedRows rows_;
  size_t bytes_max_ = 0;
  bool is_full_ = false;
  AnswerLimit limit_;
  uint64_t total_bytes_ = 0;
};

class Merge {
 public:
  virtual ~Merge() = default;

  /// Says whether rows may leave before the last part has come.
  [[nodiscard]] virtual bool is_streaming() const { return false; }
  /// Looks at rows of the block until its end, or until the budget is spent (false). Errors: 08P01, 54000.
  [[nodiscard]] virtual Result<bool> take(RowsBlockPtr& block, WorkBudget& budget) = 0;
  /// All parts have been taken: appends rows to `out` until it is full, the budget is spent, or nothing is left (true).
  [[nodiscard]] virtual Result<bool> produce(WorkBudget& budget, AnswerWriter& out) = 0;
  /// Counts everything that is kept.
  [[nodiscard]] virtual uint64_t memory_bytes() const = 0;
  /// Frees a piece of what is kept; true when nothing is left.
  [[nodiscard]] virtual bool drop(WorkBudget& budget) = 0;
  /// A merge that is_streaming() and keeps nothing starts again, for another answer.
  virtual void restart() {}
};

/// The plan outlives the merge.
[[nodiscard]] std::unique_ptr<Merge> make_passage(const MergePlan& plan);
[[nodiscard]] std::unique_ptr<Merge> make_concatenation(const MergePlan& plan);
[[nodiscard]] std::unique_ptr<Merge> make_sorted_merge(const MergePlan& plan);
[[nodiscard]] std::unique_ptr<Merge> make_group_merge(const MergePlan& plan);

/// Blocks kept by part, given back in the order of parts.
class PartBlocks {
 public:
  /// Keeps a block. Error 54000: all are more than the limit.
  [[nodiscard]] Result<bool> take(RowsBlockPtr& block, const AnswerLimit& limit);
  /// The first block of the lowest part, or null.
  [[nodiscard]] RowsBlock* front();
  void pop_front();
  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  std::map<uint32_t, std::deque<RowsBlockPtr>> parts_;
  uint64_t bytes_ = 0;
  uint64_t memory_bytes_ = 0;
};

/// A row that is not aggregated becomes in the answer itself, or it is cut to the visible outputs.
class VisibleRow {
 public:
  explicit VisibleRow(const MergePlan& plan);
  /// Bytes after the u32 size; valid until the next call. Precondition: the row has the plan's partial types.
  [[nodiscard]] std::string_view of(std::string_view row);

 private:
  const MergePlan& plan_;
  bool is_cut_;
  std::string cut_;
};

/// The key that rows are sorted by, put together from those of ORDER BY. Behind them it says where those end that
/// RowCut compares: equal keys end alike, so that this orders nothing.
class OrderKeyWriter {
 public:
  OrderKeyWriter(const MergePlan& plan, std::string& key) : plan_(plan), key_(key) { key.clear(); }
  /// As append_sort_key(), of the next key of the order.
  [[nodiscard]] Result<void> append(const Type& type, std::optional<std::string_view> packed);
  /// All have been appended.
  void finish();

 private:
  const MergePlan& plan_;
  std::string& key_;
  uint32_t number_ = 0;
  std::array<uint32_t, 2> ends_{};  ///< Keys for ties end here, and those that make rows distinct.
};

/// How many of sorted rows there are: up to the limit, with its ties, and of equal ones the first alone.
class RowCut {
 public:
  enum class Verdict : uint8_t {
    kStays,
    kRepeats,  ///< It equals the row before.
    kEnd,      ///< It is beyond the limit, as are all behind it.
  };
  explicit RowCut(const MergePlan& plan) : plan_(&plan) {}

  /// Says whether no row stays any more, whatever its key. What a key says is asked for by judge() alone.
  [[nodiscard]] bool is_closed() const { return count_ >= plan_->rows_wanted && plan_->ties_by == 0; }
  /// The next row in order. Precondition: its key comes from an OrderKeyWriter.
  [[nodiscard]] Verdict judge(const RowSorter::Sorted& row);

 private:
  [[nodiscard]] bool equals_last(size_t which) const;

  const MergePlan* plan_;
  uint64_t count_ = 0;  ///< It counts rows that stay.
  std::string last_;    ///< The key of the last of them.
  std::string key_;
};

/// Sorted rows on their way out, cut to offset and limit: a place in them that outlives the steps.
class SortedOutput {
 public:
  explicit SortedOutput(const MergePlan& plan) : plan_(plan), cut_(plan) {}
  /// As Merge::produce(); `visible` says what a row becomes. Precondition: the sorter is prepared.
  [[nodiscard]] Result<bool> write(RowSorter& sorter, const std::function<std::string_view(std::string_view)>& visible,
                                   WorkBudget& budget, AnswerWriter& out);

 private:
  const MergePlan& plan_;
  RowCut cut_;
  std::optional<RowSorter::Sorted> next_;  ///< Has not gone out yet.
  uint64_t position_ = 0;                  ///< The next row has it among all.
  bool is_at_end_ = false;
};

/// Appends what a value of a key is as bytes: NULL equals NULL, −0.0 equals 0.0, every NaN is one, intervals are those
/// of their order, 1.0 is 1.00. A zero byte is NULL; behind any other byte is a packed value, unless it is an interval.
void append_key_value(const Type& type, const Value& value, std::string& key);

/// Error 08P01 where the bytes are no row of the plan's partial types.
[[nodiscard]] Result<void> check_shape(const MergePlan& plan, std::string_view row);

/// Gives what walking over a row costs.
[[nodiscard]] inline uint64_t walk_units(const MergePlan& plan) { return 1 + plan.partial_types.size(); }

}  // namespace daedalus::semantics

// Merging answers without aggregates: passed on as they come, laid end to end in the order of parts, or sorted.
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "row_sorter.hpp"
#include "sort_key.hpp"

namespace daedalus::semantics {
namespace {

/// Rows leave in the order in which they come, untouched; blocks that are too large for a message are cut.
class Passage final : public Merge {
 public:
  explicit Passage(const MergePlan& plan) : plan_(plan) {}

  [[nodiscard]] bool is_streaming() const override { return true; }

  Result<bool> take(RowsBlockPtr& block, WorkBudget& budget) override {
    taken_bytes_ += block->bytes();
    if (taken_bytes_ > plan_.limit.bytes_max) {
      return answer_too_large(plan_.limit);
    }
    memory_bytes_ += block->memory_bytes();
    blocks_.push_back(std::move(block));
    budget.spend(1);
    return true;
  }

  Result<bool> produce(WorkBudget& budget, AnswerWriter& out) override {
    while (!blocks_.empty()) {
      if (budget.is_spent()) {
        return false;
      }
      RowsBlock& block = *blocks_.front();
      if (!is_cutting_ && block.bytes() <= out.bytes_max()) {
        if (!out.is_empty()) {
          return false;
        }
        memory_bytes_ -= block.memory_bytes();
        const uint64_t row_count = block.row_count();
        const Result<void> appended = out.append_rows(block.take(), row_count);
        blocks_.pop_front();
        return appended ? Result<bool>(blocks_.empty()) : appended.error();
      }
      const Result<bool> is_cut_up = cut(block, budget, out);
      if (!is_cut_up || !*is_cut_up) {
        return is_cut_up;
      }
      memory_bytes_ -= block.memory_bytes();
      blocks_.pop_front();
    }
    return true;
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return memory_bytes_; }

  void restart() override {
    taken_bytes_ = 0;
    is_cutting_ = false;
  }

  bool drop(WorkBudget& budget) override {
    while (!blocks_.empty() && !budget.is_spent()) {
      budget.spend(page_units(blocks_.front()->memory_bytes()));
      blocks_.pop_front();
    }
    memory_bytes_ = 0;
    return blocks_.empty();
  }

 private:
  /// Says whether the block has come to its end.
  Result<bool> cut(RowsBlock& block, WorkBudget& budget, AnswerWriter& out) {
    while (!budget.is_spent()) {
      if (!is_cutting_) {
        Result<std::optional<std::string_view>> row = block.next();
        if (!row) {
          return row.error();
        }
        if (!row->has_value()) {
          return true;
        }
        row_ = **row;
        is_cutting_ = true;
      }
      if (out.is_full_for(row_.size())) {
        return false;
      }
      if (const Result<void> appended = out.append_bytes(row_); !appended) {
        return appended.error();
      }
      is_cutting_ = false;
      budget.spend(1 + copy_units(row_.size()));
    }
    return false;
  }

  std::deque<RowsBlockPtr> blocks_;
  const MergePlan& plan_;
  uint64_t memory_bytes_ = 0;
  uint64_t taken_bytes_ = 0;
  std::string_view row_;     ///< It is of the first block and has not gone out yet.
  bool is_cutting_ = false;  ///< There is such a row.
};

class Concatenation final : public Merge {
 public:
  explicit Concatenation(const MergePlan& plan) : plan_(plan), visible_(plan) {}

  Result<bool> take(RowsBlockPtr& block, WorkBudget& budget) override {
    budget.spend(1);
    return blocks_.take(block, plan_.limit);
  }

  Result<bool> produce(WorkBudget& budget, AnswerWriter& out) override {
    while (!budget.is_spent()) {
      const Result<bool> is_there = next_row();
      if (!is_there || !*is_there) {
        return is_there ? Result<bool>(true) : is_there;
      }
      if (position_ >= plan_.rows_skipped) {
        if (out.is_full_for(row_->size())) {
          return false;
        }
        if (const Result<void> written = out.append_bytes(visible_.of(*row_)); !written) {
          return written.error();
        }
      }
      budget.spend(2 * walk_units(plan_) + copy_units(row_->size()));
      row_.reset();
      ++position_;
    }
    return false;
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return blocks_.memory_bytes(); }
  bool drop(WorkBudget& budget) override { return blocks_.drop(budget); }

 private:
  /// Says whether there is one that matters; then row_ is it.
  Result<bool> next_row() {
    while (!row_) {
      RowsBlock* const block = blocks_.front();
      if (block == nullptr || position_ >= plan_.rows_wanted) {
        return false;
      }
      Result<std::optional<std::string_view>> row = block->next();
      if (!row) {
        return row.error();
      }
      if (!row->has_value()) {
        blocks_.pop_front();
        continue;
      }
      if (const Result<void> checked = check_shape(plan_, **row); !checked) {
        return checked.error();
      }
      row_ = **row;
    }
    return true;
  }

  const MergePlan& plan_;
  VisibleRow visible_;
  PartBlocks blocks_;
  std::optional<std::string_view> row_;  ///< It is of the first block and has not gone out yet.
  uint64_t position_ = 0;                ///< The next row has it among all.
};

/// Sorts every row; under a limit, from time to time drops all but the best.
class SortedMerge final : public Merge {
 public:
  explicit SortedMerge(const MergePlan& plan)
      : plan_(plan), visible_(plan), keys_(plan.partial_types.size()), rows_(std::make_unique<Rows>()), output_(plan) {}

  Result<bool> take(RowsBlockPtr& block, WorkBudget& budget) override {
    if (rows_->bytes + block->bytes() > plan_.limit.bytes_max) {
      return answer_too_large(plan_.limit);
    }
    while (!budget.is_spent()) {
      if (best_ != nullptr) {
        drop_all_but_best(budget);
        continue;
      }
      const Result<std::optional<std::string_view>> row = block->next();
      if (!row) {
        return row.error();
      }
      if (!row->has_value()) {
        rows_->keep(std::move(block));
        return true;
      }
      if (const Result<void> keyed = make_key(**row); !keyed) {
        return keyed.error();
      }
      const uint64_t place = uint64_t{block->part()} << 32 | sequence_[block->part()]++;
      rows_->sorter.add(block->part(), key_, place, **row, budget);
      budget.spend(walk_units(plan_) + plan_.order_by.size());
      if (has_too_many(*block)) {
        // The rest of this block is looked at later: what has been must not refer to it then.
        best_ = std::make_unique<Rows>();
        cut_ = RowCut(plan_);
      }
    }
    return false;
  }

  Result<bool> produce(WorkBudget& budget, AnswerWriter& out) override {
    if (!rows_->sorter.prepare(budget)) {
      return false;
    }
    return output_.write(
        rows_->sorter, [this](std::string_view row) { return visible_.of(row); }, budget, out);
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    return rows_->memory_bytes() + (best_ == nullptr ? 0 : best_->memory_bytes());
  }

  bool drop(WorkBudget& budget) override { return rows_->drop(budget) && (best_ == nullptr || best_->drop(budget)); }

 private:
  /// Fewer are not worth the work, more often neither: all in all it stays linear.
  static constexpr uint64_t kTrimRowsMin = 8192;
  static constexpr uint64_t kTrimFactor = 4;
  /// Rows that are kept are copied together into blocks of this size.
  static constexpr size_t kCopyBytes = 256u << 10;

  struct Rows {
    RowSorter sorter;
    std::vector<RowsBlockPtr> blocks;
    std::vector<std::string> copies;
    uint64_t bytes = 0;       ///< It counts bytes of rows.
    uint64_t kept_bytes = 0;  ///< They take so many.

    void keep(RowsBlockPtr block) {
      bytes += block->bytes();
      kept_bytes += block->memory_bytes();
      blocks.push_back(std::move(block));
    }
    [[nodiscard]] std::string_view copy(std::string_view row) {
      if (copies.empty() || copies.back().capacity() - copies.back().size() < row.size()) {
        copies.emplace_back().reserve(std::max(kCopyBytes, row.size()));
        kept_bytes += copies.back().capacity();
      }
      std::string& to = copies.back();
      to.append(row);
      bytes += row.size();
      return std::string_view(to).substr(to.size() - row.size());
    }
    [[nodiscard]] uint64_t memory_bytes() const { return sorter.memory_bytes() + kept_bytes; }
    [[nodiscard]] bool drop(WorkBudget& budget) {
      while (!blocks.empty() && !budget.is_spent()) {
        budget.spend(page_units(blocks.back()->memory_bytes()));
        kept_bytes -= blocks.back()->memory_bytes();
        blocks.pop_back();
      }
      while (!copies.empty() && !budget.is_spent()) {
        budget.spend(page_units(kCopyBytes));
        kept_bytes -= copies.back().capacity();
        copies.pop_back();
      }
      return !budget.is_spent() && sorter.drop(budget);
    }
  };

  Result<void> make_key(std::string_view row) {
    const WalkEnd end = walk_packed_row(
        plan_.partial_types.size(), row, [&](size_t column) -> const Type& { return plan_.partial_types[column]; },
        [&](size_t column, bool null, std::string_view bytes) {
          keys_[column] = null ? std::nullopt : std::optional(bytes);
          return true;
        });
    if (end != WalkEnd::kComplete) {
      return malformed_row(end);
    }
    OrderKeyWriter keys(plan_, key_);
    for (const OrderKey& key : plan_.order_by) {
      const auto appended = keys.append(plan_.partial_types[key.output], keys_[key.output]);
      if (!appended) {
        return appended;
      }
    }
    keys.finish();
    return {};
  }

  [[nodiscard]] bool has_too_many(const RowsBlock& block) const {
    const uint64_t count = rows_->sorter.row_count();
    if (count <= plan_.rows_wanted || count / 2 < kept_) {
      return false;
    }
    const bool is_large = rows_->bytes + block.bytes() > plan_.limit.bytes_max / 2 && count / 2 > plan_.rows_wanted;
    return is_large || (count >= kTrimRowsMin && count / kTrimFactor >= plan_.rows_wanted);
  }

  /// Gets on with copying the best rows; then they take the place of all.
  void drop_all_but_best(WorkBudget& budget) {
    if (!is_best_complete_) {
      if (!rows_->sorter.prepare(budget)) {
        return;
      }
      while (!cut_.is_closed()) {
        if (budget.is_spent()) {
          return;
        }
        const std::optional<RowSorter::Sorted> next = rows_->sorter.next(budget);
        const RowCut::Verdict verdict = next ? cut_.judge(*next) : RowCut::Verdict::kEnd;
        if (verdict == RowCut::Verdict::kRepeats) {
          continue;
        }
        if (verdict == RowCut::Verdict::kEnd) {
          break;
        }
        key_.assign(next->key_head).append(next->key_tail);
        best_->sorter.add(kBestStream, key_, next->place, best_->copy(next->row), budget);
        budget.spend(copy_units(next->row.size()));
      }
      is_best_complete_ = true;
    }
    if (rows_->drop(budget)) {
      rows_ = std::exchange(best_, nullptr);
      kept_ = rows_->sorter.row_count();
      is_best_complete_ = false;
    }
  }

  static constexpr uint32_t kBestStream = UINT32_MAX;

  const MergePlan& plan_;
  VisibleRow visible_;
  /// The row that is looked at has these keys, by partial column.
  std::vector<std::optional<std::string_view>> keys_;
  std::string key_;
  std::unique_ptr<Rows> rows_;
  std::unique_ptr<Rows> best_;  ///< In the making.
  bool is_best_complete_ = false;
  uint64_t kept_ = 0;  ///< Rows that stayed the last time: with ties there may be any number of them.
  RowCut cut_{plan_};  ///< It cuts the best rows.
  std::unordered_map<uint32_t, uint32_t> sequence_;  ///< Rows taken so far, by part.
  SortedOutput output_;
};

}  // namespace

std::unique_ptr<Merge> make_passage(const MergePlan& plan) { return std::make_unique<Passage>(plan); }

std::unique_ptr<Merge> make_concatenation(const MergePlan& plan) { return std::make_unique<Concatenation>(plan); }

std::unique_ptr<Merge> make_sorted_merge(const MergePlan& plan) { return std::make_unique<SortedMerge>(plan); }

}  // namespace daedalus::semantics

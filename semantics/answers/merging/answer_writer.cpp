// The ways of merging share these: rows on their way out, blocks of rows kept by part, rows cut to what is visible.
#include <algorithm>
#include <cstring>
#include <utility>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "int128.hpp"
#include "sort_key.hpp"

namespace daedalus::semantics {
namespace {

/// Messages of small answers stay small.
constexpr size_t kReserveMax = 4096;

}  // namespace

// ---- AnswerWriter ----

Result<void> AnswerWriter::count(uint64_t bytes) {
  total_bytes_ += bytes;
  return total_bytes_ > limit_.bytes_max ? Result<void>(answer_too_large(limit_)) : Result<void>();
}

Result<void> AnswerWriter::append_bytes(std::string_view row) {
  if (rows_.rows.empty()) {
    rows_.rows.reserve(std::min<size_t>(bytes_max_, kReserveMax));
  }
  append(static_cast<uint32_t>(row.size()), rows_.rows);
  rows_.rows.append(row);
  ++rows_.row_count;
  return count(sizeof(uint32_t) + row.size());
}

Result<bool> AnswerWriter::append_values(std::span<const Type> types, std::span<const Value> values) {
  for (const Value& value : values) {
    const auto* decimal = std::get_if<Decimal>(&value);
    if (decimal != nullptr && !fits_precision(*decimal, kDecimalDigitsMax)) {
      return rejected("22003", "value overflows numeric format");
    }
  }
  const size_t begin = rows_.rows.size();
  append_packed_row(types, values, rows_.rows);
  if (begin > 0 && rows_.rows.size() > bytes_max_) {
    rows_.rows.resize(begin);
    is_full_ = true;
    return false;
  }
  ++rows_.row_count;
  if (const Result<void> counted = count(rows_.rows.size() - begin); !counted) {
    return counted.error();
  }
  return true;
}

Result<void> AnswerWriter::append_rows(std::string rows, uint64_t row_count) {
  const uint64_t bytes = rows.size();
  if (rows_.rows.empty()) {
    rows_.rows = std::move(rows);
  } else {
    rows_.rows.append(rows);
  }
  rows_.row_count += row_count;
  return count(bytes);
}

// ---- PartBlocks ----

Result<bool> PartBlocks::take(RowsBlockPtr& block, const AnswerLimit& limit) {
  if (bytes_ + block->bytes() > limit.bytes_max) {
    return answer_too_large(limit);
  }
  bytes_ += block->bytes();
  memory_bytes_ += block->memory_bytes();
  std::deque<RowsBlockPtr>& blocks = parts_[block->part()];
  blocks.push_back(std::move(block));
  return true;
}

RowsBlock* PartBlocks::front() { return parts_.empty() ? nullptr : parts_.begin()->second.front().get(); }

void PartBlocks::pop_front() {
  auto& [part, blocks] = *parts_.begin();
  bytes_ -= blocks.front()->bytes();
  memory_bytes_ -= blocks.front()->memory_bytes();
  blocks.pop_front();
  if (blocks.empty()) {
    parts_.erase(parts_.begin());
  }
}

bool PartBlocks::drop(WorkBudget& budget) {
  while (!parts_.empty() && !budget.is_spent()) {
    budget.spend(page_units(front()->memory_bytes()));
    pop_front();
  }
  return parts_.empty();
}

// ---- VisibleRow ----

VisibleRow::VisibleRow(const MergePlan& plan)
    : plan_(plan), is_cut_(plan.form == AnswerForm::kFinal && plan.final_types.size() < plan.partial_types.size()) {}

std::string_view VisibleRow::of(std::string_view row) {
  if (!is_cut_) {
    return row;
  }
  // Hidden outputs come last: the visible ones are a prefix of the values, under a shorter bitmap.
  const size_t visible = plan_.final_types.size();
  const size_t bitmap_size = (plan_.partial_types.size() + 7) / 8;
  cut_.assign(row.substr(0, (visible + 7) / 8));
  if (visible % 8 != 0) {
    cut_.back() = static_cast<char>(static_cast<uint8_t>(cut_.back()) & ((1u << (visible % 8)) - 1));
  }
  const char* end = row.data() + bitmap_size;
  const WalkEnd walk = walk_packed_row(
      plan_.partial_types.size(), row, [&](size_t column) -> const Type& { return plan_.partial_types[column]; },
      [&](size_t column, bool null, std::string_view bytes) {
        if (column < visible && !null) {
          end = bytes.data() + bytes.size();
        }
        return column + 1 < visible;
      });
  CHECK(walk == WalkEnd::kStopped);
  cut_.append(row.data() + bitmap_size, end);
  return cut_;
}

// ---- OrderKeyWriter, RowCut ----

Result<void> OrderKeyWriter::append(const Type& type, std::optional<std::string_view> packed) {
  const Result<void> appended = append_sort_key(type, packed, plan_.order_by[number_].order, key_);
  ++number_;
  const auto end = static_cast<uint32_t>(key_.size());
  ends_ = {number_ == plan_.ties_by ? end : ends_[0], number_ == plan_.distinct_by ? end : ends_[1]};
  return appended;
}

void OrderKeyWriter::finish() {
  if (plan_.ties_by > 0 || plan_.distinct_by > 0) {
    key_.append(reinterpret_cast<const char*>(ends_.data()), sizeof ends_);
  }
}

bool RowCut::equals_last(size_t which) const {
  std::array<uint32_t, 2> ends{};
  std::memcpy(ends.data(), key_.data() + key_.size() - sizeof ends, sizeof ends);
  const size_t end = ends[which];
  return last_.size() >= end && std::memcmp(last_.data(), key_.data(), end) == 0;
}

RowCut::Verdict RowCut::judge(const RowSorter::Sorted& row) {
  if (plan_->ties_by > 0 || plan_->distinct_by > 0) {
    key_.assign(row.key_head).append(row.key_tail);
    const bool has_last = count_ > 0;
    if (plan_->distinct_by > 0 && has_last && equals_last(1)) {
      return Verdict::kRepeats;
    }
    const bool is_tie = plan_->ties_by > 0 && has_last && equals_last(0);
    if (count_ >= plan_->rows_wanted && !is_tie) {
      return Verdict::kEnd;
    }
    std::swap(last_, key_);
  } else if (count_ >= plan_->rows_wanted) {
    return Verdict::kEnd;
  }
  ++count_;
  return Verdict::kStays;
}

// ---- SortedOutput ----

Result<bool> SortedOutput::write(RowSorter& sorter, const std::function<std::string_view(std::string_view)>& visible,
                                 WorkBudget& budget, AnswerWriter& out) {
  while (!budget.is_spent()) {
    if (!next_ && !is_at_end_) {
      next_ = cut_.is_closed() ? std::nullopt : sorter.next(budget);
      const RowCut::Verdict verdict = next_ ? cut_.judge(*next_) : RowCut::Verdict::kEnd;
      if (verdict == RowCut::Verdict::kRepeats) {
        next_.reset();
        continue;
      }
      if (verdict == RowCut::Verdict::kEnd) {
        next_.reset();
        is_at_end_ = true;
      }
    }
    if (!next_) {
      return true;
    }
    if (position_ >= plan_.rows_skipped) {
      if (out.is_full_for(next_->row.size())) {
        return false;
      }
      if (const Result<void> written = out.append_bytes(visible(next_->row)); !written) {
        return written.error();
      }
    }
    budget.spend(1 + copy_units(next_->row.size()));
    next_.reset();
    ++position_;
  }
  return false;
}

}  // namespace daedalus::semantics

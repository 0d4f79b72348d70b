#include "computed_top_rows.hpp"

#include <algorithm>

#include "candidate_slots.hpp"
#include "daedalus/semantics/order.hpp"

namespace daedalus::engine {
namespace {

/// Candidates beyond those wanted, at least: dropping the last of them then costs a few comparisons each.
constexpr uint32_t kComputedSpare = 256;
constexpr uint32_t kBatchRows = 1024;
/// Beside what a value takes in itself: digits of a long numeric.
constexpr uint64_t kDigitBytes = 256;

}  // namespace

ComputedTopRows::ComputedTopRows(const TableLayout& layout, const ChunkStore& store,
                                 const semantics::Selection& selection, uint32_t rows_max, AnswerMemory& memory,
                                 DeadlineCheck& deadline_check)
    : store_(&store),
      rows_max_(rows_max),
      candidates_max_(rows_max + std::max(rows_max, kComputedSpare)),
      ties_by_(selection.ties_by),
      candidate_bytes_(sizeof(Candidate)),
      answer_memory_(&memory),
      memory_(memory) {
  CHECK(rows_max > 0 && rows_max <= UINT32_MAX / 2 && !selection.order_by.empty());
  for (const semantics::OrderKey& key : selection.order_by) {
    ExpressionPool pool(&deadline_check);
    keys_.push_back({source_of(layout, selection.outputs[key.output].expression, &pool), key.order});
    const ColumnLayout& column = keys_.back().source.layout();
    candidate_bytes_ += sizeof(semantics::Value) + (column.native == Native::kDecimal ? kDigitBytes : column.width);
  }
}

bool ComputedTopRows::is_before(const Candidate& left, const Candidate& right) const {
  const int order = compare(left, right, keys_.size());
  return order != 0 ? order < 0 : left.slot < right.slot;
}

int ComputedTopRows::compare(const Candidate& left, const Candidate& right, size_t key_count) const {
  for (size_t number = 0; number < key_count; ++number) {
    const auto order = semantics::compare_ordered(left.keys[number], right.keys[number], keys_[number].order);
    if (order != 0) {
      return order < 0 ? -1 : 1;
    }
  }
  return 0;
}

Result<void> ComputedTopRows::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count) {
  const ChunkView view = store_->view(chunk);
  for (uint32_t first = 0; first < row_count; first += kBatchRows) {
    const RowBatch batch = {.chunk = &view, .rows = rows + first, .count = std::min(kBatchRows, row_count - first)};
    if (Result<void> taken = take_batch(chunk, batch); !taken) {
      return taken;
    }
  }
  return {};
}

Result<void> ComputedTopRows::take_batch(uint32_t chunk, const RowBatch& batch) {
  std::vector<ColumnVector> vectors;
  for (Key& key : keys_) {
    const Result<ColumnVector> vector = key.source.read(batch, key.room);
    if (!vector) {
      return vector.error();
    }
    vectors.push_back(*vector);
  }
  for (uint32_t position = 0; position < batch.count; ++position) {
    Candidate candidate{{}, chunk * store_->chunk_rows() + batch.row(position)};
    for (size_t number = 0; number < keys_.size(); ++number) {
      candidate.keys.push_back(value_at(keys_[number].source.layout(), vectors[number], position, bytes_));
    }
    if (candidates_.size() == candidates_.capacity()) {
      const size_t room = std::clamp<size_t>(2 * candidates_.capacity(), kComputedSpare / 4, candidates_max_);
      if (!memory_.add((room - candidates_.capacity()) * candidate_bytes_)) {
        return answer_memory_->refusal();
      }
      candidates_.reserve(room);
    }
    candidates_.push_back(std::move(candidate));
    if (candidates_.size() == candidates_max_) {
      drop_last();
    }
  }
  return {};
}

void ComputedTopRows::drop_last() {
  if (candidates_.size() <= rows_max_) {
    return;
  }
  const auto before = [this](const Candidate& left, const Candidate& right) { return is_before(left, right); };
  std::nth_element(candidates_.begin(), candidates_.begin() + (rows_max_ - 1), candidates_.end(), before);
  const Candidate& last = candidates_[rows_max_ - 1];
  const auto rest = candidates_.begin() + rows_max_;
  const auto end = ties_by_ == 0 ? rest : std::partition(rest, candidates_.end(), [&](const Candidate& candidate) {
    return compare(last, candidate, ties_by_) == 0;
  });
  candidates_.erase(end, candidates_.end());
  candidates_max_ = std::max<size_t>(candidates_max_, 2 * candidates_.size());
}

void ComputedTopRows::mark_held(uint32_t chunk, std::span<uint64_t> rows) {
  drop_last();
  mark_candidates(std::span<const Candidate>(candidates_), store_->chunk_rows(), chunk, rows);
}

std::vector<uint32_t> ComputedTopRows::finish() {
  drop_last();
  std::vector<uint32_t> slots = slots_of(std::span<const Candidate>(candidates_));
  candidates_.clear();
  return slots;
}

}  // namespace daedalus::engine

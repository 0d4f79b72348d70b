#include "top_rows.hpp"

#include <algorithm>

#include "candidate_slots.hpp"
#include "kernels_range.hpp"

namespace daedalus::engine {
namespace {

/// Candidates beyond those wanted, at least: dropping the last of them then costs a few comparisons each.
constexpr uint32_t kCandidatesSpare = 1024;
/// Room for candidates at first.
constexpr uint32_t kCandidatesMin = 16;
/// Words of a bitmap that are held against one bound: what the first rows of a chunk teach serves the next ones.
constexpr uint32_t kBlockWords = 16;

}  // namespace

TopRows::TopRows(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection,
                 uint32_t rows_max, AnswerMemory& memory)
    : layout_(&layout),
      store_(&store),
      rows_max_(rows_max),
      candidates_max_(rows_max + std::max(rows_max, kCandidatesSpare)),
      memory_(memory) {
  CHECK(rows_max > 0 && rows_max <= UINT32_MAX / 2 && !selection.order_by.empty());
  for (const semantics::OrderKey& key : selection.order_by) {
    keys_.push_back({selection.outputs[key.output].expression.input, key.order});
  }
  ties_by_ = selection.ties_by;
  // A tie of the last row stays, too.
  is_rank_all_ = keys_.size() == 1 && layout.columns[keys_[0].column].code.is_exact && ties_by_ == 0;
}

TopRows::Rank TopRows::rank_of(const ChunkView& chunk, uint32_t row) const {
  const Key& key = keys_[0];
  const ColumnLayout& column = layout_->columns[key.column];
  if (test_bit(chunk.nulls[key.column], row)) {
    return {key.order.nulls_first ? Rank::Level::kNullFirst : Rank::Level::kNullLast, 0};
  }
  const uint64_t code = code_of(column.code, chunk.planes[key.column] + size_t{row} * column.stride);
  return {Rank::Level::kValue, key.order.descending ? ~code : code};
}

bool TopRows::is_before(const Candidate& left, const Candidate& right) const {
  const int order = compare(left, right, keys_.size());
  return order != 0 ? order < 0 : left.slot < right.slot;
}

int TopRows::compare(const Candidate& left, const Candidate& right, size_t key_count) const {
  if (left.rank != right.rank) {
    return left.rank < right.rank ? -1 : 1;
  }
  const uint32_t chunk_rows = store_->chunk_rows();
  const ChunkView left_chunk = store_->view(left.slot / chunk_rows);
  const ChunkView right_chunk = store_->view(right.slot / chunk_rows);
  const bool is_first_done = layout_->columns[keys_[0].column].code.is_exact;
  for (size_t number = is_first_done ? 1 : 0; number < key_count; ++number) {
    const Key& key = keys_[number];
    const ColumnLayout& column = layout_->columns[key.column];
    const bool left_null = test_bit(left_chunk.nulls[key.column], left.slot % chunk_rows);
    const bool right_null = test_bit(right_chunk.nulls[key.column], right.slot % chunk_rows);
    if (left_null != right_null) {
      return left_null == key.order.nulls_first ? -1 : 1;
    }
    if (left_null) {
      continue;
    }
    const int order = compare_native(column, value_at(column, left_chunk, key.column, left.slot % chunk_rows),
                                     value_at(column, right_chunk, key.column, right.slot % chunk_rows));
    if (order != 0) {
      return (order < 0) != key.order.descending ? -1 : 1;
    }
  }
  return 0;
}

CodeRange TopRows::codes_to_stay() const {
  constexpr CodeRange kNone = {1, 0};
  if (bound_.level != Rank::Level::kValue) {
    return bound_.level == Rank::Level::kNullFirst ? kNone : CodeRange{};
  }
  if (is_rank_all_ && bound_.code == 0) {
    return kNone;
  }
  const uint64_t last = bound_.code - (is_rank_all_ ? 1 : 0);
  return keys_[0].order.descending ? CodeRange{~last, UINT64_MAX} : CodeRange{0, last};
}

void TopRows::take_row(uint32_t chunk, const ChunkView& view, uint32_t row) {
  const Rank rank = rank_of(view, row);
  if (!may_stay(rank)) {
    return;
  }
  if (candidates_.size() == candidates_.capacity() && !grow()) {
    is_out_of_memory_ = true;
    return;
  }
  candidates_.push_back({rank, chunk * store_->chunk_rows() + row});
  if (candidates_.size() == candidates_max_) {
    drop_last();
  }
}

bool TopRows::grow() {
  const size_t room = std::clamp<size_t>(2 * candidates_.capacity(), kCandidatesMin, candidates_max_);
  if (!memory_.add((room - candidates_.capacity()) * sizeof(Candidate))) {
    return false;
  }
  candidates_.reserve(room);
  return true;
}

bool TopRows::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count) {
  const ChunkView view = store_->view(chunk);
  for (uint32_t position = 0; position < row_count; ++position) {
    take_row(chunk, view, rows[position]);
  }
  return !is_out_of_memory_;
}

void TopRows::mark_block(const ChunkView& view, uint32_t first_word, uint32_t word_count, const uint64_t* selection,
                         uint64_t* marks) const {
  const uint32_t number = keys_[0].column;
  const ColumnLayout& column = layout_->columns[number];
  const uint64_t* nulls = view.nulls[number] + first_word;
  const BytesPlane plane = {view.planes[number] + size_t{first_word} * 64 * column.stride, column.stride};
  mark_code_range(plane, word_count * 64, column.code, codes_to_stay(), marks);
  const bool nulls_stay = may_stay({keys_[0].order.nulls_first ? Rank::Level::kNullFirst : Rank::Level::kNullLast, 0});
  for (uint32_t word = 0; word < word_count; ++word) {
    const uint64_t null_marks = nulls_stay ? nulls[word] : 0;
    marks[word] = ((marks[word] & ~nulls[word]) | null_marks) & selection[first_word + word];
  }
}

bool TopRows::take_selection(uint32_t chunk, const uint64_t* selection) {
  const ChunkView view = store_->view(chunk);
  uint64_t marks[kBlockWords];
  for (uint32_t first = 0; first < view.word_count(); first += kBlockWords) {
    const uint32_t words = std::min(kBlockWords, view.word_count() - first);
    if (std::all_of(selection + first, selection + first + words, [](uint64_t word) { return word == 0; })) {
      continue;
    }
    if (has_bound_) {
      mark_block(view, first, words, selection, marks);
    } else {
      std::copy_n(selection + first, words, marks);
    }
    for_each_bit(marks, words, [&](uint32_t row) { take_row(chunk, view, first * 64 + row); });
  }
  return !is_out_of_memory_;
}

void TopRows::drop_last() {
  if (candidates_.size() < rows_max_) {
    return;
  }
  const auto before = [this](const Candidate& left, const Candidate& right) { return is_before(left, right); };
  std::nth_element(candidates_.begin(), candidates_.begin() + (rows_max_ - 1), candidates_.end(), before);
  const Candidate last = candidates_[rows_max_ - 1];
  const auto rest = candidates_.begin() + rows_max_;
  const auto end = ties_by_ == 0 ? rest : std::partition(rest, candidates_.end(), [&](const Candidate& candidate) {
    return compare(last, candidate, ties_by_) == 0;
  });
  candidates_.erase(end, candidates_.end());
  // However many ties there are, most of what is looked at next does not stay.
  candidates_max_ = std::max<size_t>(candidates_max_, 2 * candidates_.size());
  bound_ = last.rank;
  has_bound_ = true;
}

void TopRows::mark_held(uint32_t chunk, std::span<uint64_t> rows) {
  drop_last();
  mark_candidates(std::span<const Candidate>(candidates_), store_->chunk_rows(), chunk, rows);
}

std::vector<uint32_t> TopRows::finish() {
  drop_last();
  std::vector<uint32_t> slots = slots_of(std::span<const Candidate>(candidates_));
  candidates_.clear();
  return slots;
}

}  // namespace daedalus::engine

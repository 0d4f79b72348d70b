#include "checkpoint_round.hpp"

namespace daedalus::engine {

CheckpointRound::CheckpointRound(const TableLayout& layout, const ChunkStore& store, const SegmentOptions& options)
    : store_(&store),
      plane_count_(layout.plane_count()),
      hook_(options.checkpoint_hook),
      chunks_per_cycle_max_(options.checkpoint_chunks_per_cycle_max) {
  CHECK(chunks_per_cycle_max_ > 0);
  for (const ColumnLayout& column : layout.columns) {
    widths_.push_back(column.width);
  }
}

bool CheckpointRound::begin() {
  // Release, for the next one's begin: what the hook did in the last one has happened.
  return hook_ != nullptr && !under_way_.exchange(true, std::memory_order_acq_rel);
}

void CheckpointRound::begin_cycle() { left_ = has_work() ? chunks_per_cycle_max_ : 0; }

void CheckpointRound::show(Timestamp prefix) {
  const ChunkView view = store_->view(next_);
  const bool is_taken = hook_->on_chunk({.chunk = next_,
                                         .chunk_count = store_->chunk_count(),
                                         .prefix = prefix,
                                         .changed = store_->changed(next_),
                                         .row_count = view.row_count,
                                         .live_count = store_->live_rows(next_),
                                         .widths = widths_,
                                         .planes = {view.planes, plane_count_},
                                         .nulls = {view.nulls, widths_.size()},
                                         .live = {view.live, view.word_count()}});
  if (!is_taken) {
    left_ = 0;
    return;
  }
  --left_;
  if (++next_ == store_->chunk_count()) {
    left_ = 0;
  }
}

void CheckpointRound::end(const AllocatorImage& image) {
  hook_->on_round_end(image);
  next_ = 0;
  under_way_.store(false, std::memory_order_release);
}

}  // namespace daedalus::engine

#include "cycle.hpp"

#include <algorithm>

namespace daedalus::engine {

Cycle::Cycle(const TableLayout& layout, ChunkStore& store, const SegmentOptions& options, AnswerFlow& flow,
             Outlet& outlet, CheckpointRound& checkpoint)
    : layout_(&layout),
      store_(&store),
      flow_(&flow),
      outlet_(&outlet),
      checkpoint_(&checkpoint),
      sketches_(layout, store, options.sketch_planes_per_cycle_max),
      updates_(layout, store, sketches_, memory_, options.access_paths, options.window_bytes),
      groupings_(flow.memory, &flow.deadline_check),
      outputs_(layout, memory_, flow.deadline_check),
      moments_(layout, store, sketches_, updates_.window()),
      query_sweep_(layout, store, sketches_, updates_.bounds(), moments_, groupings_, options.access_paths) {}

void Cycle::admit(Query query) {
  flow_->compute.rows = updates_.live_rows();
  if (query.at) {
    moments_.admit(*query.at);
  }
  queries_.emplace_back(*layout_, *store_, std::move(query), query_count(), *flow_, shared_);
  entry_bytes_ += queries_.back().entry_bytes();
}

void Cycle::begin(Timestamp before) {
  prefix_ = updates_.outputs().empty() ? before : updates_.outputs().back().timestamp;
  if (updates_.is_replaying(prefix_)) {
    refuse_queries();
  }
  sketches_.begin_cycle();
  updates_.begin();
  moments_.begin(queries_, prefix_);
  query_sweep_.begin(queries_);
  checkpoint_->begin_cycle();
  chunk_ = 0;
}

/// Chunks are in several prefixes yet.
void Cycle::refuse_queries() {
  for (QueryRun& query : queries_) {
    query.fail({ErrorCategory::kRetry, "57P03", "the node is restoring its rows and cannot answer yet",
                "Ask again in a moment.", 0});
  }
}

uint32_t Cycle::next_chunk() const {
  if (query_sweep_.is_active()) {
    return chunk_;
  }
  return std::min(updates_.next_chunk(chunk_), checkpoint_->next_chunk());
}

bool Cycle::sweep(uint32_t chunks_max) {
  hand_over();  // A query that ended at admission need not wait for a chunk.
  for (uint32_t swept = 0; swept < chunks_max; ++swept) {
    chunk_ = next_chunk();
    if (chunk_ == store_->chunk_count()) {
      if (!query_sweep_.sweep_recent()) {
        return true;
      }
      hand_over();
      continue;
    }
    updates_.sweep(chunk_);
    query_sweep_.sweep(chunk_);
    hand_over();
    if (chunk_ == checkpoint_->next_chunk()) {
      checkpoint_->show(updates_.prefix_of(chunk_, prefix_));
    }
    ++chunk_;
  }
  return next_chunk() == store_->chunk_count() && !moments_.have_past();
}

void Cycle::hand_over() {
  std::erase_if(flow_->ready, [this](uint32_t number) { return hand_over(queries_[number]); });
}

/// Returns whether the query need not be looked at again before it is ready anew.
bool Cycle::hand_over(QueryRun& query) {
  if (!query.is_active() || query.is_lost()) {
    // A prefix that holds updates of this cycle is promised once their outputs have gone.
    if (query.has_failed() || update_count() == 0) {
      outlet_->put_last(query.finish(prefix_));
    }
    return true;
  }
  if (query.is_held_back() || !outlet_->has_room_for_part()) {
    return false;
  }
  outlet_->put_part(query.take_part(prefix_));
  return true;
}

void Cycle::finish() {
  query_sweep_.hand_over();
  for (UpdateOutput& output : updates_.outputs()) {
    outlet_->put_last(std::move(output));
  }
  for (QueryRun& query : queries_) {
    if (!query.is_finished()) {
      outlet_->put_last(query.finish(prefix_));
    }
  }
  if (checkpoint_->has_shown_all()) {
    checkpoint_->end(updates_.allocator_image(prefix_));
  }
  updates_.end();
  query_sweep_.end();
  moments_.end();
  flow_->ready.clear();
  queries_.clear();
  entry_bytes_ = 0;
  groupings_.clear();
  outputs_.clear();
  memory_.reset();
}

}  // namespace daedalus::engine

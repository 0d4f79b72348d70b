#include "moments.hpp"

#include <algorithm>
#include <string>

#include "branches.hpp"
#include "columns_read.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::engine {
namespace {

Error moment_is_gone(Timestamp moment, Timestamp oldest) {
  return rejected("72000",
                  "moment " + std::to_string(raw(moment)) +
                      " is too long ago: the oldest that a segment still has is " + std::to_string(raw(oldest)),
                  "Ask at that moment or a later one, or give segments a larger window (window_mib).");
}

}  // namespace

Moments::Moments(const TableLayout& layout, ChunkStore& store, Sketches& sketches, Window& window)
    : store_(&store),
      sketches_(&sketches),
      window_(&window),
      visible_(bitmap_words(store.chunk_rows())),
      recent_chunk_(store.chunk_count()),
      held_(bitmap_words(store.chunk_rows())),
      rows_(layout, store) {}

void Moments::begin(std::vector<QueryRun>& queries, Timestamp prefix) {
  queries_ = &queries;
  prefix_ = prefix;
  oldest_ = Timestamp{};
  have_past_ = std::any_of(moments_.begin(), moments_.end(), [=](Timestamp moment) { return moment < prefix; });
  if (!have_past_) {
    return;
  }
  drop_lost();
  moments_.clear();
  for (const QueryRun& query : queries) {
    if (query.is_active()) {
      moments_.push_back(std::min(query.at().value_or(prefix), prefix));
    }
  }
  std::sort(moments_.begin(), moments_.end());
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
  have_past_ = !moments_.empty() && moments_.front() < prefix;
  for (QueryRun& query : queries) {
    const Timestamp at = std::min(query.at().value_or(prefix), prefix);
    const auto place = std::lower_bound(moments_.begin(), moments_.end(), at);
    query.see(static_cast<uint32_t>(place - moments_.begin()), have_past_);
  }
  if (have_past_) {
    rows_.columns().read(columns_read(queries, rows_.columns().layout()));
  }
  chunks_.clear();
  hidden_.clear();
  next_word_ = 0;
  next_moment_ = 0;
  recent_chunk_ = store_->chunk_count();
}

void Moments::drop_lost() {
  if (!have_past_ || window_->oldest() <= oldest_) {
    return;
  }
  oldest_ = window_->oldest();
  for (QueryRun& query : *queries_) {
    if (query.at() && *query.at() < std::min(oldest_, prefix_) && query.is_active()) {
      mark_branch(Branch::kMomentLost);
      query.fail_all(moment_is_gone(*query.at(), std::min(oldest_, prefix_)));
    }
  }
}

ChunkView Moments::visible(uint32_t chunk) {
  ChunkView view = store_->view(chunk);
  hidden_count_ = 0;
  if (!have_past_) {
    return view;
  }
  // Nobody sees a moment that is lost.
  const Timestamp first = std::max(moments_.front(), oldest_);
  if (!window_->has_recent(chunk, first)) {
    return view;
  }
  mark_branch(Branch::kRowsHidden);
  const uint32_t words = view.word_count();
  chunks_.push_back(chunk);
  hidden_.resize(hidden_.size() + words, 0);
  const std::span<uint64_t> hidden = std::span(hidden_).last(words);
  window_->mark_recent(chunk, first, hidden);
  hidden_count_ = count_bits(hidden.data(), words);
  std::copy_n(view.live, words, visible_.begin());
  if (!is_planted(Fault::kRecentRowShownTwice)) {
    and_not_into(visible_.data(), hidden.data(), words);
  }
  view.live = visible_.data();
  return view;
}

bool Moments::find_slot() {
  while (next_word_ < hidden_.size() && hidden_[next_word_] == 0) {
    ++next_word_;
  }
  return next_word_ < hidden_.size();
}

std::span<uint64_t> Moments::begin_held() {
  std::fill(held_.begin(), held_.end(), 0);
  return held_;
}

bool Moments::lacks_room() {
  const auto words = static_cast<uint32_t>(held_.size());
  return is_last_chunk() && count_bits(held_.data(), words) == store_->chunk_rows() && find_slot();
}

/// The first one, as long as half of its rows can be written again; then the next one.
void Moments::choose_chunk() {
  if (!is_last_chunk() && count_bits(held_.data(), static_cast<uint32_t>(held_.size())) * 2 > store_->chunk_rows()) {
    mark_branch(Branch::kRecentChunkHeld);
    ++recent_chunk_;
    std::fill(held_.begin(), held_.end(), 0);
  }
  store_->make_recent(recent_chunk_);
}

bool Moments::lay_out_next() {
  if (!have_past_ || !find_slot()) {
    return false;
  }
  choose_chunk();
  rows_.begin(recent_chunk_, static_cast<uint32_t>(moments_.size()), held_);
  while (!rows_.is_full() && find_slot()) {
    lay_out_slot();
  }
  mark_branch(find_slot() ? Branch::kRecentInParts : Branch::kRecentLaidOut);
  const std::span<const OtherValue> others = rows_.lay_out();
  sketches_->on_recent(recent_chunk_, rows_.columns().rows(), rows_.columns().read().of_all);
  for (const OtherValue& value : others) {
    sketches_->on_write(recent_chunk_, value.row, value.column);
  }
  return true;
}

void Moments::lay_out_slot() {
  const uint32_t bit = static_cast<uint32_t>(__builtin_ctzll(hidden_[next_word_]));
  const uint32_t chunk = chunks_[next_word_ / visible_.size()];
  const auto row = static_cast<uint32_t>(next_word_ % visible_.size()) * 64 + bit;
  const uint32_t slot = chunk * store_->chunk_rows() + row;
  const auto count = static_cast<uint32_t>(moments_.size());
  while (next_moment_ < count && !rows_.is_full()) {
    const Timestamp at = std::max(moments_[next_moment_], oldest_);
    const RowVersion version = window_->find_version(slot, at, rows_.columns().old_values());
    const auto changed = std::lower_bound(moments_.begin() + next_moment_ + 1, moments_.end(), version.end);
    const auto end = static_cast<uint32_t>(changed - moments_.begin());
    if (version.is_there) {
      if (next_moment_ > 0) {
        mark_branch(Branch::kSeveralVersions);
      }
      rows_.add(slot, {next_moment_, is_planted(Fault::kVersionSeenTooLong) ? std::min(end + 1, count) : end});
    }
    next_moment_ = end;
  }
  if (next_moment_ == count) {
    next_moment_ = 0;
    hidden_[next_word_] &= hidden_[next_word_] - 1;
  }
}

}  // namespace daedalus::engine

#include "aggregation.hpp"

#include <algorithm>

#include "daedalus/semantics/packed_writer.hpp"

namespace daedalus::engine {
namespace {

/// Keys and states of groups may take this many times the bytes of an answer.
constexpr uint64_t kGroupMemoryFactor = 4;
/// Rows of a batch: few enough that keys, hashes, group numbers and values stay in the first-level cache, enough that
/// what is done once a batch does not count. Fewer where keys are long.
constexpr uint32_t kBatchRowsMax = 1024;
constexpr uint32_t kBatchRowsMin = 64;
constexpr uint32_t kBatchKeyWords = 8192;
/// Groups that states are made for at first.
constexpr uint32_t kStatesMin = 16;

uint32_t batch_rows_for(uint32_t key_words) {
  const uint32_t rows = kBatchKeyWords / std::max(key_words, 1u) / 64 * 64;
  return std::clamp(rows, kBatchRowsMin, kBatchRowsMax);
}

Error too_many_groups(uint32_t groups_max) {
  return rejected("54000", "a segment would hold more than " + std::to_string(groups_max) + " groups for one query",
                  "Group by fewer columns, or restrict the rows.");
}

uint32_t groups_within(uint64_t answer_bytes_max, uint64_t group_bytes) {
  const uint64_t memory_max = std::min(answer_bytes_max, UINT64_MAX / kGroupMemoryFactor) * kGroupMemoryFactor;
  return static_cast<uint32_t>(std::clamp<uint64_t>(memory_max / group_bytes, 1, uint64_t{semantics::kGroupsMax}));
}

/// Bytes of an answer whose first `groups` of `group_count` groups take `bytes`: a little more than all will take if
/// the others are like them.
size_t answer_room(size_t bytes, uint64_t groups, uint64_t group_count) {
  const size_t likely = bytes * group_count / groups;
  return std::max(bytes, likely + likely / 16);
}

bool all_set(const uint64_t* words, uint32_t word_count) {
  uint64_t all = ~uint64_t{0};
  for (uint32_t word = 0; word < word_count; ++word) {
    all &= words[word];
  }
  return all == ~uint64_t{0};
}

}  // namespace

Aggregation::Aggregation(const ChunkStore& store, AggregationPlan plan, uint64_t answer_bytes_max, Groupings& groupings)
    : Aggregation(store, plan,
                  plan.keys.empty() ? nullptr : std::make_shared<GroupFinder>(plan.keys, groupings.memory()),
                  answer_bytes_max, groupings) {}

Aggregation::Aggregation(const TableLayout& layout, const ChunkStore& store, const Query& query,
                         uint64_t answer_bytes_max, Groupings& groupings)
    : Aggregation(store, plan_of(layout, *query.selection->grouping, groupings.expressions()),
                  query.selection->grouping->keys.empty() ? nullptr : groupings.finder(layout, query), answer_bytes_max,
                  groupings) {}

Aggregation::Aggregation(const ChunkStore& store, AggregationPlan plan, std::shared_ptr<GroupFinder> finder,
                         uint64_t answer_bytes_max, Groupings& groupings)
    : store_(&store),
      answer_bytes_max_(answer_bytes_max),
      memory_(&groupings.memory()),
      scratch_(&groupings.scratch()),
      frame_(std::move(plan.frame)),
      finder_(std::move(finder)),
      batch_rows_(batch_rows_for(finder_ == nullptr ? 0 : finder_->keys().word_count())),
      states_(std::move(plan.aggregates), finder_ != nullptr),
      states_memory_(groupings.memory()) {
  if (finder_ != nullptr) {
    // A group's key, up to six entries of the table, and its states.
    groups_max_ =
        groups_within(answer_bytes_max, (finder_->keys().word_count() + 6) * sizeof(uint64_t) + states_.state_bytes());
    finder_->join(groups_max_);
  }
}

Aggregation::~Aggregation() {
  if (finder_ != nullptr) {
    finder_->leave();
  }
}

Result<void> Aggregation::take(uint32_t chunk, const uint32_t* rows, uint32_t row_count) {
  const ChunkView view = store_->view(chunk);
  for (uint32_t first = 0; first < row_count; first += batch_rows_) {
    const RowBatch batch = {.chunk = &view, .rows = rows + first, .count = std::min(batch_rows_, row_count - first)};
    if (Result<void> taken = take_batch(batch); !taken) {
      return taken;
    }
  }
  return {};
}

Result<void> Aggregation::take_selection(uint32_t chunk, const uint64_t* selection) {
  const ChunkView view = store_->view(chunk);
  if (finder_ == nullptr && !states_.has_computed()) {
    states_.take_columns(view, selection, *scratch_);
    return {};
  }
  const uint32_t batch_words = batch_rows_ / 64;
  std::vector<uint32_t>& listed = scratch_->listed;
  listed.clear();
  listed.reserve(batch_rows_);
  for (uint32_t word = 0; word < view.word_count(); word += batch_words) {
    const uint32_t words = std::min(batch_words, view.word_count() - word);
    if (all_set(selection + word, words)) {
      // Consecutive rows need no list, and their values no copy.
      Result<void> taken = take_listed(view);
      if (taken) {
        taken = take_batch({.chunk = &view, .first = word * 64, .count = words * 64});
      }
      if (!taken) {
        return taken;
      }
      continue;
    }
    for (uint32_t at = word; at < word + words; ++at) {
      if (listed.size() + 64 > batch_rows_) {
        if (Result<void> taken = take_listed(view); !taken) {
          return taken;
        }
      }
      for (uint64_t bits = selection[at]; bits != 0; bits &= bits - 1) {
        listed.push_back(at * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
      }
    }
  }
  return take_listed(view);
}

Result<void> Aggregation::take_listed(const ChunkView& chunk) {
  std::vector<uint32_t>& listed = scratch_->listed;
  if (listed.empty()) {
    return {};
  }
  Result<void> taken =
      take_batch({.chunk = &chunk, .rows = listed.data(), .count = static_cast<uint32_t>(listed.size())});
  listed.clear();
  return taken;
}

bool Aggregation::make_states(uint32_t groups) {
  if (groups <= states_made_) {
    return true;
  }
  // The smallest state has a word: by whole huge pages of such ones, all that are larger have whole ones, too.
  const uint32_t room = std::max(grown_room(states_made_, groups, sizeof(uint64_t)), kStatesMin);
  if (!states_memory_.add((room - states_made_) * states_.state_bytes())) {
    return false;
  }
  states_made_ = room;
  states_.resize(room);
  return true;
}

Result<const uint32_t*> Aggregation::find_groups(const RowBatch& batch) {
  if (finder_ == nullptr) {
    return room_for(scratch_->no_groups, batch.count);
  }
  const Result<GroupFinder::Groups> found = finder_->find(batch, progress_, *scratch_);
  if (!found) {
    return found.error();
  }
  const GroupFinder::Groups groups = *found;
  if (groups.found == GroupFinder::Found::kTooMany || finder_->size() > groups_max_) {
    return too_many_groups(groups_max_);
  }
  if (groups.found == GroupFinder::Found::kNoMemory) {
    return memory_->refusal(finder_->wanted_in_vain());
  }
  if (!make_states(finder_->size())) {
    return memory_->refusal(memory_->refused() + finder_->wanted_in_vain());
  }
  return groups.numbers;
}

Result<void> Aggregation::take_batch(RowBatch batch) {
  batch.number = ++scratch_->batches;
  const Result<const uint32_t*> groups = find_groups(batch);
  if (!groups) {
    return groups.error();
  }
  return states_.take(batch, *groups, *scratch_);
}

uint32_t Aggregation::key_count() const {
  return finder_ == nullptr ? 0 : static_cast<uint32_t>(finder_->keys().columns().size());
}

Aggregation::RowShape Aggregation::row_shape() const {
  RowShape shape{.columns = key_count()};
  for (uint32_t key = 0; key < shape.columns; ++key) {
    shape.bytes_max += finder_->keys().append_bytes_max(key);
  }
  shape.columns += states_.columns();
  shape.bytes_max += states_.append_bytes_max();
  if (frame_) {
    shape.columns +=
        1 + static_cast<uint32_t>(frame_->keys.size()) - key_count() + frame_->nulls_before + frame_->nulls_behind;
    shape.bytes_max += sizeof(int16_t);
  }
  shape.bytes_max += semantics::packed_head_size(shape.columns) + semantics::kPackedSlack;
  return shape;
}

uint32_t Aggregation::write_row(uint32_t group, const RowShape& shape, uint8_t* bytes) const {
  semantics::PackedRowWriter row(bytes, shape.columns);
  append_keys(group, row);
  states_.append(group, row);
  for (uint32_t column = 0; frame_ && column < frame_->nulls_behind; ++column) {
    row.put_null();
  }
  return row.finish();
}

void Aggregation::append_keys(uint32_t group, semantics::PackedRowWriter& row) const {
  if (!frame_) {
    for (uint32_t key = 0; key < key_count(); ++key) {
      finder_->append(group, key, row);
    }
    return;
  }
  const int64_t set = frame_->set;  // Its low bytes are the smallint; whole words are read of a value.
  row.put({.width = sizeof(int16_t)}, reinterpret_cast<const uint8_t*>(&set), false);
  for (const std::optional<uint32_t>& key : frame_->keys) {
    key ? finder_->append(group, *key, row) : row.put_null();
  }
  for (uint32_t column = 0; column < frame_->nulls_before; ++column) {
    row.put_null();
  }
}

Result<AnswerRows> Aggregation::finish() const {
  AnswerRows rows;
  MemoryShare memory(*memory_);
  if (Result<void> finished = finish(rows, memory); !finished) {
    return finished.error();
  }
  rows.lease = memory.hand_over();
  return rows;
}

Result<void> Aggregation::finish(AnswerRows& merged, MemoryShare& merged_memory) const {
  const RowShape shape = row_shape();
  const uint32_t group_count = finder_ == nullptr ? 1 : finder_->size();
  std::vector<uint8_t> bytes(shape.bytes_max);
  for (uint32_t group = 0; group < group_count; ++group) {
    const uint32_t size = write_row(group, shape, bytes.data());
    DCHECK(size + semantics::kPackedSlack <= shape.bytes_max);
    const size_t wanted = merged.bytes.size() + size;
    if (wanted > answer_bytes_max_) {
      return rejected("54000",
                      "the groups of one segment exceed answer_mib: " + std::to_string(answer_bytes_max_) + " bytes",
                      "Group by fewer columns, or restrict the rows.");
    }
    if (wanted > merged.bytes.capacity()) {
      const size_t room = answer_room(wanted, group + 1, group_count);
      if (!merged_memory.add(room - merged.bytes.capacity())) {
        return memory_->refusal(memory_->refused() + (finder_ == nullptr ? 0 : finder_->wanted_in_vain()));
      }
      merged.bytes.reserve(room);
      ask_for_huge_pages(merged.bytes.data() + merged.bytes.size(), room - merged.bytes.size());
    }
    merged.bytes.append(reinterpret_cast<const char*>(bytes.data()), size);
  }
  merged.count += group_count;
  return {};
}

}  // namespace daedalus::engine

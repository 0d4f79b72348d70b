#include "window.hpp"

#include <algorithm>
#include <numeric>

#include "daedalus/base/planted_faults.hpp"

namespace daedalus::engine {
namespace {

constexpr Timestamp kNoMoment{UINT64_MAX};

/// Returns whether records of single rows are smaller: there is less than one row in a word.
bool is_sparse(std::span<const uint64_t> rows) {
  return count_bits(rows.data(), static_cast<uint32_t>(rows.size())) < rows.size();
}

void or_words(std::span<uint64_t> rows, const Record& record, const uint8_t* bitmap) {
  for (uint32_t word = 0; word < record.count; ++word) {
    rows[record.row + word] |= load<uint64_t>(bitmap + word * sizeof(uint64_t));
  }
}

const uint8_t* bitmap_of(const Record& record, const uint8_t* bytes) {
  return record.kind == Record::Kind::kRowsValues ? bytes + sizeof(uint16_t) : bytes;
}

bool has_row(const Record& record, const uint8_t* bitmap, uint32_t row) {
  return ((load<uint64_t>(bitmap + (row / 64 - record.row) * sizeof(uint64_t)) >> (row % 64)) & 1) != 0;
}

}  // namespace

Window::Window(const TableLayout& layout, const ChunkStore& store, uint64_t bytes_max)
    : layout_(&layout),
      store_(&store),
      oldest_(bytes_max == 0 ? kNoMoment : Timestamp{}),
      pool_(bytes_max),
      logs_(store.chunk_count()),
      all_columns_(layout.columns.size()),
      gone_rows_(bytes_max == 0 ? 0 : bitmap_words(store.slot_count()), 0),
      index_(store.chunk_rows()) {
  std::iota(all_columns_.begin(), all_columns_.end(), 0u);
}

void Window::trim(Timestamp keep_from) {
  if (is_planted(Fault::kReplayNotRecorded) && keep_from < oldest_) {
    // A checkpoint was loaded, and nobody has said yet what is to be kept.
    std::for_each(logs_.begin(), logs_.end(), [this](ChunkLog& log) { log.drop_through(kNoMoment, pool_); });
    indexed_chunk_ = kNoChunk;
  }
  if (keep_from <= oldest_) {
    return;
  }
  oldest_ = keep_from;
  if (pool_.taken_bytes() == 0) {
    return;
  }
  for (uint32_t chunk = 0; chunk < logs_.size(); ++chunk) {
    drop(chunk);
  }
}

void Window::mark_recent(uint32_t chunk, Timestamp after, std::span<uint64_t> rows) const {
  logs_[chunk].for_each_slab_above(after, [&](const Slab& slab) {
    for (uint32_t number = 0; number < slab.count; ++number) {
      const Record& record = slab.record(number);
      if (record.timestamp <= after) {
        continue;
      }
      if (record.is_of_many()) {
        or_words(rows, record, bitmap_of(record, slab.bytes_of(record)));
      } else {
        set_bit(rows.data(), record.row);
      }
    }
  });
}

void Window::index_above(uint32_t chunk, Timestamp at) {
  if (indexed_chunk_ != chunk || at < indexed_above_) {
    index_.make(logs_[chunk], at);
    indexed_chunk_ = chunk;
    indexed_above_ = at;
  }
}

RowVersion Window::find_version(uint32_t slot, Timestamp at, std::vector<OldValues>& old_values) {
  DCHECK(at >= oldest_);
  const uint32_t chunk = slot / store_->chunk_rows();
  const uint32_t row = slot % store_->chunk_rows();
  const size_t count = old_values.size();
  index_above(chunk, at);
  bool is_there = test_bit(store_->view(chunk).live, row);
  Timestamp end = kNoMoment;
  index_.for_each_above(at, row, [&](const Record& record, const uint8_t* bytes) {
    end = record.timestamp;  // The newest come first.
    switch (record.kind) {
      case Record::Kind::kInserted:
        is_there = false;
        break;
      case Record::Kind::kDeleted:
        is_there = true;
        break;
      case Record::Kind::kRowsDeleted:
        is_there = is_there || has_row(record, bytes, row);
        break;
      case Record::Kind::kValues:
      case Record::Kind::kRowsValues:
        old_values.push_back({&record, bytes});
        break;
    }
  });
  if (!is_there) {
    old_values.resize(count);
  }
  return {is_there, end};
}

void Window::on_insert(uint32_t chunk, uint32_t row, Timestamp timestamp) {
  if (timestamp <= oldest_) {
    return;
  }
  if (test_bit(gone_rows(chunk), row)) {
    clear_bit(gone_rows(chunk), row);
    keep_values(chunk, row, timestamp, all_columns_);
  }
  if (Slab* const slab = slab_for(chunk, timestamp, 0)) {
    logs_[chunk].append({.timestamp = timestamp, .row = static_cast<uint16_t>(row), .kind = Record::Kind::kInserted},
                        slab->end());
  }
}

void Window::on_modify(uint32_t chunk, uint32_t row, Timestamp timestamp, std::span<const uint32_t> columns) {
  keep_values(chunk, row, timestamp, columns);
}

void Window::on_delete(uint32_t chunk, uint32_t row, Timestamp timestamp) {
  if (Slab* const slab = slab_for(chunk, timestamp, 0)) {
    logs_[chunk].append({.timestamp = timestamp, .row = static_cast<uint16_t>(row), .kind = Record::Kind::kDeleted},
                        slab->end());
    set_bit(gone_rows(chunk), row);
  }
}

void Window::on_modify_all(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp,
                           std::span<const uint32_t> columns) {
  if (timestamp <= oldest_) {
    return;
  }
  const auto words = static_cast<uint32_t>(rows.size());
  const auto keep_each = [&](std::span<const uint32_t> of_columns) {
    for_each_bit(rows.data(), words, [&](uint32_t row) { keep_values(chunk, row, timestamp, of_columns); });
  };
  if (is_sparse(rows)) {
    return keep_each(columns);
  }
  for (const uint32_t& column : columns) {
    if (is_kept_together(layout_->columns[column])) {
      keep_values_of_rows(chunk, rows, timestamp, column);
    } else {
      keep_each({&column, 1});
    }
  }
}

void Window::on_delete_all(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp) {
  if (timestamp <= oldest_) {
    return;
  }
  const auto words = static_cast<uint32_t>(rows.size());
  if (is_sparse(rows)) {
    return for_each_bit(rows.data(), words, [&](uint32_t row) { on_delete(chunk, row, timestamp); });
  }
  for (uint32_t word = 0; word < words;) {
    if (rows[word] == 0) {
      ++word;
      continue;
    }
    Slab* const slab = slab_for(chunk, timestamp, sizeof(uint64_t));
    if (slab == nullptr) {
      return;
    }
    const auto room = static_cast<uint32_t>(slab->room() / sizeof(uint64_t));
    const auto count = static_cast<uint16_t>(std::min(words - word, room));
    std::memcpy(slab->end(), rows.data() + word, count * sizeof(uint64_t));
    logs_[chunk].append({.timestamp = timestamp,
                         .row = static_cast<uint16_t>(word),
                         .kind = Record::Kind::kRowsDeleted,
                         .count = count},
                        slab->end() + count * sizeof(uint64_t));
    or_into(gone_rows(chunk) + word, rows.data() + word, count);
    word += count;
  }
}

void Window::keep_values(uint32_t chunk, uint32_t row, Timestamp timestamp, std::span<const uint32_t> columns) {
  const RowPlanes from{store_->planes(chunk), store_->nulls(chunk)};
  while (!columns.empty()) {
    Slab* const slab = slab_for(chunk, timestamp, value_bytes_max(layout_->columns[columns.front()]));
    if (slab == nullptr) {
      return;
    }
    uint8_t* out = slab->end();
    const uint8_t* const limit = out + slab->room();
    uint16_t count = 0;
    while (count < columns.size() && out + value_bytes_max(layout_->columns[columns[count]]) <= limit) {
      out = put_value(*layout_, from, row, columns[count], out);
      ++count;
    }
    logs_[chunk].append(
        {.timestamp = timestamp, .row = static_cast<uint16_t>(row), .kind = Record::Kind::kValues, .count = count},
        out);
    columns = columns.subspan(count);
  }
}

void Window::keep_values_of_rows(uint32_t chunk, std::span<const uint64_t> rows, Timestamp timestamp, uint32_t column) {
  const RowPlanes from{store_->planes(chunk), store_->nulls(chunk)};
  const auto end = static_cast<uint32_t>(rows.size());
  for (uint32_t word = 0; word < end;) {
    if (rows[word] == 0) {
      ++word;
      continue;
    }
    Slab* const slab = slab_for(chunk, timestamp, values_of_word_max(layout_->columns[column]));
    if (slab == nullptr) {
      return;
    }
    RowWords words{rows.data(), word, end - word};
    const uint8_t* const bytes_end = put_values(*layout_, from, words, column, slab->end(), slab->end() + slab->room());
    logs_[chunk].append({.timestamp = timestamp,
                         .row = static_cast<uint16_t>(word),
                         .kind = Record::Kind::kRowsValues,
                         .count = static_cast<uint16_t>(words.count)},
                        bytes_end);
    word += words.count;
  }
}

Slab* Window::slab_for(uint32_t chunk, Timestamp timestamp, size_t record_bytes) {
  if (timestamp <= oldest_) {
    return nullptr;
  }
  indexed_chunk_ = indexed_chunk_ == chunk ? kNoChunk : indexed_chunk_;
  Slab* const slab = logs_[chunk].slab_for(record_bytes);
  return slab != nullptr ? slab : add_slab(logs_[chunk], timestamp);
}

Slab* Window::add_slab(ChunkLog& log, Timestamp timestamp) {
  Slab* slab = pool_.take();
  while (slab == nullptr) {
    drop_oldest(timestamp);
    if (timestamp <= oldest_) {
      return nullptr;
    }
    slab = pool_.take();
  }
  log.add_slab(*slab);
  return slab;
}

/// Raises oldest() as little as frees a slab; as far as `timestamp` where there is no slab.
void Window::drop_oldest(Timestamp timestamp) {
  Timestamp lowest = timestamp;
  for (const ChunkLog& log : logs_) {
    lowest = log.is_empty() ? lowest : std::min(lowest, log.last_of_oldest());
  }
  oldest_ = lowest;
  for (uint32_t chunk = 0; chunk < logs_.size(); ++chunk) {
    drop(chunk);
  }
}

void Window::drop(uint32_t chunk) {
  ChunkLog& log = logs_[chunk];
  const Timestamp through = is_planted(Fault::kTrimmedTooFar) ? next(oldest_) : oldest_;
  if (log.is_empty() || log.last_of_oldest() > through) {
    return;
  }
  log.drop_through(through, pool_);
  indexed_chunk_ = kNoChunk;
  if (log.has_mostly_gone()) {
    find_gone_rows(chunk);
  }
}

/// Forgets rows whose delete is no longer recorded.
void Window::find_gone_rows(uint32_t chunk) {
  const std::span<uint64_t> gone(gone_rows(chunk), bitmap_words(store_->chunk_rows()));
  std::fill(gone.begin(), gone.end(), 0);
  logs_[chunk].for_each_slab([&](const Slab& slab) {
    for (uint32_t number = 0; number < slab.count; ++number) {
      const Record& record = slab.record(number);
      if (record.kind == Record::Kind::kInserted) {
        clear_bit(gone.data(), record.row);
      } else if (record.kind == Record::Kind::kDeleted) {
        set_bit(gone.data(), record.row);
      } else if (record.kind == Record::Kind::kRowsDeleted) {
        or_words(gone, record, slab.bytes_of(record));
      }
    }
  });
}

}  // namespace daedalus::engine

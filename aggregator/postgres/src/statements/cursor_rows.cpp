#include "cursor_rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::postgres {

namespace {

/// Smaller pieces are put together: a piece has a price of its own.
constexpr size_t kChunkSizeMin = 32u << 10;
/// Rows that go down are handed over in pieces of so many bytes.
constexpr size_t kDownSizeMin = 64u << 10;

}  // namespace

uint64_t CursorRows::Chunk::bytes() const { return sizeof(Chunk) + rows.size() + uint64_t{count} * sizeof(ends[0]); }

Result<void> CursorRows::Chunk::look_at_all() {
  if (ends.size() == count) {
    return {};
  }
  ends.reserve(count);
  uint32_t end = ends.empty() ? 0 : ends.back();
  semantics::PackedRows reader(std::string_view(rows).substr(end));
  while (ends.size() < count) {
    const auto row = reader.next();
    if (!row) {
      return row.error();
    }
    if (!*row) {
      return rejected("08P01", "an answer has fewer rows than it says");
    }
    end += static_cast<uint32_t>(sizeof(uint32_t) + (*row)->size());
    ends.push_back(end);
  }
  return {};
}

void CursorRows::append(std::string rows, uint32_t count) {
  if (count == 0) {
    return;
  }
  if (!chunks_.empty() && chunks_.back().rows.size() < kChunkSizeMin) {
    Chunk& last = chunks_.back();
    bytes_ -= last.bytes();
    last.rows += rows;
    last.count += count;
    bytes_ += last.bytes();
  } else {
    chunks_.push_back({count_ + 1, count, std::move(rows), {}});
    bytes_ += chunks_.back().bytes();
  }
  count_ += count;
}

void CursorRows::clear() {
  chunks_.clear();
  bytes_ = 0;
  position_ = count_;
}

void CursorRows::move_to(uint64_t position) {
  DCHECK(position <= count_ + (has_ended_ ? 1 : 0));
  position_ = position;
  trim();
}

void CursorRows::trim() {
  uint64_t passed = 0;
  for (const Chunk& chunk : chunks_) {
    if (chunk.last() >= position_) {
      break;
    }
    passed += chunk.bytes();
  }
  while (!chunks_.empty() && chunks_.front().last() < position_) {
    const uint64_t bytes = chunks_.front().bytes();
    if (passed_bytes_kept_ > 0 && passed - bytes < passed_bytes_kept_) {
      return;
    }
    passed -= bytes;
    bytes_ -= bytes;
    chunks_.pop_front();
  }
}

std::deque<CursorRows::Chunk>::iterator CursorRows::chunk_of(uint64_t row) {
  DCHECK(row >= first_kept() && row <= count_);
  return std::prev(std::upper_bound(chunks_.begin(), chunks_.end(), row,
                                    [](uint64_t wanted, const Chunk& chunk) { return wanted < chunk.first; }));
}

Result<void> CursorRows::put_up(uint64_t low, uint64_t high, const Put& put) {
  for (auto chunk = low > high ? chunks_.end() : chunk_of(low); low <= high; ++chunk) {
    const uint64_t last = std::min(high, chunk->last());
    const auto count = static_cast<uint32_t>(last - low + 1);
    if (count == chunk->count) {
      put(chunk->rows, count);
    } else {
      if (auto looked = chunk->look_at_all(); !looked) {
        return looked;
      }
      const uint32_t begin = chunk->begin_of(low);
      put(chunk->rows.substr(begin, chunk->end_of(last) - begin), count);
    }
    low = last + 1;
  }
  return {};
}

Result<void> CursorRows::put_down(uint64_t high, uint64_t low, const Put& put) {
  if (high < low) {
    return {};
  }
  std::string rows;
  uint32_t count = 0;
  auto chunk = chunk_of(high);
  for (uint64_t row = high; row >= low; --row) {
    if (row < chunk->first) {
      --chunk;
    }
    if (auto looked = chunk->look_at_all(); !looked) {
      return looked;
    }
    const uint32_t begin = chunk->begin_of(row);
    rows.append(chunk->rows, begin, chunk->end_of(row) - begin);
    ++count;
    if (rows.size() >= kDownSizeMin || row == low) {
      put(std::exchange(rows, {}), std::exchange(count, 0));
    }
  }
  return {};
}

}  // namespace daedalus::postgres

#include "sketches.hpp"

#include <algorithm>

#include "branches.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::engine {
namespace {

/// Rows looked at for a histogram: eight a bucket. A plan needs orders of magnitude, not percent.
constexpr uint32_t kSampleRows = 2048;
/// A histogram is drawn anew after that many changes and an eighth of the rows, or, when nothing changes any more,
/// after a hundredth of them: new rows have new dates and numbers, and a plan that takes them for rare is slow.
constexpr uint64_t kChangesMin = 1024;
constexpr uint64_t kChangingRows = 8;
constexpr uint64_t kQuietRows = 100;
/// Histograms drawn in one cycle, at most: for the first time, and anew. Each reads 2,048 rows from all over the
/// segment: about 0.3 ms.
constexpr uint32_t kFirstDrawsMax = 8;
constexpr uint32_t kDrawsMax = 2;
/// Chunks looked at in one cycle for bytes to be made.
constexpr uint32_t kChunkLooks = 64;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The first live row at or after `row`, or, when there is none, the first of the chunk. A word at a time: a chunk that
/// few rows are left of, or that is being filled, has long runs without any.
uint32_t live_row_near(const ChunkView& chunk, uint32_t row) {
  const uint32_t words = bitmap_words(chunk.row_count);
  const uint32_t first = row / 64;
  uint64_t bits = chunk.live[first] & (~uint64_t{0} << (row % 64));
  for (uint32_t step = 0; step <= words; ++step) {
    if (bits != 0) {
      return (first + step) % words * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    }
    bits = chunk.live[(first + step + 1) % words];
  }
  check_failed("a chunk with live rows", __FILE__, __LINE__);
}

}  // namespace

Sketches::Sketches(const TableLayout& layout, ChunkStore& store, uint32_t planes_per_cycle_max)
    : layout_(&layout),
      store_(&store),
      planes_per_cycle_max_(planes_per_cycle_max),
      columns_(layout.columns.size()),
      made_(size_t{store.chunk_count() + kRecentChunksMax} * layout.columns.size(), 0) {}

void Sketches::begin_cycle() {
  draw_due();
  make_due();
  changes_before_ = changes_;
}

void Sketches::on_recent(uint32_t chunk, std::span<const RecentRow> rows, std::span<const uint32_t> columns) {
  std::fill_n(made_.begin() + static_cast<std::ptrdiff_t>(size_t{chunk} * columns_.size()), columns_.size(), 0);
  for (const uint32_t column : columns) {
    if (columns_[column].version != 0) {
      copy_of_slots(chunk, rows, column);
    }
  }
}

void Sketches::copy_of_slots(uint32_t chunk, std::span<const RecentRow> rows, uint32_t column) {
  uint8_t* const out = store_->sketch(chunk, column);
  const uint8_t* home = nullptr;
  uint32_t first = 0;  // The slots of the chunk at hand: rows of one come one after the other.
  uint32_t end = 0;
  for (const RecentRow& row : rows) {
    if (row.slot < first || row.slot >= end) {
      const uint32_t of_chunk = row.slot / store_->chunk_rows();
      home = bytes(of_chunk, column);
      first = of_chunk * store_->chunk_rows();
      end = first + store_->chunk_rows();
    }
    out[row.row] = home != nullptr ? home[row.slot - first] : bucket_of(chunk, row.row, column);
  }
  made_[size_t{chunk} * columns_.size() + column] = columns_[column].version;
}

void Sketches::on_load(uint64_t rows) {
  changes_ += rows;
  changes_before_ = changes_;
}

bool Sketches::is_due(const Column& column) const {
  if (column.version == 0) {
    return changes_ > 0;
  }
  const uint64_t since = changes_ - column.changes_then;
  const bool is_quiet = changes_ == changes_before_;
  return since > rows_ / kChangingRows + kChangesMin || (is_quiet && since > rows_ / kQuietRows);
}

void Sketches::draw_due() {
  uint32_t left = kFirstDrawsMax;
  for (uint32_t look = 0; look < columns_.size() && left > 0; ++look) {
    if (is_due(columns_[next_column_])) {
      const uint32_t cost = columns_[next_column_].version == 0 ? 1 : kFirstDrawsMax / kDrawsMax;
      left -= std::min(left, cost);
      draw(next_column_);
    }
    next_column_ = next_column_ + 1 == columns_.size() ? 0 : next_column_ + 1;
  }
}

bool Sketches::is_settled(uint32_t chunk) const {
  const uint32_t live = store_->live_rows(chunk);
  return live * 2 >= store_->chunk_rows() || (live > 0 && changes_ == changes_before_);
}

void Sketches::make_due() {
  uint32_t planes_left = planes_per_cycle_max_;
  for (uint32_t look = 0; look < std::min(store_->chunk_count(), kChunkLooks); ++look) {
    const uint32_t chunk = next_chunk_;
    if (is_settled(chunk)) {
      for (uint32_t column = 0; column < columns_.size(); ++column) {
        if (columns_[column].version != 0 && !is_made(chunk, column)) {
          if (planes_left == 0) {
            return;  // The next cycle goes on with this chunk.
          }
          --planes_left;
          mark_branch(made_[size_t{chunk} * columns_.size() + column] == 0 ? Branch::kSketchMade
                                                                           : Branch::kSketchMadeAnew);
          make(chunk, column);
        }
      }
    }
    next_chunk_ = next_chunk_ + 1 == store_->chunk_count() ? 0 : next_chunk_ + 1;
  }
}

AheadPlanes Sketches::bytes_after(uint32_t chunk, std::span<const uint32_t> columns) const {
  AheadPlanes ahead;
  for (const uint32_t column : columns) {
    ahead.add(chunk + 1 < store_->chunk_count() ? bytes(chunk + 1, column) : nullptr);
  }
  return ahead;
}

const uint8_t* Sketches::rows(uint32_t chunk) const {
  if (store_->is_recent(chunk)) {
    return nullptr;
  }
  const auto count = std::min<uint32_t>(static_cast<uint32_t>(columns_.size()), kRowSketchColumnsMax);
  for (uint32_t column = 0; column < count; ++column) {
    if (!is_made(chunk, column)) {
      return nullptr;
    }
  }
  return store_->row_sketches(chunk);
}

void Sketches::draw_sample() {
  sample_changes_ = changes_;
  sample_.clear();
  rows_ = 0;
  for (uint32_t chunk = 0; chunk < store_->chunk_count(); ++chunk) {
    rows_ += store_->live_rows(chunk);
  }
  if (rows_ == 0) {
    return;
  }
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(rows_, kSampleRows));
  uint32_t chunk = 0;
  uint64_t passed = 0;  // Live rows of earlier chunks.
  for (uint32_t number = 0; number < count; ++number) {
    const uint64_t wanted = number * rows_ / count;
    while (wanted >= passed + store_->live_rows(chunk)) {
      passed += store_->live_rows(chunk++);
    }
    const auto start = static_cast<uint32_t>(mixed(number + 1) % store_->chunk_rows());
    sample_.push_back(chunk * store_->chunk_rows() + live_row_near(store_->view(chunk), start));
  }
}

void Sketches::draw(uint32_t column) {
  if (sample_changes_ != changes_) {
    draw_sample();
  }
  Column& it = columns_[column];
  const uint32_t stride = layout_->columns[column].stride;
  std::vector<uint64_t> codes;
  codes.reserve(sample_.size());
  for (const uint32_t slot : sample_) {
    const uint32_t chunk = slot / store_->chunk_rows();
    const uint32_t row = slot % store_->chunk_rows();
    if (!test_bit(store_->nulls(chunk)[column], row)) {
      codes.push_back(code_of(layout_->columns[column].code, store_->planes(chunk)[column] + size_t{row} * stride));
    }
  }
  std::sort(codes.begin(), codes.end());
  it.changes_then = changes_;
  const auto sampled = static_cast<uint32_t>(sample_.size());
  if (it.version == 0 || !it.histogram.recount(codes, sampled, rows_)) {
    it.histogram = Histogram(layout_->columns[column].code, codes, sampled, rows_);
    ++it.version;
  }
}

void Sketches::make(uint32_t chunk, uint32_t column) {
  if (is_planted(Fault::kSketchNotMade)) {
    made_[size_t{chunk} * columns_.size() + column] = columns_[column].version;
    return;
  }
  const uint32_t end = store_->chunk_rows();
  const Column& it = columns_[column];
  const CodeRule& rule = layout_->columns[column].code;
  const uint32_t stride = layout_->columns[column].stride;
  const uint8_t* plane = store_->planes(chunk)[column];
  uint8_t* out = store_->sketch(chunk, column);
  if (stride == 1) {
    std::array<uint8_t, 256> by_value{};
    for (uint32_t value = 0; value < by_value.size(); ++value) {
      by_value[value] = it.histogram.bucket(code_of_raw(rule, value));
    }
    for (uint32_t row = 0; row < end; ++row) {
      out[row] = by_value[plane[row]];
    }
  } else {
    for (uint32_t row = 0; row < end; ++row) {
      out[row] = it.histogram.bucket(code_of(rule, plane + size_t{row} * stride));
    }
  }
  for_each_bit(store_->nulls(chunk)[column], bitmap_words(end), [out](uint32_t row) { out[row] = kNullBucket; });
  if (column < kRowSketchColumnsMax) {
    uint8_t* rows = store_->row_sketches(chunk) + column;
    for (uint32_t row = 0; row < end; ++row) {
      rows[size_t{row} * store_->row_sketch_bytes()] = out[row];
    }
  }
  made_[size_t{chunk} * columns_.size() + column] = it.version;
}

uint8_t Sketches::bucket_of(uint32_t chunk, uint32_t row, uint32_t column) const {
  if (test_bit(store_->nulls(chunk)[column], row)) {
    return kNullBucket;
  }
  const ColumnLayout& layout = layout_->columns[column];
  return columns_[column].histogram.bucket(
      code_of(layout.code, store_->planes(chunk)[column] + size_t{row} * layout.stride));
}

void Sketches::on_write(uint32_t chunk, uint32_t row, uint32_t column) {
  if (!is_made(chunk, column)) {
    return;
  }
  mark_branch(Branch::kSketchWritten);
  const uint8_t bucket = bucket_of(chunk, row, column);
  store_->sketch(chunk, column)[row] = bucket;
  if (column < kRowSketchColumnsMax) {
    store_->row_sketches(chunk)[size_t{row} * store_->row_sketch_bytes() + column] = bucket;
  }
}

void Sketches::prefetch_write(uint32_t chunk, uint32_t row, uint32_t column) const {
  if (is_made(chunk, column)) {
    __builtin_prefetch(store_->sketch(chunk, column) + row, 1);
    __builtin_prefetch(store_->row_sketches(chunk) + size_t{row} * store_->row_sketch_bytes(), 1);
  }
}

void Sketches::on_insert(uint32_t chunk, uint32_t row) {
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    on_write(chunk, row, column);
  }
  ++changes_;
}

}  // namespace daedalus::engine

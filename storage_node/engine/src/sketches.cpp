#include "sketches.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Rows looked at for a histogram: eight a bucket. A plan needs orders of magnitude, not percent.
constexpr uint32_t kSampleRows = 2048;
/// Changes beyond as many as there were rows before buckets are drawn anew.
constexpr uint64_t kChangesMin = 1024;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The first live row at or after `row`, or before it when there is none.
uint32_t live_row_near(const ChunkView& chunk, uint32_t row) {
  for (uint32_t step = 0; step < chunk.row_count; ++step) {
    const uint32_t at = (row + step) % chunk.row_count;
    if (test_bit(chunk.live, at)) {
      return at;
    }
  }
  check_failed("a chunk with live rows", __FILE__, __LINE__);
}

}  // namespace

Sketches::Sketches(const TableLayout& layout, ChunkStore& store, uint32_t planes_per_cycle_max, uint64_t uses_min)
    : layout_(&layout),
      store_(&store),
      planes_per_cycle_max_(planes_per_cycle_max),
      uses_min_(uses_min),
      columns_(layout.columns.size()),
      made_(size_t{store.chunk_count()} * layout.columns.size(), 0) {
  for (size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].rule = layout.columns[column].code;
  }
}

const Histogram& Sketches::histogram(uint32_t column) {
  Column& it = columns_[column];
  const bool is_due = it.version == 0 || changes_ - it.changes_then > it.rows_then + kChangesMin;
  if (is_due && draws_left_ > 0) {
    --draws_left_;
    draw(column);
  }
  return it.histogram;
}

uint64_t Sketches::live_rows() const {
  uint64_t rows = 0;
  for (uint32_t chunk = 0; chunk < store_->chunk_count(); ++chunk) {
    rows += store_->live_rows(chunk);
  }
  return rows;
}

void Sketches::draw_sample() {
  sample_changes_ = changes_;
  sample_.clear();
  const uint64_t rows = live_rows();
  if (rows == 0) {
    return;
  }
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(rows, kSampleRows));
  uint32_t chunk = 0;
  uint64_t passed = 0;  // Live rows of earlier chunks.
  for (uint32_t number = 0; number < count; ++number) {
    const uint64_t wanted = number * rows / count;
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
  const uint32_t width = layout_->columns[column].width;
  std::vector<uint64_t> codes;
  codes.reserve(sample_.size());
  for (const uint32_t slot : sample_) {
    const uint32_t chunk = slot / store_->chunk_rows();
    const uint32_t row = slot % store_->chunk_rows();
    if (!test_bit(store_->nulls(chunk)[column], row)) {
      codes.push_back(code_of(it.rule, store_->planes(chunk)[column] + size_t{row} * width));
    }
  }
  std::sort(codes.begin(), codes.end());
  it.rows_then = live_rows();
  it.histogram = Histogram(it.rule, codes, static_cast<uint32_t>(sample_.size()), it.rows_then);
  it.changes_then = changes_;
  ++it.version;
  it.uses = 0;
}

const uint8_t* Sketches::bytes(uint32_t chunk, uint32_t column) {
  const Column& it = columns_[column];
  uint32_t& made = made_[size_t{chunk} * columns_.size() + column];
  if (made != it.version || made == 0) {
    if (it.version == 0 || it.uses < uses_min_ || planes_left_ == 0) {
      return nullptr;
    }
    --planes_left_;
    make(chunk, column);
    made = it.version;
  }
  return store_->sketch(chunk, column);
}

void Sketches::make(uint32_t chunk, uint32_t column) {
  const Column& it = columns_[column];
  const uint32_t width = layout_->columns[column].width;
  const uint8_t* plane = store_->planes(chunk)[column];
  uint8_t* out = store_->sketch(chunk, column);
  const uint32_t row_count = store_->chunk_rows();
  if (width == 1) {
    std::array<uint8_t, 256> by_value{};
    for (uint32_t value = 0; value < by_value.size(); ++value) {
      by_value[value] = it.histogram.bucket(code_of_raw(it.rule, value));
    }
    for (uint32_t row = 0; row < row_count; ++row) {
      out[row] = by_value[plane[row]];
    }
  } else {
    for (uint32_t row = 0; row < row_count; ++row) {
      out[row] = it.histogram.bucket(code_of(it.rule, plane + size_t{row} * width));
    }
  }
  for_each_bit(store_->nulls(chunk)[column], bitmap_words(row_count), [out](uint32_t row) { out[row] = kNullBucket; });
}

uint8_t Sketches::bucket_of(uint32_t chunk, uint32_t row, uint32_t column) const {
  if (test_bit(store_->nulls(chunk)[column], row)) {
    return kNullBucket;
  }
  const Column& it = columns_[column];
  return it.histogram.bucket(
      code_of(it.rule, store_->planes(chunk)[column] + size_t{row} * layout_->columns[column].width));
}

void Sketches::on_write(uint32_t chunk, uint32_t row, uint32_t column) {
  const uint32_t made = made_[size_t{chunk} * columns_.size() + column];
  if (made != 0 && made == columns_[column].version) {
    store_->sketch(chunk, column)[row] = bucket_of(chunk, row, column);
  }
}

void Sketches::on_insert(uint32_t chunk, uint32_t row) {
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    on_write(chunk, row, column);
  }
  ++changes_;
}

}  // namespace daedalus::engine

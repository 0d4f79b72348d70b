#include "daedalus/durability/chunk_copier.hpp"

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"

namespace daedalus::durability {

ChunkBuffers::ChunkBuffers(uint32_t count, uint64_t bytes) : count_(count), bytes_(bytes) {
  CHECK(count > 0 && count <= kCountMax);
  for (uint32_t number = 0; number < count; ++number) {
    chunks_[number].bytes.resize(bytes);
  }
}

bool ChunkBuffers::has_free() const noexcept {
  for (uint32_t number = 0; number < count_; ++number) {
    if (states_[number].load(std::memory_order_relaxed) == State::kFree) {
      return true;
    }
  }
  return false;
}

CopiedChunk* ChunkBuffers::take_free() noexcept { return take(State::kFree); }

void ChunkBuffers::put_ready(CopiedChunk* chunk) noexcept {
  put(chunk, State::kReady);
  notify();
}

void ChunkBuffers::notify() noexcept {
  signals_.fetch_add(1, std::memory_order_release);
  signals_.notify_all();
}

CopiedChunk* ChunkBuffers::take_ready() noexcept { return take(State::kReady); }

void ChunkBuffers::put_free(CopiedChunk* chunk) noexcept { put(chunk, State::kFree); }

CopiedChunk* ChunkBuffers::take(State from) noexcept {
  for (uint32_t number = 0; number < count_; ++number) {
    State expected = from;
    if (states_[number].compare_exchange_strong(expected, State::kTaken, std::memory_order_acquire,
                                                std::memory_order_relaxed)) {
      return &chunks_[number];
    }
  }
  return nullptr;
}

void ChunkBuffers::put(CopiedChunk* chunk, State to) noexcept {
  states_[static_cast<size_t>(chunk - chunks_.data())].store(to, std::memory_order_release);
}

ChunkCopier::ChunkCopier(uint32_t segment, Shape shape, ChunkBuffers& buffers)
    : segment_(segment),
      shape_(shape),
      buffers_(&buffers),
      kept_(shape.chunk_count),
      kept_at_(shape.chunk_count),
      allocator_content_(LoadedAllocator::content_size(shape.slot_count)) {}

void ChunkCopier::begin(std::vector<std::optional<Timestamp>> kept) {
  CHECK(kept.size() == shape_.chunk_count);
  kept_ = std::move(kept);
  kept_at_.assign(shape_.chunk_count, std::nullopt);
  is_discarding_.store(false, std::memory_order_relaxed);
  // Release, through whatever begins the segment's checkpoint: the scan thread sees all of this.
  has_ended_.store(false, std::memory_order_release);
}

std::string_view ChunkCopier::allocator_content() const {
  return {reinterpret_cast<const char*>(allocator_content_.data()), allocator_content_.size()};
}

bool ChunkCopier::is_ready() const noexcept {
  return is_discarding_.load(std::memory_order_relaxed) || buffers_->has_free();
}

bool ChunkCopier::on_chunk(const engine::ChunkImage& image) noexcept {
  CHECK(image.chunk_count == shape_.chunk_count);
  if (is_discarding_.load(std::memory_order_relaxed)) {
    return true;
  }
  const std::optional<Timestamp>& kept = kept_[image.chunk];
  if (kept.has_value() && image.changed <= *kept) {
    kept_at_[image.chunk] = image.prefix;
    return true;
  }
  CopiedChunk* copy = buffers_->take_free();
  if (copy == nullptr) {
    return false;
  }
  uint64_t row_bytes = 0;
  for (const uint32_t width : image.widths) {
    row_bytes += width;
  }
  const auto columns = static_cast<uint32_t>(image.widths.size());
  CHECK(chunk_content_size(image.row_count, columns, row_bytes) <= copy->bytes.size());
  const uint8_t* const end = write_chunk_content(image, copy->bytes.data());
  copy->size = static_cast<uint64_t>(end - copy->bytes.data());
  copy->header = {.kind = BlockKind::kChunk,
                  .segment = segment_,
                  .chunk = image.chunk,
                  .chunk_count = image.chunk_count,
                  .stamp = is_planted(Fault::kChunkStampWrong) ? next(image.prefix) : image.prefix,
                  .changed = image.changed,
                  .row_count = image.row_count,
                  .live_count = image.live_count,
                  .column_count = columns};
  buffers_->put_ready(copy);
  return true;
}

void ChunkCopier::on_round_end(const engine::AllocatorImage& image) noexcept {
  CHECK(image.slot_count == shape_.slot_count);
  LoadedAllocator::write_content(image, allocator_content_.data());
  allocator_header_ = {.kind = BlockKind::kAllocator,
                       .segment = segment_,
                       .chunk_count = shape_.chunk_count,
                       .stamp = image.prefix,
                       .row_count = image.slot_count};
  has_ended_.store(true, std::memory_order_release);
  buffers_->notify();
}

}  // namespace daedalus::durability

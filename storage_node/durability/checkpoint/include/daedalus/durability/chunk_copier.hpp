// From the scan to the disk: chunks are copied into a few buffers by scan threads and packed by a writer's thread.
//
// Decides which chunks need no copy. No scan thread waits: where no buffer is free, the chunk is shown again later.
// Refuses to know files.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/durability/checkpoint_format.hpp"
#include "daedalus/engine/checkpoint.hpp"

namespace daedalus::durability {

/// One buffer, and what is in it.
struct CopiedChunk {
  BlockHeader header;
  std::vector<uint8_t> bytes;  ///< The copied bytes; their number never changes.
  uint64_t size = 0;           ///< Counts the bytes of the content.
};

/// The buffers of a node, shared by its segments.
class ChunkBuffers {
 public:
  static constexpr uint32_t kCountMax = 16;

  /// bytes: of one, enough for a chunk of any segment (chunk_content_size). Precondition (CHECKed): 1 to kCountMax.
  ChunkBuffers(uint32_t count, uint64_t bytes);

  [[nodiscard]] uint64_t memory_bytes() const { return count_ * bytes_; }

  // ---- scan threads; nothing here blocks or allocates ----
  [[nodiscard]] bool has_free() const noexcept;
  /// Null: none is free.
  [[nodiscard]] CopiedChunk* take_free() noexcept;
  void put_ready(CopiedChunk* chunk) noexcept;
  /// The writer has something to do.
  void notify() noexcept;

  // ---- the writer's thread ----
  /// Null: none is ready.
  [[nodiscard]] CopiedChunk* take_ready() noexcept;
  void put_free(CopiedChunk* chunk) noexcept;
  /// Returns what wait() is to be given: taken before looking for work.
  [[nodiscard]] uint32_t seen() const noexcept { return signals_.load(std::memory_order_acquire); }
  /// Sleeps until notify() was called since.
  void wait(uint32_t seen) const noexcept { signals_.wait(seen, std::memory_order_acquire); }

 private:
  enum class State : uint8_t { kFree, kTaken, kReady };

  [[nodiscard]] CopiedChunk* take(State from) noexcept;
  void put(CopiedChunk* chunk, State to) noexcept;

  const uint32_t count_;
  const uint64_t bytes_;
  std::array<CopiedChunk, kCountMax> chunks_;
  std::array<std::atomic<State>, kCountMax> states_{};
  std::atomic<uint32_t> signals_{0};
};

/// The hook of one segment.
class ChunkCopier final : public engine::CheckpointHook {
 public:
  struct Shape {
    uint32_t chunk_count = 0;
    uint32_t slot_count = 0;
  };

  /// The buffers outlive this object.
  ChunkCopier(uint32_t segment, Shape shape, ChunkBuffers& buffers);

  // ---- the writer's thread, while the segment has no checkpoint under way ----
  /// kept, by chunk: the stamp of a block that may stay, as long as no later update touched the chunk; or none.
  void begin(std::vector<std::optional<Timestamp>> kept);

  // ---- the writer's thread, any time ----
  /// From now to the next begin(), chunks are taken and forgotten.
  void discard() noexcept { is_discarding_.store(true, std::memory_order_relaxed); }
  /// Returns whether all chunks have been shown. Those that were copied before are ready or written.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }

  // ---- the writer's thread, once it has ended ----
  /// Of a chunk that kept its block: the prefix it was in. None for one that was copied.
  [[nodiscard]] const std::optional<Timestamp>& kept_at(uint32_t chunk) const { return kept_at_[chunk]; }
  [[nodiscard]] BlockHeader allocator_header() const { return allocator_header_; }
  [[nodiscard]] std::string_view allocator_content() const;
  [[nodiscard]] uint32_t chunk_count() const { return shape_.chunk_count; }

  // ---- scan thread ----
  [[nodiscard]] bool is_ready() const noexcept override;
  [[nodiscard]] bool on_chunk(const engine::ChunkImage& image) noexcept override;
  void on_round_end(const engine::AllocatorImage& image) noexcept override;

 private:
  const uint32_t segment_;
  const Shape shape_;
  ChunkBuffers* buffers_;
  std::vector<std::optional<Timestamp>> kept_;
  std::vector<std::optional<Timestamp>> kept_at_;
  BlockHeader allocator_header_;
  std::vector<uint8_t> allocator_content_;
  std::atomic<bool> is_discarding_{false};
  std::atomic<bool> has_ended_{false};
};

}  // namespace daedalus::durability

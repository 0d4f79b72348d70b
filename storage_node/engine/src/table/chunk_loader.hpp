// Puts the chunks of a checkpoint back where they were, before the first cycle.
//
// Decides whether an image fits the segment: nothing of one that does not is taken. Keeps the prefix of each chunk, and
// refuses to know what is derived from rows: bounds, sketches, free slots.
#pragma once

#include <optional>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/checkpoint.hpp"

namespace daedalus::engine {

class ChunkLoader {
 public:
  /// Both outlive this object.
  ChunkLoader(const TableLayout& layout, ChunkStore& store);

  /// Takes over rows, prefix and time of the last change. Error (XX001): the image is of another shape, does not agree
  /// with itself, or is of a chunk that was loaded already. Cost: a pass over the chunk; nothing where no row is live.
  [[nodiscard]] Result<void> load(const ChunkImage& image);

  /// The first chunk that was not loaded.
  [[nodiscard]] std::optional<uint32_t> missing() const;

  /// By chunk.
  [[nodiscard]] const std::vector<Timestamp>& prefixes() const { return prefixes_; }

 private:
  [[nodiscard]] Result<void> check_shape(const ChunkImage& image) const;
  [[nodiscard]] Result<void> check_rows(const ChunkImage& image) const;
  void copy(const ChunkImage& image);

  const TableLayout* layout_;
  ChunkStore* store_;
  std::vector<Timestamp> prefixes_;
  std::vector<bool> is_loaded_;
};

}  // namespace daedalus::engine

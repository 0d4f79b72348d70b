// An index over queries, not over data: which queries of this cycle ask for a given value of one column.
//
// Decides which queries a row is a candidate for. Refuses to know what else they ask and what they do with a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk_store.hpp"

namespace daedalus::engine {

class AccessIndex {
 public:
  AccessIndex(const ColumnLayout& layout, uint32_t column) : layout_(layout), column_(column) {}

  [[nodiscard]] uint32_t column() const { return column_; }

  /// `query` asks for rows whose value equals `value` (as in a plane). At most once per query and value.
  void add(const uint8_t* value, uint32_t query);

  /// Ends the adding. Cost: a sort of the values.
  void build();

  /// Calls use(row, query) for every live row and each query that asks for its value; rows ascend. NULL finds nothing.
  /// Cost: one pass over the column, a few ns a live row.
  template <typename Use>
  void probe(const ChunkView& chunk, Use&& use) const;

 private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t key = 0;  ///< Position in keys_, in values.
    uint32_t first = 0;
    uint32_t count = 0;  ///< 0: an empty place.
  };

  [[nodiscard]] const uint8_t* key(uint32_t position) const { return keys_.data() + size_t{position} * layout_.width; }
  [[nodiscard]] std::span<const uint32_t> find(const uint8_t* canonical_value) const;
  void insert(uint32_t key, uint32_t first, uint32_t count);

  ColumnLayout layout_;
  uint32_t column_;
  std::vector<uint8_t> keys_;  ///< Canonical values as they were added.
  std::vector<uint32_t> askers_;
  std::vector<Entry> table_;      ///< Open addressing; a power of two, at most half full.
  std::vector<uint64_t> filter_;  ///< One bit per hash: most rows are no one's candidate and stop here.
};

/// Hash of `size` bytes; the same bytes always have the same hash.
[[nodiscard]] uint64_t hash_bytes(const uint8_t* bytes, uint32_t size) noexcept;

template <typename Use>
void AccessIndex::probe(const ChunkView& chunk, Use&& use) const {
  const uint8_t* plane = chunk.planes[column_];
  const uint64_t* nulls = chunk.nulls[column_];
  const bool is_floating = layout_.native == Native::kFloat || layout_.native == Native::kDouble;
  for (uint32_t word = 0; word < chunk.word_count(); ++word) {
    for (uint64_t bits = chunk.live[word] & ~nulls[word]; bits != 0; bits &= bits - 1) {
      const uint32_t row = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
      const uint8_t* value = plane + size_t{row} * layout_.width;
      uint8_t number[sizeof(double)];
      if (is_floating) {
        copy_canonical(layout_, value, number);
        value = number;
      }
      for (const uint32_t query : find(value)) {
        use(row, query);
      }
    }
  }
}

}  // namespace daedalus::engine

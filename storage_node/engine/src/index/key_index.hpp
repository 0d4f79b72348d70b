// An index over operations, not over data: which operations of this cycle ask for a given key of one or two columns.
//
// Decides which operations a row is a candidate for, by a hash of 32 bits: a candidate has to be verified in full.
// Refuses to know what else an operation asks and what it does with a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk_store.hpp"
#include "codes.hpp"
#include "kernels_probe.hpp"
#include "operation_table.hpp"

namespace daedalus::engine {

class KeyIndex {
 public:
  KeyIndex(const TableLayout& layout, std::span<const uint32_t> columns);

  [[nodiscard]] std::span<const uint32_t> columns() const { return {columns_, column_count_}; }

  /// `operation` asks for the key of these values, by column.
  void add(std::span<const CodedValue> members, uint32_t operation);

  /// Ends the adding. Cost: a sort of the keys.
  void build();

  /// Calls use(row, operation) for every live row and each operation that may ask for its key; rows ascend, and of one
  /// row the operations. A row that is NULL in a key column is found under zeros. Cost: a pass over the key columns.
  template <typename Use>
  void probe(const ChunkView& chunk, ProbeScratch& scratch, Use&& use) const;

  /// Returns where a row's value in column number `place` of the key lies, and its first eight bytes, zeros behind
  /// shorter ones.
  [[nodiscard]] const uint8_t* value_at(const ChunkView& chunk, uint32_t row, uint32_t place) const {
    return chunk.planes[columns_[place]] + size_t{row} * widths_[place];
  }
  [[nodiscard]] uint64_t raw(const ChunkView& chunk, uint32_t row, uint32_t place) const {
    const uint32_t width = widths_[place];
    const uint64_t mask = width >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1;
    return load<uint64_t>(value_at(chunk, row, place)) & mask;
  }

  /// The operations that may ask for the key of one row, ascending.
  [[nodiscard]] std::span<const uint32_t> find(const ChunkView& chunk, uint32_t row) const;

 private:
  [[nodiscard]] uint32_t survivors(const ChunkView& chunk, uint32_t first_row, uint32_t row_count,
                                   ProbeScratch& scratch) const;

  uint32_t columns_[kKeyColumnsMax] = {};
  uint32_t widths_[kKeyColumnsMax] = {};  ///< In their planes.
  uint32_t column_count_;
  uint32_t filter_shift_ = 0;
  bool has_first_ = false;
  OperationTable operations_;
  RegisterFilter first_;          ///< Filters by sums, if has_first_.
  std::vector<uint32_t> filter_;  ///< One bit a hash: most rows are no one's candidate and stop here.
};

template <typename Use>
void KeyIndex::probe(const ChunkView& chunk, ProbeScratch& scratch, Use&& use) const {
  for (uint32_t first = 0; first < chunk.row_count; first += kProbeRowsMax) {
    const uint32_t row_count = std::min(kProbeRowsMax, chunk.row_count - first);
    const uint32_t count = survivors(chunk, first, row_count, scratch);
    for (uint32_t position = 0; position < count; ++position) {
      const std::span<const uint32_t> found = operations_.find(scratch.hashes[position]);
      if (found.empty()) {
        continue;
      }
      const uint32_t row = first + scratch.rows[position];
      if (test_bit(chunk.live, row)) {
        for (const uint32_t operation : found) {
          use(row, operation);
        }
      }
    }
  }
}

}  // namespace daedalus::engine

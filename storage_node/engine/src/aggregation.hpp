// The groups of one aggregating query within one segment, accumulated from column planes.
//
// Decides partial aggregates (docs/wire.md, "Partial aggregates"). Integer and numeric sums are exact in 192 bits;
// floating sums are added in slot order. Equal group keys are one group: −0.0 joins 0.0 and is reported as 0.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::engine {

/// One aggregate of one group.
struct AggregateCell {
  int64_t count = 0;      ///< Rows or values seen.
  UInt128 low = 0;        ///< Sum: the low 128 bits of 192, two's complement. Extreme: the value, for integer planes.
  int64_t high = 0;       ///< Sum: the high 64 bits.
  double floating = 0.0;  ///< Sum or extreme of floating planes.
  uint32_t slot = 0;      ///< Extreme of strings: where it lies.
};

/// Adds to the 192-bit sum.
void add_exact(AggregateCell& cell, Int128 value);
[[nodiscard]] semantics::BigInt exact_sum(const AggregateCell& cell);

/// Group keys of one width, each numbered from 0 in the order of arrival.
class GroupTable {
 public:
  explicit GroupTable(uint32_t key_size);

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] const uint8_t* key(uint32_t group) const { return keys_.data() + size_t{group} * key_size_; }

  /// The number of the group with this key; a new group if there was none.
  [[nodiscard]] uint32_t find_or_add(const uint8_t* key);

 private:
  void grow();

  uint32_t key_size_;
  uint32_t size_ = 0;
  std::vector<uint8_t> keys_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> places_;  ///< Open addressing: group + 1, 0 for none.
};

class Aggregation {
 public:
  /// Groups and their keys and states take at most 4 · answer_bytes_max bytes and kGroupsMax groups.
  Aggregation(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection,
              uint64_t answer_bytes_max);

  /// Takes rows of one chunk, ascending. Error 54000: too many groups.
  [[nodiscard]] Result<void> take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// The same for the rows that a bitmap marks, by whole columns where that is possible: an aggregate without groups
  /// over integers. Others list the rows first.
  [[nodiscard]] Result<void> take_selection(uint32_t chunk, const uint64_t* selection);

  /// Packed partial rows, groups in the order of their first row. Error 54000: too large.
  [[nodiscard]] Result<semantics::MergedRows> finish() const;

 private:
  struct Aggregate {
    semantics::AggregateFunction function{};
    uint32_t column = 0;
  };

  [[nodiscard]] bool accumulate_selection(const Aggregate& aggregate, uint32_t index, const ChunkView& chunk,
                                          const uint64_t* selection);
  [[nodiscard]] Result<void> find_groups(const ChunkView& chunk, const uint32_t* rows, uint32_t row_count);
  void accumulate(const Aggregate& aggregate, uint32_t index, uint32_t chunk, const uint32_t* rows, uint32_t row_count);
  void append_partial(const Aggregate& aggregate, const AggregateCell& cell, std::vector<semantics::Value>& row) const;
  [[nodiscard]] semantics::Value group_value(uint32_t group, uint32_t column) const;
  [[nodiscard]] AggregateCell& cell(uint32_t group, uint32_t index) {
    return cells_[group * aggregates_.size() + index];
  }

  const TableLayout* layout_;
  const ChunkStore* store_;
  const semantics::Selection* selection_;
  uint64_t answer_bytes_max_;
  std::vector<Aggregate> aggregates_;
  uint32_t key_size_ = 0;  ///< Per group column one byte (1: NULL), then the canonical value.
  uint32_t groups_max_ = 0;
  GroupTable groups_;
  std::vector<AggregateCell> cells_;    ///< group · aggregates + aggregate
  std::vector<uint32_t> group_of_row_;  ///< Of the rows being taken.
  std::vector<uint8_t> key_;
  std::vector<uint32_t> selected_rows_;
  std::vector<uint64_t> selected_values_;
};

}  // namespace daedalus::engine

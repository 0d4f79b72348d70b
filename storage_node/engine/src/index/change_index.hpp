// The changes of one cycle that are found through one key.
//
// Decides which rows are looked at: those whose sketches some change asks for, or all of a chunk without sketches. A
// row's values say which changes ask for it, so that a row found here is the same as one looked up after a change.
// Refuses to know what a change does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index_scratch.hpp"
#include "key_choice.hpp"
#include "key_index.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

class ChangeIndex {
 public:
  ChangeIndex(const TableLayout& layout, const Sketches& sketches, const Key& key);

  [[nodiscard]] std::span<const uint32_t> columns() const { return by_values_.columns(); }

  /// `change` asks for the key of these members, by column.
  void add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t change);

  /// Ends the adding.
  void build();

  /// Calls use(row, change) for every live row and each change that may ask for its key; rows ascend, and of one row
  /// the changes.
  template <typename Use>
  void probe(const ChunkView& view, uint32_t chunk, const Sketches& sketches, IndexScratch& scratch, Use&& use) const {
    const PairPlanes planes = pairs_ == nullptr ? PairPlanes() : sketches.bytes(chunk, columns());
    if (!planes.exist()) {
      return by_values_.probe(view, scratch.values, use);
    }
    uint16_t* rows = scratch.rows.data();
    const uint32_t count = list_rows(view, planes, sketches.bytes_after(chunk, columns()), rows);
    for (uint32_t position = 0; position < count; ++position) {
      const uint32_t row = rows[position];
      if (test_bit(view.live, row)) {
        for (const uint32_t change : find(view, row)) {
          use(row, change);
        }
      }
    }
  }

  /// The changes that may ask for the key of one row, ascending.
  [[nodiscard]] std::span<const uint32_t> find(const ChunkView& view, uint32_t row) const {
    return by_values_.find(view, row);
  }

 private:
  [[nodiscard]] uint32_t trailing_place() const { return static_cast<uint32_t>(columns().size()) - 1 - leading_; }
  /// Lists the rows whose sketches some change asks for, and so their values in the leading column.
  [[nodiscard]] uint32_t list_rows(const ChunkView& view, PairPlanes planes, const AheadPlanes& ahead,
                                   uint16_t* rows) const;
  /// Keeps those of the listed rows whose value in the leading column some change asks for; says where they end.
  [[nodiscard]] uint16_t* filter_leading(const ChunkView& view, std::span<const uint16_t> listed, uint16_t* kept) const;
  void fetch_values(const ChunkView& view, std::span<const uint16_t> rows, uint32_t place) const;

  KeyIndex by_values_;
  std::unique_ptr<PairFilter> pairs_;  ///< Null: values are better.
  /// The place in the key of the column whose values differ most: it is looked at first, and the other one's values
  /// are fetched for few rows only.
  uint32_t leading_ = 0;
  std::vector<uint64_t> leading_filter_;  ///< By hash of its values; empty without pairs_.
};

}  // namespace daedalus::engine

// Puts values that updates overwrote back into rows that were copied elsewhere.
//
// Decides which columns: those that somebody reads of the copy. Refuses to know which records a version wants undone,
// and in which order they come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "old_values.hpp"

namespace daedalus::engine {

/// A value that is not that of the row in the table any more.
struct OtherValue {
  uint32_t column = 0;
  uint32_t row = 0;  ///< It was put there.
};

class Undo {
 public:
  /// The layout outlives this object.
  explicit Undo(const TableLayout& layout);

  /// Values of these columns are put back from now on, and those of others are passed by.
  void begin(std::span<const uint32_t> columns);

  /// Puts the values of one record, which is about row `home` of its chunk, into a row. Cost: some ns a value; where
  /// the record is of many rows, and rows before `home` were put back, not the last one before it: a ns for each 64
  /// rows that the record is about.
  void put_back(const OldValues& values, uint32_t home, const RowPlanes& into, uint32_t row);

  /// Lists what was put since begin(), in the order in which it was; a value may be listed several times.
  [[nodiscard]] std::span<const OtherValue> put() const { return put_; }

 private:
  /// How many values of a record come before those of one word of rows.
  struct Rank {
    const uint8_t* bytes = nullptr;
    uint32_t word = 0;
    size_t before = 0;
  };

  void put_back_values(const uint8_t* bytes, uint32_t count, const RowPlanes& into, uint32_t row);
  void put_back_one_of_many(const OldValues& values, uint32_t home, const RowPlanes& into, uint32_t row);
  [[nodiscard]] size_t rank_of(uint32_t column, const uint8_t* bytes, uint32_t word);

  const TableLayout* layout_;
  std::vector<uint8_t> is_wanted_;  ///< By column.
  std::vector<Rank> ranks_;         ///< By column: of the row that was put last.
  std::vector<OtherValue> put_;
};

}  // namespace daedalus::engine

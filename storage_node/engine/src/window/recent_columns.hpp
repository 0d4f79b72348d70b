// The values of the rows of a recent chunk: which are there, and when they come.
//
// Columns that conditions read are laid out at once for all rows, one column after the other; those that only takers of
// a row read come when the first of them takes it (late materialization: Abadi, Myers, DeWitt, Madden: Materialization
// Strategies in a Column-Oriented DBMS, ICDE 2007). Values that nobody reads stay in the table.
//
// Decides when values are laid out. Refuses to know queries, moments, and who sees a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk_store.hpp"
#include "old_values.hpp"
#include "undo.hpp"

namespace daedalus::engine {

/// Columns of the table, each once and in one of both lists.
struct ColumnsRead {
  std::vector<uint32_t> of_all;    ///< They are read of rows that nobody has taken yet,
  std::vector<uint32_t> of_taken;  ///< and these of taken rows alone.
};

class RecentColumns {
 public:
  /// Both outlive this object.
  RecentColumns(const TableLayout& layout, const ChunkStore& store);

  [[nodiscard]] const TableLayout& layout() const { return *layout_; }

  /// Says what is read of all rows that are added from now on. Nobody reads anything else of them.
  void read(ColumnsRead columns) { read_ = std::move(columns); }
  [[nodiscard]] const ColumnsRead& read() const { return read_; }

  /// Forgets all rows; those that are added from now on are rows of this recent chunk.
  void begin(uint32_t chunk);

  /// Returns where a version's old values go that Window::find_version() lists, before the row is added.
  [[nodiscard]] std::vector<OldValues>& old_values() { return old_values_; }
  /// There are so many old values that it is time to lay out: a bound of what is kept for rows that change often.
  [[nodiscard]] bool is_full() const { return old_values_.size() >= old_values_max_; }

  /// Adds a version of a slot of the table: what was appended to old_values() since the last row was added.
  void add(uint32_t row, uint32_t slot);
  /// Returns the slot that a row is a version of.
  [[nodiscard]] uint32_t slot(uint32_t row) const { return versions_[row].slot; }
  /// Returns the rows that were added.
  [[nodiscard]] std::span<const RecentRow> rows() const { return rows_; }

  /// Lays out what is read of all rows that were added. Cost: of a value some ns, and of each old value that is read.
  /// Returns those values that the rows do not have in the table any more, until the next call.
  std::span<const OtherValue> lay_out();
  /// Lays out what is read of rows that are taken, where they have not been before. Returns whether any was not: what
  /// somebody has computed of the chunk's rows is void. Cost: of a row that was taken before, a ns.
  [[nodiscard]] bool lay_out_taken(std::span<const uint32_t> rows);

 private:
  struct Version {
    uint32_t slot = 0;
    uint32_t first = 0;  ///< Its old values begin there in old_values_,
    uint32_t end = 0;    ///< and end before that one.
  };

  void lay_out(std::span<const RecentRow> rows, const std::vector<uint32_t>& columns);
  /// Puts bytes where nothing is laid out, so that whoever reads them finds nonsense.
  void spoil(std::span<const RecentRow> rows);

  const TableLayout* layout_;
  const ChunkStore* store_;
  size_t old_values_max_;
  ColumnsRead read_;
  uint32_t chunk_ = 0;
  std::vector<Version> versions_;  ///< By row.
  std::vector<OldValues> old_values_;
  std::vector<RecentRow> rows_;    ///< Holds those that were added.
  std::vector<uint64_t> taken_;    ///< Marks those that were.
  std::vector<RecentRow> listed_;  ///< Rows that are taken for the first time.
  std::vector<RowCopy> copies_;
  Undo undo_;
};

}  // namespace daedalus::engine

// Defines what grouping, aggregates and projection read: vectors of values, whether they lie in a plane or are
// computed.
//
// Decides the form in which a column is handed to its consumers. Refuses to know what they do with it, and how a
// computed value comes about: an expression plugs in as a ComputedColumn.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::engine {

/// Rows of one chunk, ascending; position p of a batch is one of them.
struct RowBatch {
  const ChunkView* chunk = nullptr;
  const uint32_t* rows = nullptr;  ///< Null: first, first + 1 and so on.
  uint32_t first = 0;              ///< A multiple of 64. Unused beside `rows`.
  uint32_t count = 0;
  uint64_t number = 0;  ///< Batches of one number, other than 0, are the same rows: so nothing is computed twice.

  [[nodiscard]] uint32_t row(uint32_t position) const { return rows != nullptr ? rows[position] : first + position; }
};

/// `count` positions of a batch from position `first` on, a multiple of 64.
[[nodiscard]] inline RowBatch part_of(const RowBatch& batch, uint32_t first, uint32_t count) {
  return {.chunk = batch.chunk,
          .rows = batch.rows != nullptr ? batch.rows + first : nullptr,
          .first = batch.first + first,
          .count = count};
}

[[nodiscard]] inline RowBatch whole_chunk(const ChunkView& chunk) {
  return {.chunk = &chunk, .count = chunk.row_count};
}

/// The values of one batch. They stay until the room they were read into is used again, or the chunk is written to.
struct ColumnVector {
  const uint8_t* values = nullptr;  ///< Position p at p · stride, aligned to its type; zeros or a value where NULL.
                                    ///< Eight bytes behind the last may be read.
  const uint64_t* nulls = nullptr;  ///< Bit p: NULL. Null when no value of the batch is; bits beyond the last are 0.
  const uint8_t* tails = nullptr;   ///< Position p at p · tail_width; the same may be read behind. Null without tails.
  const semantics::Value* boxed =
      nullptr;  ///< Holds the values of Native::kDecimal: position p at p, instead of all these but nulls.

  [[nodiscard]] StoredValue at(const ColumnLayout& layout, uint32_t position) const {
    return {values + size_t{position} * layout.stride, tails + size_t{position} * layout.tail_width()};
  }
};

/// Exact numbers of one scale, as sums take them.
struct ExactVector {
  /// A number that has no place in 128 bits.
  struct Beyond {
    uint32_t position = 0;
    semantics::Value value;
  };

  const int64_t* words = nullptr;  ///< Either these or those: unscaled, position p at p.
  const Int128* wides = nullptr;
  bool is_constant = false;         ///< All have the value at 0.
  const uint64_t* nulls = nullptr;  ///< Null: there are none. Bits beyond the last are anything.
  std::span<const Beyond> beyond;   ///< Zeros, or NULL, above.
};

/// Says where values go that do not lie ready in a plane. Grows to the largest batch and stays there.
struct VectorRoom {
  std::vector<uint64_t> values;
  std::vector<uint64_t> tails;
  std::vector<uint64_t> nulls;
  std::vector<semantics::Value> boxed;

  [[nodiscard]] uint8_t* make_values(uint64_t bytes);
  [[nodiscard]] uint8_t* make_tails(uint64_t bytes);
  /// bitmap_words(count) words, all zero.
  [[nodiscard]] uint64_t* make_nulls(uint32_t count);
};

/// An expression over the columns of a row. Whole batches are computed at a time, so that a virtual call per batch is
/// all the interface costs.
class ComputedColumn {
 public:
  ComputedColumn() = default;
  ComputedColumn(const ComputedColumn&) = delete;
  ComputedColumn& operator=(const ComputedColumn&) = delete;
  virtual ~ComputedColumn() = default;

  /// Type, widths and code of the values it makes, as if they lay in planes.
  [[nodiscard]] virtual const ColumnLayout& layout() const = 0;

  /// The values of the batch's rows, in `room`. An error is that of the query: it says that no row's value may be used.
  /// A row's value depends on that row alone, so that consumers may ask in any batches.
  [[nodiscard]] virtual Result<ColumnVector> compute(const RowBatch& batch, VectorRoom& room) const = 0;

  /// The scale of all values where they are numerics of one: then compute_exact() says the same as compute().
  [[nodiscard]] virtual std::optional<int32_t> exact_scale() const { return std::nullopt; }
  /// Computes at most 1,024 rows.
  [[nodiscard]] virtual Result<ExactVector> compute_exact(const RowBatch&) const { return ExactVector{}; }
};

/// An input of a query: a column of the table, or a computed one.
class ColumnSource {
 public:
  /// `layout` outlives this object.
  ColumnSource(const TableLayout& layout, uint32_t column) : layout_(&layout.columns[column]), column_(column) {}
  explicit ColumnSource(std::shared_ptr<const ComputedColumn> computed)
      : layout_(&computed->layout()), computed_(std::move(computed)) {}

  [[nodiscard]] const ColumnLayout& layout() const { return *layout_; }
  [[nodiscard]] bool is_computed() const { return computed_ != nullptr; }
  /// Returns the column of the table. Precondition: not computed.
  [[nodiscard]] uint32_t column() const { return column_; }

  /// The values of a batch. Cost: nothing for consecutive rows of a plane; else one load and one store a value,
  /// two where there are tails.
  [[nodiscard]] Result<ColumnVector> read(const RowBatch& batch, VectorRoom& room) const {
    return computed_ != nullptr ? computed_->compute(batch, room) : Result<ColumnVector>(read_plane(batch, room));
  }
  /// See ComputedColumn: of a column of the table there is none, its plane is as good.
  [[nodiscard]] std::optional<int32_t> exact_scale() const {
    return computed_ != nullptr ? computed_->exact_scale() : std::nullopt;
  }
  [[nodiscard]] Result<ExactVector> read_exact(const RowBatch& batch) const { return computed_->compute_exact(batch); }
  /// Does the same of a column of the table, which nothing can be wrong with. Precondition: not computed.
  [[nodiscard]] ColumnVector read_plane(const RowBatch& batch, VectorRoom& room) const;

 private:
  const ColumnLayout* layout_;
  uint32_t column_ = 0;
  std::shared_ptr<const ComputedColumn> computed_;
};

}  // namespace daedalus::engine

// The part of a condition that is computed: rows that hold the rest of it wait until they make a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "residual.hpp"

namespace daedalus::engine {

class ResidualFilter {
 public:
  ResidualFilter(const TableLayout& layout, std::span<const semantics::BoundExpression> residuals,
                 ExpressionPool& expressions, const Sketches& sketches);

  /// Holds rows of one chunk, in the order in which they came.
  struct Rows {
    uint32_t chunk = 0;
    std::span<uint32_t> rows;
  };

  /// Returns whether rows of this chunk may be added: none of another one waits, and there is room.
  [[nodiscard]] bool has_room(uint32_t chunk) const {
    return waiting_.empty() || (chunk_ == chunk && waiting_.size() < kWaitingMax);
  }
  /// Precondition: has_room().
  void add(uint32_t chunk, uint32_t row) {
    chunk_ = chunk;
    waiting_.push_back(row);
  }
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }

  /// Returns those of the waiting rows for which every residual is true, until the next call of add(); none waits any
  /// more. Each is computed where the ones before it hold. Errors: those of the residuals.
  [[nodiscard]] Result<Rows> take(const ChunkStore& store);

  /// Keeps, of the rows of a chunk that a bitmap marks, those for which every residual is true, until the next call.
  /// Cost: all rows of every 1,024 of which one is marked.
  [[nodiscard]] Result<std::span<uint64_t>> narrow(const ChunkStore& store, uint32_t chunk, const uint64_t* selection);

 private:
  static constexpr size_t kWaitingMax = kVectorRows;

  [[nodiscard]] Result<void> keep(const ChunkView& view, Residual& residual);
  [[nodiscard]] Result<void> narrow_batch(uint32_t chunk, const RowBatch& batch, uint64_t* words);

  std::vector<std::unique_ptr<Residual>> residuals_;
  VectorBits rows_{};  ///< Marks rows of a batch.
  std::vector<uint64_t> narrowed_;
  std::vector<uint32_t> waiting_;
  std::vector<uint32_t> taken_;
  uint32_t chunk_ = 0;
};

}  // namespace daedalus::engine

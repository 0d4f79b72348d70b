#include "chunk_bounds.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

constexpr CodeRange kNoValue = {UINT64_MAX, 0};

}  // namespace

ChunkBounds::ChunkBounds(const TableLayout& layout, const ChunkStore& store)
    : layout_(&layout), store_(&store), place_(layout.columns.size(), kUntracked) {
  for (uint32_t column = 0; column < layout.columns.size(); ++column) {
    const semantics::TypeKind kind = layout.columns[column].type.kind;
    if (kind == semantics::TypeKind::kDate || kind == semantics::TypeKind::kTimestamp) {
      place_[column] = static_cast<uint32_t>(tracked_.size());
      tracked_.push_back(column);
    }
  }
  bounds_.assign(store.chunk_count() * tracked_.size(), kNoValue);
}

void ChunkBounds::on_write(uint32_t chunk, uint32_t row, uint32_t column) {
  if (place_[column] == kUntracked || test_bit(store_->nulls(chunk)[column], row)) {
    return;
  }
  const ColumnLayout& layout = layout_->columns[column];
  const uint64_t code = code_of(layout.code, store_->planes(chunk)[column] + size_t{row} * layout.width);
  CodeRange& bounds = bounds_[chunk * tracked_.size() + place_[column]];
  bounds = {std::min(bounds.low, code), std::max(bounds.high, code)};
}

void ChunkBounds::on_insert(uint32_t chunk, uint32_t row) {
  if (store_->live_rows(chunk) == 1) {
    std::fill_n(bounds_.begin() + static_cast<std::ptrdiff_t>(chunk * tracked_.size()), tracked_.size(), kNoValue);
  }
  for (const uint32_t column : tracked_) {
    on_write(chunk, row, column);
  }
}

bool ChunkBounds::may_match(uint32_t chunk, const CompiledLiteral& literal) const {
  if (place_[literal.column] == kUntracked || literal.kind == CompiledLiteral::Kind::kIsNull) {
    return true;
  }
  const CodeRange& bounds = bounds_[chunk * tracked_.size() + place_[literal.column]];
  const CodeRange reach = literal.reach();
  return std::max(bounds.low, reach.low) <= std::min(bounds.high, reach.high);
}

bool ChunkBounds::may_match(uint32_t chunk, const CompiledPredicate& predicate) const {
  return std::all_of(predicate.clauses().begin(), predicate.clauses().end(), [&](const CompiledClause& clause) {
    const std::span<const CompiledLiteral> any = predicate.literals(clause);
    return std::any_of(any.begin(), any.end(),
                       [&](const CompiledLiteral& literal) { return may_match(chunk, literal); });
  });
}

}  // namespace daedalus::engine

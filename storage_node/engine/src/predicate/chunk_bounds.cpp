#include "chunk_bounds.hpp"

namespace daedalus::engine {
namespace {

using LiteralKind = CompiledLiteral::Kind;

bool is_tracked(semantics::TypeKind kind) {
  using semantics::TypeKind;
  return semantics::is_datetime(kind) || kind == TypeKind::kTime || kind == TypeKind::kInt || kind == TypeKind::kBigint;
}

}  // namespace

ChunkBounds::ChunkBounds(const TableLayout& layout, const ChunkStore& store)
    : layout_(&layout), store_(&store), place_(layout.columns.size(), kUntracked) {
  for (uint32_t column = 0; column < layout.columns.size(); ++column) {
    if (is_tracked(layout.columns[column].type.kind)) {
      place_[column] = static_cast<uint32_t>(tracked_.size());
      tracked_.push_back(column);
    }
  }
  bounds_.resize(store.chunk_count() * tracked_.size());
}

void ChunkBounds::on_write(uint32_t chunk, uint32_t row, uint32_t column) {
  if (place_[column] == kUntracked) {
    return;
  }
  Bounds& bounds = bounds_[chunk * tracked_.size() + place_[column]];
  const ColumnLayout& layout = layout_->columns[column];
  if (layout.nullable && test_bit(store_->nulls(chunk)[column], row)) {
    bounds.may_hold_null = true;
    return;
  }
  const uint64_t code = code_of(layout.code, store_->planes(chunk)[column] + size_t{row} * layout.stride);
  bounds.codes = {std::min(bounds.codes.low, code), std::max(bounds.codes.high, code)};
}

void ChunkBounds::on_insert(uint32_t chunk, uint32_t row) {
  if (store_->live_rows(chunk) == 1) {
    std::fill_n(bounds_.begin() + static_cast<std::ptrdiff_t>(chunk * tracked_.size()), tracked_.size(), Bounds{});
  }
  for (const uint32_t column : tracked_) {
    on_write(chunk, row, column);
  }
}

void ChunkBounds::on_load(uint32_t chunk) {
  const ChunkView view = store_->view(chunk);
  for (const uint32_t column : tracked_) {
    bounds_[chunk * tracked_.size() + place_[column]] = {};
    for_each_bit(view.live, view.word_count(), [&](uint32_t row) { on_write(chunk, row, column); });
  }
}

void ChunkBounds::on_delete_all(uint32_t chunk, const CompiledPredicate& predicate) {
  if (predicate.clauses().size() != 1) {
    return;
  }
  const std::span<const CompiledLiteral> any = predicate.literals(predicate.clauses()[0]);
  const CompiledLiteral& literal = any[0];
  if (any.size() != 1 || literal.kind != LiteralKind::kRange || literal.negated ||
      place_[literal.column] == kUntracked) {
    return;
  }
  CodeRange& codes = bounds_[chunk * tracked_.size() + place_[literal.column]].codes;
  if (literal.codes.low <= codes.low && literal.codes.high >= codes.high) {
    codes = Bounds{}.codes;
  } else if (literal.codes.low <= codes.low) {
    codes.low = std::max(codes.low, literal.codes.high + 1);
  } else if (literal.codes.high >= codes.high) {
    codes.high = std::min(codes.high, literal.codes.low - 1);
  }
}

std::vector<bool> ChunkBounds::clustered() const {
  constexpr double kNarrow = 0.25;
  std::vector<bool> clustered(layout_->columns.size());
  for (const uint32_t column : tracked_) {
    CodeRange all = Bounds{}.codes;
    double spans = 0;
    uint32_t chunks = 0;
    for (uint32_t chunk = 0; chunk < store_->chunk_count(); ++chunk) {
      const CodeRange& codes = bounds(chunk, column).codes;
      if (store_->live_rows(chunk) > 0 && codes.low <= codes.high) {
        all = {std::min(all.low, codes.low), std::max(all.high, codes.high)};
        spans += static_cast<double>(codes.high - codes.low);
        ++chunks;
      }
    }
    clustered[column] = chunks > 1 && spans <= kNarrow * chunks * static_cast<double>(all.high - all.low);
  }
  return clustered;
}

Reach ChunkBounds::reach(uint32_t chunk, const CompiledLiteral& literal) const {
  if (place_[literal.column] == kUntracked || literal.kind == LiteralKind::kIsNull) {
    return Reach::kSome;
  }
  const Bounds& column = bounds(chunk, literal.column);
  if (literal.kind == LiteralKind::kIsNotNull) {
    return column.may_hold_null ? Reach::kSome : Reach::kAll;
  }
  const CodeRange reached = literal.reach();
  if (reached.high < column.codes.low || column.codes.high < reached.low) {
    return Reach::kNone;
  }
  const bool decides = literal.kind == LiteralKind::kRange && !literal.negated && !column.may_hold_null;
  return decides && reached.low <= column.codes.low && column.codes.high <= reached.high ? Reach::kAll : Reach::kSome;
}

Reach ChunkBounds::reach(uint32_t chunk, const CompiledPredicate& predicate) const {
  Reach all = Reach::kAll;
  for (const CompiledClause& clause : predicate.clauses()) {
    Reach any = Reach::kNone;
    for (const CompiledLiteral& literal : predicate.literals(clause)) {
      any = std::max(any, reach(chunk, literal));
    }
    any = clause.is_tree ? std::min(any, Reach::kSome) : any;
    all = std::min(all, any);
  }
  return predicate.is_never() ? Reach::kNone : all;
}

}  // namespace daedalus::engine

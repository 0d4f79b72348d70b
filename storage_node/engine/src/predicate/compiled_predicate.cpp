#include "compiled_predicate.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"

namespace daedalus::engine {
namespace {

/// Lists that are looked at whether they follow from a tree, and those worth it.
constexpr uint32_t kImpliedLooksMax = 4;
constexpr uint32_t kLongList = 8;

bool is_plain_range(const CompiledLiteral& literal) {
  return literal.kind == CompiledLiteral::Kind::kRange && !literal.negated;
}

/// Clauses that leave few rows come first: a guess from their shape alone.
uint32_t rank(const CompiledLiteral& first, const CompiledClause& clause) {
  if (clause.count > 1) {
    return clause.is_tree ? 4 : 3;
  }
  if (first.is_equality()) {
    return first.constant_count <= 1 ? 0 : 1;
  }
  return 2;
}

}  // namespace

CompiledPredicate::CompiledPredicate(const TableLayout& layout, const semantics::Predicate& predicate,
                                     std::pmr::memory_resource* memory)
    : layout_(&layout), literals_(memory), clauses_(memory), constants_(memory) {
  literals_.reserve(predicate.clauses.size());
  clauses_.reserve(predicate.clauses.size());
  for (const semantics::Clause& clause : predicate.clauses) {
    add_clause(clause);
  }
  if (predicate.has_tree()) {
    add_tree(predicate.tree);
  }
  if (never_) {
    clauses_.clear();
  }
  sort_clauses();
  for (const CompiledClause& clause : clauses_) {
    joined_literals_ += clause.count > 1 ? clause.count : 0;
    uint32_t constants = 0;
    for (const CompiledLiteral& literal : literals(clause)) {
      constants += std::max(1u, literal.constant_count);
    }
    clause_constants_max_ = std::max(clause_constants_max_, constants);
  }
}

void CompiledPredicate::sort_clauses() {
  // As many as there are columns at most, nearly always: insertion keeps equal ranks in order and allocates nothing.
  for (size_t at = 1; at < clauses_.size(); ++at) {
    const CompiledClause moved = clauses_[at];
    const uint32_t moved_rank = rank(literals_[moved.first], moved);
    size_t to = at;
    for (; to > 0 && rank(literals_[clauses_[to - 1].first], clauses_[to - 1]) > moved_rank; --to) {
      clauses_[to] = clauses_[to - 1];
    }
    clauses_[to] = moved;
  }
}

void CompiledPredicate::add_clause(const semantics::Clause& clause) {
  CompiledClause compiled{.first = static_cast<uint32_t>(literals_.size())};
  bool always = false;
  for (const semantics::Literal& literal : clause) {
    const ColumnLayout& column = layout_->columns[literal.column];
    CompiledLiteral next;
    Verdict verdict = compile_literal(column, literal, next, constants_);
    if (verdict == Verdict::kIfNotNull) {
      always |= !column.nullable;
      next = CompiledLiteral{.kind = CompiledLiteral::Kind::kIsNotNull, .column = literal.column};
      verdict = Verdict::kDepends;
    }
    if (verdict == Verdict::kDepends) {
      literals_.push_back(next);
      ++compiled.count;
    }
  }
  if (always) {
    literals_.resize(compiled.first);
    return;
  }
  never_ |= compiled.count == 0;
  if (compiled.count == 1 && join_range()) {
    return;
  }
  clauses_.push_back(compiled);
}

void CompiledPredicate::add_tree(const semantics::Condition& tree) {
  CompiledClause compiled{.first = static_cast<uint32_t>(literals_.size())};
  tree_ = std::make_unique<CompiledTree>();
  const Verdict verdict = tree_->compile(tree, {layout_, &literals_, &constants_});
  if (verdict != Verdict::kDepends) {
    never_ |= verdict == Verdict::kNever;
    literals_.resize(compiled.first);
    return;
  }
  compiled.count = static_cast<uint32_t>(literals_.size()) - compiled.first;
  DCHECK(compiled.count > 0);
  compiled.is_tree = compiled.count > 1;  // A single leaf that matters is a clause.
  if (compiled.is_tree) {
    mark_implied(tree);
  }
  clauses_.push_back(compiled);
}

void CompiledPredicate::mark_implied(const semantics::Condition& tree) {
  uint32_t looks = kImpliedLooksMax;
  for (CompiledClause& clause : clauses_) {
    const CompiledLiteral& literal = literals_[clause.first];
    const bool is_list = clause.count == 1 && literal.kind == CompiledLiteral::Kind::kIn && !literal.negated;
    if (is_list && literal.has_codes && literal.constant_count > kLongList && looks > 0) {
      --looks;
      clause.is_implied = implies_list(*layout_, tree, literal, constants_.data());
    }
  }
}

bool CompiledPredicate::join_range() {
  const CompiledLiteral added = literals_.back();
  if (!is_plain_range(added)) {
    return false;
  }
  for (const CompiledClause& clause : clauses_) {
    CompiledLiteral& earlier = literals_[clause.first];
    if (clause.count == 1 && is_plain_range(earlier) && earlier.column == added.column) {
      earlier.codes = {std::max(earlier.codes.low, added.codes.low), std::min(earlier.codes.high, added.codes.high)};
      never_ |= holds_no_value(layout_->columns[added.column].code, earlier.codes);
      literals_.pop_back();
      return true;
    }
  }
  return false;
}

bool CompiledPredicate::clause_matches(uint32_t clause, const ChunkView& chunk, uint32_t row) const {
  const std::span<const CompiledLiteral> any = literals(clauses_[clause]);
  if (clauses_[clause].is_tree) {
    return tree_->holds(*layout_, literals_.data(), constants_.data(), chunk, row);
  }
  return std::any_of(any.begin(), any.end(), [&](const CompiledLiteral& literal) {
    return row_matches(layout_->columns[literal.column], literal, constants_.data(), chunk, row);
  });
}

bool CompiledPredicate::matches(const ChunkView& chunk, uint32_t row) const {
  if (never_) {
    return false;
  }
  for (uint32_t clause = 0; clause < clauses_.size(); ++clause) {
    if (!clause_matches(clause, chunk, row)) {
      return false;
    }
  }
  return true;
}

uint64_t CompiledPredicate::fingerprint() const {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25u;
  uint64_t hash = clauses_.size();
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  };
  for (const CompiledClause& clause : clauses_) {
    for (const CompiledLiteral& literal : literals(clause)) {
      mix(literal.column);
      mix(literal.constant_count);
      mix(literal.codes.low);
      mix(literal.codes.high);
    }
  }
  return hash;
}

void CompiledPredicate::select(const ChunkView& chunk, SelectionScratch& scratch, uint64_t* selection,
                               ChunkSketches sketches) const {
  const uint32_t words = chunk.word_count();
  const LiteralMarker marker(*layout_, constants_.data(), chunk, sketches);
  if (never_) {
    std::fill_n(selection, words, 0);
    return;
  }
  std::copy_n(chunk.live, words, selection);
  for (const CompiledClause& clause : clauses_) {
    const uint32_t left = count_bits(selection, words);
    if (left == 0) {
      return;
    }
    if (left * row_test_cost(sketches) < chunk.row_count) {
      for_each_bit(selection, words, [&](uint32_t row) {
        if (!matches(chunk, row)) {
          clear_bit(selection, row);
        }
      });
      return;
    }
    if (clause.is_tree) {
      tree_->select(*layout_, literals_.data(), constants_.data(), chunk, sketches, scratch, selection);
      continue;
    }
    uint64_t* marked = scratch.clause.data();
    if (clause.count == 1) {
      marker.mark(literals_[clause.first], selection, marked);
    } else {
      std::fill_n(marked, words, 0);
      for (const CompiledLiteral& literal : literals(clause)) {
        marker.mark(literal, selection, scratch.literal.data());
        or_into(marked, scratch.literal.data(), words);
      }
    }
    and_into(selection, marked, words);
  }
}

}  // namespace daedalus::engine

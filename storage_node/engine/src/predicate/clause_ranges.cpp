#include "clause_ranges.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Longer disjunctions are tested on rows.
constexpr uint32_t kRangesMax = 8;

/// Precondition: some value's code lies within `codes`; predicates that no row can satisfy have no clauses.
void add_codes(const Histogram& histogram, uint32_t column, CodeRange codes, ClauseRanges& out) {
  const BucketRange buckets = histogram.buckets(codes);
  DCHECK(buckets.low <= buckets.high);
  out.ranges.push_back({column, buckets.low, buckets.high});
  out.share += histogram.share(buckets);
  out.is_exact &= buckets.is_exact;
}

void add_members(const CompiledPredicate& predicate, const Histogram& histogram, const CompiledLiteral& literal,
                 ClauseRanges& out) {
  for (uint32_t member = 0; member < literal.constant_count; ++member) {
    const uint64_t code = predicate.member(literal, member).code;
    add_codes(histogram, literal.column, {code, code}, out);
  }
}

void add_literal(const Sketches& sketches, const CompiledPredicate& predicate, const CompiledLiteral& literal,
                 ClauseRanges& out) {
  using Kind = CompiledLiteral::Kind;
  const Histogram& histogram = sketches.histogram(literal.column);
  switch (literal.kind) {
    case Kind::kIsNull:
      out.ranges.push_back({literal.column, kNullBucket, kNullBucket});
      out.share += histogram.null_share();
      return;
    case Kind::kIsNotNull:
      out.ranges.push_back({literal.column, 0, kNullBucket - 1});
      out.share += 1 - histogram.null_share();
      return;
    case Kind::kIn:
      if (!literal.negated && literal.constant_count <= kRangesMax) {
        return add_members(predicate, histogram, literal, out);
      }
      break;
    default:
      break;
  }
  add_codes(histogram, literal.column, literal.reach(), out);
  out.is_exact &= literal.kind == Kind::kRange && !literal.negated;
}

}  // namespace

void describe_clause(const Sketches& sketches, const CompiledPredicate& predicate, uint32_t clause, ClauseRanges& out) {
  out.ranges.clear();
  out.share = 0;
  out.is_exact = !predicate.clauses()[clause].is_tree;
  for (const CompiledLiteral& literal : predicate.literals(predicate.clauses()[clause])) {
    add_literal(sketches, predicate, literal, out);
    if (out.ranges.size() > kRangesMax) {
      out.ranges.clear();
      break;
    }
  }
  out.share = out.ranges.empty() ? 1 : std::min(1.0, out.share);
  out.is_exact &= !out.ranges.empty();
}

bool widen(const Histogram& histogram, uint32_t bounds_max, SketchRange& range) {
  if (range.low == kNullBucket) {
    return true;
  }
  const uint32_t last = histogram.last_bucket();
  const uint32_t step = last / bounds_max + 1;
  const uint32_t low = range.low / step * step;
  // Above the last bucket there is nothing but NULL: ranges to the end share one bound.
  const uint32_t high = range.high >= last ? kNullBucket - 1u : std::min(range.high / step * step + step - 1, last);
  const bool is_same = low == range.low && (high == range.high || range.high >= last);
  range.low = static_cast<uint8_t>(low);
  range.high = static_cast<uint8_t>(high == last ? kNullBucket - 1u : high);
  return is_same;
}

}  // namespace daedalus::engine

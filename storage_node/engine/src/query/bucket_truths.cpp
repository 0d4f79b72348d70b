#include "bucket_truths.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// The column that a condition is over, where it is one.
std::optional<uint32_t> only_input(const semantics::BoundExpression& condition) {
  std::optional<uint32_t> only;
  bool are_several = false;
  semantics::for_each_input(condition, [&](uint32_t input) {
    are_several = are_several || (only && *only != input);
    only = input;
  });
  return are_several ? std::nullopt : only;
}

semantics::Value value_of(const ColumnLayout& layout, uint64_t code) {
  const uint64_t raw = raw_of(layout.code, code);
  return to_value(layout, reinterpret_cast<const uint8_t*>(&raw));
}

}  // namespace

std::unique_ptr<const BucketTruths> BucketTruths::of(const TableLayout& layout,
                                                     const semantics::BoundExpression& condition,
                                                     const Sketches& sketches) {
  const std::optional<uint32_t> column = only_input(condition);
  if (!column) {
    return nullptr;
  }
  const Histogram& histogram = sketches.histogram(*column);
  auto made = std::unique_ptr<BucketTruths>(new BucketTruths(*column));
  double decided = 0;
  const auto judge = [&](uint8_t bucket, semantics::Value value, double share) {
    made->judge(condition, bucket, std::move(value));
    decided += made->truths_[bucket] == kOpen ? 0 : share;
  };
  for (uint32_t bucket = 0; bucket <= histogram.last_bucket(); ++bucket) {
    const auto number = static_cast<uint8_t>(bucket);
    if (const std::optional<uint64_t> code = histogram.only_code(number)) {
      judge(number, value_of(layout.columns[*column], *code), histogram.share(BucketRange{number, number}));
    }
  }
  if (layout.columns[*column].nullable) {
    judge(kNullBucket, {}, histogram.null_share());
  }
  if (decided < 0.5) {
    return nullptr;
  }
  mark_branch(Branch::kBucketsDecide);
  return made;
}

void BucketTruths::judge(const semantics::BoundExpression& condition, uint8_t bucket, semantics::Value value) {
  std::vector<semantics::Value> row(column_ + 1);
  row[column_] = std::move(value);
  const Result<semantics::Value> truth = semantics::evaluate(condition, row);
  if (truth) {
    truths_[bucket] = *truth == semantics::Value(true) ? kTrue : 0;
  }
}

void BucketTruths::look_up(const RowBatch& batch, const uint8_t* bytes, VectorBits& rows, VectorBits& open) const {
  for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
    open[word] = 0;
    if (rows[word] == 0) {
      continue;
    }
    uint64_t are_true = 0;
    uint64_t are_open = 0;
    const uint32_t count = std::min(64u, batch.count - word * 64);
    for (uint32_t bit = 0; bit < count; ++bit) {
      const uint64_t truth = truths_[bytes[batch.row(word * 64 + bit)]];
      are_true |= (truth & kTrue) << bit;
      are_open |= (truth >> 1) << bit;
    }
    open[word] = rows[word] & are_open;
    rows[word] &= are_true;
  }
}

}  // namespace daedalus::engine

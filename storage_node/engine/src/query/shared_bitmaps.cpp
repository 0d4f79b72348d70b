#include "shared_bitmaps.hpp"

#include <algorithm>

#include "branches.hpp"

namespace daedalus::engine {
std::optional<uint32_t> SharedBitmaps::missing(std::span<const SketchRange> ranges) const {
  uint32_t count = ranges.size() > 1 ? 1 : 0;
  for (const SketchRange& range : ranges) {
    if (range.is_bucket) {
      count += find(range.column, bucket_mark(range.low)) == kNone ? 1 : 0;
      continue;
    }
    count += range.low > 0 && find(range.column, static_cast<uint8_t>(range.low - 1)) == kNone ? 1 : 0;
    count += range.high < kNullBucket && find(range.column, range.high) == kNone ? 1 : 0;
  }
  if (plan_->bitmap_count + count > kSharedBitmapsMax) {
    return std::nullopt;
  }
  return count;
}

uint16_t SharedBitmaps::find_or_add(uint32_t column, uint32_t mark) {
  uint16_t& slot = slots_[column];
  if (slot == kNone) {
    slot = static_cast<uint16_t>(numbers_.size());
    numbers_.emplace_back().fill(kNone);
  }
  uint16_t& number = numbers_[slot][mark];
  if (number == kNone) {
    number = static_cast<uint16_t>(plan_->bitmap_count++);
    bucket_count_ += mark >= bucket_mark(0) ? 1 : 0;
    plan_->bounds.push_back({column, number, static_cast<uint8_t>(mark), mark >= bucket_mark(0)});
  }
  return number;
}

SketchSpan SharedBitmaps::span_of(const SketchRange& range) {
  if (range.is_bucket) {
    mark_branch(Branch::kBucketBitmap);
    return {.within = find_or_add(range.column, bucket_mark(range.low)), .has_within = true};
  }
  SketchSpan span{.has_within = range.low > 0, .has_without = range.high < kNullBucket};
  if (span.has_within) {
    span.within = find_or_add(range.column, static_cast<uint8_t>(range.low - 1));
  }
  if (span.has_without) {
    span.without = find_or_add(range.column, range.high);
  }
  return span;
}

SketchSpan SharedBitmaps::add(std::span<const SketchRange> ranges) {
  if (ranges.size() == 1) {
    return span_of(ranges[0]);
  }
  SketchUnion all{.spans = {static_cast<uint32_t>(plan_->spans.size()), static_cast<uint32_t>(ranges.size())}};
  for (const SketchRange& range : ranges) {
    plan_->spans.push_back(span_of(range));
  }
  all.bitmap = static_cast<uint16_t>(plan_->bitmap_count++);
  plan_->unions.push_back(all);
  return {.within = all.bitmap, .has_within = true};
}

void SharedBitmaps::end() {
  std::sort(plan_->bounds.begin(), plan_->bounds.end(), [](const SketchBound& left, const SketchBound& right) {
    return left.column != right.column ? left.column < right.column : left.bound < right.bound;
  });
}

}  // namespace daedalus::engine

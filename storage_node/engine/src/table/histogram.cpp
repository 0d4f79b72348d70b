#include "histogram.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// A bucket of several values may hold so many times its even part before buckets are drawn anew. A new sample of 2,048
/// rows has eight rows a bucket on average, and thrice as many in some.
constexpr uint64_t kUnevennessMax = 6;

/// Values of a sample, each with how often it came.
struct Distinct {
  uint64_t code = 0;
  uint32_t count = 0;
};

std::vector<Distinct> distinct_of(const std::vector<uint64_t>& codes) {
  std::vector<Distinct> distinct;
  for (const uint64_t code : codes) {
    if (distinct.empty() || distinct.back().code != code) {
      distinct.push_back({code, 0});
    }
    ++distinct.back().count;
  }
  return distinct;
}

/// How many times more values there are than a sample shows: Chao's estimate from those seen once and twice.
double unseen_factor(const std::vector<Distinct>& distinct, uint64_t rows) {
  double once = 0;
  double twice = 0;
  for (const Distinct& value : distinct) {
    once += value.count == 1 ? 1 : 0;
    twice += value.count == 2 ? 1 : 0;
  }
  const auto seen = static_cast<double>(distinct.size());
  const double estimate = seen + once * once / (2 * std::max(1.0, twice));
  return std::clamp(estimate, seen, std::max(seen, static_cast<double>(rows))) / std::max(1.0, seen);
}

}  // namespace

Histogram::Histogram() {
  bounds_.fill(UINT64_MAX);
  below_.fill(1);
  below_[0] = 0;
  distinct_.fill(1);
}

Histogram::Histogram(const CodeRule& rule, const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows)
    : Histogram() {
  rule_ = rule;
  const std::vector<Distinct> distinct = distinct_of(codes);
  const auto add = [this](uint64_t bound) {
    if (bound != 0 && bound_count_ < kBoundsMax && (bound_count_ == 0 || bounds_[bound_count_ - 1] < bound)) {
      bounds_[bound_count_++] = bound;
    }
  };
  if (distinct.size() <= kBoundsMax / 2) {
    // Every value seen has a bucket to itself: what equalities on it find is exact.
    for (const Distinct& value : distinct) {
      add(value.code);
      const uint64_t next = (value.code | (rule.step() - 1)) + 1;
      if (!rule.is_floating && next != 0) {
        add(next);
      }
    }
  } else {
    for (uint64_t bound = 1; bound <= kBoundsMax; ++bound) {
      add(codes[bound * (codes.size() - 1) / (kBoundsMax + 1)]);
    }
  }
  count(codes, sampled, rows);
}

bool Histogram::recount(const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows) {
  const std::vector<Distinct> distinct = distinct_of(codes);
  std::array<uint32_t, 256> counts{};
  std::array<uint32_t, 256> kinds{};
  for (const Distinct& value : distinct) {
    counts[bucket(value.code)] += value.count;
    ++kinds[bucket(value.code)];
  }
  for (uint32_t at = 0; at <= bound_count_; ++at) {
    if (kinds[at] > 1 && uint64_t{counts[at]} * kBoundsMax > kUnevennessMax * sampled) {
      return false;
    }
  }
  count(codes, sampled, rows);
  return true;
}

void Histogram::count(const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows) {
  if (sampled == 0) {
    return;
  }
  const std::vector<Distinct> distinct = distinct_of(codes);
  const double unseen = unseen_factor(distinct, rows);
  std::array<double, 256> counts{};
  distinct_.fill(0);
  for (const Distinct& value : distinct) {
    counts[bucket(value.code)] += value.count;
    distinct_[bucket(value.code)] += 1;
  }
  null_share_ = static_cast<double>(sampled - codes.size()) / sampled;
  below_[0] = 0;
  commonest_share_ = 0;
  for (uint32_t at = 0; at < 256; ++at) {
    // A value that a sample did not show is rare, but not impossible.
    below_[at + 1] = below_[at] + counts[at] / sampled;
    distinct_[at] = std::max(1.0, distinct_[at] * unseen);
    commonest_share_ = std::max(commonest_share_, (below_[at + 1] - below_[at]) / distinct_[at]);
  }
}

BucketRange Histogram::buckets(CodeRange codes) const {
  const uint64_t below_step = rule_.step() - 1;
  // Codes between two values belong to no row: a range may as well begin and end at values, and what lies above a value
  // does not begin in that value's bucket. Negative floating numbers have all of those bits set.
  const uint64_t next = (codes.low | below_step) + 1;
  const uint64_t low = (codes.low & below_step) != 0 && next != 0 && !rule_.is_floating ? next : codes.low;
  BucketRange range{bucket(low), bucket(codes.high), false};
  const uint64_t end = (codes.high | below_step) + 1;  // 0: after the highest code.
  const bool low_fits = range.low == 0 ? codes.low == 0 : bounds_[range.low - 1] == low;
  const bool high_fits = range.high == bound_count_ ? codes.high == UINT64_MAX : bounds_[range.high] == end;
  range.is_exact = rule_.is_exact && !rule_.is_floating && low_fits && high_fits;
  return range;
}

std::optional<uint64_t> Histogram::only_code(uint8_t bucket) const {
  const uint64_t low = bucket == 0 ? 0 : bounds_[bucket - 1u];
  const uint64_t high = bucket == bound_count_ ? UINT64_MAX : bounds_[bucket] - 1;
  const bool is_only = rule_.is_exact && !rule_.is_floating && (low | (rule_.step() - 1)) == high;
  return is_only ? std::optional(low) : std::nullopt;
}

double Histogram::share(CodeRange codes) const {
  if (codes.is_empty()) {
    return 0;
  }
  const uint32_t low = bucket(codes.low);
  const uint32_t high = codes.low == codes.high ? low : bucket(codes.high);
  const double whole = below_[high + 1] - below_[low];
  if (codes.low == codes.high) {
    return whole / distinct_[low];
  }
  // Half of what lies in the buckets at both ends, on average.
  return std::max(whole - (below_[low + 1] - below_[low] + below_[high + 1] - below_[high]) / 2, whole / 4);
}

}  // namespace daedalus::engine

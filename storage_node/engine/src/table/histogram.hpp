// How the values of one column are spread, from a sample: at most 255 buckets of codes, about equally many rows in
// each.
//
// Decides selectivities, and with them every plan's costs, never an answer. The same buckets number the bytes of a
// sketch (sketches.hpp). Refuses to know queries.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "codes.hpp"

namespace daedalus::engine {

/// A bucket number means this to a sketch: 0 to 254 are buckets, 255 is NULL.
constexpr uint8_t kNullBucket = 255;

/// Buckets that hold every code of a range.
struct BucketRange {
  uint8_t low = 0;
  uint8_t high = kNullBucket - 1;
  bool is_exact = false;  ///< They hold no other value of the column.
};

class Histogram {
 public:
  /// Makes a histogram of nothing: one bucket.
  Histogram();
  /// `codes`: those sampled that are not NULL, ascending. rows: live rows of the table; sampled: rows looked at.
  Histogram(const CodeRule& rule, const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows);

  /// Counts anew, in the same buckets, what is now in them; arguments as above. False when one of them now holds much
  /// more than its part: nothing has changed then, draw others.
  [[nodiscard]] bool recount(const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows);

  /// Eight comparisons, no branch.
  [[nodiscard]] uint8_t bucket(uint64_t code) const {
    uint32_t at = 0;
    for (uint32_t step = 128; step > 0; step /= 2) {
      at += bounds_[at + step - 1] <= code ? step : 0;
    }
    return static_cast<uint8_t>(at < bound_count_ ? at : bound_count_);
  }

  /// The highest that some value is in.
  [[nodiscard]] uint32_t last_bucket() const { return bound_count_; }

  /// Precondition: the range is not empty.
  [[nodiscard]] BucketRange buckets(CodeRange codes) const;

  /// The code of all values in a bucket, where there can be but one.
  [[nodiscard]] std::optional<uint64_t> only_code(uint8_t bucket) const;

  /// The share of rows within a range of codes, and of rows that are NULL.
  [[nodiscard]] double share(CodeRange codes) const;
  [[nodiscard]] double share(BucketRange buckets) const { return below_[buckets.high + 1u] - below_[buckets.low]; }
  [[nodiscard]] double null_share() const { return null_share_; }
  /// No single value's share is above this, by estimate: no equality is worth a look at its constant.
  [[nodiscard]] double commonest_share() const { return commonest_share_; }

 private:
  static constexpr uint32_t kBoundsMax = 254;

  void count(const std::vector<uint64_t>& codes, uint32_t sampled, uint64_t rows);

  CodeRule rule_;
  uint32_t bound_count_ = 0;
  std::array<uint64_t, 256> bounds_{};  ///< Bucket b begins at bounds_[b - 1]; unused ones are the highest code.
  std::array<double, 257> below_{};     ///< Share of rows in buckets before this one.
  std::array<double, 256> distinct_{};  ///< Different values in the bucket, by estimate; at least one.
  double null_share_ = 0;
  double commonest_share_ = 1;
};

}  // namespace daedalus::engine

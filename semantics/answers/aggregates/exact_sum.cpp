#include "exact_sum.hpp"

#include <limits>

#include "int128.hpp"
#include "interval.hpp"

namespace daedalus::semantics {
namespace {

constexpr uint32_t kFieldBits = 128;

BigInt shifted(int64_t field, uint32_t fields) { return BigInt(field) << (kFieldBits * fields); }

/// Takes the lowest field off a number: what is left of it is nearest to zero, on either side.
Int128 take_field(BigInt& number) {
  static const BigInt kSize = BigInt(1) << kFieldBits;
  static const BigInt kHalf = BigInt(1) << (kFieldBits - 1);
  const BigInt above = divide_floor(number + kHalf, kSize);
  const BigInt field = number - above * kSize;
  number = above;
  return to_int128(field);
}

}  // namespace

BigInt number_of(const Interval& interval) {
  return shifted(interval.months, 2) + shifted(interval.days, 1) + BigInt(interval.micros);
}

Result<Interval> interval_of(BigInt number) {
  const Int128 micros = take_field(number);
  const Int128 days = take_field(number);
  const bool fits = number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max();
  // Months that do not fit are as good as any that are one too many.
  return make_interval(fits ? to_int128(number) : Int128{std::numeric_limits<int64_t>::max()}, days, micros);
}

}  // namespace daedalus::semantics

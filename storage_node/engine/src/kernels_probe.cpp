#include "kernels_probe.hpp"

#include "codes.hpp"

// Highway compiles what lies between its BEFORE and AFTER once for each instruction set: this file includes itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels_probe.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace daedalus::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<uint32_t>;

#if HWY_TARGET == HWY_SCALAR
// Without vectors columns are left to the plain twin: no row is done here.
uint32_t add_key_vectors(BytesPlane, uint32_t, uint32_t, uint32_t*) { return 0; }
#else

/// Loads lanes of a narrower type as 32 bits.
template <typename T>
HWY_INLINE HWY_ATTR auto load_promoted(const uint8_t* values) {
  const hn::Rebind<T, Tag> narrow;
  const hn::Repartition<uint8_t, decltype(narrow)> bytes;
  return hn::PromoteTo(Tag(), hn::BitCast(narrow, hn::LoadU(bytes, values)));
}

/// Whole vectors only; returns the rows done.
HWY_ATTR uint32_t add_key_vectors(BytesPlane plane, uint32_t row_count, uint32_t multiplier, uint32_t* sums) {
  const Tag d;
  const auto lanes = static_cast<uint32_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, multiplier);
  const uint8_t* values = plane.values;
  uint32_t row = 0;
  const auto add = [&](auto value) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + row), hn::Mul(value, factor)), d, sums + row);
  };
  switch (plane.width) {
    case 1:
      for (; row + lanes <= row_count; row += lanes) {
        add(load_promoted<uint8_t>(values + row));
      }
      return row;
    case 2:
      for (; row + lanes <= row_count; row += lanes) {
        add(load_promoted<uint16_t>(values + size_t{row} * 2));
      }
      return row;
    case 4:
      for (; row + lanes <= row_count; row += lanes) {
        add(hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, Tag>(), values + size_t{row} * 4)));
      }
      return row;
    case 8: {
      const auto high_factor = hn::Set(d, 0x85ebca6bu);
      for (; row + lanes <= row_count; row += lanes) {
        const hn::Repartition<uint8_t, Tag> bytes;
        const auto first = hn::BitCast(d, hn::LoadU(bytes, values + size_t{row} * 8));
        const auto second = hn::BitCast(d, hn::LoadU(bytes, values + size_t{row + lanes / 2} * 8));
        const auto low = hn::ConcatEven(d, second, first);
        const auto high = hn::ConcatOdd(d, second, first);
        add(hn::Xor(low, hn::Mul(high, high_factor)));
      }
      return row;
    }
    default:
      return 0;
  }
}

#endif

HWY_INLINE HWY_ATTR auto finish_lanes(hn::Vec<Tag> sum) {
  const Tag d;
  sum = hn::Xor(sum, hn::ShiftRight<15>(sum));
  sum = hn::Mul(sum, hn::Set(d, 0x2c1b3c6du));
  return hn::Xor(sum, hn::ShiftRight<13>(sum));
}

/// Appends the lanes of `pass`. A compress in the register and a plain store: storing compressed is slow on some CPUs.
HWY_INLINE HWY_ATTR uint32_t keep(hn::Vec<Tag> hash, uint32_t row, hn::Mask<Tag> pass, uint32_t count,
                                  ProbeSurvivors& survivors) {
  const Tag d;
  hn::StoreU(hn::Compress(hn::Iota(d, row), pass), d, survivors.rows + count);
  hn::StoreU(hn::Compress(hash, pass), d, survivors.hashes + count);
  return count + static_cast<uint32_t>(hn::CountTrue(d, pass));
}

HWY_ATTR uint32_t probe_memory(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                               ProbeSurvivors& survivors) {
  const Tag d;
  const hn::RebindToSigned<Tag> index_tag;
  const auto lanes = static_cast<uint32_t>(hn::Lanes(d));
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += lanes) {
    const auto hash = finish_lanes(hn::LoadU(d, sums + row));
    const auto bit = hn::ShiftRightSame(hash, static_cast<int>(filter.shift));
    const auto word = hn::GatherIndex(d, filter.words, hn::BitCast(index_tag, hn::ShiftRight<5>(bit)));
    const auto mask = hn::Shl(hn::Set(d, 1u), hn::And(bit, hn::Set(d, 31u)));
    count = keep(hash, row, hn::TestBit(word, mask), count, survivors);
  }
  return count;
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
/// 2,048 bits are four registers of sixteen words: the word of each lane is picked by permutation, without memory.
HWY_ATTR uint32_t probe_registers(const uint32_t* sums, uint32_t row_count, const uint32_t* words,
                                  ProbeSurvivors& survivors) {
  const Tag d;
  const auto lanes = static_cast<uint32_t>(hn::Lanes(d));
  const auto first = hn::LoadU(d, words);
  const auto second = hn::LoadU(d, words + 16);
  const auto third = hn::LoadU(d, words + 32);
  const auto fourth = hn::LoadU(d, words + 48);
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += lanes) {
    const auto hash = finish_lanes(hn::LoadU(d, sums + row));
    // The permutation looks at the low four bits of an index only.
    const auto place = hn::ShiftRight<26>(hash);
    const auto index = hn::IndicesFromVec(d, hn::And(place, hn::Set(d, 15u)));
    const auto is_odd = hn::TestBit(place, hn::Set(d, 16u));
    const auto low = hn::IfThenElse(is_odd, hn::TableLookupLanes(second, index), hn::TableLookupLanes(first, index));
    const auto high = hn::IfThenElse(is_odd, hn::TableLookupLanes(fourth, index), hn::TableLookupLanes(third, index));
    const auto word = hn::IfThenElse(hn::TestBit(place, hn::Set(d, 32u)), high, low);
    const auto mask = hn::Shl(hn::Set(d, 1u), hn::And(hn::ShiftRight<21>(hash), hn::Set(d, 31u)));
    count = keep(hash, row, hn::TestBit(word, mask), count, survivors);
  }
  return count;
}
#endif

/// Precondition: `sums` has a whole vector's worth of readable words behind row_count.
HWY_ATTR uint32_t probe_vectors(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                                ProbeSurvivors& survivors) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if ((kRegisterFilterBits << filter.shift) == 0) {
    return probe_registers(sums, row_count, filter.words, survivors);
  }
#endif
  return probe_memory(sums, row_count, filter, survivors);
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(add_key_vectors);
HWY_EXPORT(probe_vectors);

void add_key_column(BytesPlane plane, uint32_t row_count, uint32_t multiplier, uint32_t* sums) noexcept {
  const uint32_t done = HWY_DYNAMIC_DISPATCH(add_key_vectors)(plane, row_count, multiplier, sums);
  scalar::add_key_column({plane.values + size_t{done} * plane.width, plane.width}, row_count - done, multiplier,
                         sums + done);
}

uint32_t probe_filter(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                      ProbeSurvivors& survivors) noexcept {
  // Whole vectors are read without looking; what is left of a last one goes the plain way.
  const uint32_t whole = row_count / 64 * 64;
  uint32_t count = HWY_DYNAMIC_DISPATCH(probe_vectors)(sums, whole, filter, survivors);
  for (uint32_t row = whole; row < row_count; ++row) {
    const uint32_t hash = finished_hash(sums[row]);
    survivors.rows[count] = row;
    survivors.hashes[count] = hash;
    count += (filter.words[hash >> filter.shift >> 5] >> ((hash >> filter.shift) & 31)) & 1;
  }
  return count;
}

namespace scalar {
namespace {

template <uint32_t kWidth>
void add_strings(const uint8_t* values, uint32_t row_count, uint32_t multiplier, uint32_t* sums) {
  constexpr uint64_t kMask = kWidth >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * (kWidth % 8))) - 1;
  for (uint32_t row = 0; row < row_count; ++row) {
    sums[row] += folded(load<uint64_t>(values + size_t{row} * kWidth) & kMask) * multiplier;
  }
}

}  // namespace

void add_key_column(BytesPlane plane, uint32_t row_count, uint32_t multiplier, uint32_t* sums) noexcept {
  switch (plane.width) {
    case 1:
      return add_strings<1>(plane.values, row_count, multiplier, sums);
    case 2:
      return add_strings<2>(plane.values, row_count, multiplier, sums);
    case 3:
      return add_strings<3>(plane.values, row_count, multiplier, sums);
    case 4:
      return add_strings<4>(plane.values, row_count, multiplier, sums);
    case 5:
      return add_strings<5>(plane.values, row_count, multiplier, sums);
    case 6:
      return add_strings<6>(plane.values, row_count, multiplier, sums);
    case 7:
      return add_strings<7>(plane.values, row_count, multiplier, sums);
    default:
      for (uint32_t row = 0; row < row_count; ++row) {
        sums[row] += folded(load<uint64_t>(plane.values + size_t{row} * plane.width)) * multiplier;
      }
  }
}

uint32_t probe_filter(const uint32_t* sums, uint32_t row_count, ProbeFilter filter,
                      ProbeSurvivors& survivors) noexcept {
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; ++row) {
    const uint32_t hash = finished_hash(sums[row]);
    const uint32_t bit = hash >> filter.shift;
    if (((filter.words[bit / 32] >> (bit % 32)) & 1) != 0) {
      survivors.rows[count] = row;
      survivors.hashes[count] = hash;
      ++count;
    }
  }
  return count;
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

#include "kernels_probe.hpp"

#include "codes.hpp"
#include "kernels_probe_avx512.hpp"

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
// Without vectors everything is left to plain code: no row is done here.
uint32_t add_key_vectors(BytesPlane, uint32_t, uint32_t, uint32_t*) { return 0; }
uint32_t unpack_vectors(BytesPlane, uint32_t, uint8_t*) { return 0; }
#else

/// Loads lanes of a narrower type as 32 bits.
template <typename T>
HWY_INLINE HWY_ATTR auto load_promoted(const uint8_t* values) {
  const hn::Rebind<T, Tag> narrow;
  const hn::Repartition<uint8_t, decltype(narrow)> bytes;
  return hn::PromoteTo(Tag(), hn::BitCast(narrow, hn::LoadU(bytes, values)));
}

/// Adds folded(value) · multiplier to the sum of each row. Whole vectors only; returns the rows done.
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

/// Values of three bytes to four, of five to seven to eight, zeros behind. Whole steps only; returns the rows done.
HWY_ATTR uint32_t unpack_vectors(BytesPlane plane, uint32_t row_count, uint8_t* out) {
  const hn::FixedTag<uint8_t, 16> d;
  const uint32_t wide = plane.width == 3 ? 4 : 8;
  const uint32_t step = 16 / wide;
  alignas(16) uint8_t order[16];
  for (uint32_t byte = 0; byte < 16; ++byte) {
    const bool is_value = byte % wide < plane.width;
    order[byte] = is_value ? static_cast<uint8_t>(byte / wide * plane.width + byte % wide) : uint8_t{0x80};
  }
  const auto picked = hn::Load(d, order);
  uint32_t row = 0;
  for (; row + step <= row_count; row += step) {
    const auto values = hn::LoadU(d, plane.values + size_t{row} * plane.width);
    hn::StoreU(hn::TableLookupBytesOr0(values, picked), d, out + size_t{row} * wide);
  }
  return row;
}

#endif

HWY_INLINE HWY_ATTR auto finish_lanes(hn::Vec<Tag> sum) {
  const Tag d;
  sum = hn::Xor(sum, hn::ShiftRight<15>(sum));
  sum = hn::Mul(sum, hn::Set(d, 0x2c1b3c6du));
  return hn::Xor(sum, hn::ShiftRight<13>(sum));
}

/// Keeps those of a vector of rows whose hash's bit is set. A compress in the register and a plain store: storing
/// compressed is slow on some CPUs.
HWY_INLINE HWY_ATTR uint32_t keep_passing(hn::Vec<Tag> rows, hn::Vec<Tag> sums, const ProbeFilter& filter,
                                          uint32_t count, ProbeScratch& scratch) {
  const Tag d;
  const hn::RebindToSigned<Tag> index_tag;
  const auto hash = finish_lanes(sums);
  const auto bit = hn::ShiftRightSame(hash, static_cast<int>(filter.shift));
  const auto word = hn::GatherIndex(d, filter.words, hn::BitCast(index_tag, hn::ShiftRight<5>(bit)));
  const auto mask = hn::Shl(hn::Set(d, 1u), hn::And(bit, hn::Set(d, 31u)));
  const auto pass = hn::TestBit(word, mask);
  hn::StoreU(hn::Compress(rows, pass), d, scratch.rows + count);
  hn::StoreU(hn::Compress(hash, pass), d, scratch.hashes + count);
  return count + static_cast<uint32_t>(hn::CountTrue(d, pass));
}

/// All rows, whose sums are there. Precondition: row_count is a multiple of 64.
HWY_ATTR uint32_t filter_all(const ProbeFilter& filter, uint32_t row_count, ProbeScratch& scratch) {
  const Tag d;
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += static_cast<uint32_t>(hn::Lanes(d))) {
    count = keep_passing(hn::Iota(d, row), hn::LoadU(d, scratch.sums + row), filter, count, scratch);
  }
  return count;
}

}  // namespace daedalus::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace daedalus::engine {

HWY_EXPORT(add_key_vectors);
HWY_EXPORT(unpack_vectors);
HWY_EXPORT(filter_all);

namespace {

/// The first eight bytes of a value, zeros behind shorter ones.
uint64_t first_bytes(BytesPlane plane, uint32_t row) {
  const auto raw = load<uint64_t>(plane.values + size_t{row} * plane.width);
  return plane.width >= 8 ? raw : raw & ((uint64_t{1} << (8 * plane.width)) - 1);
}

uint32_t sum_of(const KeyPlanes& key, uint32_t row) {
  uint32_t sum = 0;
  for (uint32_t place = 0; place < key.count; ++place) {
    sum += folded(first_bytes(key.columns[place], row)) * key_multiplier(place);
  }
  return sum;
}

bool is_vector_width(uint32_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

/// The column as it is, or brought to a width that vectors have.
BytesPlane unpacked(BytesPlane plane, uint32_t row_count, uint8_t* out) {
  if (is_vector_width(plane.width)) {
    return plane;
  }
  const uint32_t wide = plane.width == 3 ? 4 : 8;
  uint32_t row = plane.width > 8 ? 0 : HWY_DYNAMIC_DISPATCH(unpack_vectors)(plane, row_count, out);
  for (; row < row_count; ++row) {
    const uint64_t value = first_bytes(plane, row);
    std::memcpy(out + size_t{row} * wide, &value, wide);
  }
  return {out, wide};
}

void sum_block(const KeyPlanes& key, uint32_t row_count, ProbeScratch& scratch) {
  std::fill_n(scratch.sums, row_count, 0);
  for (uint32_t place = 0; place < key.count; ++place) {
    const BytesPlane plane = key.columns[place];
    uint32_t row = HWY_DYNAMIC_DISPATCH(add_key_vectors)(plane, row_count, key_multiplier(place), scratch.sums);
    for (; row < row_count; ++row) {
      scratch.sums[row] += folded(first_bytes(plane, row)) * key_multiplier(place);
    }
  }
}

/// Appends the row if it passes; without a branch.
uint32_t append_if(bool passes, uint32_t row, uint32_t hash, uint32_t count, ProbeScratch& scratch) {
  scratch.rows[count] = row;
  scratch.hashes[count] = hash;
  return count + (passes ? 1 : 0);
}

/// Lists in first_rows what passes the first filter, which the first-level cache holds: a load, two shifts and no
/// branch a row, where gathering takes several cycles.
uint32_t list_first(const RegisterFilter& filter, uint32_t row_count, ProbeScratch& scratch) {
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; ++row) {
    scratch.first_rows[count] = static_cast<uint16_t>(row);
    count += filter.has(scratch.sums[row]) ? 1 : 0;
  }
  return count;
}

/// Keeps those of the first rows that pass the whole filter. One row at a time: gathering sums and words of the filter
/// was no faster.
uint32_t pass_second(const ProbeFilter& filter, uint32_t first_count, ProbeScratch& scratch) {
  uint32_t count = 0;
  for (uint32_t at = 0; at < first_count; ++at) {
    const uint32_t row = scratch.first_rows[at];
    const uint32_t hash = finished_hash(scratch.sums[row]);
    count = append_if(filter.has(hash), row, hash, count, scratch);
  }
  return count;
}

/// Rows of whole vectors; returns how many pass.
using ProbeVectors = uint32_t (*)(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                                  ProbeScratch& scratch);

uint32_t probe_without_registers(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                                 ProbeScratch& scratch) {
  sum_block(key, row_count, scratch);
  if (filter.first == nullptr) {
    return HWY_DYNAMIC_DISPATCH(filter_all)(filter, row_count, scratch);
  }
  return pass_second(filter, list_first(*filter.first, row_count, scratch), scratch);
}

uint32_t probe_with_registers(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                              ProbeScratch& scratch) {
  const uint32_t first_count = avx512::sum_and_filter(key, row_count, filter.first, scratch);
  return filter.first == nullptr ? HWY_DYNAMIC_DISPATCH(filter_all)(filter, row_count, scratch)
                                 : pass_second(filter, first_count, scratch);
}

uint32_t probe_with(ProbeVectors probe_vectors, const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                    ProbeScratch& scratch) {
  // Whole vectors are read without looking; what is left of a last one goes the plain way.
  const uint32_t whole = row_count / 64 * 64;
  KeyPlanes wide = key;
  for (uint32_t place = 0; place < key.count; ++place) {
    wide.columns[place] = unpacked(key.columns[place], whole, scratch.unpacked[place]);
  }
  uint32_t count = whole == 0 ? 0 : probe_vectors(wide, whole, filter, scratch);
  for (uint32_t row = whole; row < row_count; ++row) {
    const uint32_t sum = sum_of(key, row);
    const uint32_t hash = finished_hash(sum);
    count =
        append_if((filter.first == nullptr || filter.first->has(sum)) && filter.has(hash), row, hash, count, scratch);
  }
  return count;
}

/// With more pairs than that the register filter lets so many rows through that gathering all pairs' bits costs less.
constexpr uint32_t kRegisterPairsMax = 1024;

/// Keeps those of the rows whose pair is in the set; without a branch.
uint32_t keep_pairs(PairPlanes planes, const PairFilter& filter, uint32_t row_count, uint16_t* rows) {
  uint32_t count = 0;
  for (uint32_t at = 0; at < row_count; ++at) {
    const uint16_t row = rows[at];
    rows[count] = row;
    count += filter.has(PairFilter::pair_of(planes.first[row], planes.second[row])) ? 1 : 0;
  }
  return count;
}

/// Rows of whole vectors.
uint32_t list_with_registers(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                             const AheadPlanes& ahead) {
  if (filter.count > kRegisterPairsMax) {
    return avx512::gather_pairs(planes, row_count, filter, rows, ahead);
  }
  return keep_pairs(planes, filter, avx512::filter_pairs(planes, row_count, filter, rows, ahead), rows);
}

}  // namespace

bool has_fast_probes() noexcept { return avx512::is_supported(); }

uint32_t list_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                    const AheadPlanes& ahead) noexcept {
  const uint32_t whole = avx512::is_supported() ? row_count / 64 * 64 : 0;
  uint32_t count = whole == 0 ? 0 : list_with_registers(planes, whole, filter, rows, ahead);
  for (uint32_t row = whole; row < row_count; ++row) {
    rows[count] = static_cast<uint16_t>(row);
    count += filter.has(PairFilter::pair_of(planes.first[row], planes.second[row])) ? 1 : 0;
  }
  return count;
}

uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                    ProbeScratch& scratch) noexcept {
  return probe_with(avx512::is_supported() ? probe_with_registers : probe_without_registers, key, row_count, filter,
                    scratch);
}

namespace generic {

uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                    ProbeScratch& scratch) noexcept {
  return probe_with(probe_without_registers, key, row_count, filter, scratch);
}

}  // namespace generic

namespace scalar {

uint32_t probe_keys(const KeyPlanes& key, uint32_t row_count, const ProbeFilter& filter,
                    ProbeScratch& scratch) noexcept {
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; ++row) {
    const uint32_t sum = sum_of(key, row);
    const uint32_t hash = finished_hash(sum);
    if ((filter.first == nullptr || filter.first->has(sum)) && filter.has(hash)) {
      scratch.rows[count] = row;
      scratch.hashes[count] = hash;
      ++count;
    }
  }
  return count;
}

uint32_t list_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows) noexcept {
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; ++row) {
    if (filter.has(PairFilter::pair_of(planes.first[row], planes.second[row]))) {
      rows[count++] = static_cast<uint16_t>(row);
    }
  }
  return count;
}

}  // namespace scalar
}  // namespace daedalus::engine
#endif  // HWY_ONCE

// One of two files of intrinsics beside Highway (kernels_masks_avx512.cpp). A filter of 4,096 bits lies in eight
// registers, and one permutation of bytes looks up 64 rows in 1,024 of them; Highway has no such permutation, and with
// its lookups of 32-bit lanes the same filter costs three times as much (decision 29).
#include "kernels_probe_avx512.hpp"

#if defined(__x86_64__)
#include <hwy/targets.h>
#include <immintrin.h>

#include "daedalus/base/check.hpp"

#define DAEDALUS_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")))

namespace daedalus::engine::avx512 {
namespace {

/// Sixteen folded values from row `row` on.
template <typename T>
DAEDALUS_AVX512 inline __m512i folded_lanes(const uint8_t* values, uint32_t row) {
  const uint8_t* at = values + size_t{row} * sizeof(T);
  if constexpr (sizeof(T) == 1) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  } else if constexpr (sizeof(T) == 2) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  } else if constexpr (sizeof(T) == 4) {
    return _mm512_loadu_si512(at);
  } else {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i first = _mm512_loadu_si512(at);
    const __m512i second = _mm512_loadu_si512(at + 64);
    const __m512i low = _mm512_permutex2var_epi32(first, even, second);
    const __m512i high = _mm512_permutex2var_epi32(first, _mm512_add_epi32(even, _mm512_set1_epi32(1)), second);
    return _mm512_xor_si512(low, _mm512_mullo_epi32(high, _mm512_set1_epi32(static_cast<int>(0x85ebca6bu))));
  }
}

/// Asks for the 64 values a page behind those from row `row` on: there the hardware's prefetchers begin anew. A plane
/// goes on in the next chunk.
template <typename T>
DAEDALUS_AVX512 inline void fetch_page_ahead(const uint8_t* values, uint32_t row) {
  constexpr size_t kPage = 4096;
  for (size_t line = 0; line < sizeof(T); ++line) {  // 64 values are as many lines as one has bytes.
    _mm_prefetch(reinterpret_cast<const char*>(values + kPage + (size_t{row} * sizeof(T) + line * 64)), _MM_HINT_T1);
  }
}

/// 0 to 63.
DAEDALUS_AVX512 inline __m512i ascending_bytes() {
  alignas(64) uint8_t numbers[64];
  for (uint32_t number = 0; number < 64; ++number) {
    numbers[number] = static_cast<uint8_t>(number);
  }
  return _mm512_load_si512(numbers);
}

/// Bit of each byte by its low three bits.
DAEDALUS_AVX512 inline __m512i one_of_eight(__m512i bytes) {
  const __m512i bits = _mm512_set1_epi64(static_cast<int64_t>(0x8040201008040201u));
  return _mm512_shuffle_epi8(bits, _mm512_and_si512(bytes, _mm512_set1_epi8(7)));
}

/// A filter's bits, how bytes of sums are brought into the order of rows, and numbers of rows.
struct Registers {
  __m512i bits[8];
  __m512i pick;
  __m512i numbers;  ///< 0 to 63.
};

DAEDALUS_AVX512 inline Registers load_registers(const RegisterFilter& filter) {
  Registers registers;
  for (int part = 0; part < 8; ++part) {
    registers.bits[part] = _mm512_load_si512(filter.bytes + part * 64);
  }
  alignas(64) uint8_t pick[64];
  for (uint32_t row = 0; row < 32; ++row) {
    pick[row] = static_cast<uint8_t>(row * 4 + 3);       // The highest bytes of two vectors of sums,
    pick[row + 32] = static_cast<uint8_t>(row * 4 + 2);  // and behind them the second highest.
  }
  registers.pick = _mm512_load_si512(pick);
  registers.numbers = ascending_bytes();
  return registers;
}

/// Bit r: row r of 64 passes, given four vectors of sums.
DAEDALUS_AVX512 inline uint64_t passing(const Registers& registers, const __m512i sums[4]) {
  const __m512i front = _mm512_permutex2var_epi8(sums[0], registers.pick, sums[1]);
  const __m512i back = _mm512_permutex2var_epi8(sums[2], registers.pick, sums[3]);
  const __m512i high = _mm512_shuffle_i64x2(front, back, 0x44);
  const __m512i middle = _mm512_shuffle_i64x2(front, back, 0xee);
  const __mmask64 is_upper = _mm512_movepi8_mask(high);
  const __m512i* bits = registers.bits;
  // The permutation looks at the low seven bits of an index only.
  const __m512i first = _mm512_mask_blend_epi8(is_upper, _mm512_permutex2var_epi8(bits[0], high, bits[1]),
                                               _mm512_permutex2var_epi8(bits[2], high, bits[3]));
  const __m512i second = _mm512_mask_blend_epi8(is_upper, _mm512_permutex2var_epi8(bits[4], high, bits[5]),
                                                _mm512_permutex2var_epi8(bits[6], high, bits[7]));
  const __m512i found = _mm512_mask_blend_epi8(_mm512_movepi8_mask(middle), first, second);
  return _mm512_test_epi8_mask(found, one_of_eight(_mm512_srli_epi16(middle, 4)));
}

/// Appends row + r for every set bit r of `pass`; returns the new count. numbers: 0 to 63.
DAEDALUS_AVX512 inline uint32_t append_rows(__m512i numbers, uint64_t pass, uint32_t row, uint16_t* rows,
                                            uint32_t count) {
  const __m512i kept = _mm512_maskz_compress_epi8(pass, numbers);
  const __m512i base = _mm512_set1_epi16(static_cast<int16_t>(row));
  const auto found = static_cast<uint32_t>(__builtin_popcountll(pass));
  _mm512_storeu_si512(rows + count, _mm512_add_epi16(base, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(kept))));
  if (found > 32) {
    _mm512_storeu_si512(rows + count + 32,
                        _mm512_add_epi16(base, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(kept, 1))));
  }
  return count + found;
}

/// 256 bytes, looked up by 64 others at a time.
struct ByteTable {
  __m512i parts[4];
};

DAEDALUS_AVX512 inline __m512i find(const ByteTable& table, __m512i at) {
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), _mm512_permutex2var_epi8(table.parts[0], at, table.parts[1]),
                                _mm512_permutex2var_epi8(table.parts[2], at, table.parts[3]));
}

/// One half of a set's register filter. Narrow: its two tables as one, for half the work.
template <bool kWide>
struct PairTables {
  ByteTable tables[kWide ? 2 : 1];
};

template <bool kWide>
DAEDALUS_AVX512 inline PairTables<kWide> load_tables(const uint8_t (&bytes)[2][256]) {
  PairTables<kWide> loaded;
  for (int part = 0; part < 4; ++part) {
    const __m512i low = _mm512_load_si512(bytes[0] + part * 64);
    const __m512i high = _mm512_load_si512(bytes[1] + part * 64);
    if constexpr (kWide) {
      loaded.tables[0].parts[part] = low;
      loaded.tables[1].parts[part] = high;
    } else {
      loaded.tables[0].parts[part] = _mm512_or_si512(low, high);
    }
  }
  return loaded;
}

/// Bit r of the result: the bit that `one` and `other` of row r choose is set.
template <bool kWide>
DAEDALUS_AVX512 inline __mmask64 passing(const PairTables<kWide>& half, __m512i one, __m512i other) {
  __m512i found = find(half.tables[0], one);
  if constexpr (kWide) {
    const __mmask64 is_high = _mm512_test_epi8_mask(other, _mm512_set1_epi8(8));
    found = _mm512_mask_blend_epi8(is_high, found, find(half.tables[1], one));
  }
  return _mm512_test_epi8_mask(found, one_of_eight(other));
}

/// Into the second-level cache: the first one is for the rows at hand.
DAEDALUS_AVX512 inline void fetch(const AheadPlanes& ahead, uint32_t row) {
  for (uint32_t plane = 0; plane < ahead.count; ++plane) {
    _mm_prefetch(reinterpret_cast<const char*>(ahead.planes[plane] + row), _MM_HINT_T1);
  }
}

template <bool kWide>
DAEDALUS_AVX512 uint32_t run_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                                   const AheadPlanes& ahead) {
  const auto by_first = load_tables<kWide>(filter.by_first);
  const auto by_second = load_tables<kWide>(filter.by_second);
  const __m512i numbers = ascending_bytes();
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += 64) {
    fetch(ahead, row);
    const __m512i one = _mm512_loadu_si512(planes.first + row);
    const __m512i two = _mm512_loadu_si512(planes.second + row);
    const uint64_t pass = _kand_mask64(passing(by_first, one, two), passing(by_second, two, one));
    if (pass != 0) {
      count = append_rows(numbers, pass, row, rows, count);
    }
  }
  return count;
}

/// Bit r: the pair of row r of sixteen is in the set.
DAEDALUS_AVX512 inline uint64_t gathered(const uint8_t* first, const uint8_t* second, const PairFilter& filter) {
  const __m512i one = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first)));
  const __m512i two = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(second)));
  const __m512i at = _mm512_or_si512(_mm512_slli_epi32(two, 3), _mm512_srli_epi32(one, 5));
  const __m512i words = _mm512_i32gather_epi32(at, filter.pairs, 4);
  const __m512i bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(one, _mm512_set1_epi32(31)));
  return _mm512_test_epi32_mask(words, bits);
}

struct NoColumn {};

template <typename First, typename Second, bool kFiltered>
DAEDALUS_AVX512 uint32_t run(const KeyPlanes& key, uint32_t row_count, const RegisterFilter* filter,
                             ProbeScratch& scratch) {
  const __m512i first_factor = _mm512_set1_epi32(static_cast<int>(key_multiplier(0)));
  const __m512i second_factor = _mm512_set1_epi32(static_cast<int>(key_multiplier(1)));
  Registers registers;
  if constexpr (kFiltered) {
    registers = load_registers(*filter);
  }
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += 64) {
    fetch_page_ahead<First>(key.columns[0].values, row);
    if constexpr (!std::is_same_v<Second, NoColumn>) {
      fetch_page_ahead<Second>(key.columns[1].values, row);
    }
    __m512i sums[4];
    for (uint32_t part = 0; part < 4; ++part) {
      const uint32_t at = row + part * 16;
      sums[part] = _mm512_mullo_epi32(folded_lanes<First>(key.columns[0].values, at), first_factor);
      if constexpr (!std::is_same_v<Second, NoColumn>) {
        sums[part] = _mm512_add_epi32(
            sums[part], _mm512_mullo_epi32(folded_lanes<Second>(key.columns[1].values, at), second_factor));
      }
      _mm512_store_si512(scratch.sums + at, sums[part]);
    }
    if constexpr (kFiltered) {
      const uint64_t pass = passing(registers, sums);
      if (pass != 0) {
        count = append_rows(registers.numbers, pass, row, scratch.first_rows, count);
      }
    }
  }
  return count;
}

template <typename Use>
uint32_t with_width(uint32_t width, Use&& use) {
  switch (width) {
    case 1:
      return use(uint8_t{});
    case 2:
      return use(uint16_t{});
    case 4:
      return use(uint32_t{});
    case 8:
      return use(uint64_t{});
    default:
      check_failed("a key column of 1, 2, 4 or 8 bytes", __FILE__, __LINE__);
  }
}

}  // namespace

bool is_supported() noexcept {
  static const bool kSupported = (hwy::SupportedTargets() & HWY_AVX3_DL) != 0;  // Asking takes microseconds.
  return kSupported;
}

uint32_t sum_and_filter(const KeyPlanes& key, uint32_t row_count, const RegisterFilter* filter,
                        ProbeScratch& scratch) noexcept {
  return with_width(key.columns[0].width, [&]<typename First>(First) {
    const auto go = [&]<typename Second>(Second) {
      return filter != nullptr ? run<First, Second, true>(key, row_count, filter, scratch)
                               : run<First, Second, false>(key, row_count, filter, scratch);
    };
    return key.count == 1 ? go(NoColumn{}) : with_width(key.columns[1].width, go);
  });
}

uint32_t filter_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                      const AheadPlanes& ahead) noexcept {
  constexpr uint32_t kNarrowPairsMax = 256;  // So few leave most bits of the narrow tables unset.
  return filter.count <= kNarrowPairsMax ? run_pairs<false>(planes, row_count, filter, rows, ahead)
                                         : run_pairs<true>(planes, row_count, filter, rows, ahead);
}

DAEDALUS_AVX512 uint32_t gather_pairs(PairPlanes planes, uint32_t row_count, const PairFilter& filter, uint16_t* rows,
                                      const AheadPlanes& ahead) noexcept {
  const __m512i numbers = ascending_bytes();
  uint32_t count = 0;
  for (uint32_t row = 0; row < row_count; row += 64) {
    fetch(ahead, row);
    uint64_t pass = 0;
    for (uint32_t part = 0; part < 64; part += 16) {
      pass |= gathered(planes.first + row + part, planes.second + row + part, filter) << part;
    }
    count = append_rows(numbers, pass, row, rows, count);
  }
  return count;
}

}  // namespace daedalus::engine::avx512

#else

namespace daedalus::engine::avx512 {

bool is_supported() noexcept { return false; }

uint32_t sum_and_filter(const KeyPlanes&, uint32_t, const RegisterFilter*, ProbeScratch&) noexcept { return 0; }

uint32_t filter_pairs(PairPlanes, uint32_t, const PairFilter&, uint16_t*, const AheadPlanes&) noexcept { return 0; }

uint32_t gather_pairs(PairPlanes, uint32_t, const PairFilter&, uint16_t*, const AheadPlanes&) noexcept { return 0; }

}  // namespace daedalus::engine::avx512

#endif

// Masks of eight queries where only 16 bytes can be looked up at once: the 64 of a table are four such look-ups, of
// which two bits of the code choose one.
#include <hwy/targets.h>

#include "kernels_masks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define DAEDALUS_AVX2 __attribute__((target("avx2")))

namespace daedalus::engine::avx2 {
namespace {

constexpr uint32_t kVectorRows = 32;
/// Each step takes the vectors of two words: with more the masks and the four parts of a table would not all stay in
/// registers.
constexpr uint32_t kStepVectors = 4;

/// `all` in the rows whose bit is set.
DAEDALUS_AVX2 inline __m256i masked_by_bits(uint32_t bits, __m256i all) {
  const __m256i byte_of_row = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,  //
                                               2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit_of_row = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int32_t>(bits)), byte_of_row);
  return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of_row), bit_of_row), all);
}

struct Table {
  __m256i parts[4];
};

DAEDALUS_AVX2 inline Table load(const MaskTable& table) {
  const auto* from = reinterpret_cast<const __m128i*>(table.queries);
  return {{_mm256_broadcastsi128_si256(_mm_load_si128(from)), _mm256_broadcastsi128_si256(_mm_load_si128(from + 1)),
           _mm256_broadcastsi128_si256(_mm_load_si128(from + 2)),
           _mm256_broadcastsi128_si256(_mm_load_si128(from + 3))}};
}

/// A look-up asks for the low four bits, a choice for the highest one, to which the fifth and the sixth are brought.
DAEDALUS_AVX2 inline __m256i suited(const Table& table, __m256i codes) {
  const __m256i by_fifth = _mm256_slli_epi16(codes, 3);
  const __m256i by_sixth = _mm256_slli_epi16(codes, 2);
  const __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(table.parts[0], codes),
                                         _mm256_shuffle_epi8(table.parts[1], codes), by_fifth);
  const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(table.parts[2], codes),
                                          _mm256_shuffle_epi8(table.parts[3], codes), by_fifth);
  return _mm256_blendv_epi8(low, high, by_sixth);
}

/// The masks of kVectors vectors of rows from `first_row` on stay in registers over all tables.
template <uint32_t kVectors>
DAEDALUS_AVX2 inline void mask_rows(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                    uint32_t first_row, uint8_t active, __m256i (&masks)[kVectors]) {
  const __m256i all = _mm256_set1_epi8(static_cast<char>(active));
  for (uint32_t vector = 0; vector < kVectors; ++vector) {
    const uint32_t row = first_row + vector * kVectorRows;
    masks[vector] = masked_by_bits(static_cast<uint32_t>(live[row / 64] >> (row % 64)), all);
  }
  for (uint32_t number = 0; number < group.table_count; ++number) {
    const Table table = load(group.tables[number]);
    const auto* codes = reinterpret_cast<const __m256i*>(blocks[group.columns[number]].codes + first_row);
    for (uint32_t vector = 0; vector < kVectors; ++vector) {
      masks[vector] = _mm256_and_si256(masks[vector], suited(table, _mm256_load_si256(codes + vector)));
    }
  }
}

/// Lists the rows of one vector that any query may want.
DAEDALUS_AVX2 inline uint32_t list_vector(__m256i masks, uint32_t first_row, MaskedRow* rows, uint32_t count) {
  const __m256i is_unwanted = _mm256_cmpeq_epi8(masks, _mm256_setzero_si256());
  uint32_t wanted = ~static_cast<uint32_t>(_mm256_movemask_epi8(is_unwanted));
  if (wanted == 0) {
    return count;
  }
  alignas(32) uint8_t queries[kVectorRows];
  _mm256_store_si256(reinterpret_cast<__m256i*>(queries), masks);
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto bit = static_cast<uint32_t>(__builtin_ctz(wanted));
    rows[count++] = {static_cast<uint16_t>(first_row + bit), queries[bit]};
  }
  return count;
}

template <uint32_t kVectors>
DAEDALUS_AVX2 inline uint32_t list_rows(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                        uint32_t first_row, uint8_t active, MaskedRow* rows, uint32_t count) {
  __m256i masks[kVectors];
  mask_rows<kVectors>(blocks, group, live, first_row, active, masks);
  for (uint32_t vector = 0; vector < kVectors; ++vector) {
    count = list_vector(masks[vector], first_row + vector * kVectorRows, rows, count);
  }
  return count;
}

}  // namespace

bool is_supported() noexcept {
  static const bool kSupported = (hwy::SupportedTargets() & HWY_AVX2) != 0;  // Asking takes microseconds.
  return kSupported;
}

DAEDALUS_AVX2 void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept {
  const __m256i last = _mm256_set1_epi8(static_cast<char>(kNullCode - 1));
  const __m256i null = _mm256_set1_epi8(static_cast<char>(kNullCode));
  const __m256i high_bits = _mm256_set1_epi8(static_cast<char>(0xffu >> shift));
  const __m128i count = _mm_cvtsi32_si128(static_cast<int32_t>(shift));
  for (uint32_t row = 0; row < word_count * 64; row += kVectorRows) {
    const __m256i buckets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sketches + row));
    // There is no shift of bytes: what comes over from the neighbour is cut off.
    const __m256i high = _mm256_and_si256(_mm256_srl_epi16(buckets, count), high_bits);
    const __m256i is_null = _mm256_cmpeq_epi8(buckets, _mm256_set1_epi8(-1));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out.codes + row),
                       _mm256_blendv_epi8(_mm256_min_epu8(high, last), null, is_null));
  }
}

DAEDALUS_AVX2 uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                   uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept {
  const uint32_t row_count = word_count * 64;
  uint32_t row = 0;
  uint32_t count = 0;
  for (; row + kStepVectors * kVectorRows <= row_count; row += kStepVectors * kVectorRows) {
    count = list_rows<kStepVectors>(blocks, group, live, row, active, rows, count);
  }
  for (; row < row_count; row += kVectorRows) {
    count = list_rows<1>(blocks, group, live, row, active, rows, count);
  }
  return count;
}

}  // namespace daedalus::engine::avx2

#else

#include "daedalus/base/check.hpp"

namespace daedalus::engine::avx2 {

bool is_supported() noexcept { return false; }
void make_codes(const uint8_t*, uint32_t, uint32_t, CodeBlock&) noexcept { check_failed("AVX2", __FILE__, __LINE__); }
uint32_t list_masked(const CodeBlock*, const MaskGroup&, const uint64_t*, uint32_t, uint8_t, MaskedRow*) noexcept {
  check_failed("AVX2", __FILE__, __LINE__);
}

}  // namespace daedalus::engine::avx2
#endif

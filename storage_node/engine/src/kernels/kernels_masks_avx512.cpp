// Masks of eight queries by permutations of bytes: 64 rows are looked up in a table of 64 codes at once. Highway has no
// such permutation (see kernels_probe_avx512.cpp).
#include "kernels_masks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define DAEDALUS_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")))

namespace daedalus::engine::avx512 {
namespace {

/// The masks of a whole block stay in registers over all tables: a table is loaded once.
template <uint32_t kWords>
DAEDALUS_AVX512 inline void mask_rows(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                      uint8_t active, __m512i (&masks)[kMaskWords]) {
  const __m512i all = _mm512_set1_epi8(static_cast<char>(active));
  for (uint32_t word = 0; word < kWords; ++word) {
    masks[word] = _mm512_maskz_mov_epi8(live[word], all);
  }
  for (uint32_t number = 0; number < group.table_count; ++number) {
    const __m512i table = _mm512_load_si512(group.tables[number].queries);
    const uint8_t* codes = blocks[group.columns[number]].codes;
    for (uint32_t word = 0; word < kWords; ++word) {
      const __m512i suited = _mm512_permutexvar_epi8(_mm512_load_si512(codes + size_t{word} * 64), table);
      masks[word] = _mm512_and_si512(masks[word], suited);
    }
  }
}

/// Lists the rows of one word that any query may want.
DAEDALUS_AVX512 inline uint32_t list_word(__m512i masks, uint32_t first_row, MaskedRow* rows, uint32_t count) {
  uint64_t wanted = _mm512_test_epi8_mask(masks, masks);
  if (wanted == 0) {
    return count;
  }
  alignas(64) uint8_t queries[64];
  _mm512_store_si512(queries, masks);
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto bit = static_cast<uint32_t>(__builtin_ctzll(wanted));
    rows[count++] = {static_cast<uint16_t>(first_row + bit), queries[bit]};
  }
  return count;
}

}  // namespace

DAEDALUS_AVX512 void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept {
  const __m512i last = _mm512_set1_epi8(static_cast<char>(kNullCode - 1));
  const __m512i null = _mm512_set1_epi8(static_cast<char>(kNullCode));
  const __m512i high_bits = _mm512_set1_epi8(static_cast<char>(0xffu >> shift));
  for (uint32_t word = 0; word < word_count; ++word) {
    const __m512i buckets = _mm512_loadu_si512(sketches + size_t{word} * 64);
    // There is no shift of bytes: what comes over from the neighbour is cut off.
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(buckets, shift), high_bits);
    const __mmask64 is_null = _mm512_cmpeq_epi8_mask(buckets, _mm512_set1_epi8(-1));
    _mm512_store_si512(out.codes + size_t{word} * 64, _mm512_mask_mov_epi8(_mm512_min_epu8(high, last), is_null, null));
  }
}

DAEDALUS_AVX512 uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live,
                                     uint32_t word_count, uint8_t active, MaskedRow* rows) noexcept {
  __m512i masks[kMaskWords];
  uint32_t count = 0;
  if (word_count == kMaskWords) {
    mask_rows<kMaskWords>(blocks, group, live, active, masks);
    for (uint32_t word = 0; word < kMaskWords; ++word) {
      count = list_word(masks[word], word * 64, rows, count);
    }
    return count;
  }
  for (uint32_t word = 0; word < word_count; ++word) {
    // A block that the chunk's end cuts short: word by word, each codes' block taken from there on.
    const auto* from = reinterpret_cast<const CodeBlock*>(reinterpret_cast<const uint8_t*>(blocks) + size_t{word} * 64);
    mask_rows<1>(from, group, live + word, active, masks);
    count = list_word(masks[0], word * 64, rows, count);
  }
  return count;
}

}  // namespace daedalus::engine::avx512

#else

#include "daedalus/base/check.hpp"

namespace daedalus::engine::avx512 {

void make_codes(const uint8_t*, uint32_t, uint32_t, CodeBlock&) noexcept {
  check_failed("AVX-512", __FILE__, __LINE__);
}
uint32_t list_masked(const CodeBlock*, const MaskGroup&, const uint64_t*, uint32_t, uint8_t, MaskedRow*) noexcept {
  check_failed("AVX-512", __FILE__, __LINE__);
}

}  // namespace daedalus::engine::avx512
#endif

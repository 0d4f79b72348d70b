#include "kernels_masks.hpp"

#include "kernels_probe_avx512.hpp"

namespace daedalus::engine {

bool has_fast_masks() noexcept { return avx512::is_supported() || avx2::is_supported(); }

double mask_table_cost() noexcept {
  constexpr double kWithAvx512 = 0.0015;
  constexpr double kWithAvx2 = 0.004;
  return avx512::is_supported() ? kWithAvx512 : kWithAvx2;
}

void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept {
  avx512::is_supported() ? avx512::make_codes(sketches, shift, word_count, out)
  : avx2::is_supported() ? avx2::make_codes(sketches, shift, word_count, out)
                         : scalar::make_codes(sketches, shift, word_count, out);
}

uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live, uint32_t word_count,
                     uint8_t active, MaskedRow* rows) noexcept {
  return avx512::is_supported() ? avx512::list_masked(blocks, group, live, word_count, active, rows)
         : avx2::is_supported() ? avx2::list_masked(blocks, group, live, word_count, active, rows)
                                : scalar::list_masked(blocks, group, live, word_count, active, rows);
}

namespace scalar {

void make_codes(const uint8_t* sketches, uint32_t shift, uint32_t word_count, CodeBlock& out) noexcept {
  for (uint32_t row = 0; row < word_count * 64; ++row) {
    out.codes[row] = code_of_bucket(sketches[row], shift);
  }
}

uint32_t list_masked(const CodeBlock* blocks, const MaskGroup& group, const uint64_t* live, uint32_t word_count,
                     uint8_t active, MaskedRow* rows) noexcept {
  uint32_t count = 0;
  for (uint32_t row = 0; row < word_count * 64; ++row) {
    uint8_t queries = (live[row / 64] >> (row % 64) & 1) != 0 ? active : uint8_t{0};
    for (uint32_t table = 0; table < group.table_count && queries != 0; ++table) {
      queries &= group.tables[table].queries[blocks[group.columns[table]].codes[row]];
    }
    if (queries != 0) {
      rows[count++] = {static_cast<uint16_t>(row), queries};
    }
  }
  return count;
}

}  // namespace scalar
}  // namespace daedalus::engine

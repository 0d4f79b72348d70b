// Masks of eight queries against their plain twins.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels_masks.hpp"
#include "on_every_instruction_set.hpp"
#include "test_table.hpp"

namespace daedalus::engine {
namespace {

using test::below;
using test::one_in;
using test::Random;

TEST(MaskKernels, CodesAscendWithBucketsAndNullHasOneOfItsOwn) {
  for (uint32_t shift = 0; shift < 3; ++shift) {
    EXPECT_EQ(code_of_bucket(255, shift), kNullCode);
    for (uint32_t bucket = 0; bucket < 255; ++bucket) {
      const uint8_t code = code_of_bucket(static_cast<uint8_t>(bucket), shift);
      EXPECT_LT(code, kNullCode);
      EXPECT_EQ(code, std::min(bucket >> shift, kNullCode - 1u));
    }
  }
}

TEST(MaskKernels, MakeCodesAsTheirScalarTwin) {
  Random random(test::test_seed());
  std::vector<uint8_t> sketches(kMaskBlockRows + 64);
  test::on_every_instruction_set([&] {
    for (int draw = 0; draw < 50; ++draw) {
      const uint64_t span = one_in(random, 2) ? 256 : 70;
      std::generate(sketches.begin(), sketches.end(),
                    [&] { return one_in(random, 5) ? uint8_t{255} : static_cast<uint8_t>(below(random, span)); });
      const uint8_t* from = sketches.data() + below(random, 64);
      for (uint32_t shift = 0; shift < 3; ++shift) {
        const auto words = static_cast<uint32_t>(below(random, kMaskWords + 1));
        CodeBlock fast{};
        CodeBlock plain{};
        make_codes(from, shift, words, fast);
        scalar::make_codes(from, shift, words, plain);
        ASSERT_TRUE(std::equal(std::begin(fast.codes), std::end(fast.codes), plain.codes)) << shift << ", " << words;
      }
    }
  });
}

/// By AVX2, which the CPU at hand may have something better than.
TEST(MaskKernels, Avx2DoesAsItsScalarTwin) {
  if (!avx2::is_supported()) {
    GTEST_SKIP() << "no AVX2 here";
  }
  Random random(test::test_seed());
  std::vector<uint8_t> sketches(kMaskBlockRows);
  std::vector<CodeBlock> fast(3);
  std::vector<CodeBlock> plain(3);
  for (int draw = 0; draw < 300; ++draw) {
    for (size_t place = 0; place < fast.size(); ++place) {
      std::generate(sketches.begin(), sketches.end(), [&] { return static_cast<uint8_t>(random()); });
      const auto shift = static_cast<uint32_t>(below(random, 3));
      avx2::make_codes(sketches.data(), shift, kMaskWords, fast[place]);
      scalar::make_codes(sketches.data(), shift, kMaskWords, plain[place]);
      ASSERT_TRUE(std::equal(std::begin(fast[place].codes), std::end(fast[place].codes), plain[place].codes));
    }
    std::vector<MaskTable> tables(below(random, 4));
    const uint16_t columns[] = {2, 0, 1};
    for (MaskTable& table : tables) {
      std::generate(std::begin(table.queries), std::end(table.queries), [&] { return static_cast<uint8_t>(random()); });
    }
    uint64_t live[kMaskWords];
    std::generate(std::begin(live), std::end(live), [&] { return one_in(random, 3) ? UINT64_MAX : random(); });
    const MaskGroup group{tables.data(), columns, static_cast<uint32_t>(tables.size())};
    const auto words = static_cast<uint32_t>(below(random, kMaskWords + 1));
    std::vector<MaskedRow> listed(kMaskBlockRows);
    std::vector<MaskedRow> twins(kMaskBlockRows);
    const uint32_t count = avx2::list_masked(fast.data(), group, live, words, 0xb7, listed.data());
    ASSERT_EQ(count, scalar::list_masked(plain.data(), group, live, words, 0xb7, twins.data()));
    for (uint32_t at = 0; at < count; ++at) {
      ASSERT_EQ(listed[at].row, twins[at].row) << at;
      ASSERT_EQ(listed[at].queries, twins[at].queries) << at;
    }
  }
}

TEST(MaskKernels, ListRowsWithTheirQueriesAsTheirScalarTwin) {
  Random random(test::test_seed());
  constexpr uint32_t kColumns = 6;
  std::vector<CodeBlock> blocks(kColumns);
  test::on_every_instruction_set([&] {
    for (int draw = 0; draw < 300; ++draw) {
      for (CodeBlock& block : blocks) {
        std::generate(std::begin(block.codes), std::end(block.codes),
                      [&] { return static_cast<uint8_t>(below(random, kCodes)); });
      }
      std::vector<MaskTable> tables(below(random, 5));
      std::vector<uint16_t> columns;
      for (MaskTable& table : tables) {
        columns.push_back(static_cast<uint16_t>(below(random, kColumns)));
        std::generate(std::begin(table.queries), std::end(table.queries),
                      [&] { return static_cast<uint8_t>(one_in(random, 2) ? random() : random() & random()); });
      }
      std::vector<uint64_t> live(kMaskWords);
      std::generate(live.begin(), live.end(), [&] { return one_in(random, 3) ? UINT64_MAX : random(); });
      const MaskGroup group{tables.data(), columns.data(), static_cast<uint32_t>(tables.size())};
      const auto words = static_cast<uint32_t>(one_in(random, 2) ? kMaskWords : below(random, kMaskWords + 1));
      const auto active = static_cast<uint8_t>(one_in(random, 2) ? 0xff : random());
      std::vector<MaskedRow> fast(kMaskBlockRows);
      std::vector<MaskedRow> plain(kMaskBlockRows);
      const uint32_t count = list_masked(blocks.data(), group, live.data(), words, active, fast.data());
      ASSERT_EQ(count, scalar::list_masked(blocks.data(), group, live.data(), words, active, plain.data()));
      for (uint32_t at = 0; at < count; ++at) {
        ASSERT_EQ(fast[at].row, plain[at].row) << at;
        ASSERT_EQ(fast[at].queries, plain[at].queries) << at;
      }
    }
  });
}

}  // namespace
}  // namespace daedalus::engine

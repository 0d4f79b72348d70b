#include "md5.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace daedalus::semantics::scalar {
namespace {

constexpr size_t kBlockSize = 64;
constexpr size_t kSteps = 64;

using Md5State = std::array<uint32_t, 4>;

/// The first 32 bits behind the point of the sines of 1 to 64.
std::array<uint32_t, kSteps> make_sines() {
  std::array<uint32_t, kSteps> sines{};
  for (size_t step = 0; step < kSteps; ++step) {
    sines[step] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(step + 1))) * 0x1p32));
  }
  return sines;
}

using Words = std::array<uint32_t, 16>;

static_assert(std::endian::native == std::endian::little, "a block's words are read as they lie in memory");

/// Sixteen steps: what is mixed, by how much the word's place moves and the sum is turned, differs by round.
template <size_t kRound>
void digest_round(const Words& words, const std::array<uint32_t, kSteps>& sines, Md5State& state) {
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  constexpr size_t kStrides[] = {1, 5, 3, 7};
  constexpr size_t kOffsets[] = {0, 1, 5, 0};
  auto [a, b, c, d] = state;
  for (size_t step = 0; step < words.size(); ++step) {
    const uint32_t mixed = kRound == 0   ? (b & c) | (~b & d)
                           : kRound == 1 ? (d & b) | (~d & c)
                           : kRound == 2 ? b ^ c ^ d
                                         : c ^ (b | ~d);
    const size_t word = (step * kStrides[kRound] + kOffsets[kRound]) % words.size();
    const uint32_t sum = a + mixed + sines[kRound * words.size() + step] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[kRound][step % 4]);
  }
  state = {a, b, c, d};
}

void digest_block(const char* block, Md5State& state) {
  static const std::array<uint32_t, kSteps> sines = make_sines();
  Words words{};
  std::memcpy(words.data(), block, kBlockSize);
  Md5State mixed = state;
  digest_round<0>(words, sines, mixed);
  digest_round<1>(words, sines, mixed);
  digest_round<2>(words, sines, mixed);
  digest_round<3>(words, sines, mixed);
  for (size_t word = 0; word < state.size(); ++word) {
    state[word] += mixed[word];
  }
}

void append_hexadecimal(uint32_t word, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int byte = 0; byte < 4; ++byte, word >>= 8) {
    out.push_back(kDigits[word >> 4 & 0xf]);
    out.push_back(kDigits[word & 0xf]);
  }
}

}  // namespace

void append_md5(std::string_view text, std::string& out) {
  Md5State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  size_t at = 0;
  for (; at + kBlockSize <= text.size(); at += kBlockSize) {
    digest_block(text.data() + at, state);
  }
  // Behind the rest a bit that is set, zeros, and the length in bits as the last block's last eight bytes.
  std::array<char, 2 * kBlockSize> last{};
  const size_t rest = text.copy(last.data(), kBlockSize, at);
  last[rest] = '\x80';
  const size_t size = rest + 1 + sizeof(uint64_t) <= kBlockSize ? kBlockSize : 2 * kBlockSize;
  for (size_t byte = 0; byte < sizeof(uint64_t); ++byte) {
    last[size - sizeof(uint64_t) + byte] = static_cast<char>(uint64_t{text.size()} * 8 >> (8 * byte));
  }
  for (at = 0; at < size; at += kBlockSize) {
    digest_block(last.data() + at, state);
  }
  for (const uint32_t word : state) {
    append_hexadecimal(word, out);
  }
}

}  // namespace daedalus::semantics::scalar

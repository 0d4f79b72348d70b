#include "md5.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace daedalus::semantics::scalar {
namespace {

constexpr size_t kBlockSize = 64;
constexpr size_t kSteps = 64;

using State = std::array<uint32_t, 4>;

/// The first 32 bits behind the point of the sines of 1 to 64.
std::array<uint32_t, kSteps> make_sines() {
  std::array<uint32_t, kSteps> sines{};
  for (size_t step = 0; step < kSteps; ++step) {
    sines[step] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(step + 1))) * 0x1p32));
  }
  return sines;
}

uint32_t word_at(const char* block, size_t number) {
  uint32_t word = 0;
  for (size_t byte = 0; byte < 4; ++byte) {
    word |= uint32_t{static_cast<unsigned char>(block[number * 4 + byte])} << (8 * byte);
  }
  return word;
}

void digest_block(const char* block, State& state) {
  static const std::array<uint32_t, kSteps> sines = make_sines();
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = state;
  for (size_t step = 0; step < kSteps; ++step) {
    const size_t round = step / 16;
    const uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                           : round == 1 ? (d & b) | (~d & c)
                           : round == 2 ? b ^ c ^ d
                                        : c ^ (b | ~d);
    constexpr size_t kStrides[] = {1, 5, 3, 7};
    constexpr size_t kOffsets[] = {0, 1, 5, 0};
    const size_t word = (step * kStrides[round] + kOffsets[round]) % 16;
    const uint32_t sum = a + mixed + sines[step] + word_at(block, word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[round][step % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5_of(std::string_view text) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  // A bit that is set, zeros, and the length in bits as the block's last eight bytes.
  std::string padded(text);
  padded += '\x80';
  padded.resize((padded.size() + 8 + kBlockSize - 1) / kBlockSize * kBlockSize - 8, '\0');
  for (size_t byte = 0; byte < 8; ++byte) {
    padded += static_cast<char>(uint64_t{text.size()} * 8 >> (8 * byte));
  }
  for (size_t at = 0; at < padded.size(); at += kBlockSize) {
    digest_block(padded.data() + at, state);
  }
  std::string digits;
  for (const uint32_t word : state) {
    digits += fmt::format("{:08x}", std::rotl((word & 0x00ff00ff), 24) | std::rotl((word & 0xff00ff00), 8));
  }
  return digits;
}

}  // namespace daedalus::semantics::scalar

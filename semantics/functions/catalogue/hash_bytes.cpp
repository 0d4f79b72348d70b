#include "hash_bytes.hpp"

#include <bit>

namespace daedalus::semantics::scalar {
namespace {

constexpr uint32_t kStart = 0x9e3779b9U + 3'923'095U;

struct HashState {
  uint32_t a;
  uint32_t b;
  uint32_t c;

  explicit HashState(size_t size) : a(kStart + static_cast<uint32_t>(size)), b(a), c(a) {}

  void seed(uint64_t seed) {
    if (seed != 0) {
      a += static_cast<uint32_t>(seed >> 32);
      b += static_cast<uint32_t>(seed);
      mix();
    }
  }

  void mix() {
    step(a, b, c, 4);
    step(b, c, a, 6);
    step(c, a, b, 8);
    step(a, b, c, 16);
    step(b, c, a, 19);
    step(c, a, b, 4);
  }

  void finish() {
    fold(c, b, 14);
    fold(a, c, 11);
    fold(b, a, 25);
    fold(c, b, 16);
    fold(a, c, 4);
    fold(b, a, 14);
    fold(c, b, 24);
  }

  [[nodiscard]] uint64_t both() const { return uint64_t{b} << 32 | c; }

 private:
  static void step(uint32_t& first, uint32_t second, uint32_t& third, int bits) {
    first -= third;
    first ^= std::rotl(third, bits);
    third += second;
  }
  static void fold(uint32_t& into, uint32_t from, int bits) {
    into ^= from;
    into -= std::rotl(from, bits);
  }
};

/// Up to four bytes, the lowest first.
uint32_t word_of(std::string_view bytes) {
  uint32_t word = 0;
  for (size_t at = 0; at < bytes.size() && at < 4; ++at) {
    word |= uint32_t{static_cast<unsigned char>(bytes[at])} << (8 * at);
  }
  return word;
}

HashState taken(std::string_view bytes, uint64_t seed) {
  constexpr size_t kBlock = 12;
  HashState state(bytes.size());
  state.seed(seed);
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    state.a += word_of(bytes);
    state.b += word_of(bytes.substr(4));
    state.c += word_of(bytes.substr(8));
    state.mix();
  }
  state.a += word_of(bytes);
  state.b += bytes.size() > 4 ? word_of(bytes.substr(4)) : 0;
  state.c += bytes.size() > 8 ? word_of(bytes.substr(8)) << 8 : 0;  // The lowest byte is the length's.
  state.finish();
  return state;
}

HashState taken(uint32_t word, uint64_t seed) {
  HashState state(sizeof(word));
  state.seed(seed);
  state.a += word;
  state.finish();
  return state;
}

}  // namespace

uint32_t hash_of(std::string_view bytes) { return taken(bytes, 0).c; }
uint64_t hash_of(std::string_view bytes, uint64_t seed) { return taken(bytes, seed).both(); }
uint32_t hash_of(uint32_t word) { return taken(word, 0).c; }
uint64_t hash_of(uint32_t word, uint64_t seed) { return taken(word, seed).both(); }

}  // namespace daedalus::semantics::scalar

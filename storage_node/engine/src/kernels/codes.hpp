// Order-preserving 64-bit codes: the one form in which ranges, statistics and sketches see values of every type.
//
// Decides the code of a value. A higher value never has a lower code. Where rule.is_exact, different values have
// different codes and a range of codes decides a comparison; elsewhere (strings beyond eight bytes, wide numerics) the
// code is of the first bytes and rules rows out, and decides only against a string that ends within it. Refuses to
// know NULL: its plane holds zeros.
#pragma once

#include <bit>
#include <cstdint>

#include "native.hpp"

namespace daedalus::engine {

/// A value that is not NULL.
struct CodedValue {
  uint64_t raw = 0;  ///< Its first eight bytes, zeros behind shorter ones.
  uint64_t code = 0;
};

/// Codes of rows for which something holds: low to high, both included. low > high: of none.
struct CodeRange {
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;

  [[nodiscard]] bool is_empty() const { return low > high; }
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// Returns whether no value of a column has a code within the range: no multiple of the step lies there.
[[nodiscard]] inline bool holds_no_value(const CodeRule& rule, CodeRange codes) {
  return codes.is_empty() || (!rule.is_floating && codes.low > (codes.high & ~(rule.step() - 1)));
}

/// The bits of a floating number, −0.0 and 0.0 the same, every NaN the same, brought to the top.
template <typename Bits>
uint64_t floating_bits(uint64_t raw) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  constexpr Bits kInfinity = sizeof(Bits) == 4 ? Bits{0x7f800000u} : static_cast<Bits>(0x7ff0000000000000u);
  constexpr Bits kNaN = sizeof(Bits) == 4 ? Bits{0x7fc00000u} : static_cast<Bits>(0x7ff8000000000000u);
  auto bits = static_cast<Bits>(raw);
  const Bits magnitude = bits & static_cast<Bits>(~kSign);
  bits = magnitude == 0 ? 0 : magnitude > kInfinity ? kNaN : bits;
  return uint64_t{bits} << (64 - sizeof(Bits) * 8);
}

/// The code of eight bytes that begin with a value; see code_of().
[[nodiscard]] inline uint64_t code_of_raw(const CodeRule& rule, uint64_t raw) {
  if (rule.is_floating) {
    const uint64_t bits = rule.shift == 32 ? floating_bits<uint32_t>(raw) : floating_bits<uint64_t>(raw);
    constexpr uint64_t kSign = uint64_t{1} << 63;
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
  // Both are cheap and which one is wanted cannot be predicted where rows of several queries are tested in turn.
  const uint64_t number = (raw << rule.shift) ^ rule.flip;
  const uint64_t text = __builtin_bswap64(raw) & (~uint64_t{0} << rule.shift);
  return rule.is_text ? text : number;
}

/// The code of a value that is not NULL. Reads eight bytes whatever the width: `value` lies in a plane, behind which
/// more of the segment follows, or in a buffer with as much room.
[[nodiscard]] inline uint64_t code_of(const CodeRule& rule, const uint8_t* value) {
  return code_of_raw(rule, load<uint64_t>(value + rule.offset));
}

/// The first eight bytes of the value with this code, zeros behind it; of both zeros those of 0.0. Precondition: exact.
[[nodiscard]] inline uint64_t raw_of(const CodeRule& rule, uint64_t code) {
  if (rule.is_floating) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    return ((code & kSign) != 0 ? code ^ kSign : ~code) >> rule.shift;
  }
  return rule.is_text ? __builtin_bswap64(code) : (code ^ rule.flip) >> rule.shift;
}

}  // namespace daedalus::engine

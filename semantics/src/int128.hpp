// 128-bit integers and little-endian bytes: what numeric(38) and the packed layout are made of.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

static_assert(std::endian::native == std::endian::little, "packed values are written as they lie in memory");

using Int128 = __int128;
using Uint128 = unsigned __int128;

/// Reads a T from `size` = sizeof(T) bytes at any alignment.
template <typename T>
[[nodiscard]] T load(const void* bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void append(T value, std::string& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

[[nodiscard]] inline BigInt to_big(Int128 value) {
  const bool negative = value < 0;
  const Uint128 magnitude = negative ? Uint128(0) - static_cast<Uint128>(value) : static_cast<Uint128>(value);
  BigInt big = static_cast<uint64_t>(magnitude >> 64);
  big <<= 64;
  big += static_cast<uint64_t>(magnitude);
  return negative ? BigInt(-big) : big;
}

/// Precondition: `value` fits into 128 bits.
[[nodiscard]] inline Int128 to_int128(const BigInt& value) {
  const BigInt magnitude = boost::multiprecision::abs(value);
  const auto low = static_cast<uint64_t>(BigInt(magnitude & UINT64_MAX));
  const auto high = static_cast<uint64_t>(BigInt(magnitude >> 64));
  const Uint128 bits = (static_cast<Uint128>(high) << 64) | low;
  return static_cast<Int128>(value.sign() < 0 ? Uint128(0) - bits : bits);
}

}  // namespace daedalus::semantics

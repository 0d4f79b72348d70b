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

[[nodiscard]] inline BigInt to_big(Int128 value) { return BigInt(value); }

/// Says whether |value| < 2^127.
[[nodiscard]] inline bool fits_int128(const BigInt& value) {
  const auto& backend = value.backend();
  return backend.size() < 2 || (backend.size() == 2 && backend.limbs()[1] >> 63 == 0);
}

/// Precondition: `value` fits into 128 bits.
[[nodiscard]] inline Int128 to_int128(const BigInt& value) {
  const auto& backend = value.backend();
  static_assert(sizeof(backend.limbs()[0]) == sizeof(uint64_t));
  const Uint128 high = backend.size() > 1 ? backend.limbs()[1] : 0;
  const Uint128 magnitude = high << 64 | backend.limbs()[0];
  return static_cast<Int128>(backend.sign() ? Uint128(0) - magnitude : magnitude);
}

}  // namespace daedalus::semantics

// Integers in network order, as PostgreSQL's protocol has all of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace daedalus::postgres {

/// Precondition: `bytes` has as many bytes at least.
template <std::integral Integer>
[[nodiscard]] Integer read_big_endian(std::string_view bytes) {
  std::make_unsigned_t<Integer> value = 0;
  for (size_t byte = 0; byte < sizeof(Integer); ++byte) {
    value = static_cast<std::make_unsigned_t<Integer>>((value << 8) | static_cast<unsigned char>(bytes[byte]));
  }
  return static_cast<Integer>(value);
}

/// Writes at `at`, which has room.
template <std::integral Integer>
void put_big_endian(Integer value, char* at) {
  auto rest = static_cast<std::make_unsigned_t<Integer>>(value);
  for (size_t byte = sizeof(Integer); byte-- > 0;) {
    at[byte] = static_cast<char>(rest & 0xff);
    rest = static_cast<std::make_unsigned_t<Integer>>(sizeof(Integer) == 1 ? 0 : rest >> 8);
  }
}

template <std::integral Integer>
void append_big_endian(Integer value, std::string& out) {
  char bytes[sizeof(Integer)];
  put_big_endian(value, bytes);
  out.append(bytes, sizeof(Integer));
}

}  // namespace daedalus::postgres

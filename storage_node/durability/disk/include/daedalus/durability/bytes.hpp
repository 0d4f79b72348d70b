// Numbers in files, as the machine has them.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace daedalus::durability {

static_assert(std::endian::native == std::endian::little, "files are little-endian, as is every machine we run on");

template <typename T>
void put(std::string& bytes, T value) {
  static_assert(std::is_integral_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Precondition: it is there.
template <typename T>
T get(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace daedalus::durability

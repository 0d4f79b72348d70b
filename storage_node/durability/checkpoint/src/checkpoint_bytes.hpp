// Numbers in files, and the error for files that are not what was written.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

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

[[nodiscard]] inline Error corrupted(std::string what) {
  return {ErrorCategory::kFatal, kDataCorrupted, std::move(what),
          "The file is damaged: remove the node's data directory and let it be filled anew, or put back a copy of it.",
          0};
}

}  // namespace daedalus::durability

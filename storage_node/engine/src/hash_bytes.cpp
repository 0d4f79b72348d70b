#include "hash_bytes.hpp"

#include "native.hpp"

namespace daedalus::engine {
namespace {

uint64_t mixed(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9fb21c651e98df25u;
  x ^= x >> 29;
  return x;
}

}  // namespace

uint64_t hash_bytes(const uint8_t* bytes, uint32_t size) noexcept {
  uint64_t hash = 0x8a5cd789635d2dffu ^ size;
  while (size >= 8) {
    hash = mixed(hash ^ load<uint64_t>(bytes)) * 0xd6e8feb86659fd93u;
    bytes += 8;
    size -= 8;
  }
  uint64_t rest = 0;
  switch (size) {
    case 1:
      rest = *bytes;
      break;
    case 2:
      rest = load<uint16_t>(bytes);
      break;
    case 4:
      rest = load<uint32_t>(bytes);
      break;
    default:
      std::memcpy(&rest, bytes, size);
      break;
  }
  return mixed(hash ^ rest) * 0xd6e8feb86659fd93u;
}

}  // namespace daedalus::engine

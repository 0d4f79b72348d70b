#include "daedalus/semantics/placement.hpp"

#include <xxhash.h>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics {
namespace {

constexpr uint64_t kNullKey = 0x9e3779b97f4a7c15u;
constexpr uint64_t kRowsPerBlock = 1024;

uint64_t round_robin_hash(RowIdentity row) { return mix(raw(row.timestamp) + row.ordinal / kRowsPerBlock); }

}  // namespace

uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

uint32_t reduce(uint64_t hash, uint32_t count) {
  return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * count) >> 64);
}

uint64_t placement_key(const Type& type, const Value& value) {
  if (is_null(value)) {
    return kNullKey;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return digest(*text);
  }
  std::string packed;
  const auto* number = std::get_if<double>(&value);
  append_packed(type, number != nullptr && *number == 0.0 ? Value(0.0) : value, packed);
  return digest(packed);
}

uint64_t digest(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint32_t round_robin_partition(RowIdentity row, uint32_t partition_count) {
  return reduce(round_robin_hash(row), partition_count);
}

uint32_t round_robin_segment(RowIdentity row, uint32_t segment_count) {
  CHECK(segment_count > 0);
  return static_cast<uint32_t>((round_robin_hash(row) + row.ordinal) % segment_count);
}

uint32_t hash_partition(uint64_t key, uint32_t partition_count) { return reduce(key, partition_count); }

uint32_t hash_segment(uint64_t key, uint32_t segment_count) { return reduce(mix(key), segment_count); }

}  // namespace daedalus::semantics

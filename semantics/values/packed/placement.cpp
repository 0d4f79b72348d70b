#include "daedalus/semantics/placement.hpp"

#include <xxhash.h>

#include <cmath>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

constexpr uint64_t kNullKey = 0x9e3779b97f4a7c15u;

uint64_t round_robin_hash(RowIdentity row) { return mix(raw(row.timestamp) + row.ordinal / kPlacementBlockRows); }

/// Equal numbers have one key, whatever their bits.
template <typename Float>
uint64_t floating_key(std::string_view bytes) {
  auto value = load<Float>(bytes.data());
  if (value == Float{0}) {
    value = Float{0};
  } else if (std::isnan(value)) {
    value = std::numeric_limits<Float>::quiet_NaN();
  }
  return digest({reinterpret_cast<const char*>(&value), sizeof value});
}

/// The key of a value that is not NULL, from its bytes as take_packed() gives them.
uint64_t packed_key(const Type& type, std::string_view bytes) {
  switch (type.kind) {
    case TypeKind::kReal:
      return floating_key<float>(bytes);
    case TypeKind::kDouble:
      return floating_key<double>(bytes);
    default:
      return digest(bytes);
  }
}

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
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && is_string(type.kind)) {
    return digest(*text);
  }
  std::string packed;
  append_packed(type, value, packed);
  return packed_key(type, packed);
}

std::optional<uint64_t> take_placement_key(const Type& type, std::string_view& bytes) {
  std::string_view value;
  return take_packed(type, bytes, value) ? std::optional(packed_key(type, value)) : std::nullopt;
}

Result<void> read_placement_keys(const Schema& schema, std::string_view row, std::span<const uint32_t> columns,
                                 std::span<uint64_t> keys) {
  if (columns.empty()) {
    return {};
  }
  CHECK(columns.back() < schema.columns.size() && keys.size() == schema.columns.size());
  const auto type_at = [&](size_t column) -> const Type& { return schema.columns[column].type; };
  size_t found = 0;
  const WalkEnd end =
      walk_packed_row(schema.columns.size(), row, type_at, [&](size_t column, bool null, std::string_view bytes) {
        if (column == columns[found]) {
          keys[column] = null ? kNullKey : packed_key(type_at(column), bytes);
          ++found;
        }
        return found < columns.size();
      });
  return end == WalkEnd::kStopped ? Result<void>() : malformed_row(end);
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

// Where a row lives (docs/wire.md, "Placement").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

enum class Distribution : uint8_t { kRoundRobin = 1, kHash = 2, kDualHash = 3 };

[[nodiscard]] uint64_t mix(uint64_t x);
[[nodiscard]] uint32_t reduce(uint64_t hash, uint32_t count);

/// The key of a value of a column of `type`: XXH3-64 of its packed bytes; NULL has a key of its own.
[[nodiscard]] uint64_t placement_key(const Type& type, const Value& value);

/// XXH3-64, seed 0: digests of updates.
[[nodiscard]] uint64_t digest(std::string_view bytes);

/// One place of a row in the order of updates: its identity for ever.
struct RowIdentity {
  Timestamp timestamp{};
  uint32_t ordinal = 0;
};

[[nodiscard]] uint32_t round_robin_partition(RowIdentity row, uint32_t partition_count);
[[nodiscard]] uint32_t round_robin_segment(RowIdentity row, uint32_t segment_count);
[[nodiscard]] uint32_t hash_partition(uint64_t key, uint32_t partition_count);
[[nodiscard]] uint32_t hash_segment(uint64_t key, uint32_t segment_count);

}  // namespace daedalus::semantics

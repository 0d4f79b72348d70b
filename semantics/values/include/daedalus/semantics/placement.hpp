// These decide where a row lives (docs/wire.md, "Placement"): keys of values, identities, and how they are spread. The
// rule that puts them together is PlacementRule's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

enum class Distribution : uint8_t { kRoundRobin = 1, kHash = 2, kDualHash = 3 };

[[nodiscard]] uint64_t mix(uint64_t x);
[[nodiscard]] uint32_t reduce(uint64_t hash, uint32_t count);

/// The key of a value of a column of `type`: XXH3-64 of its packed bytes; NULL has a key of its own.
[[nodiscard]] uint64_t placement_key(const Type& type, const Value& value);

/// The placement_key() of one packed value at the front of `bytes`, which are what follows it afterwards. Nothing when
/// they are cut short. A value that is none of its type has some key. Cost: no decoding, no allocation.
[[nodiscard]] std::optional<uint64_t> take_placement_key(const Type& type, std::string_view& bytes);

/// The keys of some columns of a packed row (bytes after its u32 size), at the columns' positions in `keys`, which has
/// one entry per column of the schema; the others are left alone. For a row that check_packed_row() accepts they are
/// placement_key()'s. Errors: 08P01 when it is malformed up to the last of these columns. Cost: one walk up to there,
/// without decoding; none without columns.
///
/// columns  ascending, distinct, of the schema
[[nodiscard]] Result<void> read_placement_keys(const Schema& schema, std::string_view row,
                                               std::span<const uint32_t> columns, std::span<uint64_t> keys);

/// XXH3-64, seed 0: digests of updates.
[[nodiscard]] uint64_t digest(std::string_view bytes);

/// One place of a row in the order of updates: its identity for ever.
struct RowIdentity {
  Timestamp timestamp{};
  uint32_t ordinal = 0;
};

/// Rows of one update that round_robin keeps together.
constexpr uint32_t kPlacementBlockRows = 1024;

[[nodiscard]] uint32_t round_robin_partition(RowIdentity row, uint32_t partition_count);
[[nodiscard]] uint32_t round_robin_segment(RowIdentity row, uint32_t segment_count);
[[nodiscard]] uint32_t hash_partition(uint64_t key, uint32_t partition_count);
[[nodiscard]] uint32_t hash_segment(uint64_t key, uint32_t segment_count);

}  // namespace daedalus::semantics

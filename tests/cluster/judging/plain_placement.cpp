#include "plain_placement.hpp"

#include <xxhash.h>

#include <string>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

using semantics::TypeKind;

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The high 64 bits of hash · count, by hand: count is below 2^32, so the low half carries at most 32 bits over.
uint32_t reduce(uint64_t hash, uint64_t count) {
  const uint64_t low = (hash & 0xffffffff) * count;
  const uint64_t high = (hash >> 32) * count;
  return static_cast<uint32_t>((high + (low >> 32)) >> 32);
}

uint64_t block_of(uint64_t timestamp, uint64_t ordinal) { return mix(timestamp + ordinal / 1024); }

std::optional<uint32_t> hashed_column(semantics::Distribution distribution, const std::vector<uint32_t>& columns) {
  if (distribution == semantics::Distribution::kRoundRobin) {
    return std::nullopt;
  }
  CHECK(distribution == semantics::Distribution::kHash && columns.size() == 1);
  return columns.front();
}

}  // namespace

PlainPlacement::PlainPlacement(const semantics::Schema& schema, const contract::PartitionMap& map,
                               uint32_t segments_per_partition)
    : partition_column_(hashed_column(map.distribution, map.columns)),
      segment_column_(hashed_column(map.segment_distribution, map.segment_columns)),
      segments_(segments_per_partition) {
  for (const semantics::Column& column : schema.columns) {
    types_.push_back(column.type);
  }
  for (const std::vector<NodeId>& holders : map.partitions) {
    CHECK(holders.size() == 1);
    nodes_.push_back(raw(holders.front()));
  }
}

SegmentKey PlainPlacement::place_of(const std::vector<semantics::Value>& row, uint64_t timestamp,
                                    uint64_t ordinal) const {
  const uint64_t block = block_of(timestamp, ordinal);
  const uint32_t partition =
      reduce(partition_column_ ? key(*partition_column_, row[*partition_column_]) : block, partitions());
  const uint32_t segment = segment_column_ ? reduce(mix(key(*segment_column_, row[*segment_column_])), segments_)
                                           : static_cast<uint32_t>((block + ordinal) % segments_);
  return {partition, segment};
}

uint64_t PlainPlacement::key(uint32_t column, const semantics::Value& value) const {
  if (semantics::is_null(value)) {
    return 0x9e3779b97f4a7c15;
  }
  const TypeKind kind = types_[column].kind;
  std::string bytes;
  if (kind == TypeKind::kVarchar) {
    bytes = std::get<std::string>(value);
  } else {
    CHECK(kind == TypeKind::kInt || kind == TypeKind::kBigint);
    const auto number = static_cast<uint64_t>(std::get<int64_t>(value));
    for (int shift = 0; shift < (kind == TypeKind::kInt ? 32 : 64); shift += 8) {
      bytes.push_back(static_cast<char>(number >> shift));
    }
  }
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace daedalus::testing

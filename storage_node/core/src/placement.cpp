#include "daedalus/node/placement.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::node {

namespace {

using semantics::Distribution;
using semantics::TypeKind;

/// Bytes of the packed value of a column that begins `bytes`; nothing when it is cut short.
std::optional<size_t> packed_size(const semantics::Type& type, std::string_view bytes) {
  size_t size = 0;
  switch (type.kind) {
    case TypeKind::kBool:
      size = 1;
      break;
    case TypeKind::kSmallint:
      size = 2;
      break;
    case TypeKind::kInt:
    case TypeKind::kReal:
    case TypeKind::kDate:
      size = 4;
      break;
    case TypeKind::kBigint:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
      size = 8;
      break;
    case TypeKind::kNumeric:
      size = type.precision <= 18 ? 8 : 16;
      break;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
      if (bytes.size() < 2) {
        return std::nullopt;
      }
      size = 2u + static_cast<uint8_t>(bytes[0]) + (static_cast<size_t>(static_cast<uint8_t>(bytes[1])) << 8);
      break;
  }
  return size <= bytes.size() ? std::optional(size) : std::nullopt;
}

bool is_null_in(std::string_view row, uint32_t column) {
  return ((static_cast<uint8_t>(row[column / 8]) >> (column % 8)) & 1u) != 0;
}

/// What a predicate leaves of `count` places that one column is hashed to; all of them when it pins nothing.
template <typename Place>
std::set<uint32_t> places(const semantics::Schema& schema, Distribution distribution,
                          const std::vector<uint32_t>& columns, const semantics::Predicate& predicate, uint32_t count,
                          Place place) {
  std::set<uint32_t> found;
  if (distribution == Distribution::kHash) {
    if (const auto values = semantics::pinned_values(predicate, columns.front())) {
      for (const semantics::Value& value : *values) {
        found.insert(place(semantics::placement_key(schema.columns[columns.front()].type, value), count));
      }
      return found;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    found.insert(found.end(), i);
  }
  return found;
}

}  // namespace

std::vector<PartitionId> hosted_partitions(const contract::PartitionMap& map, NodeId node) {
  std::vector<PartitionId> hosted;
  for (uint32_t partition = 0; partition < map.partition_count(); ++partition) {
    const auto& nodes = map.partitions[partition];
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) {
      hosted.push_back(PartitionId{partition});
    }
  }
  return hosted;
}

NodePlacement::NodePlacement(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                             NodeId node, uint32_t segments)
    : schema_(std::move(schema)),
      map_(map),
      hosted_(hosted_partitions(map, node)),
      hosted_index_(map.partition_count()),
      segments_(segments),
      values_(schema_->columns.size()) {
  CHECK(!hosted_.empty() && segments_ >= 1);
  for (uint32_t i = 0; i < hosted_.size(); ++i) {
    hosted_index_[raw(hosted_[i])] = i;
  }
  std::set<uint32_t> columns(map_.columns.begin(), map_.columns.end());
  columns.insert(map_.segment_columns.begin(), map_.segment_columns.end());
  placement_columns_.assign(columns.begin(), columns.end());
  CHECK(placement_columns_.empty() || placement_columns_.back() < schema_->columns.size());
}

Result<std::optional<SegmentIndex>> NodePlacement::segment_of(std::string_view row, semantics::RowIdentity identity) {
  if (auto read = read_placement_columns(row); !read) {
    return read.error();
  }
  const PartitionId partition = map_.partition_of(*schema_, values_, identity);
  const std::optional<uint32_t> hosted = hosted_index_[raw(partition)];
  if (!hosted) {
    return std::optional<SegmentIndex>();
  }
  const uint32_t segment = map_.segment_of(*schema_, values_, identity, segments_);
  return std::optional(SegmentIndex{*hosted * segments_ + segment});
}

std::optional<SegmentIndex> NodePlacement::segment_at(PartitionId partition, uint32_t segment) const {
  if (raw(partition) >= hosted_index_.size() || !hosted_index_[raw(partition)] || segment >= segments_) {
    return std::nullopt;
  }
  return SegmentIndex{*hosted_index_[raw(partition)] * segments_ + segment};
}

std::vector<SegmentIndex> NodePlacement::segments_of(const semantics::Predicate& predicate) const {
  const auto partitions =
      places(*schema_, map_.distribution, map_.columns, predicate, map_.partition_count(), semantics::hash_partition);
  const auto segments =
      places(*schema_, map_.segment_distribution, map_.segment_columns, predicate, segments_, semantics::hash_segment);
  std::vector<SegmentIndex> found;
  for (uint32_t hosted = 0; hosted < hosted_.size(); ++hosted) {
    if (!partitions.contains(raw(hosted_[hosted]))) {
      continue;
    }
    for (const uint32_t segment : segments) {
      found.push_back(SegmentIndex{hosted * segments_ + segment});
    }
  }
  return found;
}

Result<void> NodePlacement::read_placement_columns(std::string_view row) {
  const auto cut_short = [] { return rejected("08P01", "a row to insert is cut short"); };
  const size_t bitmap_size = (schema_->columns.size() + 7) / 8;
  if (row.size() < bitmap_size) {
    return cut_short();
  }
  std::string_view rest = row.substr(bitmap_size);
  uint32_t column = 0;
  for (const uint32_t wanted : placement_columns_) {
    for (; column <= wanted; ++column) {
      const bool is_null = is_null_in(row, column);
      const semantics::Type& type = schema_->columns[column].type;
      const auto size = is_null ? std::optional<size_t>(0) : packed_size(type, rest);
      if (!size) {
        return cut_short();
      }
      if (column == wanted) {
        values_[column] = semantics::Value();
        if (!is_null) {
          auto value = semantics::read_packed(type, rest.substr(0, *size));
          if (!value) {
            return value.error();
          }
          values_[column] = std::move(*value);
        }
      }
      rest.remove_prefix(*size);
    }
  }
  return {};
}

}  // namespace daedalus::node

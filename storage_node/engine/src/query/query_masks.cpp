#include "query_masks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace daedalus::engine {
namespace {

/// ns a row of the segment, from engine_mix_bench: another clause of one query in tables, and (ns a candidate) what a
/// row costs that they let through.
constexpr double kMaskedCandidateCost = 8;
/// This is the cost of a column that no other query's tables know: its plane is read, and codes are made.
constexpr double kPlaneCost = 0.02;
/// Queries that more rows are left of are better joined from bitmaps.
constexpr double kLeftMax = 0.02;

/// Each bit of a byte as a byte of its own, 1 or 0.
constexpr std::array<uint64_t, 256> kSpread = [] {
  std::array<uint64_t, 256> spread{};
  for (uint32_t byte = 0; byte < spread.size(); ++byte) {
    for (uint32_t bit = 0; bit < 8; ++bit) {
      spread[byte] |= uint64_t{byte >> bit & 1} << (bit * 8);
    }
  }
  return spread;
}();

/// So that every bucket but the last ones has a code that it shares with as few as can be.
uint32_t shift_of(const Histogram& histogram) {
  uint32_t shift = 0;
  while (histogram.last_bucket() >> shift >= kNullCode && shift < 2) {
    ++shift;
  }
  return shift;
}

bool are_of_one_column(std::span<const SketchRange> ranges) {
  return !ranges.empty() && std::all_of(ranges.begin(), ranges.end(), [&](const SketchRange& range) {
    return range.column == ranges.front().column;
  });
}

/// Bits from `low` to `high`, both included.
uint64_t bits_between(uint8_t low, uint8_t high) { return (~uint64_t{0} >> (63 - (high - low))) << low; }

/// Rules out, in a table, what a query does not want; before that the table suits it in every code.
void keep_codes(MaskTable& table, uint32_t query, uint64_t codes) {
  for (uint32_t word = 0; word < kCodes / 8; ++word) {
    const uint64_t ruled_out = kSpread[static_cast<uint8_t>(~codes >> (word * 8))] << query;
    uint64_t queries = 0;
    std::memcpy(&queries, table.queries + word * 8, sizeof queries);
    queries &= ~ruled_out;
    std::memcpy(table.queries + word * 8, &queries, sizeof queries);
  }
}

}  // namespace

uint16_t MaskPlanner::place_of(uint32_t column) {
  uint16_t& place = place_[column];
  if (place == kNone) {
    place = static_cast<uint16_t>(masks_.columns.size());
    masks_.columns.push_back({column, shift_of(sketches_->histogram(column))});
  }
  return place;
}

uint64_t MaskPlanner::codes_of(std::span<const SketchRange> ranges, uint32_t shift, double& share) const {
  uint64_t codes = 0;
  share = 0;
  for (const SketchRange& range : ranges) {
    const Histogram& histogram = sketches_->histogram(range.column);
    if (range.high == kNullBucket) {
      codes |= uint64_t{1} << kNullCode;
      share += histogram.null_share();
    }
    if (range.low < kNullBucket) {
      const uint8_t last = std::min<uint8_t>(range.high, kNullBucket - 1);
      const uint8_t low = code_of_bucket(range.low, shift);
      const uint8_t high = code_of_bucket(last, shift);
      codes |= bits_between(low, high);
      const auto from = static_cast<uint8_t>(low << shift);
      const uint32_t end = high == kNullCode - 1 ? kNullBucket - 1u : ((high + 1u) << shift) - 1;
      share += histogram.share(BucketRange{from, static_cast<uint8_t>(end)});
    }
  }
  share = std::min(share, 1.0);
  return codes;
}

bool MaskPlanner::add(const KeyedOperation& operation, ClauseRanges& described) {
  const auto first = static_cast<uint32_t>(uses_.size());
  double left = 1;
  for (const WeighedClause& weighed : operation.clauses) {
    if (left * (1 - weighed.share) * kMaskedCandidateCost < mask_table_cost()) {
      break;
    }
    describe_clause(*sketches_, *operation.predicate, weighed.clause, described);
    if (!are_of_one_column(described.ranges)) {
      continue;
    }
    const uint32_t column = described.ranges.front().column;
    double share = 1;
    const uint64_t codes = codes_of(described.ranges, shift_of(sketches_->histogram(column)), share);
    const double cost = mask_table_cost() + (place_[column] == kNone ? kPlaneCost : 0);
    if (left * (1 - share) * kMaskedCandidateCost > cost) {
      uses_.push_back({place_of(column), codes});
      left *= share;
    }
  }
  if (left > kLeftMax) {
    uses_.resize(first);
    return false;
  }
  members_.push_back({0, operation.operation, first, static_cast<uint32_t>(uses_.size()) - first});
  return true;
}

/// By the columns they name, those first that most of them do: neighbours then have many in common.
void MaskPlanner::order_members() {
  std::vector<uint32_t> counts(masks_.columns.size(), 0);
  for (const Use& use : uses_) {
    ++counts[use.place];
  }
  std::vector<uint16_t> by_count(counts.size());
  std::iota(by_count.begin(), by_count.end(), uint16_t{0});
  std::stable_sort(by_count.begin(), by_count.end(),
                   [&](uint16_t left, uint16_t right) { return counts[left] > counts[right]; });
  std::vector<uint64_t> bit(counts.size(), 0);
  for (size_t rank = 0; rank < std::min<size_t>(by_count.size(), 64); ++rank) {
    bit[by_count[rank]] = uint64_t{1} << (63 - rank);
  }
  for (Member& member : members_) {
    for (const Use& use : std::span(uses_).subspan(member.first, member.count)) {
      member.order |= bit[use.place];
    }
  }
  std::sort(members_.begin(), members_.end(), [](const Member& left, const Member& right) {
    return left.order != right.order ? left.order > right.order : left.query < right.query;
  });
}

void MaskPlanner::add_group(std::span<const Member> members) {
  QueryMasks::Group group{.first_table = static_cast<uint32_t>(masks_.tables.size())};
  for (const Member& member : members) {
    for (const Use& use : std::span(uses_).subspan(member.first, member.count)) {
      uint16_t& table = table_of_[use.place];
      if (table == kNone) {
        table = static_cast<uint16_t>(masks_.tables.size() - group.first_table);
        std::fill_n(masks_.tables.emplace_back().queries, kCodes, uint8_t{0xff});
        masks_.places.push_back(use.place);
      }
      keep_codes(masks_.tables[group.first_table + table], group.query_count, use.codes);
    }
    group.queries[group.query_count++] = member.query;
  }
  group.table_count = static_cast<uint32_t>(masks_.tables.size()) - group.first_table;
  for (uint32_t table = group.first_table; table < masks_.tables.size(); ++table) {
    table_of_[masks_.places[table]] = kNone;
  }
  masks_.groups.push_back(group);
}

QueryMasks MaskPlanner::end() {
  order_members();
  table_of_.assign(masks_.columns.size(), kNone);
  for (size_t first = 0; first < members_.size(); first += kMaskQueries) {
    add_group(std::span(members_).subspan(first, std::min<size_t>(kMaskQueries, members_.size() - first)));
  }
  return std::move(masks_);
}

}  // namespace daedalus::engine

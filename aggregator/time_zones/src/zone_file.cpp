#include "zone_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace daedalus::time_zones {
namespace {

using semantics::ZoneTable;

constexpr size_t kHeaderSize = 44;
constexpr size_t kTypeSize = 6;
constexpr uint32_t kTypesMax = 256;
/// The last SQL timestamp of a zone as it travels, in 36 bits: they reach from the year 881 to 3058.
constexpr int64_t kSqlTimestampMax = int64_t{1} << 35;
constexpr int64_t kOffsetMax = 168 * 3'600;

/// The counts of a header, in the order of the file.
struct Counts {
  uint32_t utc_marks = 0;
  uint32_t standard_marks = 0;
  uint32_t leaps = 0;
  uint32_t transitions = 0;
  uint32_t types = 0;
  uint32_t characters = 0;

  /// Bytes behind the header, with SQL timestamps of so many bytes.
  [[nodiscard]] uint64_t size(uint64_t sql_timestamp_size) const {
    return transitions * (sql_timestamp_size + 1) + types * uint64_t{kTypeSize} + characters +
           leaps * (sql_timestamp_size + 4) + uint64_t{standard_marks} + utc_marks;
  }
};

struct LocalType {
  int32_t offset = 0;
  bool is_daylight = false;
  std::string name;
};

/// Precondition: so many bytes are there.
template <typename T>
T big_endian(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (const char c : bytes.substr(at, sizeof(T))) {
    value = value << 8 | static_cast<uint8_t>(c);
  }
  return static_cast<T>(value);
}

std::optional<Counts> read_header(std::string_view bytes) {
  constexpr size_t kVersionAt = 4;
  constexpr size_t kCountsAt = 20;
  if (bytes.size() < kHeaderSize || !bytes.starts_with("TZif") || bytes[kVersionAt] < '2') {
    return std::nullopt;
  }
  const auto count = [&](size_t number) { return big_endian<uint32_t>(bytes, kCountsAt + number * sizeof(uint32_t)); };
  return Counts{count(0), count(1), count(2), count(3), count(4), count(5)};
}

/// Cuts off what the first version's readers read.
bool skip_first_part(std::string_view& bytes) {
  constexpr uint64_t kFirstSqlTimestampSize = 4;
  const std::optional<Counts> counts = read_header(bytes);
  if (!counts || bytes.size() < kHeaderSize + counts->size(kFirstSqlTimestampSize)) {
    return false;
  }
  bytes.remove_prefix(kHeaderSize + counts->size(kFirstSqlTimestampSize));
  return true;
}

std::optional<std::vector<LocalType>> read_types(std::string_view types, std::string_view names) {
  std::vector<LocalType> made;
  for (size_t at = 0; at < types.size(); at += kTypeSize) {
    const auto offset = big_endian<int32_t>(types, at);
    const auto name_at = static_cast<uint8_t>(types[at + 5]);
    const size_t name_end = names.find('\0', name_at);
    if (offset < -kOffsetMax || offset > kOffsetMax || name_at >= names.size() || name_end == std::string_view::npos) {
      return std::nullopt;
    }
    made.push_back({offset, types[at + 4] != 0, std::string(names.substr(name_at, name_end - name_at))});
  }
  return made;
}

/// Returns the offset before anything is known: that of the first type of standard time.
int32_t first_offset(const std::vector<LocalType>& types) {
  const auto standard =
      std::find_if(types.begin(), types.end(), [](const LocalType& type) { return !type.is_daylight; });
  return standard == types.end() ? types.front().offset : standard->offset;
}

std::optional<ZoneTable> read_transitions(std::string_view sql_timestamps, std::string_view indices,
                                          const std::vector<LocalType>& types) {
  ZoneTable zone;
  zone.first_offset = first_offset(types);
  std::optional<int64_t> last;
  for (size_t number = 0; number < indices.size(); ++number) {
    const auto at = big_endian<int64_t>(sql_timestamps, number * sizeof(int64_t));
    const auto type = static_cast<uint8_t>(indices[number]);
    if (type >= types.size() || (last && at <= *last) || at >= kSqlTimestampMax) {
      return std::nullopt;
    }
    last = at;
    if (at < -kSqlTimestampMax) {
      zone.first_offset = types[type].offset;  // Some files begin with the beginning of time.
    } else {
      zone.transitions.push_back({at, types[type].offset, types[type].name});
    }
  }
  return zone;
}

}  // namespace

std::optional<ZoneTable> read_zone_file(std::string_view bytes) {
  if (!skip_first_part(bytes)) {
    return std::nullopt;
  }
  const std::optional<Counts> counts = read_header(bytes);
  const bool is_sound = counts && counts->leaps == 0 && counts->types > 0 && counts->types <= kTypesMax &&
                        counts->transitions <= kTransitionsMax &&
                        bytes.size() > kHeaderSize + counts->size(sizeof(int64_t));
  if (!is_sound) {
    return std::nullopt;
  }
  const auto take = [&](size_t size) {
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  };
  take(kHeaderSize);
  const std::string_view sql_timestamps = take(counts->transitions * sizeof(int64_t));
  const std::string_view indices = take(counts->transitions);
  const std::string_view types = take(counts->types * kTypeSize);
  const std::string_view names = take(counts->characters);
  take(counts->standard_marks + counts->utc_marks);
  const auto known = read_types(types, names);
  auto zone = known ? read_transitions(sql_timestamps, indices, *known) : std::nullopt;
  // The rule stands between two ends of lines.
  if (!zone || bytes.size() < 2 || bytes.front() != '\n' || bytes.back() != '\n') {
    return std::nullopt;
  }
  const std::string_view rule = bytes.substr(1, bytes.size() - 2);
  if (!rule.empty()) {
    zone->footer = semantics::read_zone_rule(rule);
    if (!zone->footer) {
      return std::nullopt;
    }
  }
  return zone;
}

}  // namespace daedalus::time_zones

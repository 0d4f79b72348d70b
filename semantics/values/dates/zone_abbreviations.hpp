// The abbreviations of time zones that PostgreSQL knows without being told: its "Default" set.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace daedalus::semantics {

struct ZoneAbbreviation {
  enum class Kind : uint8_t {
    kStandard,
    kDaylight,
    kOfPlace,  ///< It has meant several offsets: those that it had in a zone of the database.
  };
  std::string_view name;  ///< In lower case.
  Kind kind = Kind::kStandard;
  int32_t minutes = 0;     ///< East of UTC.
  std::string_view place;  ///< kOfPlace: the zone.
};

/// By its name in lower case; nothing: it is none.
[[nodiscard]] std::optional<ZoneAbbreviation> find_zone_abbreviation(std::string_view name);

}  // namespace daedalus::semantics

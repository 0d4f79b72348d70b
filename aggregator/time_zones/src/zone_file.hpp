// A zone's file (TZif, RFC 8536): its part of 64 bits, and the rule in its last line.
#pragma once

#include <optional>
#include <string_view>

#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::time_zones {

/// The most transitions of a zone; the richest has 310.
constexpr uint32_t kTransitionsMax = 400;

/// Nothing: it is no such file, is of the first version, counts leap seconds, or is not sound.
[[nodiscard]] std::optional<semantics::ZoneTable> read_zone_file(std::string_view bytes);

}  // namespace daedalus::time_zones

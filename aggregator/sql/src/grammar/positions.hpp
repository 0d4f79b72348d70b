// Places in a text as PostgreSQL tells them: characters, counted from 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "daedalus/semantics/characters.hpp"

namespace daedalus::aggregator::sql {

/// The character that stands at a byte, which is counted from 0.
[[nodiscard]] inline uint32_t position_at(std::string_view text, size_t byte) {
  return 1 + static_cast<uint32_t>(semantics::character_count(text.substr(0, byte)));
}

/// From a byte that is counted from 1 to its character; 0 (unknown) stays 0.
[[nodiscard]] inline uint32_t as_character(std::string_view text, uint32_t byte) {
  return byte == 0 ? 0 : position_at(text, byte - 1);
}

}  // namespace daedalus::aggregator::sql

// Which version of the language a peer has, as its hello says.
#pragma once

#include <cstdint>
#include <optional>

#include "daedalus/semantics/language.hpp"
#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::contract {

void announce(const semantics::Language& language, wire::v1::Hello& hello);

/// Language::common_version() of ours and the peer's.
[[nodiscard]] std::optional<uint32_t> common_version(const semantics::Language& language, const wire::v1::Hello& hello);

}  // namespace daedalus::contract

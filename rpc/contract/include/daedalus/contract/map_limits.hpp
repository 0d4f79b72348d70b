// The bounds of a partition map, for whoever reads one: from a message or from a file.
#pragma once

#include <cstdint>

namespace daedalus::contract {

constexpr uint32_t kPartitionsMax = 65'536;

}  // namespace daedalus::contract

// Decides whether recovery may use threads of its own.
#pragma once

#include <cstdint>

namespace daedalus::durability {

/// One by one: all in the caller's thread, so that it repeats. The rows are the same either way.
enum class RecoveryOrder : uint8_t { kOneByOne, kSideBySide };

}  // namespace daedalus::durability

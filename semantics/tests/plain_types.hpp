// Types without modifiers, as tests name them.
#pragma once

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

inline constexpr Type kBool{TypeKind::kBool};
inline constexpr Type kSmallint{TypeKind::kSmallint};
inline constexpr Type kInt{TypeKind::kInt};
inline constexpr Type kBigint{TypeKind::kBigint};
inline constexpr Type kReal{TypeKind::kReal};
inline constexpr Type kDouble{TypeKind::kDouble};
inline constexpr Type kNumeric{TypeKind::kNumeric};
inline constexpr Type kText{TypeKind::kText};
inline constexpr Type kDate{TypeKind::kDate};
inline constexpr Type kTime{TypeKind::kTime};
inline constexpr Type kTimestamp{TypeKind::kTimestamp};
inline constexpr Type kTimestampTz{TypeKind::kTimestampTz};
inline constexpr Type kInterval{TypeKind::kInterval};
inline constexpr Type kUuid{TypeKind::kUuid};

}  // namespace daedalus::semantics

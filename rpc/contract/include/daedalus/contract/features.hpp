// Optional features, which a peer's hello names: both sides may use what both know.
#pragma once

#include <cstdint>

#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::contract {

/// The sender understands MARK, HOLD and OperationHeader.at. An older build lacks it: nobody sends it any of these.
constexpr uint64_t kFeatureMoments = 1;

/// Adds what this build understands.
inline void announce_features(wire::v1::Hello& hello) { hello.set_features(hello.features() | kFeatureMoments); }

[[nodiscard]] inline bool knows_moments(const wire::v1::Hello& hello) {
  return (hello.features() & kFeatureMoments) != 0;
}

}  // namespace daedalus::contract

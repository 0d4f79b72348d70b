// Strong types for what must not mix.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace daedalus {

/// Monotonic time, nanoseconds since an arbitrary start. Cores are told the time; they never ask.
struct Instant {
  int64_t ns = 0;
  friend auto operator<=>(const Instant&, const Instant&) = default;
};

constexpr Instant kNever{INT64_MAX};

/// Later by `duration_ns`; saturates at kNever.
constexpr Instant after(Instant start, int64_t duration_ns) {
  return start.ns > INT64_MAX - duration_ns ? kNever : Instant{start.ns + duration_ns};
}

constexpr uint64_t kMib = 1u << 20;

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;

/// Place of an update in the total order; dense from 1. 0: before the first.
enum class Timestamp : uint64_t {};
enum class Epoch : uint64_t {};
enum class NodeId : uint32_t {};
enum class PartitionId : uint32_t {};

/// The number behind a strong id.
template <typename Id>
constexpr auto raw(Id id) {
  return static_cast<std::underlying_type_t<Id>>(id);
}

constexpr Timestamp next(Timestamp timestamp) { return Timestamp{raw(timestamp) + 1}; }

}  // namespace daedalus

// A thread does the work of a session while the network's thread serves others.
//
// Decides what each kind of work is done by. Refuses to know threads, the clock and whose work it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/postgres/session_owner.hpp"

namespace daedalus::postgres {

/// Microseconds since 1970, UTC. Asked from any thread.
using WallClock = std::function<int64_t()>;

/// The work done; `table` is the name of the one that there is. The clock is asked only where `now` may be meant. May
/// be called from several threads at a time, each with work of its own.
[[nodiscard]] WorkDone do_work(const Work& work, aggregator::Compiler& compiler, std::string_view table,
                               const WallClock& wall_clock_us);

/// The next rows of a COPY, as Work::Convert demands. `now_us` is what `now` means.
[[nodiscard]] CopyRows convert(const Work::Convert& work, int64_t now_us);

}  // namespace daedalus::postgres

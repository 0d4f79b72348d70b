// Which row lies in which slot of a segment.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "daedalus/base/units.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::testing {

/// Rows, as the selection shows them, by slot. Each is asked for as a slice of its own; queries that are under way
/// are lost. Preconditions: no update is under way in the segment, and the selection has neither groups, order nor
/// limit.
[[nodiscard]] std::map<uint64_t, std::string> slot_rows(engine::Segment& segment, const semantics::Selection& selection,
                                                        Instant now);

}  // namespace daedalus::testing

#include "slot_rows.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

/// Stands for the end behind the last slot, which no answer names.
constexpr uint64_t kSlotsEnd = UINT64_MAX;

/// Queries that others have asked and aborted may wait there, for a cycle that nobody has asked for: nobody needs their
/// answers any more.
void drop_other_queries(engine::Segment& segment, Instant now) {
  while (segment.step(now)) {
    while (const auto output = segment.dequeue()) {
      CHECK(std::holds_alternative<engine::QueryOutput>(*output));
    }
  }
}

/// Returns the answer to the only query of the segment.
engine::QueryOutput answer_to(engine::Segment& segment, engine::Query query, Instant now) {
  CHECK(segment.enqueue(std::move(query)));
  engine::QueryOutput whole;
  for (bool is_last = false; !is_last;) {
    static_cast<void>(segment.step(now));
    while (auto output = segment.dequeue()) {
      auto& part = std::get<engine::QueryOutput>(*output);
      CHECK(!part.error);
      is_last = part.is_last;
      whole.rows += part.rows;
      whole.next_slot = part.next_slot;
    }
  }
  return whole;
}

}  // namespace

std::map<uint64_t, std::string> slot_rows(engine::Segment& segment, const semantics::Selection& selection,
                                          Instant now) {
  drop_other_queries(segment, now);
  std::map<uint64_t, std::string> rows;
  for (std::optional<uint64_t> slot = 0; slot;) {
    auto of_one = std::make_shared<semantics::Selection>(selection);
    of_one->slice = semantics::Slice{.first_slot = *slot, .answer_bytes = 1};
    engine::QueryOutput answer = answer_to(segment, {.selection = std::move(of_one)}, now);
    slot = answer.next_slot;
    if (!answer.rows.empty()) {
      rows[slot.value_or(kSlotsEnd) - 1] = std::move(answer.rows);
    }
  }
  return rows;
}

}  // namespace daedalus::testing

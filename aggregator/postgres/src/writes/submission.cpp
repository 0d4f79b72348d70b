#include "submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace daedalus::postgres {

namespace {

/// A writer says what to know of it, and is asked again; another one may have taken over meanwhile, but not for ever.
constexpr uint32_t kTriesMax = 5;

struct Outcome {
  uint64_t applied = 0;
  uint64_t refused = 0;
  std::string sqlstate;                            ///< The first refusal's.
  std::optional<std::vector<uint64_t>> part_rows;  ///< Each part was applied to so many, where that is known.
};

std::string sqlstate_of(const wire::v1::RefusedRows& refused) {
  switch (refused.reason()) {
    case wire::v1::ROW_REFUSAL_NO_ROOM:
      return "53100";
    case wire::v1::ROW_REFUSAL_OVERFLOW:
      return "22003";
    default:
      return refused.sqlstate().empty() ? "XX000" : refused.sqlstate();
  }
}

/// Returns how many rows each of so many parts was applied to, of an update that was applied to so many.
std::optional<std::vector<uint64_t>> part_rows_of(const wire::v1::WriteConfirmed& confirmed, size_t part_count,
                                                  uint64_t applied) {
  if (confirmed.outcome_forgotten()) {
    return std::nullopt;
  }
  if (part_count == 1 || applied == 0) {
    return std::vector<uint64_t>(part_count, applied);
  }
  std::vector<uint64_t> rows(confirmed.part_rows().begin(), confirmed.part_rows().end());
  return rows.size() == part_count ? std::optional(std::move(rows)) : std::nullopt;
}

Outcome outcome_of(const wire::v1::WriteConfirmed& confirmed, size_t part_count) {
  Outcome outcome;
  for (const auto& partition : confirmed.outcomes()) {
    outcome.applied += partition.rows_applied();
    for (const auto& refused : partition.refused()) {
      outcome.refused += refused.row_count();
      if (outcome.sqlstate.empty() || refused.reason() == wire::v1::ROW_REFUSAL_NO_ROOM) {
        outcome.sqlstate = sqlstate_of(refused);
      }
    }
  }
  outcome.part_rows = part_rows_of(confirmed, part_count, outcome.applied);
  return outcome;
}

}  // namespace

void Submission::begin() {
  tries_ = 0;
  ++number_;
}

void Submission::send(const wire::v1::UpdateBody& update, const Terms& terms, Requests& requests) {
  ++tries_;
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_SUBMIT);
  header.set_map_version(terms.map_version);
  header.set_remaining_ns(static_cast<uint64_t>(terms.remaining_ns));
  header.set_principal(terms.principal);
  wire::v1::SubmitBody body;
  body.mutable_submission()->set_client(client_);
  body.mutable_submission()->set_number(number_);
  body.mutable_submission()->set_epoch(writer_epoch_);
  body.mutable_submission()->set_numbered_after(numbered_after_);
  *body.mutable_update() = update;
  body.SerializeToString(operation.mutable_body());
  sequence_ = requests.ask(std::move(operation));
}

Submission::Next Submission::take(const wire::v1::Result& answer) {
  sequence_ = 0;
  if (answer.has_confirmed()) {
    numbered_after_ = std::max(numbered_after_, answer.confirmed().timestamp());
    return Next::kOutcome;
  }
  if (answer.has_error()) {
    return Next::kError;
  }
  const auto& refused = answer.refused();
  if (refused.reason() == wire::v1::WRITE_REFUSAL_STALE_SUBMISSION && tries_ < kTriesMax) {
    writer_epoch_ = refused.epoch();
    numbered_after_ = refused.timestamp();
    return Next::kAgain;
  }
  return refused.has_error() ? Next::kError : Next::kRefused;
}

const wire::v1::Error& Submission::error_of(const wire::v1::Result& answer) {
  return answer.has_error() ? answer.error() : answer.refused().error();
}

Result<std::vector<uint64_t>> Submission::part_rows(const wire::v1::WriteConfirmed& confirmed, size_t part_count,
                                                    bool needs_counts) {
  Outcome outcome = outcome_of(confirmed, part_count);
  if (outcome.refused > 0) {
    return rejected(outcome.sqlstate,
                    fmt::format("{} rows applied, {} refused: the update has taken effect under timestamp {} and "
                                "is not to be repeated",
                                outcome.applied, outcome.refused, confirmed.timestamp()),
                    "what was refused stayed as it was");
  }
  if (needs_counts && !outcome.part_rows) {
    return rejected("08007",
                    fmt::format("the update has taken effect under timestamp {} and is not to be repeated, but how "
                                "many rows it changed is not known any more",
                                confirmed.timestamp()),
                    "look at the rows");
  }
  return std::move(outcome.part_rows).value_or(std::vector<uint64_t>());
}

}  // namespace daedalus::postgres

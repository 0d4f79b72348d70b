// Statements that write: compiled by another thread, gathered into one update, and submitted to the logical writer.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "daedalus/base/planted_faults.hpp"
#include "daedalus/contract/translate.hpp"
#include "session_copy.hpp"

namespace daedalus::postgres {

namespace {

/// A writer says what to know of it, and is asked again; another one may have taken over meanwhile, but not for ever.
constexpr uint32_t kTriesMax = 5;

struct Outcome {
  uint64_t applied = 0;
  uint64_t refused = 0;
  std::string sqlstate;                            ///< Of the first refusal.
  std::optional<std::vector<uint64_t>> part_rows;  ///< What each part was applied to, where that is known.
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

/// Of an update of so many parts that was applied to so many rows.
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

Result<void> PgSession::check_write(const WriteCommand& command) const {
  const bool is_insert = command.word == "INSERT" || command.word == "COPY FROM";
  const bool is_read_only =
      is_in_block() ? block_.is_read_only : *settings_.show("default_transaction_read_only") == "on";
  if (is_read_only) {
    return rejected("25006", fmt::format("cannot execute {} in a read-only transaction", command.word));
  }
  if (auto may = entrance_.check_role(Role::kWriter, command.word); !may) {
    return may;
  }
  if (is_in_block() && !is_insert) {
    return rejected("0A000", fmt::format("{} in a block is not supported", command.word),
                    "use autocommit: outside a block each statement takes effect at once, as one update");
  }
  if (group_.awaits_counts() && command.word == "COPY FROM") {
    return rejected("0A000", "COPY FROM after an UPDATE or DELETE that has not been submitted yet is not supported",
                    "send it in a message of its own, behind a Sync");
  }
  return {};
}

void PgSession::start_write(Portal& portal, uint32_t rows_max) {
  limit_rows(rows_max);
  Work::Compile work;
  put_parameters(portal, work.statement);
  active_ = &portal;
  start_work(Wait::kCompile, std::move(work));
}

void PgSession::on_compiled(Result<aggregator::Compiled> compiled) {
  Portal& portal = *std::exchange(active_, nullptr);
  const std::string word(std::get<WriteCommand>(portal.statement->command).word);
  if (!compiled) {
    return fail(compiled.error());
  }
  auto* const update = std::get_if<aggregator::CompiledUpdate>(&*compiled);
  if (update == nullptr) {
    return fail(rejected("XX000", "a write was compiled to something else"));
  }
  std::optional<aggregator::Returning> returning = std::exchange(update->returning, std::nullopt);
  const auto rows = keep_write(std::move(*update));
  if (!rows) {
    return fail(rows.error());
  }
  const bool is_insert = word == "INSERT";
  if (!is_in_block()) {
    group_.hold(is_insert ? std::string() : word);
  }
  if (returning) {
    give_back(portal, std::move(*returning), *rows);
  } else if (is_insert) {
    append_command_complete(fmt::format("INSERT 0 {}", *rows), out());
  }
}

void PgSession::give_back(Portal& portal, aggregator::Returning returning, uint32_t inserted) {
  if (auto begun = begin_rows(portal, *returning.columns); !begun) {
    return fail(begun.error());
  }
  portal.inserted = inserted;
  portal.has_ended = true;
  answers_.add(portal, {std::move(returning.rows.rows), static_cast<uint32_t>(returning.rows.row_count)});
  active_ = &portal;
  wait_ = Wait::kRows;
  pump();
}

void PgSession::submit(Then then) {
  then_ = then;
  if (is_planted(Fault::kInsertNotSubmitted) && then == Then::kEndSync && !group_.awaits_counts()) {
    return end_submission(std::nullopt);
  }
  wait_ = Wait::kSubmit;
  submission_tries_ = 0;
  ++submission_number_;
  send_submission();
}

void PgSession::send_submission() {
  ++submission_tries_;
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_kind(wire::v1::OPERATION_KIND_SUBMIT);
  header.set_map_version(options_.map_version);
  header.set_remaining_ns(static_cast<uint64_t>(time_left()));
  header.set_principal(entrance_.user());
  wire::v1::SubmitBody body;
  body.mutable_submission()->set_client(identity_.submission_client);
  body.mutable_submission()->set_number(submission_number_);
  body.mutable_submission()->set_epoch(writer_epoch_);
  body.mutable_submission()->set_numbered_after(numbered_after_);
  *body.mutable_update() = copy_ != nullptr ? copy_->body : group_.body();
  body.SerializeToString(operation.mutable_body());
  submission_sequence_ = requests_.ask(std::move(operation));
}

void PgSession::on_submitted(wire::v1::Result&& result) {
  if (result.has_confirmed()) {
    return on_confirmed(result.confirmed());
  }
  if (result.has_error()) {
    return end_submission(failure_of(result.error()));
  }
  const auto& refused = result.refused();
  if (refused.reason() == wire::v1::WRITE_REFUSAL_STALE_SUBMISSION && submission_tries_ < kTriesMax) {
    writer_epoch_ = refused.epoch();
    numbered_after_ = refused.timestamp();
    return send_submission();
  }
  end_submission(refused.has_error()
                     ? failure_of(refused.error())
                     : Failure{rejected("57P03", "the writer takes no updates for now", "try again"), {}});
}

void PgSession::on_confirmed(const wire::v1::WriteConfirmed& confirmed) {
  numbered_after_ = std::max(numbered_after_, confirmed.timestamp());
  Outcome outcome = outcome_of(confirmed, static_cast<size_t>(group_.body().parts_size()));
  if (outcome.refused > 0) {
    return end_submission(
        Failure{rejected(outcome.sqlstate,
                         fmt::format("{} rows applied, {} refused: the update has taken effect under timestamp {} and "
                                     "is not to be repeated",
                                     outcome.applied, outcome.refused, confirmed.timestamp()),
                         "what was refused stayed as it was"),
                {}});
  }
  if (group_.awaits_counts() && !outcome.part_rows) {
    return end_submission(Failure{
        rejected("08007",
                 fmt::format("the update has taken effect under timestamp {} and is not to be repeated, but how "
                             "many rows it changed is not known any more",
                             confirmed.timestamp()),
                 "look at the rows"),
        {}});
  }
  group_.set_part_rows(std::move(outcome.part_rows).value_or(std::vector<uint64_t>()));
  end_submission(std::nullopt);
}

void PgSession::end_submission(std::optional<Failure> failure) {
  if (copy_ != nullptr) {
    return on_batch_submitted(std::move(failure));
  }
  wait_ = Wait::kNothing;
  if (then_ == Then::kEndBlock) {
    end_block(/*is_commit=*/!failure.has_value());
  }
  if (failure) {
    fail(std::move(*failure));
    if (then_ == Then::kEndSync) {
      skips_to_sync_ = false;
      end_sync();
    }
    return;
  }
  output_.text() += group_.release();
  group_.clear();
  switch (then_) {
    case Then::kEndSimple:
      return end_simple();
    case Then::kEndSync:
      return end_sync();
    case Then::kEndBlock:
      return append_command_complete("COMMIT", out());
    case Then::kAfterFlush:
      return;
  }
}

}  // namespace daedalus::postgres

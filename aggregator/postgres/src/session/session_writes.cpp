// Statements that write: compiled by another thread, gathered into one update, and submitted to the logical writer.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "session.hpp"

namespace daedalus::postgres {

Result<void> PgSession::check_write(const WriteCommand& command) const {
  const bool is_insert = command.word == "INSERT" || command.word == "COPY FROM";
  if (block_.is_read_only()) {
    return rejected("25006", fmt::format("cannot execute {} in a read-only transaction", command.word));
  }
  if (auto may = entrance_.check_role(Role::kWriter, command.word); !may) {
    return may;
  }
  if (gathers_writes() && !is_insert) {
    return block_.is_repeatable()
               ? rejected(
                     "0A000",
                     fmt::format("{} in a block of REPEATABLE READ or SERIALIZABLE is not supported", command.word),
                     "use autocommit, or READ COMMITTED")
               : rejected(
                     "0A000",
                     fmt::format("{} in a block is not supported unless daedalus.block_writes is immediate",
                                 command.word),
                     "use autocommit; SET daedalus.block_writes = immediate lets each write of a block take effect "
                     "at once, and ROLLBACK does not take it back");
  }
  if (block_.is_serializable() && block_.has_queried()) {
    return rejected("0A000", fmt::format("{} behind a query in a block of SERIALIZABLE is not supported", command.word),
                    "use READ COMMITTED");
  }
  if (group_.awaits_counts() && command.word == "COPY FROM") {
    return rejected("0A000", "COPY FROM after an UPDATE or DELETE that has not been submitted yet is not supported",
                    "send it in a message of its own, behind a Sync");
  }
  return {};
}

void PgSession::start_write(Portal& portal, uint32_t rows_max) {
  start_work(awaited::Compilation{{portal, rows_max}}, Work::Compile{body_of(portal, /*slot=*/0)});
}

void PgSession::on_compiled(const Execution& execution, Result<aggregator::Compiled> compiled) {
  const Portal& portal = *execution.portal;
  const std::string word(std::get<WriteCommand>(portal.statement->command).word);
  if (!compiled) {
    return fail(compiled.error());
  }
  auto* const update = std::get_if<aggregator::CompiledUpdate>(&*compiled);
  if (update == nullptr) {
    return fail(rejected("XX000", "a write was compiled to something else"));
  }
  std::optional<aggregator::Returning> returning = std::exchange(update->returning, std::nullopt);
  const bool gathers = gathers_writes();
  const bool is_of_nothing = update->body.parts_size() == 0;  // It has no row, so it waits for nothing.
  const auto rows = keep_write(std::move(*update));
  if (!rows) {
    return fail(rows.error());
  }
  const bool is_insert = word == "INSERT";
  if (!gathers && !is_of_nothing) {
    group_.hold(is_insert ? std::string() : word);
  }
  if (returning) {
    give_back(execution, std::move(*returning), *rows);
  } else if (is_insert) {
    append_command_complete(fmt::format("INSERT 0 {}", *rows), out());
  }
}

void PgSession::give_back(const Execution& execution, aggregator::Returning returning, uint32_t inserted) {
  Portal& portal = *execution.portal;
  if (auto begun = begin_rows(portal, *returning.columns); !begun) {
    return fail(begun.error());
  }
  portal.inserted = inserted;
  portal.has_ended = true;
  answers_.add(portal, {std::move(returning.rows.rows), static_cast<uint32_t>(returning.rows.row_count)});
  pump(awaited_.emplace<awaited::Rows>(execution).execution);
}

void PgSession::submit(Ends ends) {
  awaited_ = awaited::Outcome{ends};
  if (is_planted(Fault::kInsertNotSubmitted) && ends == Ends::kSync && !group_.awaits_counts()) {
    return end_submission(std::nullopt);
  }
  submission_.begin();
  send_submission();
}

void PgSession::send_submission() {
  const CopyIn* const copy = copy_in();
  submission_.send(copy != nullptr ? copy->update() : group_.body(),
                   {options_.map_version, time_left(), entrance_.user()}, requests_);
}

void PgSession::on_submitted(wire::v1::Result&& answer) {
  switch (submission_.take(answer)) {
    case Submission::Next::kAgain:
      return send_submission();
    case Submission::Next::kOutcome:
      return on_confirmed(answer.confirmed());
    case Submission::Next::kError:
      return end_submission(failure_of(Submission::error_of(answer), has_timeout()));
    case Submission::Next::kRefused:
      return end_submission(Failure{rejected("57P03", "the writer takes no updates for now", "try again"), {}});
  }
}

void PgSession::on_confirmed(const wire::v1::WriteConfirmed& confirmed) {
  const auto part_count = static_cast<size_t>(group_.body().parts_size());
  auto rows = Submission::part_rows(confirmed, part_count, group_.awaits_counts());
  const auto* const awaited = std::get_if<awaited::Outcome>(&awaited_);
  if (awaited != nullptr && awaited->ends == Ends::kWriteInBlock && block_.note_effect()) {
    notice("the write has taken effect and ROLLBACK does not take it back: daedalus.block_writes is immediate");
  }
  if (!rows) {
    return end_submission(Failure{rows.error(), {}});
  }
  group_.set_part_rows(std::move(*rows));
  end_submission(std::nullopt);
}

bool PgSession::gathers_writes() const {
  return block_.is_open() && (!block_.writes_at_once() || (group_.has_any() && !group_.is_holding()));
}

bool PgSession::has_write_for_now() const { return block_.is_open() && group_.is_holding() && group_.has_any(); }

void PgSession::warn_of_effects(uint64_t count) {
  if (count > 0) {
    warn("01000", count == 1 ? std::string("1 statement took effect and stays")
                             : fmt::format("{} statements took effect and stay", count));
  }
}

void PgSession::end_submission(std::optional<Failure> failure) {
  if (CopyIn* const copy = copy_in()) {
    copy->on_submitted(std::move(failure));
    return step_copy(*copy);
  }
  const Ends ends = std::get<awaited::Outcome>(std::exchange(awaited_, awaited::Message{})).ends;
  if (ends == Ends::kBlock) {
    end_block(/*is_commit=*/!failure.has_value());
  }
  if (failure) {
    fail(std::move(*failure));
    if (ends == Ends::kSync) {
      skips_to_sync_ = false;
      end_sync();
    }
    return;
  }
  output_.text() += group_.release();
  group_.clear();
  switch (ends) {
    case Ends::kSimple:
      return end_simple();
    case Ends::kSync:
      return end_sync();
    case Ends::kBlock:
      return append_command_complete("COMMIT", out());
    case Ends::kFlush:
    case Ends::kWriteInBlock:
      return;
  }
}

}  // namespace daedalus::postgres

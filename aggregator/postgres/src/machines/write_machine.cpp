#include "write_machine.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "daedalus/base/planted_faults.hpp"
#include "query_machine.hpp"

namespace daedalus::postgres {

Result<void> WriteMachine::check_write(const WriteCommand& command) const {
  const bool is_insert = command.word == "INSERT" || command.word == "COPY FROM";
  if (core_.block.is_read_only()) {
    return rejected("25006", fmt::format("cannot execute {} in a read-only transaction", command.word));
  }
  if (auto may = core_.entrance.check_role(Role::kWriter, command.word); !may) {
    return may;
  }
  if (gathers_writes() && !is_insert) {
    return core_.block.is_repeatable()
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
  if (core_.block.is_serializable() && core_.block.has_queried()) {
    return rejected("0A000", fmt::format("{} behind a query in a block of SERIALIZABLE is not supported", command.word),
                    "use READ COMMITTED");
  }
  if (core_.group.awaits_counts() && command.word == "COPY FROM") {
    return rejected("0A000", "COPY FROM after an UPDATE or DELETE that has not been submitted yet is not supported",
                    "send it in a message of its own, behind a Sync");
  }
  return {};
}

void WriteMachine::start_write(Portal& portal, uint32_t rows_max) {
  core_.start_work(awaited::Compilation{{portal, rows_max}}, Work::Compile{core_.body_of(portal, /*handle=*/0)});
}

void WriteMachine::on_compiled(const Execution& execution, Result<aggregator::Compiled> compiled) {
  const Portal& portal = *execution.portal;
  const std::string word(std::get<WriteCommand>(portal.statement->command).word);
  if (!compiled) {
    return core_.fail(compiled.error());
  }
  auto* const update = std::get_if<aggregator::CompiledUpdate>(&*compiled);
  if (update == nullptr) {
    return core_.fail(rejected("XX000", "a write was compiled to something else"));
  }
  std::optional<aggregator::Returning> returning = std::exchange(update->returning, std::nullopt);
  const bool gathers = gathers_writes();
  const bool is_of_nothing = update->body.parts_size() == 0;  // It has no row, so it waits for nothing.
  const auto rows = core_.keep_write(std::move(*update));
  if (!rows) {
    return core_.fail(rows.error());
  }
  const bool is_insert = word == "INSERT";
  if (!gathers && !is_of_nothing) {
    core_.group.hold(is_insert ? std::string() : word);
  }
  if (returning) {
    give_back(execution, std::move(*returning), *rows);
  } else if (is_insert) {
    append_command_complete(fmt::format("INSERT 0 {}", *rows), core_.out());
  }
}

void WriteMachine::give_back(const Execution& execution, aggregator::Returning returning, uint32_t inserted) {
  Portal& portal = *execution.portal;
  if (auto begun = QueryMachine(core_).begin_rows(portal, *returning.columns); !begun) {
    return core_.fail(begun.error());
  }
  portal.inserted = inserted;
  portal.has_ended = true;
  core_.answers.add(portal, {std::move(returning.rows.rows), static_cast<uint32_t>(returning.rows.row_count)});
  QueryMachine(core_).pump(core_.awaited.emplace<awaited::Rows>(execution).execution);
}

void WriteMachine::submit(Ends ends) {
  core_.awaited = awaited::Outcome{ends};
  if (is_planted(Fault::kInsertNotSubmitted) && ends == Ends::kSync && !core_.group.awaits_counts()) {
    return end_submission({});
  }
  core_.submission.begin();
  send_submission();
}

void WriteMachine::send_submission() {
  const CopyIn* const copy = core_.copy_in();
  core_.submission.send(copy != nullptr ? copy->update() : core_.group.body(),
                        {core_.options.map_version, core_.time_left(), core_.entrance.user()}, core_.requests);
}

std::optional<SubmissionEnd> WriteMachine::take_submitted(const wire::v1::Result& answer) {
  switch (core_.submission.take(answer)) {
    case Submission::Next::kAgain:
      send_submission();
      return std::nullopt;
    case Submission::Next::kOutcome:
      return on_confirmed(answer.confirmed());
    case Submission::Next::kError:
      return SubmissionEnd{failure_of(Submission::error_of(answer), core_.has_timeout())};
    case Submission::Next::kRefused:
      break;
  }
  return SubmissionEnd{Failure{rejected("57P03", "the writer takes no updates for now", "try again"), {}}};
}

SubmissionEnd WriteMachine::on_confirmed(const wire::v1::WriteConfirmed& confirmed) {
  const auto part_count = static_cast<size_t>(core_.group.body().parts_size());
  auto rows = Submission::part_rows(confirmed, part_count, core_.group.awaits_counts());
  const auto* const awaited = std::get_if<awaited::Outcome>(&core_.awaited);
  if (awaited != nullptr && awaited->ends == Ends::kWriteInBlock && core_.block.note_effect()) {
    core_.notice("the write has taken effect and ROLLBACK does not take it back: daedalus.block_writes is immediate");
  }
  if (!rows) {
    return {Failure{rows.error(), {}}};
  }
  core_.group.set_part_rows(std::move(*rows));
  return {};
}

bool WriteMachine::gathers_writes() const {
  return core_.block.is_open() &&
         (!core_.block.writes_at_once() || (core_.group.has_any() && !core_.group.is_holding()));
}

bool WriteMachine::has_write_for_now() const {
  return core_.block.is_open() && core_.group.is_holding() && core_.group.has_any();
}

void WriteMachine::end_submission(SubmissionEnd end) {
  const Ends ends = std::get<awaited::Outcome>(std::exchange(core_.awaited, awaited::Message{})).ends;
  if (ends == Ends::kBlock) {
    core_.end_block(/*is_commit=*/!end.failure.has_value());
  }
  if (end.failure) {
    core_.fail(std::move(*end.failure));
    if (ends == Ends::kSync) {
      core_.skips_to_sync = false;
      core_.end_sync();
    }
    return;
  }
  core_.output.text() += core_.group.release();
  core_.group.clear();
  switch (ends) {
    case Ends::kSimple:
      return core_.end_simple();
    case Ends::kSync:
      return core_.end_sync();
    case Ends::kBlock:
      return append_command_complete("COMMIT", core_.out());
    case Ends::kFlush:
    case Ends::kWriteInBlock:
      return;
  }
}

}  // namespace daedalus::postgres

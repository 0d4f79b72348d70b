#include "copy_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_refusals.hpp"
#include "copy_encoder.hpp"
#include "copy_start.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kCopySetting = "daedalus.copy";
/// So much is repeated of why a client gives up.
constexpr size_t kReasonSizeMax = 1024;

}  // namespace

Result<bool> CopyMachine::start_copy(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  if (!core_.entrance.has_table()) {
    return copy.table.empty() ? catalogue_refusal("COPY")
                              : rejected("42P01", fmt::format("relation \"{}\" does not exist", copy.table));
  }
  if (auto checked = check_copy_place(copy, *core_.options.schema); !checked) {
    return checked.error();
  }
  if (!copy.is_from) {
    return start_copy_out(portal);
  }
  if (auto may = WriteMachine(core_).check_write({"COPY FROM"}); !may) {
    return may.error();
  }
  if (std::exchange(portal.has_started, true)) {
    return rejected("55000", "a COPY runs once for each Bind", "send Bind before each Execute");
  }
  const bool is_in_batches = !core_.block.is_open() && *core_.settings->show(kCopySetting) == "batches";
  if (is_in_batches && core_.group.has_any()) {
    return rejected("0A000", "COPY in batches after a write that has not been submitted yet is not supported",
                    "send it in a message of its own, behind a Sync");
  }
  const CopyBound bound = is_in_batches ? CopyBound() : CopyBound{core_.group.rows_left(), core_.group.bytes_left()};
  auto started = start_copy_from(copy, core_.options.schema, core_.settings->value_style(), bound);
  if (!started) {
    return started.error();
  }
  const int64_t timeout = core_.settings->statement_timeout_ns();
  const Instant deadline = timeout > 0 ? after(core_.now, timeout) : kNever;
  core_.awaited = awaited::Copy{std::make_unique<CopyIn>(std::move(started->reader), is_in_batches, deadline)};
  if (core_.group.is_holding()) {
    core_.output.text() += core_.group.release();  // Its client waits for what follows, as behind a Flush.
  }
  append_copy_response('G', started->format, started->column_count, core_.output.text());
  return false;
}

Result<bool> CopyMachine::start_copy_out(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  auto copy_out = CopyOut::make(copy, *core_.options.schema);
  if (!copy_out) {
    return copy_out.error();
  }
  if (portal.copy_out != nullptr) {
    return rejected("55000", "a COPY runs once for each Bind", "send Bind before each Execute");
  }
  portal.copy_out = std::move(*copy_out);
  return true;
}

void CopyMachine::on_copy_frame(CopyIn& copy, const Frame& frame) {
  switch (frame.type) {
    case 'd':
      copy.feed(frame.body);
      return step_copy(copy);
    case 'c':
      copy.end();
      return step_copy(copy);
    case 'f': {
      const std::string_view reason = frame.body.substr(0, std::min(frame.body.find('\0'), kReasonSizeMax));
      return fail_copy(copy, rejected("57014", fmt::format("COPY from stdin failed: {}", reason)));
    }
    case 'H':
    case 'S':
      return;  // As PostgreSQL, for clients that do not know that it is a COPY.
    default:
      core_.fatal(rejected("08P01", fmt::format("unexpected message type 0x{:02X} during COPY from stdin",
                                                static_cast<unsigned char>(frame.type))));
  }
}

void CopyMachine::on_converted(CopyIn& copy, CopyRows rows) {
  copy.on_converted(std::move(rows));
  if (auto fits = core_.reserve(0); !fits) {
    copy.fail({fits.error(), {}});
  }
  step_copy(copy);
}

void CopyMachine::on_copy_submitted(CopyIn& copy, SubmissionEnd end) {
  copy.on_submitted(std::move(end.failure));
  step_copy(copy);
}

void CopyMachine::fail_copy(CopyIn& copy, Error error) {
  copy.fail({std::move(error), {}});
  step_copy(copy);
}

void CopyMachine::step_copy(CopyIn& copy) {
  while (copy.next() == CopyIn::Next::kSubmit) {
    copy.begin_batch();
    core_.submission.begin();
    WriteMachine(core_).send_submission();
  }
  switch (copy.next()) {
    case CopyIn::Next::kSubmit:  // Has been done.
    case CopyIn::Next::kTakeBytes:
    case CopyIn::Next::kAwaitConversion:
    case CopyIn::Next::kAwaitOutcome:
      return;
    case CopyIn::Next::kConvert:
      return core_.requests.start_work(copy.take_piece());
    case CopyIn::Next::kFail:
      return core_.fail(copy.take_failure());
    case CopyIn::Next::kFinish:
      return finish_copy();
  }
}

void CopyMachine::finish_copy() {
  const auto [copy] = std::get<awaited::Copy>(std::exchange(core_.awaited, awaited::Message{}));
  uint64_t row_count = copy->rows_in();
  CopyIn::Batch rows = copy->take_rows();
  if (rows.row_count > 0) {
    const bool gathers = WriteMachine(core_).gathers_writes();
    const auto added = core_.keep_write({insert_of(std::move(rows.rows), rows.row_count), {}});
    if (!added) {
      return core_.fail(added.error());
    }
    row_count = *added;
    if (!gathers) {
      core_.group.hold({});
    }
  }
  append_command_complete(fmt::format("COPY {}", row_count), core_.out());
}

}  // namespace daedalus::postgres

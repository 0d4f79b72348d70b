// COPY: what its client sends goes to the CopyIn that is under way, or a query's rows leave as its CopyOut wants them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue_refusals.hpp"
#include "copy_encoder.hpp"
#include "copy_start.hpp"
#include "session.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kCopySetting = "daedalus.copy";
/// So much is repeated of why a client gives up.
constexpr size_t kReasonSizeMax = 1024;

}  // namespace

void PgSession::start_copy(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  if (!entrance_.has_table()) {
    return fail(copy.table.empty() ? catalogue_refusal("COPY")
                                   : rejected("42P01", fmt::format("relation \"{}\" does not exist", copy.table)));
  }
  if (auto checked = check_copy_place(copy, *options_.schema); !checked) {
    return fail(checked.error());
  }
  if (!copy.is_from) {
    return start_copy_out(portal);
  }
  if (auto may = check_write({"COPY FROM"}); !may) {
    return fail(may.error());
  }
  if (std::exchange(portal.has_started, true)) {
    return fail(rejected("55000", "a COPY runs once for each Bind", "send Bind before each Execute"));
  }
  const bool is_in_batches = !block_.is_open() && *settings_->show(kCopySetting) == "batches";
  if (is_in_batches && group_.has_any()) {
    return fail(rejected("0A000", "COPY in batches after a write that has not been submitted yet is not supported",
                         "send it in a message of its own, behind a Sync"));
  }
  const CopyBound bound = is_in_batches ? CopyBound() : CopyBound{group_.rows_left(), group_.bytes_left()};
  auto started = start_copy_from(copy, options_.schema, settings_->value_style(), bound);
  if (!started) {
    return fail(started.error());
  }
  const int64_t timeout = settings_->statement_timeout_ns();
  const Instant deadline = timeout > 0 ? after(now_, timeout) : kNever;
  awaited_ = awaited::Copy{std::make_unique<CopyIn>(std::move(started->reader), is_in_batches, deadline)};
  if (group_.is_holding()) {
    output_.text() += group_.release();  // Its client waits for what follows, as behind a Flush.
  }
  append_copy_response('G', started->format, started->column_count, output_.text());
}

void PgSession::start_copy_out(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  auto copy_out = CopyOut::make(copy, *options_.schema);
  if (!copy_out) {
    return fail(copy_out.error());
  }
  if (portal.copy_out != nullptr) {
    return fail(rejected("55000", "a COPY runs once for each Bind", "send Bind before each Execute"));
  }
  portal.copy_out = std::move(*copy_out);
  start_rows(portal, /*rows_max=*/0);
}

void PgSession::on_copy_frame(CopyIn& copy, const Frame& frame) {
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
      fatal(rejected("08P01", fmt::format("unexpected message type 0x{:02X} during COPY from stdin",
                                          static_cast<unsigned char>(frame.type))));
  }
}

void PgSession::on_converted(CopyIn& copy, CopyRows rows) {
  copy.on_converted(std::move(rows));
  if (auto fits = reserve(0); !fits) {
    copy.fail({fits.error(), {}});
  }
  step_copy(copy);
}

void PgSession::fail_copy(CopyIn& copy, Error error) {
  copy.fail({std::move(error), {}});
  step_copy(copy);
}

void PgSession::step_copy(CopyIn& copy) {
  while (copy.next() == CopyIn::Next::kSubmit) {
    copy.begin_batch();
    submission_.begin();
    send_submission();
  }
  switch (copy.next()) {
    case CopyIn::Next::kSubmit:  // Has been done.
    case CopyIn::Next::kTakeBytes:
    case CopyIn::Next::kAwaitConversion:
    case CopyIn::Next::kAwaitOutcome:
      return;
    case CopyIn::Next::kConvert:
      return requests_.start_work(copy.take_piece());
    case CopyIn::Next::kFail:
      return fail(copy.take_failure());
    case CopyIn::Next::kFinish:
      return finish_copy();
  }
}

void PgSession::finish_copy() {
  const auto [copy] = std::get<awaited::Copy>(std::exchange(awaited_, awaited::Message{}));
  uint64_t row_count = copy->rows_in();
  CopyIn::Batch rows = copy->take_rows();
  if (rows.row_count > 0) {
    const bool gathers = gathers_writes();
    const auto added = keep_write({insert_of(std::move(rows.rows), rows.row_count), {}});
    if (!added) {
      return fail(added.error());
    }
    row_count = *added;
    if (!gathers) {
      group_.hold({});
    }
  }
  append_command_complete(fmt::format("COPY {}", row_count), out());
}

}  // namespace daedalus::postgres

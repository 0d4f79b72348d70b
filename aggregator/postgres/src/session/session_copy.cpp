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
  copy_ = std::make_unique<CopyIn>(std::move(started->reader), is_in_batches, deadline);
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

void PgSession::on_copy_frame(const Frame& frame) {
  switch (frame.type) {
    case 'd':
      copy_->feed(frame.body);
      return step_copy();
    case 'c':
      copy_->end();
      return step_copy();
    case 'f': {
      const std::string_view reason = frame.body.substr(0, std::min(frame.body.find('\0'), kReasonSizeMax));
      return fail_copy(rejected("57014", fmt::format("COPY from stdin failed: {}", reason)));
    }
    case 'H':
    case 'S':
      return;  // As PostgreSQL, for clients that do not know that it is a COPY.
    default:
      fatal(rejected("08P01", fmt::format("unexpected message type 0x{:02X} during COPY from stdin",
                                          static_cast<unsigned char>(frame.type))));
  }
}

void PgSession::on_converted(CopyRows rows) {
  copy_->on_converted(std::move(rows));
  if (auto fits = reserve(0); !fits) {
    copy_->fail({fits.error(), {}});
  }
  step_copy();
}

void PgSession::fail_copy(Error error) {
  copy_->fail({std::move(error), {}});
  step_copy();
}

void PgSession::step_copy() {
  wait_ = Wait::kNothing;
  while (copy_->next() == CopyIn::Next::kSubmit) {
    copy_->begin_batch();
    submission_.begin();
    send_submission();
  }
  switch (copy_->next()) {
    case CopyIn::Next::kSubmit:  // Has been done.
    case CopyIn::Next::kTakeBytes:
      return;
    case CopyIn::Next::kConvert:
      return start_work(Wait::kConvert, copy_->take_piece());
    case CopyIn::Next::kAwaitConversion:
      wait_ = Wait::kConvert;
      return;
    case CopyIn::Next::kAwaitOutcome:
      wait_ = Wait::kFlight;
      return;
    case CopyIn::Next::kFail:
      return fail(copy_->take_failure());
    case CopyIn::Next::kFinish:
      return finish_copy();
  }
}

void PgSession::finish_copy() {
  const std::unique_ptr<CopyIn> copy = std::move(copy_);
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

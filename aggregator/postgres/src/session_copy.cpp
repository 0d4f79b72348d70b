// COPY … FROM STDIN: what its client sends is gathered, converted by another thread, and becomes one update, or several
// that follow each other.
//
//          256 KiB have come, or all                  rows
//   bytes ───────────────────────────► Wait::kConvert ─────► next: one update, with whatever else comes up to Sync;
//     ▲                                      │               or a batch, which leaves once the one before it is
//     └──────────────────────────────────────┘               confirmed (Wait::kFlight until then)
#include "session_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "copy_encoder.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kCopySetting = "daedalus.copy";
/// So much is repeated of why a client gives up.
constexpr size_t kReasonSizeMax = 1024;

}  // namespace

wire::v1::UpdateBody insert_of(std::string rows, uint32_t row_count) {
  wire::v1::UpdateBody body;
  auto& insert = *body.add_parts()->mutable_insert();
  insert.set_rows(std::move(rows));
  insert.set_row_count(row_count);
  return body;
}

Result<void> PgSession::check_copy_place(const aggregator::CopyStatement& copy) const {
  if (copy.file) {
    const char* const way = copy.is_program ? "have privileges of the pg_execute_server_program role to COPY to or "
                                              "from an external program"
                            : copy.is_from  ? "have privileges of the pg_read_server_files role to COPY from a file"
                                            : "have privileges of the pg_write_server_files role to COPY to a file";
    return rejected("42501", fmt::format("must be superuser or {}", way),
                    "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
  }
  if (copy.table.empty()) {
    return {};
  }
  if (copy.schema == "pg_catalog" || copy.schema == "information_schema" || copy.table.starts_with("pg_")) {
    return catalogue_refusal("COPY");
  }
  if ((!copy.schema.empty() && copy.schema != "public") || copy.table != options_.schema->table_name) {
    return rejected(
        "42P01",
        fmt::format("relation \"{}{}{}\" does not exist", copy.schema, copy.schema.empty() ? "" : ".", copy.table),
        fmt::format("the only table here is \"{}\"", options_.schema->table_name));
  }
  return {};
}

void PgSession::start_copy(Portal& portal) {
  const aggregator::CopyStatement& copy = *std::get<CopyCommand>(portal.statement->command).statement;
  if (auto checked = check_copy_place(copy); !checked) {
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
  const bool is_in_batches = !is_in_block() && *settings_->show(kCopySetting) == "batches";
  if (is_in_batches && group_.has_any()) {
    return fail(rejected("0A000", "COPY in batches after a write that has not been submitted yet is not supported",
                         "send it in a message of its own, behind a Sync"));
  }
  auto made = make_copy_in(copy, is_in_batches ? CopyBound() : CopyBound{group_.rows_left(), group_.bytes_left()});
  if (!made) {
    return fail(made.error());
  }
  copy_ = std::make_unique<CopyIn>();
  copy_->is_in_batches = is_in_batches;
  copy_->reader = std::move(made->reader);
  copy_->deadline = settings_->statement_timeout_ns() > 0 ? after(now_, settings_->statement_timeout_ns()) : kNever;
  if (group_.is_holding()) {
    output_.text() += group_.release();  // Its client waits for what follows, as behind a Flush.
  }
  append_copy_response('G', made->format, made->column_count, output_.text());
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

Result<PgSession::CopyStart> PgSession::make_copy_in(const aggregator::CopyStatement& copy, CopyBound bound) const {
  auto options = read_copy_options(copy);
  if (!options) {
    return options.error();
  }
  if (copy.has_where) {
    Error error = rejected("0A000", "WHERE in COPY FROM is not supported", "leave lines out before they are sent");
    error.position = copy.where_position;
    return error;
  }
  if (options->is_freeze) {
    return rejected("55000",
                    "cannot perform COPY FREEZE because the table was not created or truncated in the current "
                    "subtransaction");
  }
  auto columns = copy_columns(*options_.schema, copy.columns);
  if (!columns) {
    return columns.error();
  }
  CopyStart start{nullptr, options->format, columns->size()};
  auto reader = CopyReader::make({options_.schema, std::move(*columns), std::move(*options), settings_->zone()}, bound);
  if (!reader) {
    return reader.error();
  }
  start.reader = std::move(*reader);
  return start;
}

// ---- what its client sends ----

void PgSession::on_copy_frame(const Frame& frame) {
  switch (frame.type) {
    case 'd':
      copy_->bytes.append(frame.body);
      if (copy_->bytes.size() >= CopyIn::kPieceSize) {
        convert_copy();
      }
      return;
    case 'c':
      copy_->has_ended = true;
      return convert_copy();
    case 'f': {
      const std::string_view reason = frame.body.substr(0, std::min(frame.body.find('\0'), kReasonSizeMax));
      return end_copy(Failure{rejected("57014", fmt::format("COPY from stdin failed: {}", reason)), {}});
    }
    case 'H':
    case 'S':
      return;  // As PostgreSQL, for clients that do not know that it is a COPY.
    default:
      fatal(rejected("08P01", fmt::format("unexpected message type 0x{:02X} during COPY from stdin",
                                          static_cast<unsigned char>(frame.type))));
  }
}

void PgSession::convert_copy() {
  start_work(Wait::kConvert, Work::Convert{copy_->reader, std::exchange(copy_->bytes, {}), copy_->has_ended});
}

void PgSession::on_converted(CopyRows rows) {
  if (rows.failure && !copy_->failure) {
    copy_->failure = Failure{std::move(rows.failure->error), {}, std::move(rows.failure->context)};
  }
  if (copy_->failure) {
    return end_copy(*std::exchange(copy_->failure, std::nullopt));
  }
  CopyIn::Batch& next = copy_->next;
  next.rows.append(rows.rows);
  next.row_count += rows.row_count;
  next.last_line = rows.row_count > 0 ? rows.last_line : next.last_line;
  copy_->is_drained = rows.is_drained;
  if (auto fits = reserve(0); !fits) {
    return end_copy({fits.error(), {}});
  }
  step_copy();
}

void PgSession::step_copy() {
  const bool is_complete = copy_->has_ended && copy_->is_drained;
  if (copy_->is_in_batches && (copy_->next.is_full() || (is_complete && copy_->next.row_count > 0))) {
    if (copy_->is_in_flight) {
      wait_ = Wait::kFlight;
      return;
    }
    submit_batch();
  }
  if (!copy_->is_drained) {
    return convert_copy();
  }
  if (copy_->has_ended) {
    if (copy_->is_in_flight) {
      wait_ = Wait::kFlight;
      return;
    }
    finish_copy();
  }
}

// ---- how it ends ----

void PgSession::finish_copy() {
  const std::unique_ptr<CopyIn> copy = std::move(copy_);
  uint64_t rows = copy->rows_in;
  if (!copy->is_in_batches && copy->next.row_count > 0) {
    const auto added = keep_write({insert_of(std::move(copy->next.rows), copy->next.row_count), {}});
    if (!added) {
      return fail(added.error());
    }
    rows = *added;
    if (!is_in_block()) {
      group_.hold({});
    }
  }
  append_command_complete(fmt::format("COPY {}", rows), out());
}

void PgSession::end_copy(Failure failure) {
  if (wait_ == Wait::kConvert || copy_->is_in_flight) {
    copy_->deadline = kNever;
    if (!copy_->failure) {
      copy_->failure = std::move(failure);
    }
    wait_ = wait_ == Wait::kConvert ? wait_ : Wait::kFlight;
    return;
  }
  if (copy_->is_in_batches) {
    failure.detail += (failure.detail.empty() ? "" : " ") + copy_progress();
  }
  fail(std::move(failure));
}

std::string PgSession::copy_progress() const {
  std::string told = copy_->line_in > 0 ? fmt::format("The last line that is in is {}: {} rows have taken effect.",
                                                      copy_->line_in, copy_->rows_in)
                                        : std::string("No line is in.");
  if (copy_->has_flight_failed) {
    told = fmt::format("This is about lines {} to {}. Before them: {}", copy_->line_in + 1, copy_->flight_line, told);
  }
  return told;
}

void PgSession::cancel_copy(const char* reason) {
  end_copy(Failure{rejected("57014", fmt::format("canceling statement due to {}", reason)), {}});
}

// ---- in batches ----

void PgSession::submit_batch() {
  CopyIn::Batch batch = std::exchange(copy_->next, {});
  copy_->flight_rows = batch.row_count;
  copy_->flight_line = batch.last_line;
  copy_->body = insert_of(std::move(batch.rows), batch.row_count);
  copy_->is_in_flight = true;
  submission_.begin();
  send_submission();
}

void PgSession::on_batch_submitted(std::optional<Failure> failure) {
  copy_->is_in_flight = false;
  copy_->body.Clear();
  if (!failure) {
    copy_->rows_in += copy_->flight_rows;
    copy_->line_in = copy_->flight_line;
  } else if (!copy_->failure || failure->error.category == ErrorCategory::kUnknown) {
    copy_->has_flight_failed = true;
    copy_->failure = std::move(failure);
  }
  if (wait_ == Wait::kConvert) {
    return;
  }
  wait_ = Wait::kNothing;
  if (copy_->failure) {
    return end_copy(*std::exchange(copy_->failure, std::nullopt));
  }
  step_copy();
}

}  // namespace daedalus::postgres

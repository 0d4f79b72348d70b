#include "copy_in.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::postgres {

wire::v1::UpdateBody insert_of(std::string rows, uint32_t row_count) {
  wire::v1::UpdateBody body;
  auto& insert = *body.add_parts()->mutable_insert();
  insert.set_rows(std::move(rows));
  insert.set_row_count(row_count);
  return body;
}

CopyIn::Next CopyIn::next() const {
  if (is_converting_) {
    return Next::kAwaitConversion;
  }
  if (failure_) {
    return is_in_flight_ ? Next::kAwaitOutcome : Next::kFail;
  }
  if (has_batch()) {
    return is_in_flight_ ? Next::kAwaitOutcome : Next::kSubmit;
  }
  if (!is_drained_ || bytes_.size() >= kPieceSize) {
    return Next::kConvert;
  }
  if (!has_ended_) {
    return Next::kTakeBytes;
  }
  return is_in_flight_ ? Next::kAwaitOutcome : Next::kFinish;
}

bool CopyIn::has_batch() const {
  const bool is_complete = has_ended_ && is_drained_;
  return is_in_batches_ && (rows_.is_full() || (is_complete && rows_.row_count > 0));
}

void CopyIn::end() {
  has_ended_ = true;
  is_drained_ = false;
}

Work::Convert CopyIn::take_piece() {
  is_converting_ = true;
  return {reader_, std::exchange(bytes_, {}), has_ended_};
}

void CopyIn::on_converted(CopyRows rows) {
  is_converting_ = false;
  if (rows.failure) {
    fail({std::move(rows.failure->error), {}, std::move(rows.failure->context)});
  }
  if (failure_) {
    return;
  }
  rows_.rows.append(rows.rows);
  rows_.row_count += rows.row_count;
  rows_.last_line = rows.row_count > 0 ? rows.last_line : rows_.last_line;
  is_drained_ = rows.is_drained;
}

void CopyIn::fail(Failure failure) {
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

Failure CopyIn::take_failure() {
  Failure failure = *std::exchange(failure_, std::nullopt);
  if (is_in_batches_) {
    failure.detail += (failure.detail.empty() ? "" : " ") + progress();
  }
  return failure;
}

// ---- in batches ----

void CopyIn::begin_batch() {
  Batch batch = take_rows();
  flight_rows_ = batch.row_count;
  flight_line_ = batch.last_line;
  update_ = insert_of(std::move(batch.rows), batch.row_count);
  is_in_flight_ = true;
}

void CopyIn::on_submitted(std::optional<Failure> failure) {
  is_in_flight_ = false;
  update_.Clear();
  if (!failure) {
    rows_in_ += flight_rows_;
    line_in_ = flight_line_;
  } else if (!failure_ || failure->error.category == ErrorCategory::kUnknown) {
    has_flight_failed_ = true;
    failure_ = std::move(failure);
  }
}

std::string CopyIn::progress() const {
  std::string told = line_in_ > 0
                         ? fmt::format("The last line that is in is {}: {} rows have taken effect.", line_in_, rows_in_)
                         : std::string("No line is in.");
  if (has_flight_failed_) {
    told = fmt::format("This is about lines {} to {}. Before them: {}", line_in_ + 1, flight_line_, told);
  }
  return told;
}

}  // namespace daedalus::postgres

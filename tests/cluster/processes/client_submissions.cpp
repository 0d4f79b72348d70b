#include "client_submissions.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

wire::v1::Error unknown(const std::string& message) {
  wire::v1::Error error;
  error.set_category(wire::v1::ERROR_CATEGORY_UNKNOWN);
  error.set_sqlstate("08007");
  error.set_message(message);
  return error;
}

}  // namespace

void ClientSubmissions::start(uint64_t number, std::optional<std::string> text, const std::string& body,
                              Instant deadline) {
  Submission& submission = under_way_[number];
  submission.text = std::move(text);
  submission.deadline = deadline;
  CHECK(submission.body.ParseFromString(body));
}

wire::v1::Operation ClientSubmissions::send(uint64_t number, uint64_t map_version, Instant now) {
  Submission& submission = under_way_.at(number);
  CHECK(!submission.is_sent);
  if (!submission.is_repeated) {  // Nothing came of any sending so far: it may as well be made now.
    submission.epoch = epoch_;
    submission.numbered_after = numbered_;
  }
  submission.is_sent = true;
  ++submission.sendings;
  wire::v1::SubmissionId id;
  id.set_client(client_);
  id.set_number(number);
  id.set_epoch(submission.epoch);
  id.set_numbered_after(submission.numbered_after);
  id.set_repeated(submission.is_repeated);
  wire::v1::Operation operation;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header.set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(submission.deadline.ns - now.ns, 1)));
  if (submission.text) {
    header.set_kind(wire::v1::OPERATION_KIND_STATEMENT);
    wire::v1::StatementBody body;
    body.set_sql(*submission.text);
    *body.mutable_submission() = id;
    operation.set_body(body.SerializeAsString());
  } else {
    header.set_kind(wire::v1::OPERATION_KIND_SUBMIT);
    header.set_map_version(map_version);
    wire::v1::SubmitBody body;
    *body.mutable_submission() = id;
    *body.mutable_update() = submission.body;
    operation.set_body(body.SerializeAsString());
  }
  return operation;
}

ClientSubmissions::Next ClientSubmissions::on_result(uint64_t number, const wire::v1::Result& result,
                                                     SubmissionReport& report) {
  Submission& submission = under_way_.at(number);
  submission.is_sent = false;
  if (result.has_confirmed()) {
    numbered_ = std::max(numbered_, result.confirmed().timestamp());
    report = {.number = number, .confirmed = result.confirmed(), .error = {}};
    under_way_.erase(number);
    return Next::kEnded;
  }
  if (result.has_refused()) {
    CHECK(result.refused().reason() == wire::v1::WRITE_REFUSAL_STALE_SUBMISSION && !submission.is_repeated);
    epoch_ = result.refused().epoch();
    numbered_ = result.refused().timestamp();
    return Next::kSendNow;
  }
  CHECK(result.has_error());
  return on_error(number, result.error(), report);
}

ClientSubmissions::Next ClientSubmissions::on_error(uint64_t number, const wire::v1::Error& error,
                                                    SubmissionReport& report) {
  Submission& submission = under_way_.at(number);
  if (error.category() == wire::v1::ERROR_CATEGORY_RETRY) {
    return Next::kSendLater;
  }
  if (error.category() == wire::v1::ERROR_CATEGORY_UNKNOWN) {
    submission.is_repeated = true;
    return Next::kSendLater;
  }
  report = {.number = number, .confirmed = {}, .error = submission.is_repeated ? unknown(error.message()) : error};
  under_way_.erase(number);
  return Next::kEnded;
}

int64_t ClientSubmissions::pause_ns(uint64_t number) const {
  return std::min<int64_t>(2 * kSecond, (20 * kMillisecond) << std::min(under_way_.at(number).sendings, 8u));
}

void ClientSubmissions::on_lost(uint64_t number) {
  Submission& submission = under_way_.at(number);
  submission.is_sent = false;
  submission.is_repeated = true;
}

SubmissionReport ClientSubmissions::give_up(uint64_t number) {
  const Submission& submission = under_way_.at(number);
  SubmissionReport report{.number = number, .confirmed = {}, .error = unknown("no answer within its time")};
  if (!submission.is_sent && !submission.is_repeated) {
    report.error->set_category(wire::v1::ERROR_CATEGORY_RETRY);
    report.error->set_sqlstate("57P03");
  }
  under_way_.erase(number);
  return report;
}

}  // namespace daedalus::testing

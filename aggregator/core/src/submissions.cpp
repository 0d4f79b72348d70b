#include "submissions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/placement.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

constexpr size_t kSubmissionClientSize = 16;

Error unknown(std::string message) {
  return Error{ErrorCategory::kUnknown, "08007", std::move(message),
               "the update may or may not have taken effect; repeat it under the same submission id to find out", 0};
}

bool has_refused_rows(const wire::v1::WriteConfirmed& confirmed) {
  return std::any_of(confirmed.outcomes().begin(), confirmed.outcomes().end(),
                     [](const auto& outcome) { return outcome.refused_size() > 0; });
}

/// Adds the rows of the update that took effect; of another update they are unknown.
void add_returned(Returning returning, uint64_t digest, wire::v1::WriteConfirmed& confirmed) {
  wire::v1::ReturnedRows& returned = *confirmed.mutable_returned();
  for (const semantics::Column& column : *returning.columns) {
    contract::write_column(column, returned.add_columns());
  }
  if (confirmed.digest() != digest || has_refused_rows(confirmed)) {
    returned.set_are_unknown(true);
    return;
  }
  returned.set_row_count(static_cast<uint32_t>(returning.rows.row_count));
  returned.set_rows(std::move(returning.rows.rows));
}

}  // namespace

Result<void> check_submission_id(const wire::v1::SubmissionId& submission) {
  if (submission.client().size() != kSubmissionClientSize) {
    return malformed(fmt::format("what writes needs a submission id with a client of {} bytes; it has {}",
                                 kSubmissionClientSize, submission.client().size()));
  }
  return {};
}

Result<wire::v1::SubmitBody> check_submission(const semantics::Schema& schema, const contract::PartitionMap& map,
                                              const std::string& body) {
  wire::v1::SubmitBody submit;
  if (!submit.ParseFromString(body)) {
    return malformed("the body of a SUBMIT does not parse");
  }
  if (auto named = check_submission_id(submit.submission()); !named) {
    return named.error();
  }
  const std::string update = submit.update().SerializeAsString();
  const auto parts = contract::to_update(schema, map.placement_columns(), update);
  if (!parts) {
    return parts.error();
  }
  submit.clear_routes();
  for (wire::v1::Route& route : contract::routes_of(schema, map, *parts)) {
    *submit.add_routes() = std::move(route);
  }
  return submit;
}

Result<std::unique_ptr<Submissions::Kept>> Submissions::keep(const wire::v1::UpdateBody& update, Returning returning) {
  auto kept = std::make_unique<Kept>(Kept{std::move(returning), semantics::digest(update.SerializeAsString()),
                                          ByteLease(context_.options.answer_budget)});
  if (!kept->lease.resize(kept->returning.rows.rows.size())) {
    return overloaded("the aggregator's memory for answers is taken: there is none for the rows of RETURNING");
  }
  return kept;
}

void Submissions::start(Upstream upstream, const wire::v1::OperationHeader& header, const wire::v1::SubmitBody& body,
                        std::optional<Returning> returning, Instant deadline, Instant now, rpc::Outbox& out) {
  const auto refuse = [&](const Error& error) {
    reply(upstream, error_result(error, context_.options.retry_after_ns), out);
    context_.clients.finish(upstream);
  };
  const auto peer = writer_.peer();
  if (!peer) {
    return refuse(writer_.absence());
  }
  if (submissions_.size() >= context_.options.submissions_max) {
    return refuse(overloaded(fmt::format("the aggregator has {} submissions in flight", submissions_.size())));
  }
  std::unique_ptr<Kept> kept;
  if (returning) {
    auto keeping = keep(body.update(), std::move(*returning));
    if (!keeping) {
      return refuse(keeping.error());
    }
    kept = std::move(*keeping);
  }
  const uint64_t id = context_.next_id++;
  wire::v1::Operation operation;
  wire::v1::OperationHeader& own = *operation.mutable_header();
  own.set_kind(wire::v1::OPERATION_KIND_SUBMIT);
  own.set_map_version(context_.map->version);
  own.set_remaining_ns(static_cast<uint64_t>(std::max<int64_t>(deadline.ns - now.ns, 1)));
  own.set_priority(header.priority());
  own.set_request_id(header.request_id());
  own.set_principal(header.principal());
  operation.set_body(body.SerializeAsString());
  const std::pair sent{*peer, writer_.send(std::move(operation), out)};
  sent_.emplace(sent, id);
  submissions_.emplace(id, Submission{upstream, deadline, sent, std::move(kept)});
  context_.clients.assign(upstream, {Machine::kSubmission, id});
  context_.deadlines.add(deadline, {Machine::kSubmission, id});
}

void Submissions::on_result(rpc::PeerId peer, wire::v1::Result&& result, rpc::Outbox& out) {
  const auto sent = sent_.find({peer, result.sequence()});
  if (sent == sent_.end()) {
    return;  // Late: the deadline answered, or the client is gone.
  }
  const auto submission = submissions_.find(sent->second);
  if (result.has_confirmed()) {
    if (!writer_.knows_moments()) {
      context_.known.learn(result.confirmed().timestamp());
    }
    if (const auto& kept = submission->second.kept) {
      add_returned(std::move(kept->returning), kept->digest, *result.mutable_confirmed());
    }
  } else if (!result.has_refused() && !result.has_error()) {
    fail(submission->first, unknown("the writer answered a submission with something else"), out);
    return;
  }
  reply(submission->second.upstream, std::move(result), out);
  erase(submission);
}

void Submissions::on_writer_lost(rpc::PeerId peer, const std::string& reason, rpc::Outbox& out) {
  std::vector<uint64_t> lost;
  for (auto sent = sent_.lower_bound({peer, 0}); sent != sent_.end() && sent->first.first == peer; ++sent) {
    lost.push_back(sent->second);
  }
  for (const uint64_t submission : lost) {
    fail(submission, unknown(fmt::format("the writer was lost before it answered: {}", reason)), out);
  }
}

void Submissions::expire(uint64_t submission, rpc::Outbox& out) {
  fail(submission, unknown("the writer did not answer in time"), out);
}

void Submissions::forget(uint64_t submission) { erase(submissions_.find(submission)); }

void Submissions::fail(uint64_t submission, const Error& error, rpc::Outbox& out) {
  const auto found = submissions_.find(submission);
  reply(found->second.upstream, error_result(error), out);
  erase(found);
}

void Submissions::erase(std::map<uint64_t, Submission>::iterator submission) {
  sent_.erase(submission->second.sent);
  context_.deadlines.remove(submission->second.deadline, {Machine::kSubmission, submission->first});
  context_.clients.finish(submission->second.upstream);
  submissions_.erase(submission);
}

}  // namespace daedalus::aggregator

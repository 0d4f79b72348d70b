#include "writer_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/features.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kJournalNsMax = 20 * kMillisecond;

}  // namespace

WriterOptions writer_options(const ClusterConfiguration& configuration) {
  return {
      .name = "writer", .endpoint = configuration.writer, .submissions_known_max = configuration.submissions_known_max};
}

WriterProcess::WriterProcess(const ClusterConfiguration& configuration, WriterOptions options,
                             rpc::SimulatedNetwork& network, Listener listener)
    : configuration_(configuration),
      network_(network),
      listener_(std::move(listener)),
      options_(std::move(options)),
      model_(std::make_unique<WriterModel>(options_)),
      transcript_(std::make_unique<Transcript>(options_, configuration.keeps_transcripts)) {
  endpoint_ =
      &network.start(options_.endpoint, make_hello(configuration, wire::v1::ROLE_WRITER, options_.endpoint), *this);
  start();
}

void WriterProcess::start() {
  for (const std::string& aggregator : configuration_.aggregators) {
    endpoint_->dial(aggregator);
  }
}

Timestamp WriterProcess::crash(rpc::Notice notice) {
  CHECK(!is_down_);
  rpc::Random& random = network_.random();
  const uint64_t under_way = raw(model_->last_numbered()) - raw(model_->journaled_through());
  const Timestamp kept{raw(model_->journaled_through()) + random.below(under_way + 1)};
  journal_ = model_->journal(kept);
  bytes_.end_with(kept);
  if (random.chance(0.5)) {
    journal_.lose_outcomes_after(Timestamp{random.below(raw(kept) + 1)});
  }
  waiters_.clear();
  orphans_.merge(untold_);
  untold_.clear();
  appended_at_ = {};
  is_down_ = true;
  network_.crash(options_.endpoint, notice);
  configuration_.events->note(network_.now(), options_.name,
                              fmt::format("killed: numbered up to {}, journaled up to {}, kept up to {}",
                                          raw(model_->last_numbered()), raw(model_->journaled_through()), raw(kept)));
  return kept;
}

void WriterProcess::put_back(RecoveredJournal journal, bool looks) {
  CHECK(is_down_);
  journal_ = std::move(journal);
  options_.looks = looks;
}

void WriterProcess::come_back() {
  CHECK(is_down_);
  is_down_ = false;
  model_ = std::make_unique<WriterModel>(options_, journal_);
  transcript_ = std::make_unique<Transcript>(options_, configuration_.keeps_transcripts, journal_);
  configuration_.events->note(network_.now(), options_.name,
                              fmt::format("starts again with updates up to {}, keeps {}", raw(journal_.last_numbered),
                                          journal_.updates.size()));
  endpoint_ =
      &network_.restart(options_.endpoint, make_hello(configuration_, wire::v1::ROLE_WRITER, options_.endpoint), *this);
  start();
}

void WriterProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  if (info.link) {
    rpc::Outbox out;
    const bool takes_marks = contract::knows_moments(info.hello);
    transcript_->up(endpoint_->now(), peer, takes_marks);
    model_->on_up(peer, takes_marks, endpoint_->now(), out);
    carry_out(std::move(out), {});
  }
}

void WriterProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  rpc::Outbox out;
  transcript_->down(endpoint_->now(), peer);
  model_->on_down(peer, endpoint_->now(), out);
  carry_out(std::move(out), {});
}

// ---- submissions ----

void WriterProcess::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) {
  const Waiter waiter{peer, operation.header().sequence()};
  wire::v1::SubmitBody body;
  CHECK(operation.header().kind() == wire::v1::OPERATION_KIND_SUBMIT && body.ParseFromString(operation.body()));
  if (const auto wrong = check(operation, body)) {
    answer(waiter, refusal({*wrong}));
    return;
  }
  const wire::v1::SubmissionId& id = body.submission();
  const Submission submission{{id.client(), id.number()}, id.epoch(), id.numbered_after(), id.repeated()};
  waiters_[submission.key].push_back(waiter);
  const auto refused =
      submit(submission, body.update().SerializeAsString(), {body.routes().begin(), body.routes().end()});
  if (refused) {
    auto& waiting = waiters_[submission.key];
    waiting.pop_back();  // Nothing is answered to it while it is being submitted.
    answer(waiter, refusal(*refused));
  }
}

std::optional<Error> WriterProcess::check(const wire::v1::Operation& operation,
                                          const wire::v1::SubmitBody& body) const {
  const contract::PartitionMap& map = *configuration_.map;
  if (operation.header().map_version() != 0 && operation.header().map_version() != map.version) {
    return Error{ErrorCategory::kRetry, "55000", "the submission was routed by another map version",
                 "ask for the map again", 0};
  }
  const std::string update = body.update().SerializeAsString();
  if (const auto routed = contract::route(*configuration_.schema, map, body.routes(), Timestamp{1}); !routed) {
    return routed.error();
  }
  const auto checked = contract::to_update(*configuration_.schema, map.placement_columns(), update);
  return checked ? std::nullopt : std::optional(checked.error());
}

wire::v1::Result WriterProcess::refusal(const SubmitRefusal& refusal) const {
  wire::v1::Result result;
  if (!refusal.is_stale) {
    *result.mutable_error() = contract::from_error(refusal.error);
    return result;
  }
  wire::v1::WriteRefused& refused = *result.mutable_refused();
  refused.set_reason(wire::v1::WRITE_REFUSAL_STALE_SUBMISSION);
  refused.set_epoch(model_->epoch());
  refused.set_timestamp(raw(model_->numbered_after()));
  refused.set_holder(options_.name);
  *refused.mutable_error() = contract::from_error(refusal.error);
  return result;
}

void WriterProcess::answer(Waiter waiter, wire::v1::Result result) {
  result.set_sequence(waiter.second);
  result.set_mark(raw(model_->confirmed_through()));
  rpc::Outbox out;
  out.results.emplace_back(waiter.first, std::move(result));
  endpoint_->send(std::move(out));
}

void WriterProcess::answer(const SubmissionOutcome& outcome) {
  wire::v1::Result result;
  if (outcome.confirmed) {
    *result.mutable_confirmed() = *outcome.confirmed;
  } else {
    *result.mutable_error() = contract::from_error(*outcome.error);
  }
  if (const auto waiting = waiters_.extract(outcome.submission)) {
    for (const Waiter& waiter : waiting.mapped()) {
      answer(waiter, result);
    }
  }
}

void WriterProcess::on_result(rpc::PeerId peer, wire::v1::Result&& result) {
  rpc::Outbox out;
  WriterEffects effects;
  transcript_->result(endpoint_->now(), peer, result);
  model_->on_result(peer, result, endpoint_->now(), out, effects);
  carry_out(std::move(out), effects);
}

std::optional<SubmitRefusal> WriterProcess::submit(const Submission& submission, const std::string& body,
                                                   const std::vector<wire::v1::Route>& routes) {
  rpc::Outbox out;
  WriterEffects effects;
  const Timestamp before = model_->last_numbered();
  transcript_->submit(endpoint_->now(), submission, body, routes, configuration_.map->version);
  auto refusal = model_->submit(submission, body, routes, configuration_.map->version, effects);
  if (refusal) {
    transcript_->refused(*refusal);
  }
  if (model_->last_numbered() != before) {
    orphans_.erase(model_->last_numbered());  // It was never sent, or is of a history that is no more.
    listener_.on_numbered(submission.key, body, model_->last_numbered());
  }
  carry_out(std::move(out), effects);
  return refusal;
}

void WriterProcess::carry_out(rpc::Outbox out, const WriterEffects& effects) {
  for (const auto& [peer, operation] : out.operations) {
    CHECK(operation.header().update().timestamp() <= raw(model_->journaled_through()));  // Nothing leaves before.
  }
  transcript_->effects(out, effects, model_->next_deadline());
  if (listener_.on_confirmed) {
    listener_.on_confirmed(model_->confirmed_through());
  }
  endpoint_->send(std::move(out));
  write_down(effects);
  if (effects.append_through != Timestamp{}) {
    append(effects.append_through);
  }
  if (effects.probe) {
    endpoint_->post([this] {
      rpc::Outbox next;
      WriterEffects then;
      transcript_->probed(endpoint_->now(), false);
      model_->on_probed(false, endpoint_->now(), next, then);
      carry_out(std::move(next), then);
    });
  }
  tell(effects);
  tell_orphans();
  endpoint_->arm(model_->next_deadline(), [this] {
    rpc::Outbox late;
    transcript_->deadline(endpoint_->now());
    model_->on_deadline(endpoint_->now(), late);
    carry_out(std::move(late), {});
  });
}

void WriterProcess::tell(const WriterEffects& effects) {
  for (const auto& [submission, confirmed] : effects.recorded) {
    untold_[Timestamp{confirmed.timestamp()}] = {submission, confirmed, {}};
  }
  for (const SubmissionOutcome& outcome : effects.outcomes) {
    if (outcome.confirmed) {
      untold_.erase(Timestamp{outcome.confirmed->timestamp()});
      orphans_.erase(Timestamp{outcome.confirmed->timestamp()});
    }
    listener_.on_outcome(outcome);
    answer(outcome);
  }
}

void WriterProcess::tell_orphans() {
  while (!orphans_.empty() && model_->may_tell(orphans_.begin()->first, *orphans_.begin()->second.confirmed)) {
    const auto orphan = orphans_.extract(orphans_.begin());
    listener_.on_outcome(orphan.mapped());
  }
}

void WriterProcess::write_down(const WriterEffects& effects) {
  if (!bytes_.has_begun() && model_->first_epoch() != 0) {
    bytes_.begin(model_->first_epoch(), model_->base());
  }
  const Timestamp settled = std::min(model_->settled_through(), model_->confirmed_through());
  for (const auto& [submission, confirmed] : effects.recorded) {
    bytes_.outcome(submission, confirmed, settled);
  }
  if (effects.append_through != Timestamp{}) {
    bytes_.update(effects.append_through, model_->kept(effects.append_through));
  }
}

void WriterProcess::append(Timestamp through) {
  if (!configuration_.journals_late) {
    on_journaled(through);
    return;
  }
  const int64_t pause_ns = network_.random().between(0, kJournalNsMax);
  appended_at_ = std::max(appended_at_, after(network_.now(), pause_ns));
  endpoint_->post_at(appended_at_, [this, through] { on_journaled(through); });
}

void WriterProcess::on_journaled(Timestamp through) {
  rpc::Outbox out;
  transcript_->journaled(endpoint_->now(), through);
  model_->on_journaled(through, endpoint_->now(), out);
  bytes_.forced(through);
  carry_out(std::move(out), {});
}

}  // namespace daedalus::testing

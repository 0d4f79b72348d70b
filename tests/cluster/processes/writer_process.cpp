#include "writer_process.hpp"

#include <utility>

namespace daedalus::testing {

namespace {

WriterOptions writer_options(const ClusterConfiguration& configuration) {
  return {
      .name = "writer", .endpoint = configuration.writer, .submissions_known_max = configuration.submissions_known_max};
}

}  // namespace

WriterProcess::WriterProcess(const ClusterConfiguration& configuration, rpc::SimulatedNetwork& network,
                             OnOutcome on_outcome)
    : configuration_(configuration),
      on_outcome_(std::move(on_outcome)),
      model_(writer_options(configuration)),
      transcript_(writer_options(configuration)) {
  endpoint_ = &network.start(configuration.writer,
                             make_hello(configuration, wire::v1::ROLE_WRITER, configuration.writer), *this);
  for (const std::string& aggregator : configuration.aggregators) {
    endpoint_->dial(aggregator);
  }
}

void WriterProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  if (info.link) {
    rpc::Outbox out;
    transcript_.up(endpoint_->now(), peer);
    model_.on_up(peer, endpoint_->now(), out);
    carry_out(std::move(out), {});
  }
}

void WriterProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  rpc::Outbox out;
  transcript_.down(endpoint_->now(), peer);
  model_.on_down(peer, endpoint_->now(), out);
  carry_out(std::move(out), {});
}

void WriterProcess::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation /*operation*/) {}

void WriterProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  rpc::Outbox out;
  WriterEffects effects;
  transcript_.result(endpoint_->now(), peer, result);
  model_.on_result(peer, result, endpoint_->now(), out, effects);
  carry_out(std::move(out), effects);
}

std::optional<SubmitRefusal> WriterProcess::submit(const Submission& submission, const std::string& body,
                                                   const std::vector<wire::v1::Route>& routes) {
  rpc::Outbox out;
  WriterEffects effects;
  transcript_.submit(endpoint_->now(), submission, body, routes, configuration_.map->version);
  auto refusal = model_.submit(submission, body, routes, configuration_.map->version, endpoint_->now(), out, effects);
  if (refusal) {
    transcript_.refused(*refusal);
  }
  carry_out(std::move(out), effects);
  return refusal;
}

void WriterProcess::carry_out(rpc::Outbox out, const WriterEffects& effects) {
  transcript_.effects(out, effects, model_.next_deadline());
  endpoint_->send(std::move(out));
  if (effects.probe) {
    endpoint_->post([this] {
      rpc::Outbox next;
      WriterEffects then;
      transcript_.probed(endpoint_->now(), false);
      model_.on_probed(false, endpoint_->now(), next, then);
      carry_out(std::move(next), then);
    });
  }
  for (const SubmissionOutcome& outcome : effects.outcomes) {
    on_outcome_(outcome);
  }
  endpoint_->arm(model_.next_deadline(), [this] {
    rpc::Outbox late;
    transcript_.deadline(endpoint_->now());
    model_.on_deadline(endpoint_->now(), late);
    carry_out(std::move(late), {});
  });
}

}  // namespace daedalus::testing

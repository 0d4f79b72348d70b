// The logical writer of the simulated cluster: the plain twin of the product's core behind simulated sockets and time.
//
// What the program's main() is: it hands messages in, carries effects out, and arms one timer. Nothing is decided here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "transcript.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

class WriterProcess final : public rpc::PeerHandler {
 public:
  using OnOutcome = std::function<void(const SubmissionOutcome&)>;

  WriterProcess(const ClusterConfiguration& configuration, rpc::SimulatedNetwork& network, OnOutcome on_outcome);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result result) override;

  [[nodiscard]] std::optional<SubmitRefusal> submit(const Submission& submission, const std::string& body,
                                                    const std::vector<wire::v1::Route>& routes);
  [[nodiscard]] const WriterModel& model() const { return model_; }
  [[nodiscard]] const Transcript& transcript() const { return transcript_; }

 private:
  void carry_out(rpc::Outbox out, const WriterEffects& effects);

  const ClusterConfiguration& configuration_;
  OnOutcome on_outcome_;
  WriterModel model_;
  Transcript transcript_;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

}  // namespace daedalus::testing

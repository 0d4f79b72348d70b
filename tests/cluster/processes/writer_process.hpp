// The logical writer of the simulated cluster: the plain twin of the product's core behind simulated sockets and time.
//
// It does what the program's main() does: it hands messages in, carries effects out, and arms one timer. Nothing is
// decided here
// but what LogicalWriter decides before its core: whether a submission could be an update of this table.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "configuration.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "journal_bytes.hpp"
#include "transcript.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

class WriterProcess final : public rpc::PeerHandler {
 public:
  /// Is told each number that the writer gives, up to which update it knows all to be confirmed, and each outcome of a
  /// submission that has one.
  struct Listener {
    std::function<void(const SubmissionKey&, const std::string& body, Timestamp)> on_numbered;
    std::function<void(Timestamp through)> on_confirmed;
    std::function<void(const SubmissionOutcome&)> on_outcome;
  };

  WriterProcess(const ClusterConfiguration& configuration, WriterOptions options, rpc::SimulatedNetwork& network,
                Listener listener);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;

  /// One more aggregator to send through.
  void dial(const std::string& aggregator) { endpoint_->dial(aggregator); }

  /// From this process, as `load` submits.
  [[nodiscard]] std::optional<SubmitRefusal> submit(const Submission& submission, const std::string& body,
                                                    const std::vector<wire::v1::Route>& routes);
  [[nodiscard]] const WriterModel& model() const { return *model_; }
  [[nodiscard]] const Transcript& transcript() const { return *transcript_; }

  /// Loses what its journal does not have. Of what was on its way there any part, in order, may have arrived: returns
  /// the last update that did.
  [[nodiscard]] Timestamp crash(rpc::Notice notice);
  /// Precondition of both: it crashed. What its journal is.
  [[nodiscard]] const RecoveredJournal& journal() const { return journal_; }
  /// Returns the journal as it lies on the disk.
  [[nodiscard]] const JournalBytes& journal_bytes() const { return bytes_; }
  void put_back(RecoveredJournal journal, bool looks);
  /// Precondition: it crashed. Goes on with its journal.
  void come_back();
  [[nodiscard]] bool is_down() const { return is_down_; }

 private:
  using Waiter = std::pair<rpc::PeerId, uint64_t>;

  void start();
  void carry_out(rpc::Outbox out, const WriterEffects& effects);
  /// Appends updates up to there, and tells the model once they are durable: at once, or a while later, in order.
  void append(Timestamp through);
  void write_down(const WriterEffects& effects);
  void tell(const WriterEffects& effects);
  /// Outcomes that an earlier life recorded and told nobody: whoever asked again would be told now.
  void tell_orphans();
  void on_journaled(Timestamp through);
  [[nodiscard]] std::optional<Error> check(const wire::v1::Operation& operation,
                                           const wire::v1::SubmitBody& body) const;
  void answer(Waiter waiter, wire::v1::Result result);
  void answer(const SubmissionOutcome& outcome);
  [[nodiscard]] wire::v1::Result refusal(const SubmitRefusal& refusal) const;

  const ClusterConfiguration& configuration_;
  rpc::SimulatedNetwork& network_;
  Listener listener_;
  WriterOptions options_;
  std::unique_ptr<WriterModel> model_;  ///< The model of a writer that is down, as it was.
  std::unique_ptr<Transcript> transcript_;
  RecoveredJournal journal_;  ///< The journal that a writer that is down will find.
  JournalBytes bytes_;
  bool is_down_ = false;
  std::map<SubmissionKey, std::vector<Waiter>> waiters_;
  std::map<Timestamp, SubmissionOutcome> untold_;   ///< Recorded, by this life.
  std::map<Timestamp, SubmissionOutcome> orphans_;  ///< By one before it, which told nobody.
  Instant appended_at_{};                           ///< When all that was given to the journal so far will be durable.
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
};

[[nodiscard]] WriterOptions writer_options(const ClusterConfiguration& configuration);

}  // namespace daedalus::testing

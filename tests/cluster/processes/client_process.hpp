// An application before the simulated cluster: asks, aborts, submits and holds moments, and takes note of everything
// that comes back.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client_submissions.hpp"
#include "configuration.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/rpc/simulated_network.hpp"
#include "judge.hpp"
#include "slice_reader.hpp"
#include "workload.hpp"

namespace daedalus::testing {

class ClientProcess final : public rpc::PeerHandler {
 public:
  /// How a question is put.
  struct Manner {
    bool is_text = false;         ///< STATEMENT, not SELECT.
    bool is_prepared = false;     ///< Text or shape in a slot, where the aggregator has some, and values beside it.
    Timestamp prefix_promised{};  ///< As in GivenAnswer.
    Timestamp prefix_demanded{};  ///< Likewise; of a SELECT and of a STATEMENT.
    bool is_of_session = false;   ///< It demands all that the client has seen through any aggregator, too.
    std::optional<Timestamp> at;  ///< The moment, firmly.
    bool is_held = false;         ///< `at` is held by the aggregator, for this client.
    uint64_t slice_bytes = 0;     ///< It is read slice by slice, each of about so many bytes. 0: whole.
    int64_t freshness_ns = 0;     ///< As in wire::v1::OperationHeader.
    int64_t remaining_ns = 5 * kSecond;
    int64_t abort_after_ns = -1;  ///< Negative: never.
    bool has_older_map = false;   ///< The client has not heard of the map of today.
  };

  struct Answer {
    GivenAnswer given;
    Manner manner;
    std::string aggregator;
    Instant asked_at{};
    Instant ended_at{};
    bool has_end = false;  ///< Everything was said; `given` is complete.
    std::optional<wire::v1::Error> error;
    bool is_aborted = false;
    bool is_lost = false;  ///< The connection went first.
    SliceReader slices;    ///< Unused by a question that is asked whole.
  };

  using OnReport = std::function<void(const SubmissionReport&)>;
  /// Is told the moment that is held from now on, or nothing where none is.
  using OnHeld = std::function<void(rpc::PeerId aggregator, std::optional<Timestamp> moment)>;

  /// Dials `aggregators`.
  ClientProcess(const ClusterConfiguration& configuration, std::string name, std::vector<std::string> aggregators,
                std::string submitter, rpc::SimulatedNetwork& network, OnReport on_report);

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;

  /// False when no aggregator is connected. `which` picks one of those that are.
  bool ask(const Workload::Query& query, const Manner& manner, uint64_t which);
  /// False when that one is connected no longer.
  bool ask(const Workload::Query& query, const Manner& manner, rpc::PeerId aggregator);
  /// Through one of the aggregators, for as long as the connection lasts or until let_go(). Nothing where it holds a
  /// moment for this client already, or is asked to.
  void hold(uint64_t which, OnHeld on_held);
  void let_go(rpc::PeerId aggregator);
  [[nodiscard]] size_t aggregators() const { return aggregators_.size(); }
  /// As text or not; the report comes within `remaining_ns`.
  void submit(uint64_t number, const Workload::Update& update, bool is_text, int64_t remaining_ns);

  [[nodiscard]] std::deque<Answer>& answers() { return answers_; }
  [[nodiscard]] size_t in_flight() const { return in_flight_.size() + waiting_slices_ + submissions_.under_way(); }

 private:
  struct Aggregator {
    std::string name;
    uint64_t next_sequence = 1;
    contract::SentHandles slots{contract::HandleLimits{}};
    /// The columns of the first answer of each shape, by the sequence of the shape's definition.
    std::map<uint64_t, google::protobuf::RepeatedPtrField<wire::v1::Column>> columns;
    bool holds = false;          ///< It holds a moment for this client, or is asked to.
    uint64_t hold_sequence = 0;  ///< The HOLD that has no answer yet; 0: none.
    OnHeld on_held;
  };
  using OperationId = std::pair<rpc::PeerId, uint64_t>;

  [[nodiscard]] wire::v1::OperationHeader header_of(const Answer& answer) const;
  /// Sends a question: what comes belongs to this answer.
  void send_question(rpc::PeerId peer, wire::v1::Operation operation, Answer answer);
  void ask_slice(rpc::PeerId peer, Answer answer);
  /// After a while, if the aggregator is still connected then.
  void ask_slice_later(rpc::PeerId peer, Answer answer, int64_t pause_ns_max);
  /// Returns whether the answer is complete, or has failed, with this result.
  [[nodiscard]] bool is_ended(rpc::PeerId peer, Answer& answer, wire::v1::Result& result);

  /// Precondition: there is one.
  [[nodiscard]] rpc::PeerId at(uint64_t which) const;
  void send(rpc::PeerId peer, wire::v1::Operation operation);
  /// The body of a STATEMENT; its text goes into a slot where it is prepared and there are slots.
  [[nodiscard]] wire::v1::StatementBody statement(rpc::PeerId peer, Aggregator& aggregator,
                                                  const Workload::Query& query, bool is_prepared,
                                                  wire::v1::OperationHeader& header);
  /// The body of a SELECT; its shape goes into a slot where it is prepared, has one, and there are slots.
  [[nodiscard]] std::string select(rpc::PeerId peer, Aggregator& aggregator, const Workload::Query& query,
                                   bool is_prepared, wire::v1::OperationHeader& header);
  /// Returns whether the header names the slot that holds the shape from now on.
  [[nodiscard]] bool use_handle(rpc::PeerId peer, Aggregator& aggregator,
                                const std::shared_ptr<const contract::ShapeBytes>& shape,
                                wire::v1::OperationHeader& header);
  void abort(OperationId id);
  void send_hold(rpc::PeerId peer, bool takes_one);
  void on_hold_result(Aggregator& aggregator, rpc::PeerId peer, const wire::v1::Result& result);
  void send_submission(uint64_t number);
  void send_submission_later(uint64_t number);
  void on_submission_result(uint64_t number, const wire::v1::Result& result);

  const ClusterConfiguration& configuration_;
  rpc::SimulatedNetwork& network_;
  OnReport on_report_;
  rpc::SimulatedEndpoint* endpoint_ = nullptr;
  std::vector<std::string> names_;  ///< The names of the aggregators, by link.
  std::map<rpc::PeerId, Aggregator> aggregators_;
  std::map<OperationId, Answer> in_flight_;
  size_t waiting_slices_ = 0;  ///< Counts answers whose next slice is to be asked for.
  std::deque<Answer> answers_;
  Timestamp seen_{};  ///< The highest moment of its answers, and timestamp of its confirmed updates.
  ClientSubmissions submissions_;
  std::map<OperationId, uint64_t> carriers_;  ///< Sendings that have no answer yet.
};

}  // namespace daedalus::testing

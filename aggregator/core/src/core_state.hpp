// All of an aggregator's state: its machines, and who gives what to whom.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "client_handles.hpp"
#include "compilations.hpp"
#include "context.hpp"
#include "daedalus/aggregator/core.hpp"
#include "epoch_rounds.hpp"
#include "holds.hpp"
#include "mark_requests.hpp"
#include "query_fan_out.hpp"
#include "statements.hpp"
#include "status_rounds.hpp"
#include "submissions.hpp"
#include "update_fan_out.hpp"
#include "writer_link.hpp"

namespace daedalus::aggregator {

struct AggregatorCore::State {
  State(AggregatorOptions options, std::shared_ptr<const semantics::Schema> schema,
        std::shared_ptr<const contract::PartitionMap> map, const std::map<rpc::LinkId, NodeId>& links,
        std::shared_ptr<KnownStatements> known)
      : context(std::move(options), std::move(schema), std::move(map), links), statements(handles, std::move(known)) {}

  // ---- what happens: as in AggregatorCore ----
  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, rpc::Outbox& out);
  void on_down(rpc::PeerId peer, const std::string& reason, Instant now, rpc::Outbox& out);
  void on_operation(rpc::PeerId peer, wire::v1::Operation& operation, Instant now, rpc::Outbox& out);
  void on_result(rpc::PeerId peer, wire::v1::Result&& result, Instant now, rpc::Outbox& out);
  void on_compiled(CompileTicket ticket, Result<Compiled> compiled, Instant now, rpc::Outbox& out);
  void on_dial_failed(rpc::LinkId link, const std::string& reason);
  void on_deadline(Instant now, rpc::Outbox& out);
  void flush(Instant now, rpc::Outbox& out);
  /// Says what else is to be done after a step: work for others, and when to wake up.
  void conclude(Effects& effects);

  // ---- connections ----
  void on_node_up(NodeId node, rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, rpc::Outbox& out);
  void on_node_down(NodeId node, const std::string& reason, Instant now, rpc::Outbox& out);
  void on_client_down(rpc::PeerId peer, rpc::Outbox& out);

  // ---- operations: what is worth moving is taken out of them ----
  /// What is wrong with an operation whatever its kind.
  [[nodiscard]] Result<void> check(Upstream upstream, const wire::v1::OperationHeader& header) const;
  void refuse(Upstream upstream, const wire::v1::OperationHeader& header, const Error& error, rpc::Outbox& out);
  void dispatch(Upstream upstream, wire::v1::Operation& operation, Instant now, rpc::Outbox& out);
  void on_abort(Upstream target, rpc::Outbox& out);
  void on_statement(Upstream upstream, wire::v1::Operation& operation, Instant deadline, Instant now, rpc::Outbox& out);
  void on_select(Upstream upstream, wire::v1::Operation& operation, Instant deadline, Instant now, rpc::Outbox& out);
  void on_update(Upstream upstream, wire::v1::Operation& operation, Instant deadline, Instant now, rpc::Outbox& out);
  void on_submit(Upstream upstream, const wire::v1::Operation& operation, Instant deadline, Instant now,
                 rpc::Outbox& out);
  void on_epoch(Upstream upstream, const wire::v1::Operation& operation, Instant deadline, Instant now,
                rpc::Outbox& out);
  void on_mark(Upstream upstream, const wire::v1::Operation& operation, Instant now, rpc::Outbox& out);
  void on_hold(Upstream upstream, const wire::v1::Operation& operation, Instant deadline, Instant now,
               rpc::Outbox& out);
  void on_status(Upstream upstream, Instant deadline, Instant now, rpc::Outbox& out);
  [[nodiscard]] Instant deadline_of(const wire::v1::OperationHeader& header, Instant now) const;

  // ---- answers ----
  void learn(NodeId node, const wire::v1::Result& result, Instant now);
  void learn(NodeId node, const google::protobuf::RepeatedPtrField<wire::v1::NodeWatermark>& watermarks);
  void on_node_result(NodeId node, wire::v1::Result&& result, Instant now, rpc::Outbox& out);
  void on_compiled(Compilation compilation, Compiled compiled, Instant now, rpc::Outbox& out);
  void expire(OperationRef operation, Instant now, rpc::Outbox& out);
  void forget(OperationRef operation, rpc::Outbox& out);

  Context context;
  ClientHandles handles{context.schema, *context.map};
  Statements statements;
  WriterLink writer{context};
  Compilations compilations{context};
  QueryFanOut queries{context};
  UpdateFanOut updates{context};
  Submissions submissions{context, writer};
  EpochRounds epochs{context, writer};
  StatusRounds statuses{context, writer};
  MarkRequests marks{context};
  Holds holds{context};
  std::set<rpc::PeerId> writer_peers;  ///< Connections to writers, replaced ones included.
  bool is_draining = false;
};

}  // namespace daedalus::aggregator

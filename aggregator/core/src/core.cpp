#include "daedalus/aggregator/core.hpp"

#include <utility>

#include "core_state.hpp"
#include "daedalus/base/check.hpp"

namespace daedalus::aggregator {

AggregatorCore::AggregatorCore(AggregatorOptions options, std::shared_ptr<const semantics::Schema> schema,
                               std::shared_ptr<const contract::PartitionMap> map,
                               const std::map<rpc::LinkId, NodeId>& links, std::shared_ptr<KnownStatements> known)
    : state_(std::make_unique<State>(std::move(options), std::move(schema), std::move(map), links, std::move(known))) {
  for (const auto& holders : state_->context.map->partitions) {
    for (const NodeId node : holders) {
      CHECK(state_->context.options.endpoints.contains(node));
    }
  }
}

AggregatorCore::~AggregatorCore() = default;

// Each step does its work and then says what else is to be done because of it.

void AggregatorCore::on_up(rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, Effects& effects) {
  state_->on_up(peer, info, now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_down(rpc::PeerId peer, const std::string& reason, Instant now, Effects& effects) {
  state_->on_down(peer, reason, now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation, Instant now, Effects& effects) {
  state_->on_operation(peer, operation, now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_result(rpc::PeerId peer, wire::v1::Result&& result, Instant now, Effects& effects) {
  state_->on_result(peer, std::move(result), now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_compiled(CompileTicket ticket, Result<Compiled> compiled, Instant now, Effects& effects) {
  state_->on_compiled(ticket, std::move(compiled), now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_deadline(Instant now, Effects& effects) {
  state_->on_deadline(now, effects);
  state_->conclude(effects);
}

void AggregatorCore::on_dial_failed(rpc::LinkId link, const std::string& reason, Effects& effects) {
  state_->on_dial_failed(link, reason);
  state_->conclude(effects);
}

void AggregatorCore::on_dialled(const std::string& endpoint, rpc::LinkId link, Effects& effects) {
  state_->writer.on_dialled(endpoint, link);
  state_->conclude(effects);
}

void AggregatorCore::flush(Instant now, Effects& effects) {
  state_->flush(now, effects);
  state_->conclude(effects);
}

void AggregatorCore::step(semantics::WorkBudget budget, const rpc::OutputGauge& gauge, Instant now, Effects& effects) {
  state_->queries.step(budget, gauge, now, effects);
  state_->conclude(effects);
}

void AggregatorCore::drain() { state_->is_draining = true; }

bool AggregatorCore::has_work(const rpc::OutputGauge& gauge) const { return state_->queries.has_work(gauge); }

Timestamp AggregatorCore::confirmed() const { return state_->context.known.mark(); }

uint32_t AggregatorCore::operations_in_flight() const { return state_->context.clients.in_flight(); }

}  // namespace daedalus::aggregator

#include "client_process.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

ClientProcess::ClientProcess(const ClusterConfiguration& configuration, std::string name,
                             rpc::SimulatedNetwork& network) {
  endpoint_ = &network.start(name, make_hello(configuration, wire::v1::ROLE_CLIENT, name), *this);
  for (const std::string& aggregator : configuration.aggregators) {
    endpoint_->dial(aggregator);
  }
}

void ClientProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/) { next_sequence_[peer] = 1; }

void ClientProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  next_sequence_.erase(peer);
  for (auto entry = in_flight_.begin(); entry != in_flight_.end();) {
    if (entry->first.first == peer) {
      entry->second.is_lost = true;
      answers_.push_back(std::move(entry->second));
      entry = in_flight_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void ClientProcess::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation /*operation*/) {}

bool ClientProcess::ask(const Workload::Query& query, Timestamp prefix_promised, int64_t remaining_ns, uint64_t which) {
  if (next_sequence_.empty()) {
    return false;
  }
  auto& [peer, sequence] =
      *std::next(next_sequence_.begin(), static_cast<std::ptrdiff_t>(which % next_sequence_.size()));
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(sequence);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_SELECT);
  operation.mutable_header()->set_remaining_ns(static_cast<uint64_t>(remaining_ns));
  for (const auto& route : query.routes) {
    *operation.mutable_header()->add_routes() = route;
  }
  operation.mutable_header()->set_map_version(1);
  operation.set_body(query.body);
  GivenAnswer& given = in_flight_[{peer, sequence++}].given;
  given.question = query.question;
  given.prefix_promised = prefix_promised;
  rpc::Outbox out;
  out.operations.emplace_back(peer, std::move(operation));
  endpoint_->send(std::move(out));
  return true;
}

void ClientProcess::on_result(rpc::PeerId peer, wire::v1::Result result) {
  const auto entry = in_flight_.find({peer, result.sequence()});
  CHECK(entry != in_flight_.end());  // Nothing may follow the end of an answer.
  Answer& answer = entry->second;
  GivenAnswer& given = answer.given;
  if (result.has_rows()) {
    given.columns.insert(given.columns.end(), result.rows().columns().begin(), result.rows().columns().end());
    given.rows += result.rows().rows();
    given.row_count += result.rows().row_count();
    return;
  }
  if (result.has_end()) {
    answer.has_end = true;
    given.end = result.end();
  } else {
    CHECK(result.has_error());
    answer.error = result.error();
  }
  answers_.push_back(std::move(answer));
  in_flight_.erase(entry);
}

}  // namespace daedalus::testing

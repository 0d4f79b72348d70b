#include "door_witness.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

void DoorWitness::on_operation(rpc::PeerId session, const wire::v1::Operation& operation) {
  const auto kind = operation.header().kind();
  if (kind == wire::v1::OPERATION_KIND_ABORT) {
    return;
  }
  const std::pair slot(session, operation.header().shape_handle());
  if (kind == wire::v1::OPERATION_KIND_DEFINE) {
    wire::v1::ShapeBody body;
    CHECK(body.ParseFromString(operation.body()));
    slots_[slot] = body.sql();
    return;
  }
  Exchange exchange{.sql = {}, .seen = seen_[session], .at = {}, .end = {}, .error = {}};
  if (kind == wire::v1::OPERATION_KIND_STATEMENT) {
    wire::v1::StatementBody body;
    CHECK(body.ParseFromString(operation.body()));
    if (operation.header().has_at()) {
      exchange.at = Timestamp{operation.header().at()};
    }
    exchange.sql = slot.second == 0 ? body.sql() : slots_.at(slot);
  }
  const bool is_new = sessions_.at(session).emplace(operation.header().sequence(), std::move(exchange)).second;
  CHECK(is_new);  // A sequence is used once.
}

void DoorWitness::on_result(rpc::PeerId session, const wire::v1::Result& result) {
  Exchange& exchange = sessions_.at(session).at(result.sequence());
  if (result.has_end()) {
    exchange.end = result.end();
    seen_[session] = std::max(seen_[session], Timestamp{result.end().moment()});
  } else if (result.has_error()) {
    exchange.error = result.error();
  } else if (result.has_confirmed()) {
    seen_[session] = std::max(seen_[session], Timestamp{result.confirmed().timestamp()});
  } else if (result.has_refused() && result.refused().has_error()) {
    exchange.error = result.refused().error();
  }
}

std::vector<const DoorWitness::Exchange*> DoorWitness::exchanges(rpc::PeerId session, std::string_view sql) const {
  std::vector<const Exchange*> found;
  if (const auto of_session = sessions_.find(session); of_session != sessions_.end()) {
    for (const auto& [sequence, exchange] : of_session->second) {
      if (exchange.sql == sql) {
        found.push_back(&exchange);
      }
    }
  }
  return found;
}

}  // namespace daedalus::testing

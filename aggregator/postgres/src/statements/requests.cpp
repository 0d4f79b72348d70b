#include "requests.hpp"

#include <utility>

namespace daedalus::postgres {

uint64_t Requests::ask(wire::v1::Operation&& operation) {
  operation.mutable_header()->set_sequence(++last_sequence_);
  events_.push_back(std::move(operation));
  return last_sequence_;
}

void Requests::abort(uint64_t sequence) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_ABORT);
  operation.mutable_header()->set_abort_sequence(sequence);
  ask(std::move(operation));
}

void Requests::start_work(decltype(Work::what) what) { events_.push_back(Work{++last_work_, std::move(what)}); }

void Requests::ask_catalogue(catalogue::Statement statement) {
  events_.push_back(CatalogueWork{++last_catalogue_, std::move(statement)});
}

void Requests::deliver(const rpc::ByteSession::IsEnough& is_enough) {
  while (!events_.empty()) {
    if (is_enough(hand_over(events_.take_front()))) {
      return;
    }
  }
}

const char* Requests::hand_over(Event event) {
  if (const auto* up = std::get_if<Up>(&event)) {
    owner_.on_session_up(session_, up->info);
  } else if (const auto* down = std::get_if<Down>(&event)) {
    owner_.on_session_down(session_, down->reason);
  } else if (auto* operation = std::get_if<wire::v1::Operation>(&event)) {
    owner_.on_session_operation(session_, std::move(*operation));
    return "statement";
  } else if (auto* work = std::get_if<Work>(&event)) {
    owner_.on_session_work(session_, std::move(*work));
    return "work";
  } else if (auto* asked = std::get_if<CatalogueWork>(&event)) {
    owner_.on_session_catalogue(session_, std::move(*asked));
    return "catalogue statement";
  } else if (std::holds_alternative<CatalogueAbandoned>(event)) {
    owner_.on_session_catalogue_abandoned(session_);
  } else {
    owner_.on_cancel_request(std::get<CancelKey>(event));
    return "cancel request";
  }
  return "session";
}

}  // namespace daedalus::postgres

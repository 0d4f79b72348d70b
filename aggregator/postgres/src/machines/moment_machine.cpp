#include "moment_machine.hpp"

#include <utility>

#include "query_machine.hpp"

namespace daedalus::postgres {

namespace {

/// Returns whether the statement reads the table, as far as is known before it runs.
bool is_read(const Prepared& statement) {
  const auto* const copy = std::get_if<CopyCommand>(&statement.command);
  const bool is_of_table = statement.catalogue == nullptr && !statement.is_catalogue_cursor;
  return is_of_table &&
         (std::holds_alternative<QueryCommand>(statement.command) ||
          std::holds_alternative<DeclareCommand>(statement.command) || (copy != nullptr && !copy->statement->is_from));
}

}  // namespace

bool MomentMachine::is_wanted(const Portal& portal) const {
  return core_.block.is_repeatable() && core_.block.moment() == nullptr && !core_.block.has_failed() &&
         core_.entrance.has_table() && !portal.has_started && is_read(*portal.statement) &&
         QueryMachine(core_).check_query().has_value();
}

void MomentMachine::ask(Portal& portal, uint32_t rows_max) {
  core_.held_moments.want(core_.settings->read_at());
  core_.awaited = awaited::Moment{&portal, rows_max};
}

awaited::Moment MomentMachine::take(const wire::v1::Result& answer) {
  HeldMoment moment = core_.held_moments.take(answer);
  const auto* const waiting = std::get_if<awaited::Moment>(&core_.awaited);
  if (waiting == nullptr || core_.held_moments.is_wanted()) {
    return {};
  }
  const awaited::Moment next = *waiting;
  core_.awaited = awaited::Message{};
  if (moment == nullptr) {
    core_.fail(answer.has_error() ? failure_of(answer.error(), core_.has_timeout())
                                  : Failure{rejected("XX000", "a HOLD was answered with something else"), {}});
    return {};
  }
  core_.block.take_moment(std::move(moment));
  return next;
}

void MomentMachine::tell() {
  if (!core_.held_moments.has_news()) {
    return;
  }
  wire::v1::Operation operation;
  auto& header = *operation.mutable_header();
  header.set_remaining_ns(static_cast<uint64_t>(core_.time_left()));
  header.set_principal(core_.entrance.user());
  header.set_prefix_min(core_.moments.demand());
  header.set_freshness_ns(static_cast<uint64_t>(core_.settings->freshness_ns()));
  core_.held_moments.tell(std::move(operation), core_.requests);
}

}  // namespace daedalus::postgres

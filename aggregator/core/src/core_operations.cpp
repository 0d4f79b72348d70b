// Operations: what is wrong with them whatever their kind, and which machine works on which kind.
#include <fmt/format.h>

#include <algorithm>

#include "core_state.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

constexpr size_t kNameSizeMax = 128;  // The most bytes of request_id and of principal.

}  // namespace

Result<void> AggregatorCore::State::check(Upstream upstream, const wire::v1::OperationHeader& header) const {
  if (is_draining && header.kind() != wire::v1::OPERATION_KIND_MARK) {  // Nothing new begins with a mark.
    return Error{ErrorCategory::kRetry, "57P01", fmt::format("aggregator {} is shutting down", context.options.name),
                 "use another aggregator", 0};
  }
  if (context.clients.in_flight(upstream.peer) >= context.options.operations_per_client_max) {
    return overloaded(
        fmt::format("this connection has {} operations in flight", context.clients.in_flight(upstream.peer)));
  }
  if (header.request_id().size() > kNameSizeMax || header.principal().size() > kNameSizeMax) {
    return malformed(fmt::format("request_id and principal are at most {} bytes each", kNameSizeMax));
  }
  if (header.priority() != 0 || header.credit_lease() != 0) {
    return rejected("0A000", "priorities and leases of admission credit are not supported yet", "leave them unset");
  }
  if (header.map_version() != 0 && header.map_version() != context.map->version) {
    return Error{ErrorCategory::kRetry, "55000",
                 fmt::format("the operation was made for partition map {}, this aggregator has map {}",
                             header.map_version(), context.map->version),
                 "ask for the description of the table again", 0};
  }
  if (header.shape_handle() != 0 && header.kind() != wire::v1::OPERATION_KIND_STATEMENT &&
      header.kind() != wire::v1::OPERATION_KIND_SELECT) {
    return rejected("0A000", "an aggregator keeps shapes of statements and of SELECTs only",
                    "send the operation whole");
  }
  const bool is_writers = header.kind() == wire::v1::OPERATION_KIND_UPDATE ||
                          header.kind() == wire::v1::OPERATION_KIND_EPOCH ||
                          header.kind() == wire::v1::OPERATION_KIND_MARK;
  if (is_writers && context.clients.role(upstream.peer) != wire::v1::ROLE_WRITER) {
    return rejected("42501", "only the logical writer sends numbered updates, epochs and marks",
                    "submit updates instead: they reach the writer");
  }
  return {};
}

void AggregatorCore::State::refuse(Upstream upstream, const wire::v1::OperationHeader& header, const Error& error,
                                   rpc::Outbox& out) {
  auto result = error_result(error, error.category == ErrorCategory::kRetry ? context.options.retry_after_ns : 0);
  if (header.kind() == wire::v1::OPERATION_KIND_UPDATE && error.category == ErrorCategory::kRetry) {
    const bool is_stale_map = header.map_version() != 0 && header.map_version() != context.map->version;
    wire::v1::Result refusal;
    refusal.mutable_refused()->set_timestamp(header.update().timestamp());
    refusal.mutable_refused()->set_reason(is_draining    ? wire::v1::WRITE_REFUSAL_UNREACHABLE
                                          : is_stale_map ? wire::v1::WRITE_REFUSAL_STALE_MAP
                                                         : wire::v1::WRITE_REFUSAL_OVERLOADED);
    refusal.mutable_refused()->set_retry_after_ns(result.error().retry_after_ns());
    *refusal.mutable_refused()->mutable_error() = std::move(*result.mutable_error());
    result = std::move(refusal);
  }
  reply(upstream, std::move(result), out);
}

Instant AggregatorCore::State::deadline_of(const wire::v1::OperationHeader& header, Instant now) const {
  if (header.remaining_ns() == 0) {
    return after(now, context.options.operation_ns_default);
  }
  return after(now, static_cast<int64_t>(std::min<uint64_t>(header.remaining_ns(), INT64_MAX)));
}

void AggregatorCore::State::dispatch(Upstream upstream, wire::v1::Operation& operation, Instant now, rpc::Outbox& out) {
  const Instant deadline = deadline_of(operation.header(), now);
  switch (operation.header().kind()) {
    case wire::v1::OPERATION_KIND_STATEMENT:
      on_statement(upstream, operation, deadline, now, out);
      return;
    case wire::v1::OPERATION_KIND_SELECT:
      on_select(upstream, operation, deadline, now, out);
      return;
    case wire::v1::OPERATION_KIND_UPDATE:
      on_update(upstream, operation, deadline, now, out);
      return;
    case wire::v1::OPERATION_KIND_SUBMIT:
      on_submit(upstream, operation, deadline, now, out);
      return;
    case wire::v1::OPERATION_KIND_DESCRIBE: {
      wire::v1::Result result;
      *result.mutable_described() = describe(context, writer);
      reply(upstream, std::move(result), out);
      return;
    }
    case wire::v1::OPERATION_KIND_STATUS:
      on_status(upstream, std::min(deadline, after(now, context.options.status_ns_max)), now, out);
      return;
    case wire::v1::OPERATION_KIND_EPOCH:
      on_epoch(upstream, operation, deadline, now, out);
      return;
    case wire::v1::OPERATION_KIND_MARK:
      on_mark(upstream, operation, now, out);
      return;
    case wire::v1::OPERATION_KIND_HOLD:
      on_hold(upstream, operation, deadline, now, out);
      return;
    default:
      reply(upstream,
            error_result(malformed(fmt::format("an aggregator takes no operation of kind {}",
                                               static_cast<int>(operation.header().kind())))),
            out);
  }
}

void AggregatorCore::State::on_abort(Upstream target, rpc::Outbox& out) {
  const auto operation = context.clients.find(target);
  if (!operation) {
    return;  // Answered already.
  }
  if (operation->machine == Machine::kQuery) {
    queries.abort(operation->id, out);
  } else if (operation->machine == Machine::kCompilation) {
    compilations.abort(operation->id, out);
  } else if (operation->machine == Machine::kHold) {
    holds.abort(operation->id, out);
  }
  // Operations that write cannot be taken back, and the others end soon by themselves.
}

void AggregatorCore::State::on_statement(Upstream upstream, wire::v1::Operation& operation, Instant deadline,
                                         Instant now, rpc::Outbox& out) {
  if (operation.body().size() > context.options.statement_size_max) {
    reply(upstream,
          error_result(rejected("54000", fmt::format("the statement has {} bytes, more than {}",
                                                     operation.body().size(), context.options.statement_size_max))),
          out);
    return;
  }
  auto asked = statements.read(upstream.peer, operation);
  if (!asked) {
    reply(upstream, error_result(asked.error()), out);
    return;
  }
  if (CompiledSelect select = queries.spare_select(); statements.bind(*asked, select)) {
    queries.start({.upstream = upstream,
                   .terms = terms_of(operation.header()),
                   .select = std::move(select),
                   .shape_columns = asked->columns(),
                   .deadline = deadline},
                  now, out);
    return;
  }
  if (asked->definition != nullptr) {
    asked->statement->set_sql(asked->definition->statement->sql);
  }
  compilations.start(upstream, std::move(*operation.mutable_header()), *asked->statement, asked->columns(), deadline,
                     out);
}

void AggregatorCore::State::on_select(Upstream upstream, wire::v1::Operation& operation, Instant deadline, Instant now,
                                      rpc::Outbox& out) {
  auto request = operation.header().shape_handle() == 0
                     ? query_request(*context.schema, *context.map, operation)
                     : query_request(*context.schema, *context.map, handles, upstream.peer, operation);
  if (!request) {
    reply(upstream, error_result(request.error()), out);
    return;
  }
  request->upstream = upstream;
  request->deadline = deadline;
  queries.start(std::move(*request), now, out);
}

void AggregatorCore::State::on_update(Upstream upstream, wire::v1::Operation& operation, Instant deadline, Instant now,
                                      rpc::Outbox& out) {
  const wire::v1::UpdateHeader& header = operation.header().update();
  if (header.epoch() == 0 || header.timestamp() == 0 || header.first_timestamp() != 0) {
    reply(upstream, error_result(malformed("an UPDATE needs an epoch and a timestamp, and no first timestamp")), out);
    return;
  }
  writer.hint(header.epoch(), now);
  context.known.hear(header.confirmed_through(), now);
  updates.start(upstream, std::move(operation), deadline, out);
}

void AggregatorCore::State::on_submit(Upstream upstream, const wire::v1::Operation& operation, Instant deadline,
                                      Instant now, rpc::Outbox& out) {
  const auto body = check_submission(*context.schema, *context.map, operation.body());
  if (!body) {
    reply(upstream, error_result(body.error()), out);
    return;
  }
  submissions.start(upstream, operation.header(), *body, /*returning=*/std::nullopt, deadline, now, out);
}

void AggregatorCore::State::on_epoch(Upstream upstream, const wire::v1::Operation& operation, Instant deadline,
                                     Instant now, rpc::Outbox& out) {
  wire::v1::EpochBody body;
  if (!body.ParseFromString(operation.body()) || (!body.inquire() && (body.epoch() == 0 || body.holder().empty()))) {
    reply(upstream, error_result(malformed("an EPOCH needs an epoch and a holder, or only inquires")), out);
    return;
  }
  if (epochs.count() >= context.options.rounds_max) {
    refuse(upstream, operation.header(), overloaded("too many EPOCH operations are in flight"), out);
    return;
  }
  epochs.start(upstream, body, deadline, now, out);
}

void AggregatorCore::State::on_mark(Upstream upstream, const wire::v1::Operation& operation, Instant now,
                                    rpc::Outbox& out) {
  context.known.hear(operation.header().mark(), now);
  if (!operation.header().is_passed_on()) {
    wire::v1::Result result;
    result.mutable_marked();
    result.set_mark(raw(context.known.mark()));
    reply(upstream, std::move(result), out);
    return;
  }
  if (marks.count() >= context.options.rounds_max) {
    refuse(upstream, operation.header(), overloaded("too many MARK operations are in flight"), out);
    return;
  }
  marks.start(upstream, operation.header().mark(), now, out);
}

void AggregatorCore::State::on_hold(Upstream upstream, const wire::v1::Operation& operation, Instant deadline,
                                    Instant now, rpc::Outbox& out) {
  wire::v1::HoldBody body;
  if (!body.ParseFromString(operation.body())) {
    reply(upstream, error_result(malformed("the body of a HOLD does not parse")), out);
    return;
  }
  holds.start(upstream, operation.header(), body, deadline, now, out);
}

void AggregatorCore::State::on_status(Upstream upstream, Instant deadline, Instant now, rpc::Outbox& out) {
  if (statuses.count() >= context.options.rounds_max) {
    reply(upstream,
          error_result(overloaded("too many STATUS operations are in flight"), context.options.retry_after_ns), out);
    return;
  }
  wire::v1::AggregatorStatus status;
  status.set_name(context.options.name);
  status.set_version(context.options.version);
  status.set_time_zone_version(context.options.time_zone_version);
  status.set_postgres_endpoint(context.options.postgres_endpoint);
  if (context.options.logins) {
    const LoginCounts counts = context.options.logins();
    status.set_postgres_logins(counts.accepted);
    status.set_postgres_logins_failed(counts.failed);
    status.set_postgres_logins_refused(counts.refused);
  }
  if (context.options.catalogue) {
    CatalogueStatus catalogue = context.options.catalogue();
    status.set_postgres_catalogue(std::move(catalogue.state));
    status.set_postgres_catalogue_reason(std::move(catalogue.reason));
  }
  status.set_process_id(context.options.process_id);
  if (context.options.allocator) {
    const AllocatorUse use = context.options.allocator();
    status.mutable_allocator()->set_allocated_bytes(use.allocated_bytes);
    status.mutable_allocator()->set_resident_bytes(use.resident_bytes);
  }
  status.set_clients(context.clients.count());
  status.set_queries_in_flight(queries.count());
  status.set_updates_in_flight(updates.count());
  status.set_queries_total(context.queries_total);
  status.set_queries_asked_twice(context.queries_asked_twice);
  status.set_updates_total(context.updates_total);
  status.set_confirmed(raw(context.known.mark()));
  status.set_writer_reachable(writer.peer().has_value());
  status.set_holds(holds.count());
  statuses.start(upstream, std::move(status), deadline, now, out);
}

}  // namespace daedalus::aggregator

// Gives every message to the machine whose business it is.
#include "core_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/language.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

// ---- connections ----

void AggregatorCore::State::on_up(rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, rpc::Outbox& out) {
  if (!info.link) {
    if (info.hello.role() == wire::v1::ROLE_STORAGE_NODE || info.hello.role() == wire::v1::ROLE_UNSPECIFIED) {
      out.closes.emplace_back(peer, "clients, writers and aggregators dial an aggregator; nobody else does");
      return;
    }
    context.clients.on_up(peer, info.hello);
    handles.on_up(peer);
  } else if (const auto node = context.nodes.node_of(*info.link)) {
    on_node_up(*node, peer, info, now, out);
  } else if (writer.is_own(*info.link) && info.hello.role() == wire::v1::ROLE_WRITER) {
    writer_peers.insert(peer);
    writer.on_up(peer, contract::knows_moments(info.hello));
  } else {
    const std::string problem = fmt::format("{} at {} is not the writer", info.hello.name(), info.address);
    if (writer.is_own(*info.link)) {
      writer.set_problem(problem);
    }
    out.closes.emplace_back(peer, problem);
  }
}

void AggregatorCore::State::on_node_up(NodeId node, rpc::PeerId peer, const rpc::PeerInfo& info, Instant now,
                                       rpc::Outbox& out) {
  if (info.hello.role() != wire::v1::ROLE_STORAGE_NODE || info.hello.node() != raw(node)) {
    const std::string problem =
        fmt::format("{} says it is {} (node {}), not storage node {}", context.nodes.endpoint(node), info.hello.name(),
                    info.hello.node(), raw(node));
    context.nodes.set_problem(node, problem);
    out.closes.emplace_back(peer, problem);
    return;
  }
  // The channel has compared the two languages: there is a common version.
  const uint32_t language = contract::common_version(*context.options.language, info.hello).value_or(1);
  context.nodes.on_up(node, peer, {contract::announced(info.hello), language, contract::knows_moments(info.hello)});
  holds.on_node_up();
  // Nobody may be left who knows what was confirmed; then it is no more than what some node has made durable.
  context.known.learn(info.hello.durable());
  writer.inquire(node, now, out);
}

void AggregatorCore::State::on_down(rpc::PeerId peer, const std::string& reason, Instant now, rpc::Outbox& out) {
  if (const auto node = context.nodes.node_of(peer)) {
    on_node_down(*node, reason, now, out);
  } else if (writer_peers.erase(peer) > 0) {
    if (writer.peer() == peer) {
      writer.on_down(reason, now);
    }
    submissions.on_writer_lost(peer, reason, out);
    statuses.on_writer_lost(peer, reason, out);
  } else {
    on_client_down(peer, out);
  }
}

void AggregatorCore::State::on_node_down(NodeId node, const std::string& reason, Instant now, rpc::Outbox& out) {
  writer.on_node_lost(node);
  for (const Ticket& lost : context.nodes.on_down(node, reason)) {
    if (const auto* query = std::get_if<QueryTicket>(&lost)) {
      queries.on_node_lost(*query, node, reason, now, out);
    } else if (const auto* update = std::get_if<UpdateTicket>(&lost)) {
      updates.on_node_lost(update->update, node, reason, out);
    } else if (const auto* no_op = std::get_if<NoOpTicket>(&lost)) {
      for (const uint64_t covered : no_op->updates) {
        updates.on_node_lost(covered, node, reason, out);
      }
    } else if (const auto* epoch = std::get_if<EpochTicket>(&lost)) {
      epochs.on_node_lost(epoch->round, node, reason, out);
    } else if (const auto* status = std::get_if<StatusTicket>(&lost)) {
      statuses.on_node_lost(status->round, node, reason, out);
    } else if (const auto* mark = std::get_if<MarkTicket>(&lost)) {
      marks.on_node_lost(mark->round, node, out);
    }
  }
  holds.on_node_lost(node, reason, out);
  updates.drop_range(node, reason, out);
}

void AggregatorCore::State::on_client_down(rpc::PeerId peer, rpc::Outbox& out) {
  handles.on_down(peer);
  holds.on_client_down(peer);
  for (const OperationRef operation : context.clients.on_down(peer)) {
    forget(operation, out);
  }
}

void AggregatorCore::State::on_dial_failed(rpc::LinkId link, const std::string& reason) {
  if (const auto node = context.nodes.node_of(link)) {
    context.nodes.set_problem(*node, reason);
  } else if (writer.is_own(link)) {
    writer.set_problem(reason);
  }
}

// ---- operations ----

void AggregatorCore::State::on_operation(rpc::PeerId peer, wire::v1::Operation& operation, Instant now,
                                         rpc::Outbox& out) {
  const Upstream upstream{peer, operation.header().sequence()};
  if (!context.clients.knows(peer)) {
    out.closes.emplace_back(peer, "an aggregator takes operations only from those who dialled it");
    return;
  }
  if (!context.clients.take_sequence(upstream)) {
    out.closes.emplace_back(peer, fmt::format("operation sequence {} is not above all before it", upstream.sequence));
    return;
  }
  if (operation.header().kind() == wire::v1::OPERATION_KIND_ABORT) {
    on_abort(Upstream{peer, operation.header().abort_sequence()}, out);
    return;
  }
  if (operation.header().kind() == wire::v1::OPERATION_KIND_DEFINE) {
    handles.define(upstream, operation.header().shape_handle(), operation.body());
    return;
  }
  if (const auto fine = check(upstream, operation.header()); !fine) {
    refuse(upstream, operation.header(), fine.error(), out);
    return;
  }
  dispatch(upstream, operation, now, out);
}

// ---- answers ----

void AggregatorCore::State::on_result(rpc::PeerId peer, wire::v1::Result&& result, Instant now, rpc::Outbox& out) {
  if (const auto node = context.nodes.node_of(peer)) {
    learn(*node, result, now);
    on_node_result(*node, std::move(result), now, out);
  } else if (writer_peers.contains(peer)) {
    if (writer.peer() == peer && writer.knows_moments()) {
      context.known.hear(result.mark(), now);
    }
    if (!statuses.on_writer_result(peer, result, out)) {
      submissions.on_result(peer, std::move(result), out);
    }
  } else {
    out.closes.emplace_back(peer, "it was asked nothing, but sent a result");
  }
}

void AggregatorCore::State::learn(NodeId node, const wire::v1::Result& result, Instant now) {
  context.known.learn(result.mark());
  if (result.has_confirmed()) {
    learn(node, result.confirmed().watermarks());
  } else if (result.has_marked()) {
    learn(node, result.marked().watermarks());
  } else if (result.has_error()) {
    context.known.learn(result.error().ask_again_at());
  } else if (result.has_refused() && result.refused().reason() == wire::v1::WRITE_REFUSAL_STALE_EPOCH) {
    writer.hint(result.refused().epoch(), now);
  }
}

void AggregatorCore::State::learn(NodeId node,
                                  const google::protobuf::RepeatedPtrField<wire::v1::NodeWatermark>& watermarks) {
  for (const wire::v1::NodeWatermark& watermark : watermarks) {
    if (watermark.node() == raw(node)) {
      context.nodes.learn(node, watermark);
      context.known.learn(watermark.mark());
    }
  }
}

void AggregatorCore::State::on_node_result(NodeId node, wire::v1::Result&& result, Instant now, rpc::Outbox& out) {
  const uint64_t sequence = result.sequence();
  Ticket* const found = context.nodes.find(node, sequence);
  if (found == nullptr) {
    return;  // Late: what it answers has ended.
  }
  if (const auto* query = std::get_if<QueryTicket>(found)) {
    queries.on_result(*query, node, std::move(result), now, out);
    return;
  }
  const Ticket ticket = std::move(*found);
  context.nodes.forget(node, sequence);
  if (const auto* update = std::get_if<UpdateTicket>(&ticket)) {
    updates.on_result(update->update, node, result, out);
  } else if (const auto* no_op = std::get_if<NoOpTicket>(&ticket)) {
    for (const uint64_t covered : no_op->updates) {
      updates.on_result(covered, node, result, out);
    }
  } else if (const auto* epoch = std::get_if<EpochTicket>(&ticket)) {
    epochs.on_result(epoch->round, node, result, out);
  } else if (const auto* status = std::get_if<StatusTicket>(&ticket)) {
    statuses.on_result(status->round, node, result, out);
  } else if (const auto* mark = std::get_if<MarkTicket>(&ticket)) {
    marks.on_result(mark->round, node, result, out);
  } else if (const auto* hold = std::get_if<HoldTicket>(&ticket)) {
    holds.on_result(hold->word, node, result, out);
  } else {
    writer.on_answer(node, result);
  }
}

void AggregatorCore::State::on_compiled(CompileTicket ticket, Result<Compiled> compiled, Instant now,
                                        rpc::Outbox& out) {
  auto compilation = compilations.take(ticket);
  if (!compilation) {
    return;  // Aborted, too late, or its client is gone.
  }
  if (!compiled) {
    reply(compilation->upstream, error_result(compiled.error()), out);
    context.clients.finish(compilation->upstream);
    return;
  }
  on_compiled(std::move(*compilation), std::move(*compiled), now, out);
}

void AggregatorCore::State::on_compiled(Compilation compilation, Compiled compiled, Instant now, rpc::Outbox& out) {
  if (auto* select = std::get_if<CompiledSelect>(&compiled)) {
    queries.start({.upstream = compilation.upstream,
                   .terms = terms_of(compilation.header),
                   .select = std::move(*select),
                   .shape_columns = std::move(compilation.shape_columns),
                   .deadline = compilation.deadline},
                  now, out);
    return;
  }
  auto& update = std::get<CompiledUpdate>(compiled);
  if (const auto named = check_submission_id(compilation.submission); !named) {
    reply(compilation.upstream, error_result(named.error()), out);
    context.clients.finish(compilation.upstream);
    return;
  }
  if (update.body.parts().empty()) {  // A confirmation needs a number, which only what is submitted has.
    reply(compilation.upstream,
          error_result(rejected("0A000", "an INSERT that selects no row is not supported", "leave it out")), out);
    context.clients.finish(compilation.upstream);
    return;
  }
  wire::v1::SubmitBody body;
  *body.mutable_submission() = std::move(compilation.submission);
  *body.mutable_update() = std::move(update.body);
  body.mutable_routes()->Add(update.routes.begin(), update.routes.end());
  submissions.start(compilation.upstream, compilation.header, body, std::move(update.returning), compilation.deadline,
                    now, out);
}

// ---- time ----

void AggregatorCore::State::expire(OperationRef operation, Instant now, rpc::Outbox& out) {
  switch (operation.machine) {
    case Machine::kCompilation:
      compilations.expire(operation.id, out);
      return;
    case Machine::kQuery:
      queries.expire(operation.id, now, out);
      return;
    case Machine::kUpdate:
      updates.expire(operation.id, out);
      return;
    case Machine::kSubmission:
      submissions.expire(operation.id, out);
      return;
    case Machine::kEpoch:
      epochs.expire(operation.id, out);
      return;
    case Machine::kStatus:
      statuses.expire(operation.id, out);
      return;
    case Machine::kMark:
      marks.expire(operation.id, out);
      return;
    case Machine::kHold:
      holds.expire(operation.id, out);
      return;
  }
}

void AggregatorCore::State::forget(OperationRef operation, rpc::Outbox& out) {
  switch (operation.machine) {
    case Machine::kCompilation:
      compilations.forget(operation.id);
      return;
    case Machine::kQuery:
      queries.forget(operation.id, out);
      return;
    case Machine::kUpdate:
      updates.forget(operation.id);
      return;
    case Machine::kSubmission:
      submissions.forget(operation.id);
      return;
    case Machine::kEpoch:
      epochs.forget(operation.id);
      return;
    case Machine::kStatus:
      statuses.forget(operation.id);
      return;
    case Machine::kMark:
      marks.forget(operation.id);
      return;
    case Machine::kHold:
      holds.forget(operation.id);
      return;
  }
}

void AggregatorCore::State::on_deadline(Instant now, rpc::Outbox& out) {
  while (const auto operation = context.deadlines.take_due(now)) {
    expire(*operation, now, out);
  }
  writer.on_deadline(now, out);
  if (holds.next_deadline() <= now) {
    holds.say(queries.lowest_moment(), now, out);
  }
}

void AggregatorCore::State::flush(Instant now, rpc::Outbox& out) {
  updates.flush(out);
  if (holds.is_word_due()) {
    holds.say(queries.lowest_moment(), now, out);
  }
  if (queries.count() > 0) {
    holds.note_queries(now);
  }
}

void AggregatorCore::State::conclude(Effects& effects) {
  const auto move_to = [](auto from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_to(compilations.take_requests(), effects.compilations);
  for (const CompileTicket ticket : compilations.take_given_up()) {
    // A compilation that the driver has not seen yet it need not be told to give up.
    const bool is_new = std::erase_if(effects.compilations, [&](const auto& r) { return r.ticket == ticket; }) > 0;
    if (!is_new) {
      effects.given_up.push_back(ticket);
    }
  }
  move_to(writer.take_dial_requests(), effects.dials);
  move_to(writer.take_drop_requests(), effects.drops);
  effects.wake_at = std::min({context.deadlines.next(), writer.next_deadline(), holds.next_deadline()});
}

}  // namespace daedalus::aggregator

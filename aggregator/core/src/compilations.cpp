#include "compilations.hpp"

#include <fmt/format.h>

#include <utility>

#include "failures.hpp"

namespace daedalus::aggregator {

void Compilations::start(Upstream upstream, wire::v1::OperationHeader header, wire::v1::StatementBody statement,
                         std::shared_ptr<merging::ShapeColumns> columns, Instant deadline, rpc::Outbox& out) {
  const uint64_t bytes = statement.ByteSizeLong();
  if (is_full(upstream.peer, bytes)) {
    reply(upstream,
          error_result(
              overloaded(fmt::format("{} statements of {} bytes wait to be compiled", compilations_.size(), bytes_)),
              context_.options.retry_after_ns),
          out);
    return;
  }
  const uint64_t id = context_.next_id++;
  compilations_.emplace(id, Compilation{.upstream = upstream,
                                        .deadline = deadline,
                                        .header = std::move(header),
                                        .submission = statement.submission(),
                                        .shape_columns = std::move(columns),
                                        .bytes = bytes});
  bytes_ += bytes;
  client_bytes_[upstream.peer] += bytes;
  context_.clients.assign(upstream, {Machine::kCompilation, id});
  context_.deadlines.add(deadline, {Machine::kCompilation, id});
  requests_.push_back({CompileTicket{id}, upstream.peer, bytes, std::move(statement)});
}

bool Compilations::is_full(rpc::PeerId client, uint64_t bytes) const {
  const auto own = client_bytes_.find(client);
  return compilations_.size() >= context_.options.compilations_max ||
         (!compilations_.empty() && bytes_ + bytes > context_.options.compilation_bytes_max) ||
         (own != client_bytes_.end() && own->second + bytes > context_.options.compilation_bytes_per_client_max);
}

std::optional<Compilation> Compilations::take(CompileTicket ticket) {
  const auto found = compilations_.find(raw(ticket));
  if (found == compilations_.end()) {
    return std::nullopt;
  }
  Compilation compilation = std::move(found->second);
  context_.deadlines.remove(compilation.deadline, {Machine::kCompilation, found->first});
  compilations_.erase(found);
  bytes_ -= compilation.bytes;
  const auto own = client_bytes_.find(compilation.upstream.peer);
  if (own != client_bytes_.end() && (own->second -= compilation.bytes) == 0) {
    client_bytes_.erase(own);  // Compilations of the client that are left, if any, have no bytes.
  }
  return compilation;
}

std::vector<CompileRequest> Compilations::take_requests() { return std::exchange(requests_, {}); }

std::vector<CompileTicket> Compilations::take_given_up() { return std::exchange(given_up_, {}); }

std::optional<Compilation> Compilations::give_up(uint64_t compilation) {
  std::optional<Compilation> ended = take(CompileTicket{compilation});
  if (ended) {
    given_up_.push_back(CompileTicket{compilation});
  }
  return ended;
}

void Compilations::abort(uint64_t compilation, rpc::Outbox& out) {
  fail(compilation, aborted("the statement was aborted by its client"), out);
}

void Compilations::expire(uint64_t compilation, rpc::Outbox& out) {
  fail(compilation, too_late("the statement was not compiled within its time"), out);
}

void Compilations::forget(uint64_t compilation) {
  if (const auto ended = give_up(compilation)) {
    context_.clients.finish(ended->upstream);
  }
}

void Compilations::fail(uint64_t compilation, const Error& error, rpc::Outbox& out) {
  if (const auto ended = give_up(compilation)) {
    reply(ended->upstream, error_result(error), out);
    context_.clients.finish(ended->upstream);
  }
}

}  // namespace daedalus::aggregator

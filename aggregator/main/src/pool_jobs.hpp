// The aggregator has threads beside the network's: they compile statements of Daedalus's own protocol, and do the work
// of sessions of PostgreSQL's.
//
// Decides whose each job is, and which are large. Refuses to know threads; which job is next is the queue's to decide.
#pragma once

#include <cstdint>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/work_pool/work_queue.hpp"

namespace daedalus::aggregator {

/// The result of one compile request.
struct CompiledStatement {
  CompileTicket ticket{};
  Result<Compiled> compiled;
};

[[nodiscard]] CompiledStatement compile(const CompileRequest& request, Compiler& compiler, int64_t now_us);

/// It may take the core many times as long as a SELECT does.
[[nodiscard]] bool is_update(const CompiledStatement& statement);

/// One piece of work of a session; postgres::do_work() does it.
struct SessionJob {
  rpc::PeerId session{};
  postgres::Work work;
};

[[nodiscard]] JobTag tag_of(const CompileRequest& request);

/// Statements are small or large by their text. Taking a text apart and converting a piece of a COPY are large: most of
/// those texts and pieces are long.
[[nodiscard]] JobTag tag_of(JobTicket ticket, const SessionJob& job);

}  // namespace daedalus::aggregator

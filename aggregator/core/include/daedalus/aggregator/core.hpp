// The aggregator as one pure state machine: messages and the time go in, bounded effects come out.
//
// Decides where operations go, how their answers become one, and when to give up. Refuses to know sockets, threads,
// clocks and SQL: its driver (the program, or the simulator of a whole cluster) owns those and is told what to do.
// It keeps nothing that matters: lose it at any moment, and no update is lost or doubled.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/allocator_use.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/merging/merge_scheduler.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/semantics/language.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::aggregator {

/// The handles that an aggregator keeps for each of its clients: 4 MiB, if somebody fills every handle. There are more
/// handles than a program has statements: where they are too few, each statement is often defined anew, with its
/// columns.
constexpr contract::HandleLimits kClientHandles{1024, contract::kShapeBytesMax};

/// Logins by PostgreSQL's protocol, since this process began.
struct LoginCounts {
  uint64_t accepted = 0;
  uint64_t failed = 0;
  uint64_t refused = 0;  ///< Not looked at, because too many failed before.
};

/// The state of the private PostgreSQL that answers statements over the catalogue.
struct CatalogueStatus {
  std::string state;   ///< "off", "missing", "starting", "running", "failed".
  std::string reason;  ///< The reason why it does not run.
};

/// Who this aggregator is, and the maximum of everything it keeps.
struct AggregatorOptions {
  std::string name;
  std::string version;
  /// The version of the database of time zones; empty: there is none.
  std::string time_zone_version;
  std::string cluster_id;
  uint64_t process_id = 0;
  std::string postgres_endpoint;               ///< For STATUS; empty: there is none.
  std::function<AllocatorUse()> allocator;     ///< Asked for STATUS; may be empty.
  std::function<LoginCounts()> logins;         ///< Asked for STATUS; may be empty.
  std::function<CatalogueStatus()> catalogue;  ///< Asked for STATUS; may be empty.
  std::map<NodeId, std::string> endpoints;     ///< host:port of every storage node of the map.

  /// The language that statements are compiled to.
  const semantics::Language* language = &semantics::Language::own();

  uint32_t queries_max = 8'192;       ///< In flight; further ones are refused with RETRY.
  uint32_t updates_max = 8'192;       ///< In flight over all writers; further ones are refused as OVERLOADED.
  uint32_t submissions_max = 8'192;   ///< Relayed and not yet answered.
  uint32_t compilations_max = 8'192;  ///< Statements waiting for the compiler.
  /// The most bytes of all these together; one alone is always taken.
  uint64_t compilation_bytes_max = 64u << 20;
  /// The most bytes of those of one connection.
  uint64_t compilation_bytes_per_client_max = 32u << 20;
  uint32_t rounds_max = 256;                        ///< STATUS, EPOCH and MARK operations in flight, each.
  uint32_t holds_max = 8'192;                       ///< Moments held for all clients.
  uint32_t holds_per_client_max = 128;              ///< Moments held for one connection.
  uint32_t operations_per_client_max = 4'096;       ///< In flight of one connection.
  uint32_t statement_size_max = kStatementSizeMax;  ///< Bytes of SQL text and parameters.
  /// The most bytes of rows sent to whoever asked.
  uint64_t answer_bytes_max = semantics::kAnswerBytesMax;
  /// The most bytes of rows that are asked for ahead of the reader of an answer that goes on piece by piece.
  uint64_t ahead_bytes_max = 8u << 20;
  /// Parts that come in messages of nodes pass uncut.
  merging::MergeLimits merges{.message_bytes_max = (1u << 20) - 4'096};
  /// The budget of all answers of this process, until they have left it.
  std::shared_ptr<ByteBudget> answer_budget = std::make_shared<ByteBudget>(1u << 30);
  int64_t operation_ns_default = 30 * kSecond;   ///< Time of an operation that states none.
  int64_t status_ns_max = kSecond;               ///< How long STATUS waits for a node.
  int64_t mark_ns_max = kSecond;                 ///< How long MARK waits for a node.
  int64_t hold_renewal_ns = 500 * kMillisecond;  ///< Between two words to the nodes about what is held.
  int64_t inquiry_ns = kSecond;                  ///< Between two questions for the writer while it is not connected.
  int64_t retry_after_ns = 10 * kMillisecond;    ///< The hint of what is refused because something is full.
};

/// Names one statement that is being compiled.
enum class CompileTicket : uint64_t {};

struct CompileRequest {
  CompileTicket ticket{};
  rpc::PeerId client{};  ///< Whoever sent it: clients take turns.
  uint64_t bytes = 0;    ///< The bytes of the statement: large ones leave room for small ones.
  wire::v1::StatementBody statement;
};

/// One endpoint the core wants dialled (Network::dial) from now on; the answer goes to on_dialled().
struct DialRequest {
  std::string endpoint;
};

/// Messages to send, and besides them work for others: the driver reports to the core when it is done.
struct Effects : rpc::Outbox {
  /// Compilations asked for before whose statements were aborted, are too late or whose client is gone: need not be.
  std::vector<CompileTicket> given_up;
  /// Statements to be compiled from now on, in the order of their tickets: AggregatorCore::on_compiled(). Those that
  /// the driver holds, apart from what it has been told to give up before, are never more than compilations_max, and
  /// their bytes no more than compilation_bytes_max: it needs no bound of its own.
  std::vector<CompileRequest> compilations;
  std::vector<DialRequest> dials;  ///< AggregatorCore::on_dialled().
  /// Links of writers that have been replaced: need not be dialled any longer.
  std::vector<rpc::LinkId> drops;
  Instant wake_at = kNever;  ///< When to call AggregatorCore::on_deadline(); replaces what was said before.
};

/// The driver's duties: carry out the effects and say when work for others is done; arm one timer at their wake_at; and
/// at the end of a turn of input (all messages that came together) call flush() and, once, step(); as long as
/// has_work(), take another turn soon, after looking at the sockets. Effects of several calls may be carried out
/// together. Everything happens on one thread.
///
/// A client, a session of PostgreSQL's protocol too, holds moments by HOLD (docs/protocol.md, "Marks and moments"):
/// with HoldBody.moments = {0} it takes one, which Held.oldest names; a query at it has header.at = that moment and
/// is_firm. The list names all that the connection holds from then on: {7, 0} keeps 7 and takes another one, {} lets
/// all go. At most one HOLD of a connection is under way at a time. What a connection holds ends with it, and needs no
/// renewal.
///
/// Invariants: every operation is answered by exactly one terminal result (an UPDATE may be preceded by notes and by a
/// first WriteConfirmed) unless its client is gone; QueryEnd leaves only after the ends of all responsible partitions.
class AggregatorCore {
 public:
  /// `links` names the storage node behind each link the driver dials at start; every node of the map has one.
  /// Statements that `known` knows need not be compiled; it may be null.
  AggregatorCore(AggregatorOptions options, std::shared_ptr<const semantics::Schema> schema,
                 std::shared_ptr<const contract::PartitionMap> map, const std::map<rpc::LinkId, NodeId>& links,
                 std::shared_ptr<KnownStatements> known = nullptr);
  ~AggregatorCore();
  AggregatorCore(const AggregatorCore&) = delete;
  AggregatorCore& operator=(const AggregatorCore&) = delete;

  // ---- what the network reports ----
  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info, Instant now, Effects& effects);
  void on_down(rpc::PeerId peer, const std::string& reason, Instant now, Effects& effects);
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation, Instant now, Effects& effects);
  void on_result(rpc::PeerId peer, wire::v1::Result&& result, Instant now, Effects& effects);
  /// A link could not be connected, or its other side does not belong to this cluster: shown in STATUS.
  void on_dial_failed(rpc::LinkId link, const std::string& reason, Effects& effects);

  // ---- what the driver reports ----
  /// Ends one compile request. A ticket whose statement is gone by now is ignored.
  void on_compiled(CompileTicket ticket, Result<Compiled> compiled, Instant now, Effects& effects);
  void on_dialled(const std::string& endpoint, rpc::LinkId link, Effects& effects);
  void on_deadline(Instant now, Effects& effects);
  /// Ends a turn of input: no-op ranges that were held back to grow leave now.
  void flush(Instant now, Effects& effects);
  /// Gets on with answers, as far as the budget allows and their receivers have room for them.
  void step(semantics::WorkBudget budget, const rpc::OutputGauge& gauge, Instant now, Effects& effects);
  /// From now on every new operation is refused with RETRY 57P01; those in flight go on.
  void drain();

  // ---- what the driver asks ----
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const;
  /// The highest timestamp known to be confirmed: what every query from now on sees.
  [[nodiscard]] Timestamp confirmed() const;
  /// Operations that still owe somebody an answer.
  [[nodiscard]] uint32_t operations_in_flight() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::aggregator

// Statements on their way through the compiler, which works elsewhere.
//
// Decides how many may wait, of one client too, and when one is too late. Refuses to know SQL.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "context.hpp"
#include "statements.hpp"

namespace daedalus::aggregator {

/// The part of a statement that is kept until it comes back.
struct Compilation {
  Upstream upstream;
  Instant deadline;
  wire::v1::OperationHeader header;
  wire::v1::SubmissionId submission;
  std::shared_ptr<merging::ShapeColumns> shape_columns;  ///< The columns of a statement in a handle.
  /// The bytes of the statement, which waits elsewhere.
  uint64_t bytes = 0;
};

class Compilations {
 public:
  explicit Compilations(Context& context) : context_(context) {}

  /// The statement has its text, wherever it came from.
  void start(Upstream upstream, wire::v1::OperationHeader header, wire::v1::StatementBody statement,
             std::shared_ptr<merging::ShapeColumns> columns, Instant deadline, rpc::Outbox& out);
  /// Ends the wait for `ticket`; nothing when it ended before. The operation then belongs to the caller.
  [[nodiscard]] std::optional<Compilation> take(CompileTicket ticket);
  [[nodiscard]] std::vector<CompileRequest> take_requests();
  /// Tickets that nobody waits for any longer.
  [[nodiscard]] std::vector<CompileTicket> take_given_up();

  void abort(uint64_t compilation, rpc::Outbox& out);
  void expire(uint64_t compilation, rpc::Outbox& out);
  void forget(uint64_t compilation);

 private:
  [[nodiscard]] bool is_full(rpc::PeerId client, uint64_t bytes) const;
  /// Nobody waits for it any longer.
  [[nodiscard]] std::optional<Compilation> give_up(uint64_t compilation);
  void fail(uint64_t compilation, const Error& error, rpc::Outbox& out);

  Context& context_;
  std::map<uint64_t, Compilation> compilations_;  ///< The key is the ticket.
  uint64_t bytes_ = 0;                            ///< The bytes of all of them.
  std::map<rpc::PeerId, uint64_t> client_bytes_;  ///< The bytes of each client that has some.
  /// The requests of the step at hand, as are given_up_.
  std::vector<CompileRequest> requests_;
  std::vector<CompileTicket> given_up_;
};

}  // namespace daedalus::aggregator

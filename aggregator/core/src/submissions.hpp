// Updates that still have no number: checked here, relayed to the logical writer, its answers relayed back.
//
// Decides only whether an update is right and whether the writer can be reached. A submission whose answer does not
// come is unknown, never failed: its id lets the client repeat it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "context.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/byte_budget.hpp"
#include "writer_link.hpp"

namespace daedalus::aggregator {

/// Checks a SubmitBody as it came from a client, everything that schema and map can decide, and computes its routes
/// anew. Errors: 08P01, and those of contract::to_update.
[[nodiscard]] Result<wire::v1::SubmitBody> check_submission(const semantics::Schema& schema,
                                                            const contract::PartitionMap& map, const std::string& body);

/// Errors: 08P01 when `submission` cannot name anything.
[[nodiscard]] Result<void> check_submission_id(const wire::v1::SubmissionId& submission);

/// Invariant: exactly one WriteConfirmed, WriteRefused or Error leaves per submission, unless it was forgotten.
class Submissions {
 public:
  Submissions(Context& context, WriterLink& writer) : context_(context), writer_(writer) {}

  /// `returning` is told with the confirmation of just this body. Precondition: `body` was checked.
  void start(Upstream upstream, const wire::v1::OperationHeader& header, const wire::v1::SubmitBody& body,
             std::optional<Returning> returning, Instant deadline, Instant now, rpc::Outbox& out);

  void on_result(rpc::PeerId peer, wire::v1::Result&& result, rpc::Outbox& out);
  /// Everything in flight on `peer` is unknown now.
  void on_writer_lost(rpc::PeerId peer, const std::string& reason, rpc::Outbox& out);
  void expire(uint64_t submission, rpc::Outbox& out);
  void forget(uint64_t submission);

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(submissions_.size()); }

 private:
  /// Rows that wait for the confirmation.
  struct Kept {
    Returning returning;
    uint64_t digest = 0;  ///< The digest of the update whose rows they are.
    ByteLease lease;
  };
  struct Submission {
    Upstream upstream;
    Instant deadline;
    std::pair<rpc::PeerId, uint64_t> sent;  ///< Connection and sequence to the writer.
    std::unique_ptr<Kept> kept;             ///< Null without RETURNING.
  };

  [[nodiscard]] Result<std::unique_ptr<Kept>> keep(const wire::v1::UpdateBody& update, Returning returning);

  void fail(uint64_t submission, const Error& error, rpc::Outbox& out);
  void erase(std::map<uint64_t, Submission>::iterator submission);

  Context& context_;
  WriterLink& writer_;
  std::map<uint64_t, Submission> submissions_;
  std::map<std::pair<rpc::PeerId, uint64_t>, uint64_t> sent_;  ///< Submission by what was sent.
};

}  // namespace daedalus::aggregator

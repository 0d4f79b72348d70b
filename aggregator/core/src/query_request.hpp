// A query as it came, checked and read: what goes down to the nodes.
//
// Decides what is wrong with a SELECT, by itself or by the shape in its handle. Refuses to know whom it is sent to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client_handles.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/merging/gather.hpp"

namespace daedalus::aggregator {

/// The part of a query's header that is passed on.
struct QueryTerms {
  uint64_t prefix_min = 0;  ///< Whoever asks demands every update up to here.
  /// The moment of the answer; nothing: the aggregator takes one.
  std::optional<uint64_t> at = {};
  bool is_firm = false;       ///< Nobody puts another moment in the place of `at`.
  uint64_t freshness_ns = 0;  ///< The time that may have passed since the last word of the writer; 0: any.
  std::string request_id;
  std::string principal;
  uint32_t compute_ms = 0;
};

[[nodiscard]] QueryTerms terms_of(const wire::v1::OperationHeader& header);

/// A checked query, ready to go down.
struct QueryRequest {
  Upstream upstream;
  QueryTerms terms;
  CompiledSelect select;
  /// The partitions where rows can be, for a SELECT by handle; for others `select` says it.
  std::optional<contract::Partitions> partitions;
  std::shared_ptr<merging::ShapeColumns> shape_columns;  ///< The columns of what was asked by handle.
  wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL;
  Instant deadline;
};

/// Checks a SELECT as it came from a client or from an aggregator above, and takes out of it what goes on; upstream and
/// deadline are left to the caller.
///
/// Every GROUP BY column must be among the outputs, hidden or not, as docs/wire.md says. Routes are computed from the
/// predicate: those in the header are only checked, so that a wrong one cannot leave rows out.
/// Errors: 08P01, and those of contract::to_selection.
[[nodiscard]] Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                                 wire::v1::Operation& operation);

/// Makes the same of a SELECT whose shape is in a handle of `client`. Routes are computed from its values; whether
/// these are right is for whoever binds them to say: the nodes. Errors: 08P01, and what was wrong with the definition.
[[nodiscard]] Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                                 const ClientHandles& handles, rpc::PeerId client,
                                                 wire::v1::Operation& operation);

}  // namespace daedalus::aggregator

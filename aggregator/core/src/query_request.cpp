#include "query_request.hpp"

#include <utility>

#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

Result<void> check_routes(const semantics::Schema& schema, const contract::PartitionMap& map,
                          const wire::v1::OperationHeader& header) {
  if (header.routes().empty()) {
    return {};
  }
  const auto routed = contract::route(schema, map, header.routes(), Timestamp{});
  return routed ? Result<void>() : routed.error();
}

}  // namespace

QueryTerms terms_of(const wire::v1::OperationHeader& header) {
  return {.prefix_min = header.prefix_min(),
          .at = header.has_at() ? std::optional(header.at()) : std::nullopt,
          .is_firm = header.is_firm(),
          .freshness_ns = header.freshness_ns(),
          .request_id = header.request_id(),
          .principal = header.principal(),
          .compute_ms = header.compute_ms()};
}

Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                   wire::v1::Operation& operation) {
  if (const auto checked = check_routes(schema, map, operation.header()); !checked) {
    return checked.error();
  }
  auto body = contract::parse_select(operation.body());
  if (!body) {
    return body.error();
  }
  if (body->credit_bytes() != 0) {
    return rejected("0A000", "credit for result rows is not supported yet", "leave it unset");
  }
  QueryRequest request;
  auto selection = contract::to_selection(schema, *body, &request.form);
  if (!selection) {
    return selection.error();
  }
  semantics::Condition condition;
  if (selection->predicate.has_tree()) {
    auto read = contract::to_condition(schema, *body);
    if (!read) {
      return read.error();
    }
    condition = std::move(*read);
  }
  request.select = make_select(schema, map, std::move(*selection), std::move(condition));
  request.terms = terms_of(operation.header());
  return request;
}

Result<QueryRequest> query_request(const semantics::Schema& schema, const contract::PartitionMap& map,
                                   const ClientHandles& handles, rpc::PeerId client, wire::v1::Operation& operation) {
  if (const auto checked = check_routes(schema, map, operation.header()); !checked) {
    return checked.error();
  }
  const auto definition = handles.select(client, operation.header().shape_handle());
  if (!definition) {
    return definition.error();
  }
  const DefinedSelect& defined = *(*definition)->select;
  auto partitions = defined.routing.partitions_of(operation.body());
  if (!partitions) {
    return partitions.error();
  }
  QueryRequest request;
  request.partitions = std::move(*partitions);
  request.select.selection = defined.selection;
  request.select.shape = defined.shape;
  request.select.values = std::move(*operation.mutable_body());
  request.select.columns = defined.columns;
  request.shape_columns = (*definition)->columns;
  request.form = defined.form;
  request.terms = terms_of(operation.header());
  return request;
}

}  // namespace daedalus::aggregator

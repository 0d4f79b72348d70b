#include "client_handles.hpp"

#include <utility>

#include "failures.hpp"

namespace daedalus::aggregator {

void ClientHandles::define(Upstream from, uint32_t handle, const std::string& body) {
  const bool is_small = body.size() <= kClientHandles.bytes_max;
  clients_.at(from.peer).define(handle, body.size(), is_small ? read(from, body) : Result<Shared>(Shared()));
}

Result<ClientHandles::Shared> ClientHandles::read(Upstream from, const std::string& body) const {
  wire::v1::ShapeBody message;
  if (!message.ParseFromString(body)) {
    return malformed("the body of a DEFINE does not parse");
  }
  Definition made;
  made.columns = std::make_shared<merging::ShapeColumns>(merging::ShapeColumns{from.sequence});
  if (message.has_sql()) {
    made.statement =
        std::make_unique<const DefinedStatement>(DefinedStatement{std::move(*message.mutable_sql()), nullptr});
  } else if (message.has_select()) {
    auto select = read(message.select());
    if (!select) {
      return select.error();
    }
    made.select = std::move(*select);
  } else {
    return malformed("the body of a DEFINE is neither a statement's text nor the shape of a SELECT");
  }
  return std::make_shared<const Definition>(std::move(made));
}

Result<std::unique_ptr<const DefinedSelect>> ClientHandles::read(const wire::v1::SelectShape& message) const {
  auto shape = contract::to_shape(*schema_, message);
  if (!shape) {
    return shape.error();
  }
  auto columns = semantics::final_columns(shape->selection);
  contract::ShapeRouting routing(*schema_, partitions_, shape->selection.predicate);
  auto bytes = contract::shape_of(shape->selection, wire::v1::RESULT_FORM_PARTIAL);
  return std::make_unique<const DefinedSelect>(
      DefinedSelect{std::make_shared<const semantics::Selection>(std::move(shape->selection)), shape->form,
                    std::make_shared<const contract::ShapeBytes>(std::move(bytes)),
                    std::make_shared<const std::vector<semantics::Column>>(std::move(columns)), std::move(routing)});
}

Result<ClientHandles::Shared> ClientHandles::statement(rpc::PeerId client, uint32_t handle) const {
  const auto& found = clients_.at(client).at(handle);
  return found && (*found)->statement == nullptr ? malformed("the slot holds no statement") : found;
}

Result<ClientHandles::Shared> ClientHandles::select(rpc::PeerId client, uint32_t handle) const {
  const auto& found = clients_.at(client).at(handle);
  return found && (*found)->select == nullptr ? malformed("the slot holds no shape of a SELECT") : found;
}

}  // namespace daedalus::aggregator

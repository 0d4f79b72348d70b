// Keeps what clients have put into the handles of their connections (docs/wire.md, "Shapes"): texts of statements, and
// queries apart from their values.
//
// Decides what a definition is, and what is said to whoever names a handle that does not hold what they need. Refuses
// to know SQL and values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clients.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/contract/shape_routing.hpp"
#include "daedalus/merging/gather.hpp"

namespace daedalus::aggregator {

/// A text in a handle.
struct DefinedStatement {
  std::string sql;
  /// The compiled form, once somebody has asked for it; kept, so that it is found without a search.
  mutable std::shared_ptr<const KnownStatement> known;
};

/// A query in a handle.
struct DefinedSelect {
  std::shared_ptr<const semantics::Selection> selection;  ///< Without its values.
  wire::v1::ResultForm form = wire::v1::RESULT_FORM_FINAL;
  std::shared_ptr<const contract::ShapeBytes> shape;  ///< As nodes are asked.
  /// The columns of the final form.
  std::shared_ptr<const std::vector<semantics::Column>> columns;
  contract::ShapeRouting routing;
};

/// The contents of a handle: one of the two, and the columns of its answers.
struct Definition {
  std::unique_ptr<const DefinedStatement> statement;
  std::unique_ptr<const DefinedSelect> select;
  std::shared_ptr<merging::ShapeColumns> columns;
};

class ClientHandles {
 public:
  ClientHandles(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map)
      : schema_(std::move(schema)), partitions_(map.partition_rule()) {}

  void on_up(rpc::PeerId client) { clients_.try_emplace(client, kClientHandles); }
  void on_down(rpc::PeerId client) { clients_.erase(client); }
  /// Precondition of all: the client is up. What is wrong with a definition is said to whoever uses it.
  void define(Upstream from, uint32_t handle, const std::string& body);

  using Shared = std::shared_ptr<const Definition>;
  /// A definition that has a statement. Errors: 08P01 there is none, or what was wrong with it.
  [[nodiscard]] Result<Shared> statement(rpc::PeerId client, uint32_t handle) const;
  /// Likewise, of a query.
  [[nodiscard]] Result<Shared> select(rpc::PeerId client, uint32_t handle) const;

 private:
  [[nodiscard]] Result<Shared> read(Upstream from, const std::string& body) const;
  [[nodiscard]] Result<std::unique_ptr<const DefinedSelect>> read(const wire::v1::SelectShape& message) const;

  std::shared_ptr<const semantics::Schema> schema_;
  semantics::PlacementRule partitions_;
  std::map<rpc::PeerId, contract::ReceivedHandles<Definition>> clients_;
};

}  // namespace daedalus::aggregator

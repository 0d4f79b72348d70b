// The statements that are supported, each compiled to its wire body. compile.hpp is what others see of them.
#pragma once

#include <span>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A SELECT to a selection, its shape and the columns of its answer.
[[nodiscard]] Result<CompiledSelect> compile_select(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::SelectStatement& select);

/// Computes RETURNING for these rows of the table. Errors: those of a SELECT list, 42803 an aggregate, of each row
/// what evaluating it meets, 54000 more bytes than an update has.
[[nodiscard]] Result<Returning> compile_returning(Scope& scope, grammar::Nodes list,
                                                  std::span<const std::vector<semantics::Value>> rows);

/// An INSERT to one insert part of packed rows; to none where it selects no row.
[[nodiscard]] Result<CompiledUpdate> compile_insert(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::InsertStatement& insert);

/// An UPDATE to one modify part.
[[nodiscard]] Result<CompiledUpdate> compile_update(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::UpdateStatement& update);

/// A DELETE to one delete part.
[[nodiscard]] Result<CompiledUpdate> compile_delete(Scope& scope, const contract::PartitionMap& map,
                                                    const grammar::DeleteStatement& del);

/// Checks a complete body as every node will, and adds its routes. What leaves here passes contract::to_update().
[[nodiscard]] Result<CompiledUpdate> finish_update(const Scope& scope, const contract::PartitionMap& map,
                                                   wire::v1::UpdateBody body);

}  // namespace daedalus::aggregator::sql

// A compiler for the smallest of tables, for tests of threads that compile.
#pragma once

#include <memory>
#include <optional>

#include "daedalus/aggregator/compile.hpp"

namespace daedalus::aggregator {

/// Of `numbers`, whose only column is `id`, an int.
inline std::shared_ptr<Compiler> compiler_of_one_column() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "numbers";
  schema->fingerprint = "test";
  schema->columns = {{"id", {semantics::TypeKind::kInt}, false, std::nullopt}};
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 1;
  map->grid = {1};
  map->partitions = {{NodeId{0}}};
  return std::make_shared<Compiler>(schema, map);
}

}  // namespace daedalus::aggregator

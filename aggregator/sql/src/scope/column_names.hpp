// A table's columns by their names, for statements that name dozens of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/semantics/types.hpp"

namespace daedalus::aggregator::sql {

/// Built once for a schema. Immutable, so any thread may ask.
class ColumnNames {
 public:
  explicit ColumnNames(std::shared_ptr<const semantics::Schema> schema);

  [[nodiscard]] const semantics::Schema& schema() const { return *schema_; }
  /// Position of the column, or nothing. Cost: one hash of the name, a comparison or two.
  [[nodiscard]] std::optional<uint32_t> find(std::string_view name) const;

 private:
  /// Returns the slot that holds the name or, if none does, the free slot where it would go.
  [[nodiscard]] size_t slot_of(std::string_view name) const;

  std::shared_ptr<const semantics::Schema> schema_;
  std::vector<uint32_t> slots_;  ///< Positions and one more; 0 is free. At most half are taken: a search ends.
};

}  // namespace daedalus::aggregator::sql

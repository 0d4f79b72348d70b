#include "daedalus/aggregator/statement.hpp"

#include <utility>

namespace daedalus::aggregator {

CompiledSelect make_select(const semantics::Schema& schema, const contract::PartitionMap& map,
                           semantics::Selection selection, semantics::Condition condition) {
  CompiledSelect made;
  made.columns = std::make_shared<const std::vector<semantics::Column>>(semantics::final_columns(selection));
  made.routing = contract::routing_of(map, selection.predicate);
  if (selection.predicate.has_tree()) {
    made.condition = std::make_shared<const semantics::Condition>(std::move(condition));
  }
  if (contract::has_shape(selection)) {
    made.shape =
        std::make_shared<const contract::ShapeBytes>(contract::shape_of(selection, wire::v1::RESULT_FORM_PARTIAL));
    made.values = contract::values_of(schema, selection.predicate);
  }
  made.selection = std::make_shared<const semantics::Selection>(std::move(selection));
  return made;
}

}  // namespace daedalus::aggregator

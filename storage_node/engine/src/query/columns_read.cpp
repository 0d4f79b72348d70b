#include "columns_read.hpp"

#include <unordered_set>

namespace daedalus::engine {
namespace {

/// Calls use(expression) with everything that is computed of a row.
template <typename Use>
void for_each_expression(const semantics::Selection& selection, Use&& use) {
  const auto use_all = [&](const std::vector<semantics::BoundExpression>& expressions) {
    for (const semantics::BoundExpression& expression : expressions) {
      use(expression);
    }
  };
  use_all(selection.residuals);
  if (!selection.grouping) {
    for (const semantics::OutputColumn& output : selection.outputs) {
      use(output.expression);
    }
    return;
  }
  use_all(selection.grouping->keys);
  use_all(selection.grouping->list_values);
  for (const semantics::BoundAggregate& aggregate : selection.grouping->aggregates) {
    if (aggregate.argument) {
      use(*aggregate.argument);
    }
    if (aggregate.function != semantics::AggregateFunction::kGrouping) {
      use_all(aggregate.more);
    }
  }
}

/// Lists columns, each once.
class ColumnList {
 public:
  explicit ColumnList(std::vector<bool>& listed) : listed_(&listed) {}

  void add(uint32_t column) {
    if (!(*listed_)[column]) {
      (*listed_)[column] = true;
      columns_.push_back(column);
    }
  }
  [[nodiscard]] std::vector<uint32_t> take() { return std::move(columns_); }

 private:
  std::vector<bool>* listed_;  ///< By column: this list has it, or another one.
  std::vector<uint32_t> columns_;
};

}  // namespace

ColumnsRead columns_read(std::span<const QueryRun> queries, const TableLayout& layout) {
  std::vector<bool> listed(layout.columns.size());
  ColumnList of_all(listed);
  for (const QueryRun& query : queries) {
    const CompiledPredicate& predicate = query.predicate();
    for (const CompiledClause& clause : predicate.clauses()) {
      for (const CompiledLiteral& literal : predicate.literals(clause)) {
        of_all.add(literal.column);
      }
    }
  }
  ColumnList of_taken(listed);
  std::unordered_set<const semantics::Selection*> known;
  for (const QueryRun& query : queries) {
    if (known.insert(&query.selection()).second) {
      for_each_expression(query.selection(), [&](const semantics::BoundExpression& expression) {
        semantics::for_each_input(expression, [&](uint32_t column) { of_taken.add(column); });
      });
    }
  }
  return {of_all.take(), of_taken.take()};
}

}  // namespace daedalus::engine

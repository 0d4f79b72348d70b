#include "select_folding.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace daedalus::aggregator::sql {
namespace {

Result<void> fold_one(semantics::BoundExpression& expression) {
  if (expression.is_input() || expression.is_constant()) {
    return {};
  }
  auto folded = semantics::fold(std::move(expression));
  if (!folded) {
    return folded.error();
  }
  expression = std::move(*folded);
  return {};
}

/// Outputs, then keys.
Result<void> fold_list(semantics::SelectList& list) {
  for (semantics::NamedExpression& output : list.outputs) {
    if (auto folded = fold_one(output.expression); !folded) {
      return folded;
    }
  }
  for (semantics::BoundExpression& key : list.group_by) {
    if (auto folded = fold_one(key); !folded) {
      return folded;
    }
  }
  return {};
}

/// What of HAVING says nothing of aggregates is asked of rows, as PostgreSQL's planner has it: what is left out by it
/// is not aggregated. Where all rows are one group, that group is asked, too: it is there without rows.
void ask_rows(semantics::SelectList& list, Where& where) {
  if (!list.having || !list.grouping_sets.empty()) {
    return;
  }
  const bool is_chain = list.having->is_call(semantics::FunctionId::kAnd);
  std::vector<semantics::BoundExpression> conjuncts =
      is_chain ? list.having->arguments : std::vector<semantics::BoundExpression>{*list.having};
  const auto of_rows = std::stable_partition(conjuncts.begin(), conjuncts.end(), semantics::has_aggregate);
  std::copy(of_rows, conjuncts.end(), std::back_inserter(where.residuals));
  if (list.group_by.empty() || of_rows == conjuncts.end()) {
    return;
  }
  conjuncts.erase(of_rows, conjuncts.end());
  if (conjuncts.empty()) {
    list.having = std::nullopt;
  } else {
    list.having = conjuncts.size() == 1 ? std::move(conjuncts[0])
                                        : *semantics::make_call(semantics::FunctionId::kAnd, std::move(conjuncts));
  }
}

/// Folds conditions in PostgreSQL's order: that on rows, if there is one, before that on groups.
Result<void> fold_conditions(semantics::SelectList& list, Result<Where>* where) {
  if (where != nullptr) {
    if (!*where) {
      return where->error();
    }
    if (auto folded = fold_residuals(**where); !folded) {
      return folded;
    }
  }
  if (!list.having) {
    return {};
  }
  if (auto folded = fold_one(*list.having); !folded || where == nullptr) {
    return folded;
  }
  ask_rows(list, **where);
  return fold_residuals(**where);
}

}  // namespace

Result<void> fold_constants(semantics::SelectList& list, Result<Where>* where) {
  if (auto folded = fold_list(list); !folded) {
    return folded;
  }
  return fold_conditions(list, where);
}

}  // namespace daedalus::aggregator::sql

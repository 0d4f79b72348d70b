#include "select_folding.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

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

/// Keys as they are written, which tells them apart: PostgreSQL knows an output, and what GROUPING() asks about, for
/// one of them before anything is folded.
class WrittenKeys {
 public:
  explicit WrittenKeys(const semantics::SelectList& list) : keys_(list.group_by) {
    if (!keys_.empty()) {
      for (const semantics::NamedExpression& output : list.outputs) {
        shown_.push_back(place_of(output.expression));
      }
    }
  }

  /// Everything in the list is folded now. Of several sets, a key that has become another one's equal, or a constant,
  /// which other outputs may be, too, stays a key of its own: as COALESCE of itself.
  void find_again(semantics::SelectList& list) const {
    if (!list.grouping_sets.empty()) {
      for (auto key = list.group_by.begin(); key != list.group_by.end(); ++key) {
        while (key->is_constant() || std::find(list.group_by.begin(), key, *key) != key) {
          *key = *semantics::make_call(semantics::FunctionId::kCoalesce, {*key});
        }
      }
    }
    for (size_t number = 0; number < shown_.size(); ++number) {
      if (shown_[number]) {
        list.outputs[number].expression = list.group_by[*shown_[number]];
      }
      point_to_keys(list.outputs[number].expression, list.group_by);
    }
    if (list.having) {
      point_to_keys(*list.having, list.group_by);
    }
  }

 private:
  using Expressions = std::vector<semantics::BoundExpression>;

  [[nodiscard]] std::optional<size_t> place_of(const semantics::BoundExpression& expression) const {
    const auto found = std::find(keys_.begin(), keys_.end(), expression);
    return found == keys_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - keys_.begin()));
  }

  /// Puts the folded keys into the places of the keys that each GROUPING() in an expression asks about.
  void point_to_keys(semantics::BoundExpression& expression, const Expressions& folded) const {
    const bool is_grouping = expression.kind == semantics::BoundExpression::Kind::kAggregate &&
                             expression.aggregate == semantics::AggregateFunction::kGrouping;
    for (semantics::BoundExpression& argument : expression.arguments) {
      const std::optional<size_t> place = is_grouping ? place_of(argument) : std::nullopt;
      if (place) {
        argument = folded[*place];
      } else {
        point_to_keys(argument, folded);
      }
    }
  }

  Expressions keys_;
  std::vector<std::optional<size_t>> shown_;  ///< By output: the key that it is, if any.
};

/// Moves the conjuncts of HAVING that have no aggregate to the conditions on rows, as PostgreSQL's planner does: a row
/// that does not meet them is not aggregated. Where all rows are one group, HAVING keeps them, too, because that group
/// is there even without rows.
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
Result<void> fold_conditions(const Scope& scope, semantics::SelectList& list, Where* where) {
  if (where != nullptr) {
    if (auto folded = fold_where(scope, *where); !folded) {
      return folded;
    }
  }
  if (!list.having) {
    return {};
  }
  if (auto folded = fold_one(*list.having); !folded || where == nullptr) {
    return folded;
  }
  ask_rows(list, *where);
  return fold_residuals(*where);
}

}  // namespace

Result<void> fold_constants(const Scope& scope, semantics::SelectList& list, Where* where) {
  const WrittenKeys written(list);
  if (auto folded = fold_list(list); !folded) {
    return folded;
  }
  if (auto folded = fold_conditions(scope, list, where); !folded) {
    return folded;
  }
  written.find_again(list);
  return {};
}

}  // namespace daedalus::aggregator::sql

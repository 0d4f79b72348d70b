#include "insert_mistakes.hpp"

#include <algorithm>
#include <tuple>

#include "computing_mistakes.hpp"
#include "expression_binder.hpp"

namespace daedalus::aggregator::sql {
namespace {

/// When PostgreSQL meets a mistake.
enum class Phase : uint8_t { kRead, kPlanned, kComputed, kChecked };

/// In PostgreSQL's order; of one row RETURNING is planned behind its values.
enum class Step : uint8_t {
  kValuesRead,
  kReturningRead,
  kReturningPlannedFirst,
  kValuesPlanned,
  kReturningPlannedLast,
  kRows,
};

struct Ranked {
  Phase phase = Phase::kRead;
  Error error;
};

/// A literal without a type is read as its column's, anything else is computed.
Ranked ranked(Scope& scope, const InsertMistake& mistake) {
  if (mistake.error.sqlstate == kNullForbidden) {
    return {Phase::kChecked, mistake.error};
  }
  const grammar::Node& node = *mistake.node;
  const bool is_literal = node.has_constant() && node.constant().kind == grammar::ConstantNode::Kind::kString;
  if (is_literal || !is_of_computing(mistake.error)) {
    return {Phase::kRead, mistake.error};
  }
  auto bound = ExpressionBinder(scope, {"VALUES"}).value(node);
  if (!bound) {
    return {Phase::kRead, bound.error()};
  }
  const semantics::Type target{scope.schema().columns[mistake.column].type.kind};
  const auto assigned = semantics::make_call(semantics::FunctionId::kCast, {*bound}, target);
  const bool is_stable = semantics::has_stable(assigned ? *assigned : *bound);
  const auto folded = semantics::fold(std::move(*bound));
  if (!folded) {
    return {Phase::kPlanned, folded.error()};
  }
  return {folded->is_constant() && !is_stable ? Phase::kPlanned : Phase::kComputed, mistake.error};
}

}  // namespace

FirstMistake first_mistake(Scope& scope, const std::vector<InsertMistake>& met, bool is_one_row,
                           const std::optional<Error>& of_returning) {
  using Turn = std::tuple<Step, size_t, Phase, size_t>;  // Row, phase of the row, and place there.
  std::optional<std::pair<Turn, Error>> first;
  const auto take = [&](const Turn& turn, const Error& error) {
    if (!first || turn < first->first) {
      first = {turn, error};
    }
  };
  for (size_t place = 0; place < met.size(); ++place) {
    const auto [phase, error] = ranked(scope, met[place]);
    const bool is_by_column = phase == Phase::kChecked || (is_one_row && phase != Phase::kRead);
    const size_t turn = is_by_column ? met[place].column : place;
    if (phase == Phase::kRead || phase == Phase::kPlanned) {
      take({phase == Phase::kRead ? Step::kValuesRead : Step::kValuesPlanned, 0, phase, turn}, error);
    } else {
      take({Step::kRows, met[place].row, phase, turn}, error);
    }
  }
  if (of_returning) {
    const bool is_read = of_returning->position > 0 || !is_of_computing(*of_returning);
    const Step planned = is_one_row ? Step::kReturningPlannedLast : Step::kReturningPlannedFirst;
    take({is_read ? Step::kReturningRead : planned, 0, Phase::kRead, 0}, *of_returning);
  }
  const auto& [turn, error] = *first;
  return {error, std::get<Step>(turn) == Step::kRows ? std::get<1>(turn) : 0};
}

}  // namespace daedalus::aggregator::sql

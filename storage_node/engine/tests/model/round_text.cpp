// Rounds for people: what they hold, in a few words each, and only what matters for a fault.
#include <algorithm>
#include <sstream>

#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/text.hpp"
#include "model_round.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Clause;
using semantics::Condition;
using semantics::Literal;
using semantics::Predicate;

/// Runs that shrinking takes, at most.
constexpr uint32_t kRunsMax = 1500;
/// Values of a list, and rows of an insert, that are printed.
constexpr size_t kPrintedMax = 6;

std::string value_text(uint32_t column, const Value& value) {
  return is_null(value) ? "NULL" : "'" + semantics::format_text(test_schema().columns[column].type, value) + "'";
}

std::string literal_text(const Literal& literal) {
  static const char* const kOps[] = {"?", "=", "<>", "<", "<=", ">", ">="};
  std::string text = test_schema().columns[literal.column].name;
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return text + " " + kOps[static_cast<uint32_t>(literal.op)] + " " + value_text(literal.column, literal.values[0]);
    case Literal::Kind::kIsNull:
      return text + " IS NULL";
    case Literal::Kind::kIsNotNull:
      return text + " IS NOT NULL";
    case Literal::Kind::kNever:
      return text + " never";
    case Literal::Kind::kStartsWith:
    case Literal::Kind::kIn:
      break;
    default:
      text += " NOT";
  }
  const bool is_prefix = literal.kind == Literal::Kind::kStartsWith || literal.kind == Literal::Kind::kNotStartsWith;
  text += is_prefix ? " STARTS WITH" : " IN";
  for (size_t at = 0; at < std::min(literal.values.size(), kPrintedMax); ++at) {
    text += " " + value_text(literal.column, literal.values[at]);
  }
  return text + (literal.values.size() > kPrintedMax ? " … " + std::to_string(literal.values.size()) + " values" : "");
}

std::string tree_text(const Condition& condition) {
  if (condition.kind == Condition::Kind::kLiteral) {
    return literal_text(condition.literal);
  }
  std::string text;
  for (const Condition& child : condition.children) {
    text += text.empty() ? "(" : condition.kind == Condition::Kind::kAnd ? " AND " : " OR ";
    text += tree_text(child);
  }
  return text + ")";
}

std::string predicate_text(const Predicate& predicate) {
  std::string text;
  for (const Clause& clause : predicate.clauses) {
    text += text.empty() ? " WHERE (" : " AND (";
    for (size_t at = 0; at < clause.size(); ++at) {
      text += (at == 0 ? "" : " OR ") + literal_text(clause[at]);
    }
    text += ")";
  }
  if (predicate.has_tree()) {
    text += (text.empty() ? " WHERE TREE " : " AND TREE ") + tree_text(predicate.tree);
  }
  return text;
}

std::string selection_text(const semantics::Selection& selection) {
  std::ostringstream text;
  text << "SELECT";
  const auto text_of = [](const semantics::BoundExpression& expression) {
    return expression.is_input() ? " " + test_schema().columns[expression.input].name : " (computed)";
  };
  if (selection.grouping) {
    for (const semantics::BoundAggregate& aggregate : selection.grouping->aggregates) {
      text << " f" << static_cast<int>(aggregate.function) << " of"
           << (aggregate.argument ? text_of(*aggregate.argument) : " rows");
    }
    for (const semantics::BoundExpression& key : selection.grouping->keys) {
      text << " by" << text_of(key);
    }
  } else {
    for (const semantics::OutputColumn& output : selection.outputs) {
      text << text_of(output.expression);
    }
  }
  text << predicate_text(selection.predicate);
  if (!selection.residuals.empty()) {
    text << " AND " << selection.residuals.size() << " that are computed";
  }
  for (const semantics::OrderKey& key : selection.order_by) {
    text << " ORDER BY " << key.output + 1 << (key.order.descending ? " DESC" : "")
         << (key.order.nulls_first ? " NULLS FIRST" : "");
  }
  if (selection.limit.has_value()) {
    text << " LIMIT " << *selection.limit << " OFFSET " << selection.offset << " TIES " << selection.ties_by;
  }
  return text.str();
}

std::string residuals_text(const semantics::Residuals& residuals) {
  return residuals == nullptr ? "" : " AND " + std::to_string(residuals->size()) + " that are computed";
}

std::string part_text(const UpdatePart& part) {
  if (const auto* rows = std::get_if<InsertRows>(&part)) {
    std::string text = "INSERT " + std::to_string(rows->rows.size()) + " rows";
    for (size_t at = 0; at < std::min(rows->rows.size(), kPrintedMax); ++at) {
      const Row row = semantics::read_packed_row(semantics::column_types(test_schema()), rows->rows[at]).value();
      for (uint32_t column = 0; column < row.size(); ++column) {
        text += (column == 0 ? "\n      (" : ", ") + value_text(column, row[column]);
      }
      text += ")";
    }
    return text;
  }
  if (const auto* removal = std::get_if<std::shared_ptr<const semantics::DeletePart>>(&part)) {
    return "DELETE" + predicate_text((*removal)->predicate) + residuals_text((*removal)->residuals);
  }
  const auto& change = *std::get<std::shared_ptr<const semantics::ModifyPart>>(part);
  std::string text = "UPDATE";
  for (const semantics::Assignment& assignment : change.assignments) {
    if (assignment.kind == semantics::Assignment::Kind::kCompute) {
      text += " " + test_schema().columns[assignment.column].name + " := (computed)";
      continue;
    }
    text += " " + test_schema().columns[assignment.column].name +
            (assignment.kind == semantics::Assignment::Kind::kAdd ? " += " : " := ") +
            value_text(assignment.column, assignment.value);
  }
  return text + predicate_text(change.predicate) + residuals_text(change.residuals);
}

/// Cuts a round down as long as it still fails.
class Shrinker {
 public:
  explicit Shrinker(Round round) : round_(std::move(round)) {}

  Round shrunk() {
    for (size_t share = std::max<size_t>(round_.steps.size() / 2, 1); share > 0; share /= 2) {
      drop_steps(share);
    }
    for (size_t position = 0; position < round_.steps.size(); ++position) {
      simplify(position);
    }
    drop_steps(1);
    return std::move(round_);
  }

 private:
  bool keep_if_failing(Round smaller) {
    if (++runs_ > kRunsMax || fault_of(smaller).empty()) {
      return false;
    }
    round_ = std::move(smaller);
    return true;
  }

  /// The last ones first: those after the fault go at once.
  void drop_steps(size_t share) {
    for (size_t end = round_.steps.size(); end > 0 && runs_ < kRunsMax;) {
      const size_t start = end - std::min(end, share);
      Round smaller = round_;
      smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(start),
                          smaller.steps.begin() + static_cast<std::ptrdiff_t>(std::min(end, smaller.steps.size())));
      keep_if_failing(std::move(smaller));
      end = start;
    }
  }

  void simplify(size_t position) {
    if (std::holds_alternative<Query>(round_.steps[position].operation)) {
      simplify_predicate(position, [](RoundStep& step, auto&& edit) {
        auto& query = std::get<Query>(step.operation);
        semantics::Selection selection = *query.selection;
        edit(selection.predicate);
        query.selection = std::make_shared<semantics::Selection>(std::move(selection));
      });
      return;
    }
    for (size_t part = std::get<Update>(round_.steps[position].operation).parts.size(); part-- > 0;) {
      Round smaller = round_;
      auto& parts = std::get<Update>(smaller.steps[position].operation).parts;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(part));
      if (keep_if_failing(std::move(smaller))) {
        continue;
      }
      simplify_part(position, part);
    }
  }

  void simplify_part(size_t position, size_t part) {
    const auto part_of = [part](RoundStep& step) -> UpdatePart& {
      return std::get<Update>(step.operation).parts[part];
    };
    if (const auto* rows = std::get_if<InsertRows>(&part_of(round_.steps[position]))) {
      for (size_t share = rows->rows.size(); share > 0; share /= 2) {
        for (size_t start = 0; start + share <= std::get<InsertRows>(part_of(round_.steps[position])).rows.size();) {
          Round smaller = round_;
          auto& left = std::get<InsertRows>(part_of(smaller.steps[position])).rows;
          const auto first = left.begin() + static_cast<std::ptrdiff_t>(start);
          left.erase(first, first + static_cast<std::ptrdiff_t>(share));
          start += keep_if_failing(std::move(smaller)) ? 0 : share;
        }
      }
    } else if (std::holds_alternative<std::shared_ptr<const semantics::ModifyPart>>(part_of(round_.steps[position]))) {
      simplify_predicate(position, [&](RoundStep& step, auto&& edit) {
        auto& change = std::get<std::shared_ptr<const semantics::ModifyPart>>(part_of(step));
        semantics::ModifyPart edited = *change;
        edit(edited.predicate);
        change = std::make_shared<semantics::ModifyPart>(std::move(edited));
      });
    }
  }

  /// Drops the tree, or parts of it as long as there are two.
  template <typename WithPredicate>
  void simplify_tree(size_t position, WithPredicate with_predicate) {
    Round smaller = round_;
    size_t children = 0;
    with_predicate(smaller.steps[position], [&](Predicate& predicate) {
      children = predicate.tree.children.size();
      predicate.tree = Predicate().tree;
    });
    if (keep_if_failing(std::move(smaller))) {
      return;
    }
    while (children-- > 0) {
      smaller = round_;
      bool is_smaller = false;
      with_predicate(smaller.steps[position], [&](Predicate& predicate) {
        std::vector<Condition>& parts = predicate.tree.children;
        is_smaller = parts.size() > 2 && children < parts.size();
        if (is_smaller) {
          parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(children));
        }
      });
      if (is_smaller) {
        keep_if_failing(std::move(smaller));
      }
    }
  }

  /// Drops clauses, then literals of those that are left.
  template <typename WithPredicate>
  void simplify_predicate(size_t position, WithPredicate with_predicate) {
    simplify_tree(position, with_predicate);
    size_t clauses = 0;
    with_predicate(round_.steps[position], [&](Predicate& predicate) { clauses = predicate.clauses.size(); });
    while (clauses-- > 0) {
      Round smaller = round_;
      size_t literals = 0;
      with_predicate(smaller.steps[position], [&](Predicate& predicate) {
        literals = predicate.clauses[clauses].size();
        predicate.clauses.erase(predicate.clauses.begin() + static_cast<std::ptrdiff_t>(clauses));
      });
      if (keep_if_failing(std::move(smaller))) {
        continue;
      }
      while (literals-- > 1) {
        smaller = round_;
        with_predicate(smaller.steps[position], [&](Predicate& predicate) {
          Clause& clause = predicate.clauses[clauses];
          clause.erase(clause.begin() + static_cast<std::ptrdiff_t>(std::min(literals, clause.size() - 1)));
        });
        keep_if_failing(std::move(smaller));
      }
    }
  }

  Round round_;
  uint32_t runs_ = 0;
};

}  // namespace

Round shrunk(Round round) { return Shrinker(std::move(round)).shrunk(); }

std::string text_of(const Round& round) {
  const TestTableScope scope(round.table);
  std::ostringstream text;
  text << test_schema().columns.size() << " columns, chunks of " << round.options.chunk_rows << " rows in "
       << round.options.memory_bytes << " bytes, a window of " << round.options.window_bytes << ", access paths "
       << static_cast<int>(round.options.access_paths) << ", at most " << round.options.share_factor_max << " queries, "
       << round.options.updates_per_cycle_max << " updates and " << round.options.sketch_planes_per_cycle_max
       << " new sketches a cycle\n";
  for (size_t position = 0; position < round.steps.size(); ++position) {
    text << position << ", burst " << round.steps[position].burst << ": ";
    if (const auto* query = std::get_if<Query>(&round.steps[position].operation)) {
      text << selection_text(*query->selection) << (query->at ? " AT " + std::to_string(raw(*query->at)) : "")
           << (query->piece_bytes > 0 ? " IN PIECES OF " + std::to_string(query->piece_bytes) : "") << "\n";
      continue;
    }
    const auto& update = std::get<Update>(round.steps[position].operation);
    text << "timestamp " << raw(update.timestamp) << "\n";
    for (const UpdatePart& part : update.parts) {
      text << "    " << part_text(part) << "\n";
    }
  }
  return text.str();
}

}  // namespace daedalus::engine::test

// From a condition to clauses and a tree: what multiplies out into few clauses does; of what does not, clauses that
// follow from it are kept beside it.
#include <algorithm>
#include <iterator>
#include <optional>

#include "daedalus/semantics/predicate.hpp"
#include "simplify.hpp"

namespace daedalus::semantics {
namespace {

using Kind = Condition::Kind;

/// A conjunct is multiplied out as long as that makes no more clauses, and no more literals, than these: testing so
/// many clauses costs a scan about as much as the tree does, and unlike the tree they are shared and found by sketches.
constexpr size_t kProductClausesMax = 16;
constexpr uint64_t kProductLiteralsMax = 256;
/// Clauses that are kept beside a tree because they follow from it.
constexpr size_t kImpliedMax = 16;
/// A clause that follows from a tree has one list of values and no more comparisons than these beside it: a scan has no
/// use for longer ones.
constexpr size_t kOthersMax = 7;

/// A disjunction of literals by their numbers, ascending.
using Product = std::vector<uint32_t>;

/// One of the comparisons, all of one column, is true wherever a condition holds.
struct Implied {
  uint32_t column = 0;
  std::vector<Value> values;     ///< Equal to one of them,
  std::vector<uint32_t> others;  ///< or one of these literals.
};

class NormalForm {
 public:
  explicit NormalForm(Condition&& condition) : root_(parts_.add(std::move(condition))) {}

  Predicate build() {
    for (const uint32_t part : parts_.conjuncts(root_)) {
      add_conjunct(part);
    }
    std::vector<uint32_t> rest = std::move(trees_);
    std::vector<Clause> implied = implied_by(rest);
    admit(kClausesMax - implied.size(), rest);
    for (Conjunct& conjunct : conjuncts_) {
      for (Clause& clause : conjunct.clauses) {
        add_clause(std::move(clause));
      }
    }
    for (Clause& clause : implied) {
      add_clause(std::move(clause));
    }
    set_tree(rest);
    return std::move(predicate_);
  }

 private:
  struct Conjunct {
    uint32_t part = 0;
    std::vector<Clause> clauses;
  };

  void add_conjunct(uint32_t part) {
    if (std::optional<std::vector<Clause>> clauses = clauses_of(part)) {
      conjuncts_.push_back({part, std::move(*clauses)});
    } else {
      trees_.push_back(part);
    }
  }

  [[nodiscard]] Clause clause_of(const Product& product) {
    Clause clause;
    for (const uint32_t literal : parts_.with_lists(product)) {
      clause.push_back(parts_[literal].literal);
    }
    return clause;
  }

  [[nodiscard]] std::optional<std::vector<Clause>> clauses_of(uint32_t part) {
    if (is_flat(part)) {
      return std::vector<Clause>{clause_of(parts_.is_literal(part) ? Product{part} : parts_[part].children)};
    }
    const std::optional<std::vector<Product>> products = multiplied(part);
    if (!products.has_value()) {
      return std::nullopt;
    }
    std::vector<Clause> clauses;
    uint64_t literals = 0;
    for (const Product& product : *products) {
      clauses.push_back(clause_of(product));
      for (const Literal& literal : clauses.back()) {
        literals += weight(literal);
      }
    }
    return literals <= kProductLiteralsMax ? std::optional(std::move(clauses)) : std::nullopt;
  }

  /// Is a literal or a disjunction of literals.
  [[nodiscard]] bool is_flat(uint32_t part) const {
    const ConditionParts::Part& it = parts_[part];
    return it.kind != Kind::kAnd && std::all_of(it.children.begin(), it.children.end(),
                                                [&](uint32_t child) { return parts_.is_literal(child); });
  }

  /// The part in conjunctive normal form; nothing when that would be too large.
  [[nodiscard]] std::optional<std::vector<Product>> multiplied(uint32_t part) const {
    const ConditionParts::Part& it = parts_[part];
    if (it.kind == Kind::kLiteral) {
      return std::vector<Product>{{part}};
    }
    if (it.children.size() > kProductLiteralsMax) {
      return std::nullopt;
    }
    std::vector<Product> all;
    if (it.kind == Kind::kOr) {
      all.emplace_back();
    }
    for (const uint32_t child : it.children) {
      std::optional<std::vector<Product>> more = multiplied(child);
      if (!more.has_value()) {
        return std::nullopt;
      }
      if (it.kind == Kind::kOr) {
        all = product_of(all, *more);
      } else {
        std::move(more->begin(), more->end(), std::back_inserter(all));
      }
      drop_implied(all);
      if (all.size() > kProductClausesMax) {
        return std::nullopt;
      }
    }
    return all;
  }

  [[nodiscard]] static std::vector<Product> product_of(const std::vector<Product>& left,
                                                       const std::vector<Product>& right) {
    std::vector<Product> all;
    for (const Product& one : left) {
      for (const Product& other : right) {
        Product& united = all.emplace_back();
        std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(united));
      }
    }
    return all;
  }

  /// A clause that has all literals of another one says nothing more.
  static void drop_implied(std::vector<Product>& products) {
    std::vector<Product> kept;
    for (size_t at = 0; at < products.size(); ++at) {
      const bool is_implied = [&] {
        for (size_t other = 0; other < products.size(); ++other) {
          const bool says_less =
              std::includes(products[at].begin(), products[at].end(), products[other].begin(), products[other].end());
          // The first of equal ones stays.
          if (other != at && says_less && (products[other].size() < products[at].size() || other < at)) {
            return true;
          }
        }
        return false;
      }();
      if (!is_implied) {
        kept.push_back(products[at]);
      }
    }
    products = std::move(kept);
  }

  [[nodiscard]] std::vector<Clause> implied_by(const std::vector<uint32_t>& trees) const {
    std::vector<Implied> all;
    for (const uint32_t tree : trees) {
      std::vector<Implied> more = implied_by(tree);
      std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    // Lists first: they pin a column, and find rows through an index.
    std::stable_sort(all.begin(), all.end(), [](const Implied& left, const Implied& right) {
      return left.others.size() < right.others.size();
    });
    all.resize(std::min(all.size(), kImpliedMax));
    std::vector<Clause> clauses;
    for (Implied& implied : all) {
      Clause& clause = clauses.emplace_back();
      if (!implied.values.empty()) {
        clause.push_back(equality_of(implied.column, std::move(implied.values)));
      }
      for (const uint32_t literal : implied.others) {
        clause.push_back(parts_[literal].literal);
      }
    }
    return clauses;
  }

  /// Gives what follows from a part, by column, at most one of each.
  [[nodiscard]] std::vector<Implied> implied_by(uint32_t part) const {
    const ConditionParts::Part& it = parts_[part];
    if (it.kind == Kind::kLiteral) {
      const bool is_list = is_equality(it.literal);
      return {{it.literal.column, is_list ? it.literal.values : std::vector<Value>(),
               is_list ? std::vector<uint32_t>() : std::vector<uint32_t>{part}}};
    }
    std::vector<Implied> all = implied_by(it.children[0]);
    for (size_t at = 1; at < it.children.size() && (it.kind == Kind::kAnd || !all.empty()); ++at) {
      std::vector<Implied> more = implied_by(it.children[at]);
      it.kind == Kind::kAnd ? keep_best(all, std::move(more)) : keep_either(all, std::move(more));
    }
    return all;
  }

  [[nodiscard]] static Implied* of_column(std::vector<Implied>& all, uint32_t column) {
    const auto found = std::lower_bound(all.begin(), all.end(), column,
                                        [](const Implied& one, uint32_t wanted) { return one.column < wanted; });
    return found != all.end() && found->column == column ? &*found : nullptr;
  }

  /// Both hold: of two that are about one column, the one that a scan has more use for.
  static void keep_best(std::vector<Implied>& all, std::vector<Implied>&& more) {
    const auto rank = [](const Implied& one) { return std::pair(one.others.size(), one.values.size()); };
    for (Implied& one : more) {
      Implied* known = of_column(all, one.column);
      if (known == nullptr) {
        const auto place =
            std::lower_bound(all.begin(), all.end(), one.column,
                             [](const Implied& other, uint32_t column) { return other.column < column; });
        all.insert(place, std::move(one));
      } else if (rank(one) < rank(*known)) {
        *known = std::move(one);
      }
    }
  }

  /// One of both holds: only what both say something about is left.
  static void keep_either(std::vector<Implied>& all, std::vector<Implied>&& more) {
    std::erase_if(all, [&](Implied& one) {
      const Implied* other = of_column(more, one.column);
      if (other == nullptr) {
        return true;
      }
      one.values.insert(one.values.end(), other->values.begin(), other->values.end());
      for (const uint32_t literal : other->others) {
        if (std::find(one.others.begin(), one.others.end(), literal) == one.others.end()) {
          one.others.push_back(literal);
        }
      }
      return one.others.size() > kOthersMax;
    });
  }

  /// Leaves out conjuncts beyond the number of clauses, those first that find the fewest rows: they go to the rest.
  void admit(size_t clauses_max, std::vector<uint32_t>& rest) {
    const auto is_single = [](const Conjunct& conjunct) {
      return conjunct.clauses.size() == 1 && conjunct.clauses[0].size() == 1;
    };
    size_t left = clauses_max;
    std::vector<bool> is_in(conjuncts_.size(), false);
    for (const int rank : {0, 1, 2}) {
      for (size_t at = 0; at < conjuncts_.size(); ++at) {
        const Conjunct& conjunct = conjuncts_[at];
        const int own = !is_single(conjunct) ? 2 : is_equality(conjunct.clauses[0][0]) ? 0 : 1;
        if (own == rank && conjunct.clauses.size() <= left) {
          is_in[at] = true;
          left -= conjunct.clauses.size();
        }
      }
    }
    std::vector<Conjunct> admitted;
    for (size_t at = 0; at < conjuncts_.size(); ++at) {
      if (is_in[at]) {
        admitted.push_back(std::move(conjuncts_[at]));
      } else {
        rest.push_back(conjuncts_[at].part);
      }
    }
    conjuncts_ = std::move(admitted);
  }

  void add_clause(Clause&& clause) {
    if (std::find(predicate_.clauses.begin(), predicate_.clauses.end(), clause) == predicate_.clauses.end()) {
      predicate_.clauses.push_back(std::move(clause));
    }
  }

  void set_tree(const std::vector<uint32_t>& rest) {
    if (rest.size() == 1) {
      predicate_.tree = parts_.condition(rest[0]);
    } else if (rest.size() > 1) {
      predicate_.tree.kind = Kind::kAnd;
      for (const uint32_t part : rest) {
        predicate_.tree.children.push_back(parts_.condition(part));
      }
    }
  }

  ConditionParts parts_;
  uint32_t root_;
  std::vector<Conjunct> conjuncts_;  ///< That are clauses.
  std::vector<uint32_t> trees_;      ///< Conjuncts that are not.
  Predicate predicate_;
};

/// Makes each literal of a condition that is_plainly_simple() a clause.
Predicate clauses_of_literals(Condition&& condition) {
  Predicate predicate;
  if (condition.kind == Kind::kLiteral) {
    predicate.clauses.emplace_back().push_back(std::move(condition.literal));
    return predicate;
  }
  predicate.clauses.reserve(condition.children.size());
  for (Condition& literal : condition.children) {
    predicate.clauses.emplace_back().push_back(std::move(literal.literal));
  }
  return predicate;
}

}  // namespace

Predicate normal_form(Condition condition) {
  if (is_plainly_simple(condition)) {
    return clauses_of_literals(std::move(condition));
  }
  switch (condition.kind) {
    case Kind::kAlways:
      return {};
    case Kind::kNever:
      return {.clauses = {{Literal{}}}};
    default:
      return NormalForm(std::move(condition)).build();
  }
}

const Literal* pinning_literal(const Predicate& predicate, uint32_t column) {
  const Literal* shortest = nullptr;
  for (const Clause& clause : predicate.clauses) {
    const bool pins = clause.size() == 1 && clause[0].column == column && is_equality(clause[0]);
    if (pins && (shortest == nullptr || clause[0].values.size() < shortest->values.size())) {
      shortest = &clause[0];
    }
  }
  return shortest;
}

std::optional<std::vector<Value>> pinned_values(const Predicate& predicate, uint32_t column) {
  const Literal* literal = pinning_literal(predicate, column);
  return literal == nullptr ? std::nullopt : std::optional(literal->values);
}

}  // namespace daedalus::semantics

#include "clause_products.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace daedalus::engine {
namespace {

/// Alternatives of several disjunctions, at most, and literals that are looked at to get there.
constexpr size_t kProductsMax = 64;
constexpr size_t kLiteralsMax = 128;

/// Numbers of literals, ascending.
using Product = std::vector<uint32_t>;

class Multiplication {
 public:
  explicit Multiplication(const CompiledPredicate& predicate) : predicate_(predicate) {}

  void add(const CompiledClause& clause) {
    Product factor;
    for (const CompiledLiteral& literal : predicate_.literals(clause)) {
      factor.push_back(number_of(literal));
    }
    if (products_.empty()) {
      for (const uint32_t literal : factor) {
        products_.push_back({literal});
      }
      return;
    }
    std::vector<Product> all;
    for (const Product& product : products_) {
      for (const uint32_t literal : factor) {
        Product& united = all.emplace_back();
        std::set_union(product.begin(), product.end(), &literal, &literal + 1, std::back_inserter(united));
      }
    }
    absorb(all);
    if (all.size() <= kProductsMax) {
      products_ = std::move(all);
    }
  }

  [[nodiscard]] std::vector<ClauseProduct> result() const {
    std::vector<ClauseProduct> all;
    for (const Product& product : products_) {
      ClauseProduct& one = all.emplace_back();
      for (const uint32_t literal : product) {
        one.push_back(literals_[literal]);
      }
    }
    return all;
  }

 private:
  [[nodiscard]] bool is_same(const CompiledLiteral& one, const CompiledLiteral& other) const {
    return one.kind == other.kind && one.negated == other.negated && one.op == other.op && one.column == other.column &&
           one.codes == other.codes && one.constant_count == other.constant_count &&
           one.blank_count == other.blank_count && one.constants_size == other.constants_size &&
           (one.constants_size == 0 || std::memcmp(predicate_.constants() + one.constants,
                                                   predicate_.constants() + other.constants, one.constants_size) == 0);
  }

  uint32_t number_of(const CompiledLiteral& literal) {
    const auto known = std::find_if(literals_.begin(), literals_.end(),
                                    [&](const CompiledLiteral* other) { return is_same(*other, literal); });
    if (known != literals_.end()) {
      return static_cast<uint32_t>(known - literals_.begin());
    }
    literals_.push_back(&literal);
    return static_cast<uint32_t>(literals_.size()) - 1;
  }

  /// A product that has all literals of another one adds nothing.
  static void absorb(std::vector<Product>& products) {
    std::sort(products.begin(), products.end(), [](const Product& left, const Product& right) {
      return left.size() != right.size() ? left.size() < right.size() : left < right;
    });
    std::vector<Product> kept;
    for (Product& product : products) {
      const bool is_absorbed = std::any_of(kept.begin(), kept.end(), [&](const Product& other) {
        return std::includes(product.begin(), product.end(), other.begin(), other.end());
      });
      if (!is_absorbed) {
        kept.push_back(std::move(product));
      }
    }
    products = std::move(kept);
  }

  const CompiledPredicate& predicate_;
  std::vector<const CompiledLiteral*> literals_;
  std::vector<Product> products_;
};

}  // namespace

std::vector<ClauseProduct> products_of(const CompiledPredicate& predicate, std::span<const uint32_t> clauses) {
  Multiplication all(predicate);
  size_t literals = 0;
  for (const uint32_t number : clauses) {
    const CompiledClause& clause = predicate.clauses()[number];
    if (clause.count == 1 || clause.is_tree) {
      continue;
    }
    literals += clause.count;
    if (literals == clause.count && clause.count > kLiteralsMax) {
      std::vector<ClauseProduct> alone;
      for (const CompiledLiteral& literal : predicate.literals(clause)) {
        alone.push_back({&literal});
      }
      return alone;
    }
    if (literals <= kLiteralsMax) {
      all.add(clause);
    }
  }
  return all.result();
}

}  // namespace daedalus::engine

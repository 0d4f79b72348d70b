// One text, known in several forms: with several values of those parameters that its compiled form depends on (a LIMIT,
// a pattern, what is cast), and with several kinds of what its comparisons come to (NULL, a number beyond its column).
//
// Decides which variants are kept. Refuses to know what distinguishes them: each says itself whether it is meant.
#pragma once

#include <memory>
#include <vector>

#include "cached_plan.hpp"
#include "daedalus/aggregator/statement.hpp"

namespace daedalus::aggregator::sql {

class PlanVariants final : public KnownStatement {
 public:
  static constexpr size_t kVariantsMax = 8;

  /// Returns the variants of `before`, which may be null, with `added`. When they are more than `variants_max`, the
  /// oldest go, first those that are for certain values only.
  [[nodiscard]] static std::shared_ptr<const PlanVariants> with(const PlanVariants* before,
                                                                std::shared_ptr<const CachedPlan> added,
                                                                size_t variants_max = kVariantsMax);

  [[nodiscard]] size_t size() const { return variants_.size(); }

  [[nodiscard]] bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const override;

 private:
  std::vector<std::shared_ptr<const CachedPlan>> variants_;  ///< The newest first.
};

}  // namespace daedalus::aggregator::sql

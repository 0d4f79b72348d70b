#include "plan_variants.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace daedalus::aggregator::sql {

std::shared_ptr<const PlanVariants> PlanVariants::with(const PlanVariants* before,
                                                       std::shared_ptr<const CachedPlan> added, size_t variants_max) {
  auto after = std::make_shared<PlanVariants>();
  std::vector<std::shared_ptr<const CachedPlan>>& variants = after->variants_;
  variants.push_back(std::move(added));
  if (before != nullptr) {
    // Two threads may have compiled the same.
    std::copy_if(before->variants_.begin(), before->variants_.end(), std::back_inserter(variants),
                 [&](const auto& variant) { return !variant->is_for_the_same(*variants[0]); });
  }
  while (variants.size() > variants_max) {
    const auto oldest = std::find_if(variants.rbegin(), variants.rend(),
                                     [](const auto& variant) { return variant->is_for_certain_values(); });
    variants.erase(oldest == variants.rend() ? variants.end() - 1 : std::next(oldest).base());
  }
  return after;
}

bool PlanVariants::bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const {
  return std::any_of(variants_.begin(), variants_.end(),
                     [&](const std::shared_ptr<const CachedPlan>& variant) { return variant->bind(statement, bound); });
}

}  // namespace daedalus::aggregator::sql

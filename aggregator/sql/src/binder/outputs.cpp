#include "outputs.hpp"

#include <algorithm>

namespace daedalus::aggregator::sql {

uint32_t Outputs::find_or_add(OutputItem item) {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [&](const OutputItem& other) { return other.expression == item.expression; });
  const auto position = static_cast<uint32_t>(found - items_.begin());
  if (found == items_.end()) {
    items_.push_back(std::move(item));
  }
  return position;
}

bool Outputs::has_aggregate() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const OutputItem& item) { return semantics::has_aggregate(item.expression); });
}

std::vector<semantics::NamedExpression> Outputs::take() && {
  std::vector<semantics::NamedExpression> taken;
  taken.reserve(items_.size());
  for (semantics::NamedExpression& item : items_) {
    taken.push_back(std::move(item));
  }
  return taken;
}

std::vector<uint32_t> Outputs::named(std::string_view name) const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < visible_count_; ++i) {
    const bool is_new = found.empty() || items_[i].expression != items_[found.front()].expression;
    if (items_[i].name == name && is_new) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace daedalus::aggregator::sql

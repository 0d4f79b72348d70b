#include "query_index.hpp"

#include "branches.hpp"

namespace daedalus::engine {

QueryIndex::QueryIndex(const TableLayout& layout, const Key& key) : by_values_(layout, key.columns) {
  if (key.form == KeyForm::kSketches) {
    by_sketches_ = std::make_unique<SketchIndex>();
  }
}

void QueryIndex::add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t query) {
  by_values_.add(members, query);
  if (by_sketches_ != nullptr) {
    const auto [first, second] = sketches.pair_of(columns(), members);
    by_sketches_->add(first, second, query);
  }
}

void QueryIndex::build() {
  if (by_sketches_ != nullptr) {
    mark_branch(Branch::kKeyOfSketches);
    by_sketches_->build();
  } else {
    build_values();
  }
}

void QueryIndex::build_values() {
  if (!has_values_) {
    has_values_ = true;
    by_values_.build();
  }
}

}  // namespace daedalus::engine

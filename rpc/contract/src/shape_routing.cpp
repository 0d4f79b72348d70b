#include "daedalus/contract/shape_routing.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "daedalus/semantics/placement.hpp"

namespace daedalus::contract {

namespace {

using semantics::Literal;
using semantics::PlacementRule;

}  // namespace

ShapeRouting::ShapeRouting(const semantics::Schema& schema, PlacementRule rule, const semantics::Predicate& places)
    : rule_(std::move(rule)) {
  std::vector<const Literal*> pinning;
  for (const uint32_t column : rule_.columns()) {
    pinning.push_back(semantics::pinning_literal(places, column));
  }
  size_t used = 0;
  for (const semantics::Clause& clause : places.clauses) {
    for (const Literal& literal : clause) {
      Run& run = runs_.emplace_back(Run{schema.columns[literal.column].type, literal.values.size(), std::nullopt});
      if (const auto found = std::find(pinning.begin(), pinning.end(), &literal); found != pinning.end()) {
        run.axis = found - pinning.begin();
        used = runs_.size();
      }
    }
  }
  runs_.resize(used);
  names_a_place_ = !pinning.empty() && std::all_of(pinning.begin(), pinning.end(), [](const Literal* literal) {
    return literal != nullptr && literal->values.size() == 1;
  });
  if (runs_.empty()) {
    for (const uint32_t place : rule_.places_of(PlacementRule::Pins(rule_.columns().size()))) {
      all_.push_back(PartitionId{place});
    }
  }
}

template <typename Take>
bool ShapeRouting::walk(std::string_view values, Take take) const {
  for (const Run& run : runs_) {
    for (size_t value = 0; value < run.count; ++value) {
      const auto key = semantics::take_placement_key(run.type, values);
      if (!key) {
        return false;
      }
      if (run.axis) {
        take(*run.axis, *key);
      }
    }
  }
  return true;
}

Result<Partitions> ShapeRouting::partitions_of(std::string_view values) const {
  if (runs_.empty()) {
    return all_;
  }
  const auto cut_short = [] { return rejected("08P01", "shape: values that are cut short"); };
  if (names_a_place_) {
    boost::container::small_vector<uint64_t, 2> keys(rule_.columns().size());
    const bool is_whole = walk(values, [&](size_t axis, uint64_t key) { keys[axis] = key; });
    if (!is_whole) {
      return cut_short();
    }
    return Partitions{PartitionId{rule_.place_of_keys(keys)}};
  }
  PlacementRule::Pins pins(rule_.columns().size());
  const auto pin = [&](size_t axis, uint64_t key) { (pins[axis] ? *pins[axis] : pins[axis].emplace()).push_back(key); };
  if (!walk(values, pin)) {
    return cut_short();
  }
  Partitions partitions;
  for (const uint32_t place : rule_.places_of(pins)) {
    partitions.push_back(PartitionId{place});
  }
  return partitions;
}

}  // namespace daedalus::contract

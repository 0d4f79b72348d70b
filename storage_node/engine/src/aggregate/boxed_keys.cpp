#include "boxed_keys.hpp"

#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine {
namespace {

/// One value takes so much besides its bytes: a node of the table, its place among the buckets, and its place by
/// number.
constexpr uint64_t kEntryBytes = 112;

}  // namespace

std::optional<uint32_t> BoxedKeys::number_of(const semantics::Value& value) {
  packed_.clear();
  semantics::append_packed(type_, value, packed_);
  const auto known = numbers_.find(packed_);
  if (known != numbers_.end()) {
    return known->second;
  }
  if (!memory_.add(kEntryBytes + packed_.size())) {
    return std::nullopt;
  }
  const auto number = static_cast<uint32_t>(values_.size());
  values_.push_back(&numbers_.emplace(packed_, number).first->first);
  return number;
}

}  // namespace daedalus::engine

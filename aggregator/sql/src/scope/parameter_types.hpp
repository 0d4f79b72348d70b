// The types of a statement's parameters, while they are being fixed.
//
// Decides as PostgreSQL does: a parameter has the type that the client declared; of one of undeclared type the first
// place that asks gives a parameter its type, which it then has in every later place. Refuses to know places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "daedalus/aggregator/statement.hpp"

namespace daedalus::aggregator::sql {

/// The highest number of a parameter: PostgreSQL's own bound. Its protocol gives values to no more than 65,535.
constexpr int32_t kParameterNumberMax = INT32_MAX / 4;

class ParameterTypes {
 public:
  using Declared = std::span<const std::optional<ParameterKind>>;

  /// Two places ask for different types, or one asks for none and another for some.
  struct Mistake {
    int32_t number = 0;
    int32_t location = -1;
    std::optional<ParameterKind> asked;  ///< Nothing: the place asks for none.
    ParameterKind known;
  };

  ParameterTypes() = default;
  /// `declared`: the types that the client declares for $1, $2, ... before any place asks; nothing where it leaves the
  /// type to the places.
  explicit ParameterTypes(Declared declared) : declared_(declared.begin(), declared.end()) {}

  /// The parameter stands at this place: the type that it has there, if it has one. Precondition: 1 <= number <=
  /// kParameterNumberMax.
  std::optional<ParameterKind> see(int32_t number, int32_t location) {
    const auto index = static_cast<size_t>(number) - 1;
    const auto declared = index < declared_.size() ? declared_[index] : std::nullopt;
    const auto known = kinds_.try_emplace(number, declared).first->second;
    if (known && !(is_held_ && fixed_meanwhile_.contains(number))) {
      return known;
    }
    open_.emplace(location, number);
    return std::nullopt;
  }
  /// A place where the parameter had no type asks for this one. Precondition: it was seen.
  void ask(int32_t number, int32_t location, ParameterKind kind) {
    open_.erase(location);
    auto& known = kinds_.at(number);
    if (!known) {
      known = kind;
      fixed_meanwhile_.insert(number);
    } else if (*known != kind && !mistake_) {
      mistake_ = Mistake{number, location, kind, *known};
    }
  }
  /// While they are held, parameters have the types that they had before: as those of a row, which are all read before
  /// any is compared.
  void hold() {
    is_held_ = true;
    fixed_meanwhile_.clear();
  }
  void release() { is_held_ = false; }
  [[nodiscard]] bool is_held() const { return is_held_; }

  [[nodiscard]] bool has_arrays() const {
    const auto is_array = [](const auto& entry) { return entry.second && entry.second->is_array; };
    return std::any_of(kinds_.begin(), kinds_.end(), is_array);
  }
  /// The first place that asked for another type than an earlier one.
  [[nodiscard]] const std::optional<Mistake>& mistake() const { return mistake_; }
  /// The first place of those that asked for nothing of a parameter to which another gave a type.
  [[nodiscard]] std::optional<Mistake> left_open() const {
    for (const auto& [location, number] : open_) {
      if (const auto& known = kinds_.at(number)) {
        return Mistake{number, location, std::nullopt, *known};
      }
    }
    return std::nullopt;
  }
  /// The type of each; nothing of those that have none. Up to the highest number that is declared or was seen.
  [[nodiscard]] std::optional<ParameterKind> kind_of(int32_t number) const {
    const auto found = kinds_.find(number);
    if (found != kinds_.end()) {
      return found->second;
    }
    const auto index = static_cast<size_t>(number) - 1;
    return index < declared_.size() ? declared_[index] : std::nullopt;
  }
  [[nodiscard]] int32_t count() const { return std::max(count_seen(), static_cast<int32_t>(declared_.size())); }
  [[nodiscard]] int32_t count_seen() const { return kinds_.empty() ? 0 : kinds_.rbegin()->first; }

 private:
  std::vector<std::optional<ParameterKind>> declared_;
  std::map<int32_t, std::optional<ParameterKind>> kinds_;  ///< Types of the parameters seen; bounded by the text.
  std::map<int32_t, int32_t> open_;                        ///< By place, parameters of which it has asked nothing yet.
  std::set<int32_t> fixed_meanwhile_;                      ///< Since hold().
  std::optional<Mistake> mistake_;
  bool is_held_ = false;
};

}  // namespace daedalus::aggregator::sql

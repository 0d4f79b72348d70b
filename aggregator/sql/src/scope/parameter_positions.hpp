// Notes down where the values of a statement's parameters end up, while it is compiled with some.
//
// Decides which values others could take the places of without a change of anything else: those that are compared with
// a column as they came, and read nowhere else. Refuses to know what such a comparison comes to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::aggregator::sql {

class ParameterPositions {
 public:
  /// A literal without its values. LiteralKeys has those of each clause.
  using LiteralKey = std::tuple<uint32_t, semantics::Literal::Kind, semantics::Operator>;
  using LiteralKeys = std::vector<std::vector<LiteralKey>>;

  /// `column op $parameter`, or `column IN ($parameter, …)`.
  struct Place {
    std::vector<int32_t> parameters;  ///< One, but for IN and NOT IN.
    uint32_t column = 0;
    semantics::Operator op{};
  };

  /// `is_followed`: somebody is going to ask for places; otherwise none is noted down. To be called before all else.
  void follow(bool is_followed) { is_followed_ = is_followed; }

  /// A parameter's value is looked at.
  void read(int32_t parameter) {
    if (is_followed_) {
      ++reads_beside_places_[parameter];
    }
  }
  /// The values of `parameters` are compared, just as they came. 0: a constant is no parameter's.
  void add(std::span<const int32_t> parameters, uint32_t column, semantics::Operator op);
  /// Notes down the literals that one comparison of the text came to, whatever becomes of them.
  void add_leaf(const semantics::Condition& leaf);
  /// The condition before it is simplified.
  void see(const semantics::Condition& condition);
  /// Something depends on more than the text and the parameters' values: on the time.
  void give_up() { has_given_up_ = true; }
  [[nodiscard]] bool has_given_up() const { return has_given_up_; }
  /// Notes down that what is made depends on the zone of the session's clocks.
  void depend_on_zone() { depends_on_zone_ = true; }
  [[nodiscard]] bool depends_on_zone() const { return depends_on_zone_; }
  /// Notes down that what is made depends on the order in which the session reads dates.
  void hang_on_date_order() { hangs_on_date_order_ = true; }
  [[nodiscard]] bool hangs_on_date_order() const { return hangs_on_date_order_; }
  /// Values have an effect in a way that is not followed.
  void mark_lost() { is_lost_ = true; }

  /// Parameters whose values have an effect elsewhere, too, ascending: only with the same values is all else the same.
  [[nodiscard]] std::vector<int32_t> fixed() const;
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  /// Returns whether at most one comparison of the text came to `column op` values: if the condition has such a
  /// literal, it comes from that comparison.
  [[nodiscard]] bool is_only_leaf(uint32_t column, semantics::Operator op) const;
  /// Returns whether the predicate is the condition as it was written, and stays so whatever its values are, as long as
  /// each comparison comes to a literal of the same kind. It is then a conjunction of disjunctions, and no two of its
  /// literals could say the same.
  [[nodiscard]] bool keep(const semantics::Predicate& predicate) const;

 private:
  std::vector<Place> places_;
  std::map<int32_t, int64_t> reads_beside_places_;                ///< By parameter.
  std::vector<std::pair<uint32_t, semantics::Operator>> leaves_;  ///< Comparisons with values, as they were met.
  std::optional<LiteralKeys> written_;                            ///< The condition's, where it is such a conjunction.
  bool is_followed_ = true;
  bool is_lost_ = false;
  bool has_given_up_ = false;
  bool depends_on_zone_ = false;
  bool hangs_on_date_order_ = false;
};

}  // namespace daedalus::aggregator::sql

// Knows what is confirmed, as far as this node has heard, and gives each query its moment.
//
// Decides a query's moment once, on arrival, for all segments. Refuses to know who says what is confirmed, and how far
// the node itself is: a query whose moment has not come waits elsewhere (docs/protocol.md, "Marks and moments").
#pragma once

#include <algorithm>
#include <optional>

#include "daedalus/base/units.hpp"

namespace daedalus::node {

/// A query says with it at which moment it is to be answered.
struct AskedMoment {
  std::optional<Timestamp> at;  ///< Exactly this one.
  bool is_firm = false;         ///< Nobody puts another in the place of `at`.
  Timestamp prefix_min{};       ///< Without `at`: at least this one.
};

class ReadMark {
 public:
  /// Every update up to `through` is confirmed. A mark never goes back: who knows less says nothing new.
  void learn(Timestamp through) { mark_ = std::max(mark_, through); }
  [[nodiscard]] Timestamp mark() const { return mark_; }

  /// Returns the moment at which the query is answered; nothing where it asks for one below the mark and is not firm.
  /// Somebody may have been told since that an update is confirmed which such an answer lacks: the query is to be asked
  /// again at the mark.
  [[nodiscard]] std::optional<Timestamp> moment_for(const AskedMoment& asked) const;

 private:
  Timestamp mark_{};
};

}  // namespace daedalus::node

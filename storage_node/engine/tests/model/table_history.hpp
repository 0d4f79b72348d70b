// The plain table as it was at the moments that the queries of a round name.
//
// Decides which of its states are kept: those that some query yet to be answered asks for.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "model_round.hpp"
#include "plain_table.hpp"

namespace daedalus::engine::test {

class TableHistory {
 public:
  /// `table` is empty.
  TableHistory(const std::vector<RoundStep>& steps, const PlainTable& table) {
    for (const RoundStep& step : steps) {
      if (const auto* update = std::get_if<Update>(&step.operation)) {
        updates_.push_back(update->timestamp);
      }
    }
    for (const RoundStep& step : steps) {
      if (const auto* query = std::get_if<Query>(&step.operation); query != nullptr && query->at) {
        ++askers_[update_of(*query->at)];
      }
    }
    remember(Timestamp{}, table);
  }

  /// The table is in the state after this update.
  void remember(Timestamp update, const PlainTable& table) {
    if (askers_.contains(update)) {
      states_.emplace(update, table);
    }
  }

  /// The table at a moment that some query named.
  [[nodiscard]] const PlainTable& at(Timestamp moment) const { return states_.at(update_of(moment)); }

  /// One of the queries that named the moment was answered.
  void forget(Timestamp moment) {
    const auto askers = askers_.find(update_of(moment));
    if (--askers->second == 0) {
      states_.erase(askers->first);
      askers_.erase(askers);
    }
  }

 private:
  /// The last update up to a moment.
  [[nodiscard]] Timestamp update_of(Timestamp moment) const {
    const auto behind = std::upper_bound(updates_.begin(), updates_.end(), moment);
    return behind == updates_.begin() ? Timestamp{} : behind[-1];
  }

  std::vector<Timestamp> updates_;        ///< Ascending.
  std::map<Timestamp, uint64_t> askers_;  ///< By update: queries that are to be answered after it.
  std::map<Timestamp, PlainTable> states_;
};

}  // namespace daedalus::engine::test

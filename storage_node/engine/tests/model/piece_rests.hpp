// Asks for what the pieces among a round's answers have left out: one slice of each with every burst.
//
// Decides how large the slices are. Refuses to know what belongs into an answer.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daedalus/engine/operation.hpp"

namespace daedalus::engine::test {

class PieceRests {
 public:
  /// Takes the answer to `query`, or to a slice that went on with it. Returns it with all rows that came before, unless
  /// something is left out: next() goes on with that.
  [[nodiscard]] std::optional<QueryOutput> take(const Query& query, QueryOutput answer) {
    const auto found = rests_.try_emplace(answer.handle, Rest{query, {}, query.piece_bytes}).first;
    Rest& rest = found->second;
    answer.rows.insert(0, rest.answer.rows);
    answer.row_count += rest.answer.row_count;
    if (answer.next_slot && !answer.error) {
      rest.answer = std::move(answer);
      return std::nullopt;
    }
    rests_.erase(found);
    return answer;
  }

  [[nodiscard]] bool is_empty() const { return rests_.empty(); }

  /// Returns the queries for the slices that follow. Each is some times as large as the one before: a round has few
  /// bursts.
  [[nodiscard]] std::vector<Query> next() {
    constexpr uint64_t kGrowth = 6;
    std::vector<Query> queries;
    for (auto& [handle, rest] : rests_) {
      rest.slice_bytes *= kGrowth;
      semantics::Selection selection = *rest.query.selection;
      selection.slice = {.first_slot = *rest.answer.next_slot, .answer_bytes = rest.slice_bytes};
      Query query = rest.query;
      query.handle = handle;
      query.selection = std::make_shared<const semantics::Selection>(std::move(selection));
      query.piece_bytes = 0;
      queries.push_back(std::move(query));
    }
    return queries;
  }

  /// Returns the lowest moment that slices will ask at.
  [[nodiscard]] Timestamp lowest() const {
    Timestamp lowest{UINT64_MAX};
    for (const auto& [handle, rest] : rests_) {
      lowest = std::min(lowest, rest.query.at.value_or(lowest));
    }
    return lowest;
  }

 private:
  struct Rest {
    Query query;
    QueryOutput answer;  ///< Has all rows so far.
    uint64_t slice_bytes = 0;
  };

  std::map<QueryHandle, Rest> rests_;
};

}  // namespace daedalus::engine::test

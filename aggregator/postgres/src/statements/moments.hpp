// The moments that a session has seen: timestamps of the total order at which its queries were answered, and under
// which its updates were confirmed.
//
// Decides what its next query has to see at least. Refuses to know which query that is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::postgres {

class Moments {
 public:
  /// One of the session's operations has been answered with this, or with a part of its answer.
  void learn(const wire::v1::Result& result) {
    // First rows name it before the end does. Answers that no node has given have no moment.
    const uint64_t moment = result.has_rows() ? result.rows().moment() : result.end().moment();
    last_answer_ = moment != 0 ? moment : last_answer_;
    demand_ = std::max({demand_, last_answer_, result.confirmed().timestamp()});
  }

  /// The timestamp at which the last query was answered; 0: none has been.
  [[nodiscard]] uint64_t last_answer() const { return last_answer_; }
  /// All that the session has seen or written is there at this timestamp, so its reads never go back.
  [[nodiscard]] uint64_t demand() const { return demand_; }

 private:
  uint64_t last_answer_ = 0;
  uint64_t demand_ = 0;
};

}  // namespace daedalus::postgres

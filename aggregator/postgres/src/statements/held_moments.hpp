// The moments that are held for a session: nothing that a query at one of them needs is given up.
//
// Decides when the core is told what is held, by one HOLD at a time: each names all moments of the session, so one that
// is missing in it is let go. Refuses to know who reads at them: whoever does keeps the moment, and with the last one
// it is let go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "requests.hpp"

namespace daedalus::postgres {

using HeldMoment = std::shared_ptr<const uint64_t>;

class HeldMoments {
 public:
  /// One more is to be held: this one; 0: the newest there is. Precondition: none is wanted.
  void want(uint64_t moment) { wanted_ = moment; }
  /// Says whether the core has not been told of the one that is wanted.
  [[nodiscard]] bool is_wanted() const { return wanted_.has_value(); }
  /// It is not wanted any longer.
  void give_up(Requests& requests);

  /// Says whether the core has to be told something, and may be.
  [[nodiscard]] bool has_news();
  /// Tells it, by an operation that has deadline and demand of the moment that is wanted. Precondition: has_news().
  void tell(wire::v1::Operation operation, Requests& requests);

  [[nodiscard]] bool awaits(uint64_t sequence) const { return sequence_ != 0 && sequence == sequence_; }
  /// Takes the answer that is awaited. Returns the moment that was wanted; one that was named is returned although it
  /// could not be held, as others may hold it. Null: the answer is an error, or nobody wants a moment any longer.
  [[nodiscard]] HeldMoment take(const wire::v1::Result& answer);

 private:
  std::vector<std::weak_ptr<const uint64_t>> held_;
  std::optional<uint64_t> wanted_;  ///< The core has not been told.
  std::optional<uint64_t> asked_;   ///< The operation under way asks for it.
  uint64_t sequence_ = 0;           ///< The operation under way; 0: none is.
  bool has_let_go_ = false;         ///< The core holds one that nobody has any longer.
};

}  // namespace daedalus::postgres

// An update on its way to the logical writer: one at a time, each under a number of its session's, so that it may be
// sent again and takes effect once.
//
// Decides when it is sent again, and what its outcome means. Refuses to know what is in it, and who waits for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"
#include "requests.hpp"

namespace daedalus::postgres {

class Submission {
 public:
  /// These go with every update.
  struct Terms {
    uint64_t map_version = 0;
    int64_t remaining_ns = 0;
    const std::string& principal;
  };
  /// The submission goes on with this.
  enum class Next : uint8_t {
    kAgain,    ///< It is to be sent once more: the writer knows more of writers than this side did.
    kOutcome,  ///< It has been confirmed.
    kError,    ///< error_of() says which.
    kRefused,  ///< Without a reason.
  };

  /// `client`: the session's name among all that submit; it outlives this.
  explicit Submission(const std::string& client) : client_(client) {}

  /// The next send() is of another update.
  void begin();
  void send(const wire::v1::UpdateBody& update, const Terms& terms, Requests& requests);
  [[nodiscard]] bool awaits(uint64_t sequence) const { return sequence_ != 0 && sequence == sequence_; }
  /// Its answer, which is not awaited any longer.
  [[nodiscard]] Next take(const wire::v1::Result& answer);
  /// Precondition: Next::kError.
  [[nodiscard]] static const wire::v1::Error& error_of(const wire::v1::Result& answer);

  /// How many rows each part of a confirmed update was applied to; none where that is not known, and nobody needs it.
  /// Errors: those of refused rows; 08007 it is needed, and not known any more.
  [[nodiscard]] static Result<std::vector<uint64_t>> part_rows(const wire::v1::WriteConfirmed& confirmed,
                                                               size_t part_count, bool needs_counts);

 private:
  const std::string& client_;
  uint32_t tries_ = 0;
  uint64_t sequence_ = 0;  ///< The sequence of the one in flight; 0: none is.
  uint64_t number_ = 0;
  uint64_t writer_epoch_ = 0;
  uint64_t numbered_after_ = 0;
};

}  // namespace daedalus::postgres

// Keeps what an application knows of the updates that it submits: docs/protocol.md, "Submissions", from the client's
// side.
//
// Decides what a sending says of itself, whether it may be repeated, and what is reported in the end: an update of
// which one sending has no answer is unknown, never failed. Refuses to know connections and time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daedalus/base/units.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::testing {

/// The outcome of one submission, as the application is told.
struct SubmissionReport {
  uint64_t number = 0;
  std::optional<wire::v1::WriteConfirmed> confirmed;
  std::optional<wire::v1::Error> error;
};

class ClientSubmissions {
 public:
  explicit ClientSubmissions(std::string client) : client_(std::move(client)) {}

  /// A STATEMENT with text, or a SUBMIT with a body.
  void start(uint64_t number, std::optional<std::string> text, const std::string& body, Instant deadline);

  /// The next sending, without its sequence. Precondition: it is under way, and no sending of it waits for an answer.
  [[nodiscard]] wire::v1::Operation send(uint64_t number, uint64_t map_version, Instant now);

  enum class Next : uint8_t { kEnded, kSendNow, kSendLater };
  /// The answer to its sending. With kEnded, `report` says how.
  [[nodiscard]] Next on_result(uint64_t number, const wire::v1::Result& result, SubmissionReport& report);
  /// The sending will have no answer.
  void on_lost(uint64_t number);
  /// Nobody waits any longer.
  [[nodiscard]] SubmissionReport give_up(uint64_t number);

  /// How long to wait before the next sending; longer each time.
  [[nodiscard]] int64_t pause_ns(uint64_t number) const;
  [[nodiscard]] bool is_under_way(uint64_t number) const { return under_way_.contains(number); }
  [[nodiscard]] size_t under_way() const { return under_way_.size(); }

 private:
  struct Submission {
    std::optional<std::string> text;
    wire::v1::UpdateBody body;
    Instant deadline{};
    uint64_t epoch = 0;
    uint64_t numbered_after = 0;
    uint32_t sendings = 0;
    bool is_sent = false;      ///< One sending waits for its answer.
    bool is_repeated = false;  ///< One sending has had none.
  };

  [[nodiscard]] Next on_error(uint64_t number, const wire::v1::Error& error, SubmissionReport& report);

  std::string client_;
  std::map<uint64_t, Submission> under_way_;
  uint64_t epoch_ = 0;
  uint64_t numbered_ = 0;
};

}  // namespace daedalus::testing

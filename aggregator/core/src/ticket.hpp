// Says what an answer from below belongs to.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace daedalus::aggregator {

/// Which machine works on an operation.
enum class Machine : uint8_t { kCompilation, kQuery, kUpdate, kSubmission, kEpoch, kStatus, kMark, kHold };

/// One operation in flight; ids are drawn from one counter and never reused.
struct OperationRef {
  Machine machine = Machine::kQuery;
  uint64_t id = 0;

  friend auto operator<=>(const OperationRef&, const OperationRef&) = default;
};

struct QueryTicket {
  uint64_t query = 0;
  uint32_t part = 0;  ///< Index of the node's part within the query.
};
struct UpdateTicket {
  uint64_t update = 0;
};
/// One no-op range stands for several updates, which all wait for it.
struct NoOpTicket {
  std::vector<uint64_t> updates;
};
struct EpochTicket {
  uint64_t round = 0;
};
struct StatusTicket {
  uint64_t round = 0;
};
struct MarkTicket {
  uint64_t round = 0;
};
/// One word stands for everything that is held.
struct HoldTicket {
  uint64_t word = 0;
};
/// The core's own question after epoch, writer and durability.
struct InquiryTicket {};

using Ticket = std::variant<QueryTicket, UpdateTicket, NoOpTicket, EpochTicket, StatusTicket, MarkTicket, HoldTicket,
                            InquiryTicket>;

}  // namespace daedalus::aggregator

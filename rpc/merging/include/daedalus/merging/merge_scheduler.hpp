// The answers of many queries, merged and sent a piece at a time.
//
// Decides whose turn it is, how much memory answers may take together, and that nothing is made that its receiver has
// no room for. So one large answer, or a thousand, or a peer that does not read, costs the others a few milliseconds.
// Refuses to know where parts come from and what else belongs to a query.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/turns.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::merging {

/// The owner's name for a query; never reused.
enum class QueryId : uint64_t {};

struct MergeLimits {
  size_t message_bytes_max = 256u << 10;  ///< Rows of one message; a single row may be larger.
  /// While a peer has not read so much, what is for it waits as it is, but for the answer that it waits for.
  uint64_t output_waiting_max = 4u << 20;
  uint64_t answer_bytes_max = semantics::kAnswerBytesMax;  ///< Rows of one answer.
  std::string owner = "this process";                      ///< Whose setting that is, for the error.
};

/// The units of one step: two milliseconds of an optimised build at the most, and little of that by the largest piece
/// it may overdraw by.
constexpr int64_t kStepUnits = 100'000;

class MergeScheduler {
 public:
  /// The rows that come out of a step, at most one piece at a time for each query.
  struct Piece {
    QueryId id{};
    semantics::MergedRows rows;  ///< May be empty in the last piece.
    bool is_last = false;        ///< The answer is complete: close it.
    std::optional<Error> error;  ///< The query has failed: close it.
  };
  /// May open and close merges.
  using Put = std::function<void(Piece piece)>;

  MergeScheduler(MergeLimits limits, std::shared_ptr<ByteBudget> budget)
      : limits_(std::move(limits)), budget_(std::move(budget)) {}

  /// A query whose answer goes to `to`. Precondition (CHECKed): the id is new.
  void open(QueryId id, rpc::Requester to, const semantics::Selection& selection, semantics::AnswerForm form);
  /// Nothing of it comes out until release(). Precondition: it is open, and nothing has been added.
  void hold_back(QueryId id);
  /// Precondition: it is open.
  void release(QueryId id);
  /// Takes rows of one part, and the lease of their memory if they have one. Errors: 54000 the answer is too large
  /// or takes more memory than one may, 53200 all answers together do: the query has failed, close it. Cost O(1).
  /// Precondition: it is open, and its parts have not ended.
  [[nodiscard]] Result<void> add(QueryId id, uint32_t part, semantics::MergedRows rows, ByteLease lease = {});
  /// All parts have come.
  void end_parts(QueryId id);
  /// Nothing more of it comes out. Its memory goes piece by piece in the steps that follow. Ignored when it is not
  /// open.
  void close(QueryId id);

  /// Works on merges in turns until the budget is spent or none gets on.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, const Put& put);
  /// Returns whether a step would get on.
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const;

  /// Returns whether the peer has room for more rows of the answer to `to`.
  [[nodiscard]] bool has_room(rpc::Requester to, const rpc::OutputGauge& gauge) const;

  [[nodiscard]] size_t open_count() const { return merges_.size(); }

 private:
  struct Merge {
    rpc::Requester to;
    std::unique_ptr<semantics::AnswerMerger> merger;
    ByteLease lease;
    bool is_waiting = false;    ///< In turns_ or in blocked_.
    bool is_held_back = false;  ///< It gets no turn.
    bool had_turn = false;
  };
  struct Dropped {
    std::unique_ptr<semantics::AnswerMerger> merger;
    ByteLease lease;
  };

  void wait_for_turn(QueryId id, Merge& merge);
  /// Returns the query whose answer a peer waits for although it has to read first.
  [[nodiscard]] std::optional<QueryId> find_awaited(rpc::PeerId peer, const std::set<QueryId>& blocked,
                                                    const rpc::OutputGauge& gauge) const;
  void unblock(const rpc::OutputGauge& gauge);
  void take_turn(QueryId id, Merge& merge, semantics::WorkBudget& budget, const Put& put);
  void drop_some(semantics::WorkBudget& budget);
  /// For a merge that takes more than it was given: 54000 where the query had no room alone, with what it holds
  /// elsewhere in this process; 53200 where others have the room.
  [[nodiscard]] Error refusal(QueryId id, const Merge& merge) const;

  MergeLimits limits_;
  std::shared_ptr<ByteBudget> budget_;
  boost::unordered_flat_map<QueryId, Merge> merges_;
  /// The turns of the queries; those closed since are skipped.
  Turns<QueryId> turns_;
  std::map<rpc::PeerId, std::set<QueryId>> blocked_;  ///< Their peer has to read first.
  std::deque<Dropped> dropped_;
  /// Mergers of answers that passed as they came.
  std::vector<std::unique_ptr<semantics::AnswerMerger>> spare_;
};

}  // namespace daedalus::merging

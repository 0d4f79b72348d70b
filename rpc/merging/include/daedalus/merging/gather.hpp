// One query asked of many, and their answers back as one: of a node's segments, or of the nodes below an aggregator.
//
// Decides whom to ask for each part, when the answer is complete, and what whoever asked hears: rows in messages, then
// one end with the stamps of every part, or one error. Refuses to know how anybody is asked, which its owner's
// Candidates do, and when rows leave, which the merge scheduler says.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/merging/merge_scheduler.hpp"
#include "daedalus/rpc/network.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::merging {

/// One of those that can answer a part: a segment of a node, a node below an aggregator. The owner's numbers.
enum class CandidateId : uint32_t {};

/// A piece of the table that one candidate answers for as a whole.
struct Part {
  /// Ascending, at least one; all of them have the same candidates.
  boost::container::small_vector<PartitionId, 1> partitions;
  uint32_t segment = 0;                                       ///< Within the partition, where a part is one segment.
  boost::container::small_vector<CandidateId, 1> candidates;  ///< At least one; asked in this order.
};

using Parts = boost::container::small_vector<Part, 1>;

/// The columns of the answers of one shape: whoever asked is told them once. Answers whose columns are others, because
/// values had other types, have them with them.
struct ShapeColumns {
  /// The sequence of the operation that defined it.
  uint64_t shape_sequence = 0;
  std::shared_ptr<const std::vector<semantics::Column>> sent = {};  ///< Null: none have been.
};

struct GatheredQuery {
  rpc::Requester to;
  std::shared_ptr<const semantics::Selection> selection;
  semantics::AnswerForm form = semantics::AnswerForm::kPartial;
  /// Sent with the first rows of the final form; unused in the partial one.
  std::shared_ptr<const std::vector<semantics::Column>> columns;
  std::shared_ptr<ShapeColumns> shape_columns;  ///< Null where the columns go with every answer.
  /// Ascending by partition and segment: what is merged follows this order, never that of arrival.
  Parts parts;
  /// The slice that follows when the part of a query for a slice has no more; nothing when it is the last.
  std::optional<wire::v1::Slice> slice_after;
  /// Rows of the partial form that are known without asking anybody, behind those of all parts; or null.
  std::shared_ptr<const semantics::MergedRows> rows;
  /// In the final form the answer to this leaves, over one row that is the number of rows. Null: the rows leave.
  std::shared_ptr<const semantics::Selection> counted;
  /// Rows leave only once every part has sent rows or its end: until then the query may be begun anew.
  bool may_begin_anew = false;
  /// The moment of an answer that has no parts.
  uint64_t moment = 0;
  /// The rest that a part leaves out is asked for piece by piece, as the reader reads, and its rows belong to this
  /// answer, which may have any number of them. Only of a query without a slice that can_stream(). Otherwise the end
  /// names what is left out.
  bool goes_on = false;
};

/// The prefix that a segment was in when it answered.
struct Stamp {
  uint32_t node = 0;
  uint32_t partition = 0;
  uint32_t segment = 0;
  uint64_t applied = 0;
  uint64_t durable = 0;

  [[nodiscard]] static Stamp of(const wire::v1::SegmentStamp& stamp);
  void write(wire::v1::SegmentStamp& stamp) const;
};

using Stamps = boost::container::small_vector<Stamp, 1>;

/// The end of a part's answer.
struct PartEnd {
  /// The number of all rows that were sent for the part, where that can differ.
  std::optional<uint64_t> row_count;
  Stamps stamps;  ///< At least one of each partition.
  /// The part has left it out: of a slice the one that follows, otherwise at most one piece a segment.
  std::vector<wire::v1::Slice> rest;
  /// The part is the table after exactly the updates 1 to here; 0: whoever answered does not say.
  uint64_t moment = 0;
};

/// How the owner reaches its candidates. Called by Gather only; must not change it.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Asks for a part, or for one piece of it where `piece` is not null. An error means that this candidate cannot be
  /// asked now.
  [[nodiscard]] virtual std::optional<wire::v1::Error> ask(QueryId id, uint32_t part, CandidateId candidate,
                                                           const wire::v1::Slice* piece, Instant now,
                                                           rpc::Outbox& out) = 0;
  /// Tells the candidate that its answer is not wanted any longer; it may still answer.
  virtual void give_up(QueryId id, uint32_t part, CandidateId candidate, rpc::Outbox& out) = 0;
  /// The query has had its last message, or nobody wants one. Gather knows it no more.
  virtual void on_over(QueryId id) = 0;
  /// Returns the mark that goes with last messages: every update up to here is confirmed.
  [[nodiscard]] virtual uint64_t mark() const { return 0; }
  /// The candidate as errors call it.
  [[nodiscard]] virtual std::string name(CandidateId candidate) const = 0;
  /// Adds to an error that the part is missing, and why.
  virtual void add_missing(const Part& part, CandidateId candidate, const std::string& reason,
                           wire::v1::Error& error) const = 0;
};

struct GatherLimits {
  MergeLimits merges;
  /// Rows that may come for one query, merged or not; rows that leave are bounded by `merges.answer_bytes_max`.
  uint64_t received_bytes_max = UINT64_MAX;
  int64_t retry_after_ns = 10 * kMillisecond;  ///< Hint that goes with a refusal for lack of room.
  /// A query that goes on has been asked for so many bytes of rows at most that have not left: pieces are no larger
  /// than is their share, and the next ones wait for the reader.
  uint64_t ahead_bytes_max = 8u << 20;
};

/// Invariants: exactly one QueryEnd or Error leaves per query, whatever arrives in whatever order, unless it was
/// forgotten; QueryEnd only after the end of every part, with a stamp of every partition and as many rows as announced;
/// of each part the rows of one candidate only; parts that name their moment name the same. Calls for a query that is
/// over are ignored.
class Gather {
 public:
  Gather(GatherLimits limits, std::shared_ptr<ByteBudget> budget, Candidates& candidates);

  /// Asks the first candidate of every part that can be asked. Precondition (CHECKed): the id is new.
  void start(QueryId id, GatheredQuery query, Instant now, rpc::Outbox& out);

  // ---- what candidates say ----
  /// `moment`: as in PartEnd.
  void on_rows(QueryId id, uint32_t part, semantics::MergedRows rows, ByteLease lease, uint64_t moment,
               rpc::Outbox& out);
  /// A text for the next rows: empty, with the memory of some that have left. Who swaps it for what came gives that one
  /// its memory.
  [[nodiscard]] std::string spare_text();
  void on_end(QueryId id, uint32_t part, PartEnd end, rpc::Outbox& out);
  /// The candidate will not answer any more. Another is asked while nothing of the part has been taken; otherwise, and
  /// when the query itself is at fault (REJECTED), the query ends with this error.
  void on_failed(QueryId id, uint32_t part, wire::v1::Error error, Instant now, rpc::Outbox& out);

  /// The candidate of `refused` did not answer, because the query is to be answered at another moment, which ask() says
  /// from now on: gives up all parts, drops what came of them and asks the first candidates of all again. False, and
  /// nothing happens, where a row may have left already. Precondition: contains(id).
  [[nodiscard]] bool begin_anew(QueryId id, uint32_t refused, Instant now, rpc::Outbox& out);

  // ---- what owners say ----
  void fail(QueryId id, wire::v1::Error error, rpc::Outbox& out);
  /// Ends the query for want of time; the error names the parts that have not ended, and what the last candidate said
  /// that refused one.
  void expire(QueryId id, wire::v1::Error error, rpc::Outbox& out);
  /// Ends it without a word.
  void forget(QueryId id, rpc::Outbox& out);

  /// Merges and sends a bounded piece of what has come, and lets go of what nobody waits for.
  void step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out);
  /// Asks for the next pieces of queries that go on, as far as their readers have room.
  void ask_for_more(const rpc::OutputGauge& gauge, Instant now, rpc::Outbox& out);
  /// Returns whether step() or ask_for_more() would get on.
  [[nodiscard]] bool has_work(const rpc::OutputGauge& gauge) const;

  [[nodiscard]] bool contains(QueryId id) const { return queries_.contains(id); }
  [[nodiscard]] size_t count() const { return queries_.size(); }
  /// Returns whether nothing of the query is asked, because its reader has to read first. Precondition: contains(id).
  [[nodiscard]] bool waits_for_reader(QueryId id) const;
  /// Returns whether a row of its answer has left. Precondition: contains(id).
  [[nodiscard]] bool has_sent_rows(QueryId id) const { return queries_.at(id).row_count > 0; }
  /// Returns the piece of the table that the part is. Precondition: contains(id).
  [[nodiscard]] const Part& part(QueryId id, uint32_t index) const { return queries_.at(id).parts.at(index).part; }

 private:
  struct PartState {
    Part part;
    size_t candidate = 0;     ///< Index of the one that is asked now, or was last.
    bool is_asked = false;    ///< It still owes its end.
    bool has_spoken = false;  ///< Rows or its end have come.
    bool has_ended = false;
    uint64_t row_count = 0;
    Stamps stamps;
    /// It is the rest of another part, asked for piece by piece: the piece that is asked for, or is the next one. Null:
    /// it was asked for whole.
    std::unique_ptr<wire::v1::Slice> piece;
    std::vector<wire::v1::Slice> rest;  ///< Left out, for whoever asked.

    [[nodiscard]] CandidateId asked() const { return part.candidates.at(candidate); }
  };
  struct Query {
    rpc::Requester to;
    std::shared_ptr<const semantics::Selection> selection;
    semantics::AnswerForm form = semantics::AnswerForm::kPartial;
    bool is_merging = false;  ///< Rows have come, or there is a row without any.
    std::shared_ptr<const std::vector<semantics::Column>> columns;
    std::shared_ptr<ShapeColumns> shape_columns;
    bool has_sent_columns = false;
    boost::container::small_vector<PartState, 1> parts;
    size_t silent_count = 0;      ///< Parts without whose first word no row leaves.
    size_t waiting_count = 0;     ///< Parts that have not ended.
    uint64_t received_bytes = 0;  ///< Rows as they came.
    uint64_t passed_bytes = 0;    ///< Rows that have come out of the merge.
    bool goes_on = false;
    std::vector<uint32_t> unasked;  ///< Parts whose next pieces are to be asked for, in this order.
    uint64_t asked_bytes = 0;       ///< Bounds the rows of the pieces that are asked for.
    uint64_t row_count = 0;         ///< Sent.
    std::shared_ptr<const semantics::Selection> counted;
    uint64_t counted_rows = 0;  ///< Not sent.
    std::optional<wire::v1::Slice> next_slice;
    std::shared_ptr<const semantics::MergedRows> rows;  ///< Known without asking.
    uint64_t moment = 0;                                ///< The moment of the parts that have said theirs.
    bool lacks_moment = false;                          ///< A part has ended without a word on its moment.
    /// The refusal of a candidate instead of which another one was asked.
    std::string last_refusal;
  };

  static void note_moment(Query& query, uint64_t moment) { query.moment = query.moment == 0 ? moment : query.moment; }
  /// Asks candidates of a part until one takes it; without one the error of the last.
  [[nodiscard]] std::optional<wire::v1::Error> ask(QueryId id, Query& query, uint32_t index, Instant now,
                                                   rpc::Outbox& out);
  /// Opens the merge of the rows that are known. Errors: those of MergeScheduler::add().
  [[nodiscard]] Result<void> add_known_rows(QueryId id, Query& query);
  /// Forgets what came of the part, and who was asked.
  void take_back(QueryId id, Query& query, uint32_t index, rpc::Outbox& out);
  /// Notes that a part answers; rows may leave once all do.
  void note_first_word(QueryId id, Query& query, PartState& part);
  /// Returns whether a rest that the part names lies behind what it was asked for: otherwise whoever takes one piece
  /// after the other would never come to an end.
  [[nodiscard]] static bool lies_behind(const Query& query, const PartState& part, const wire::v1::Slice& next);
  /// Returns what is wrong with the end of a part, if anything is.
  [[nodiscard]] std::optional<std::string> flaw_of(const Query& query, const PartState& part, const PartEnd& end) const;
  void open_merge(QueryId id, Query& query);
  /// Takes what the part has left out, as the kind of the query wants it.
  void take_rest(QueryId id, Query& query, uint32_t index, PartEnd& end);
  /// The pieces that follow are to be asked for: of this part, where it is a piece itself, otherwise of new ones.
  void go_on(QueryId id, Query& query, uint32_t index, const PartEnd& end);
  /// Returns how large pieces of the query may be.
  [[nodiscard]] uint64_t piece_bytes(const Query& query) const;
  /// Returns whether the next piece of the query may be asked for.
  [[nodiscard]] bool wants_more(const Query& query, const rpc::OutputGauge& gauge) const;
  /// Every part has ended.
  void complete(QueryId id, Query& query, rpc::Outbox& out);
  void put(MergeScheduler::Piece piece, rpc::Outbox& out);
  void finish(QueryId id, Query& query, rpc::Outbox& out);
  /// Sends what is answered instead of the rows. Errors: those of computing it.
  [[nodiscard]] Result<void> send_counted(Query& query, rpc::Outbox& out);
  static void add_columns(Query& query, wire::v1::QueryRows& message);
  void send_rows(Query& query, semantics::MergedRows rows, rpc::Outbox& out);
  void fail(QueryId id, const Error& error, rpc::Outbox& out);
  void close(QueryId id, rpc::Outbox& out);

  GatherLimits limits_;
  Candidates& candidates_;
  MergeScheduler merges_;
  boost::unordered_flat_map<QueryId, Query> queries_;
  std::set<QueryId> going_on_;  ///< Have pieces that are to be asked for.
  /// Texts of rows that have left: at most kSpareTextsMax small ones.
  std::vector<std::string> spare_texts_;
};

}  // namespace daedalus::merging

#include "model_round.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "piece_rests.hpp"
#include "plain_table.hpp"
#include "table_history.hpp"

namespace daedalus::engine::test {
namespace {

/// More than any burst: nothing is refused.
constexpr uint32_t kInFlightMax = 2048;
/// A cycle takes so long: moments of some cycles ago are old, and ride apart.
constexpr int64_t kCycleNs = 60 * kMillisecond;
/// No update of a round is lost from a window of so many bytes,
constexpr uint64_t kWindowForAll = 64u << 20;
/// and recent chunks of so many rows have room for all that a round's queries hold.
constexpr uint32_t kChunkRowsForAll = 512;
/// About what a row of the test table takes, sketches included.
constexpr uint64_t kRowBytes = 230;
/// Operations and first rows of a round whose rows are wide, at most: each costs the plain table as much more.
constexpr uint64_t kWideOperationsMax = 300;
constexpr uint64_t kWideRowsMax = 200;
/// Holds what the operations of a stretch are mostly about.
enum class Phase : uint8_t { kMixed, kQueries, kUpdates, kPurge };

/// Memory for one to two dozen of the smallest chunks, or half as many larger ones.
uint64_t memory_of_few_chunks(Random& random) {
  uint64_t least = 1u << 16;
  while (!segment_shape(test_schema(), least).has_value()) {
    least *= 2;
  }
  return least * (1 + below(random, 12));
}

class RoundWriter {
 public:
  RoundWriter(Random& random, RoundSize size)
      : table_(random_table(random)),
        scope_(table_),
        random_(&random),
        mix_(random),
        operations_left_(is_wide() ? std::min(size.operations, kWideOperationsMax) : size.operations) {
    round_.table = table_;
    round_.options = random_options(random);
    choose_special(below(random, 8));
    preload(Segment(test_schema(), test_codec(), round_.options).statistics().rows_max,
            is_wide() ? std::min(size.preload_rows_max, kWideRowsMax) : size.preload_rows_max);
  }

  Round write(Random& random) {
    random_ = &random;
    mix_.draw_from(random);
    for (uint32_t bursts = special_ == Special::kNone ? 0 : 2; bursts > 0; --bursts) {
      burst(Phase::kQueries);
    }
    while (operations_left_ > 0 && !random.is_exhausted()) {
      const auto phase = static_cast<Phase>(below(*random_, one_in(*random_, 4) ? 4 : 3));
      for (uint64_t bursts = 1 + below(*random_, 8); bursts > 0; --bursts) {
        burst(phase);
      }
    }
    return std::move(round_);
  }

 private:
  /// A round is sure to have one of these, by queries right after the first rows.
  enum class Special : uint8_t {
    kNone,
    kCrowd,  ///< More predicates in one cycle than are held at a time.
    kHerd,   ///< More candidates in one chunk than are held at a time.
    kNoRow,
    kOneRow,
    kAllSlots,
  };

  [[nodiscard]] bool is_wide() const { return table_ != TestTable::kUsual; }

  void choose_special(uint64_t number) {
    special_ = static_cast<Special>(number <= static_cast<uint64_t>(Special::kAllSlots) ? number : 0);
    SegmentOptions& options = round_.options;
    if (is_wide()) {
      special_ = special_ == Special::kCrowd || special_ == Special::kHerd ? Special::kNone : special_;
      options.chunk_rows = 0;  // As few as the width of rows wants.
      options.memory_bytes = memory_of_few_chunks(*random_);
    } else if (special_ == Special::kCrowd) {
      mix_.crowd();
      options.share_factor_max = 1024;
      options.access_paths = AccessPaths::kSketches;
      options.memory_bytes = std::max(options.memory_bytes, 600 * kRowBytes);
    } else if (special_ == Special::kHerd) {
      mix_.herd();
      options.share_factor_max = 1024;
      options.chunk_rows = 2'112;
      options.access_paths = AccessPaths::kKeys;
    } else if (special_ == Special::kAllSlots) {
      options.chunk_rows = std::min(options.chunk_rows, 512u);
      options.memory_bytes = std::min(options.memory_bytes, 1000 * kRowBytes);
    }
  }

  void add(Operation operation) {
    if (operations_left_ > 0) {
      round_.steps.push_back({std::move(operation), burst_});
      --operations_left_;
    }
  }

  void add_update(std::vector<UpdatePart> parts) {
    timestamp_ += one_in(*random_, 8) ? 1 + below(*random_, 3000) : 1;
    timestamps_.push_back(timestamp_);
    add(Update{Timestamp{timestamp_}, std::move(parts)});
  }

  /// From an empty segment over one row to one that is full and refuses.
  void preload(uint64_t slots, uint64_t rows_max) {
    uint64_t rows = slots / 2 + below(*random_, slots / 2);
    if (special_ == Special::kOneRow) {
      rows = 1;
    } else if (special_ == Special::kAllSlots) {
      rows = slots + below(*random_, 2) * 7;
    } else if (special_ == Special::kNoRow) {
      rows = 0;
    }
    for (rows = std::min(rows, rows_max); rows > 0;) {
      const uint64_t count = std::min<uint64_t>(rows, 1 + below(*random_, 300));
      add_update({mix_.insertion(count)});
      rows -= count;
      burst_ += one_in(*random_, 2) ? 1 : 0;
    }
    ++burst_;
  }

  uint64_t burst_size(Phase phase) {
    switch (phase) {
      case Phase::kQueries:
        if (special_ == Special::kCrowd || special_ == Special::kHerd) {
          return 300 + below(*random_, 300);
        }
        return one_in(*random_, 3) ? 100 + below(*random_, 500) : 1 + below(*random_, 60);
      case Phase::kUpdates:
        return 1 + below(*random_, 12);
      default:
        return 1 + below(*random_, 64);
    }
  }

  void burst(Phase phase) {
    for (uint64_t size = burst_size(phase); size > 0 && !random_->is_exhausted(); --size) {
      const uint64_t updates_in_ten = phase == Phase::kQueries ? 0 : phase == Phase::kMixed ? 4 : 7;
      if (below(*random_, 10) >= updates_in_ten) {
        add(query());
      } else if (phase == Phase::kPurge && one_in(*random_, 4)) {
        add_update({mix_.purge()});
      } else if (phase == Phase::kPurge && one_in(*random_, 2)) {
        add_update({mix_.insertion(1 + below(*random_, 200))});
      } else if (one_in(*random_, 5)) {
        add_update(mix_.chain());
      } else {
        std::vector<UpdatePart> parts;
        for (uint64_t count = one_in(*random_, 10) ? below(*random_, 4) : 1; count > 0; --count) {
          parts.push_back(mix_.part());
        }
        add_update(std::move(parts));
      }
    }
    ++burst_;
  }

  Query query() {
    Query query{.selection = std::make_shared<semantics::Selection>(mix_.selection())};
    if (one_in(*random_, 40)) {
      query.deadline = Instant{0};  // It is always later than that: the query is dropped.
    } else if (one_in(*random_, 40)) {
      query.aborted = std::make_shared<const std::atomic<bool>>(true);
    }
    if (one_in(*random_, 3)) {
      query.at = moment();
      if (semantics::can_stream(*query.selection) && one_in(*random_, 2)) {
        query.piece_bytes = piece_bytes();
      }
    }
    return query;
  }

  /// One row, a few, about as many as a query finds, or more than there are.
  uint64_t piece_bytes() {
    constexpr uint64_t kBytes[] = {1, 200, 2000, 20'000, UINT64_MAX};
    return kBytes[below(*random_, std::size(kBytes))];
  }

  /// The moment of one of the last updates, or one behind it that no update has.
  Timestamp moment() {
    const uint64_t back = 1 + below(*random_, 1 + below(*random_, 24));
    const uint64_t update = back <= timestamps_.size() ? timestamps_[timestamps_.size() - back] : 0;
    return Timestamp{std::min(timestamp_, update + below(*random_, 2))};
  }

  const TestTable table_;
  const TestTableScope scope_;
  Random* random_;
  OperationMix mix_;
  Round round_;
  uint64_t operations_left_;
  Special special_ = Special::kNone;
  uint64_t timestamp_ = 0;
  std::vector<uint64_t> timestamps_;  ///< Has those of all updates.
  uint32_t burst_ = 0;
};

/// Follows one segment and compares.
class RoundRun {
 public:
  RoundRun(const Round& round, SeenCases& seen_cases)
      : round_(round),
        scope_(round.table),
        seen_cases_(seen_cases),
        segment_(test_schema(), test_codec(), round.options),
        table_(test_schema(), segment_.statistics().rows_max),
        history_(round.steps, table_) {}

  std::string fault() {
    for (size_t next = 0; next < round_.steps.size() || !rests_.is_empty();) {
      const size_t first = next;
      const uint32_t burst = next < round_.steps.size() ? round_.steps[next].burst : UINT32_MAX;
      for (Query& query : rests_.next()) {
        enqueue(std::move(query));
      }
      for (; next < round_.steps.size() && round_.steps[next].burst == burst; ++next) {
        enqueue(next);
      }
      keep_what_is_wanted(first, next);
      while (segment_.step(now_)) {
        now_ = after(now_, kCycleNs);
      }
      while (std::optional<Output> output = segment_.dequeue()) {
        if (std::string fault = fault_of_output(*output); !fault.empty()) {
          return fault;
        }
      }
      if (next_update_ != updates_.size() || queries_left_ != 0) {
        return "burst " + std::to_string(burst) + " left operations unanswered";
      }
      if (segment_.statistics().rows != table_.rows().size()) {
        return "rows counted: " + std::to_string(segment_.statistics().rows) + ", expected " +
               std::to_string(table_.rows().size());
      }
    }
    return "";
  }

 private:
  void enqueue(size_t position) {
    if (const auto* query = std::get_if<Query>(&round_.steps[position].operation)) {
      Query named = *query;
      named.handle = QueryHandle{position};
      enqueue(std::move(named));
    } else {
      CHECK(segment_.enqueue(std::get<Update>(round_.steps[position].operation)));
      updates_.push_back(position);
    }
  }

  void enqueue(Query query) {
    CHECK(segment_.enqueue(std::move(query)));
    ++queries_left_;
  }

  std::string fault_of_output(Output& output) {
    if (auto* piece = std::get_if<QueryOutput>(&output)) {
      --queries_left_;
      const auto position = static_cast<size_t>(piece->handle);
      note(*piece);
      const auto& query = std::get<Query>(round_.steps.at(position).operation);
      const std::optional<QueryOutput> answer = rests_.take(query, std::move(*piece));
      if (!answer) {
        return "";
      }
      const std::string fault = fault_of_answer(query, *answer);
      if (query.at) {
        history_.forget(*query.at);
      }
      return fault.empty() ? "" : "operation " + std::to_string(position) + ": " + fault;
    }
    if (next_update_ == updates_.size()) {
      return "an update ended twice";
    }
    const size_t position = updates_[next_update_++];
    const auto& update = std::get<Update>(round_.steps[position].operation);
    const auto& done = std::get<UpdateOutput>(output);
    const UpdateOutput expected = table_.apply(update);
    prefix_ = update.timestamp;
    history_.remember(prefix_, table_);
    seen_cases_.rows_without_room += expected.refused_no_room;
    seen_cases_.rows_overflowed += expected.refused_overflow;
    const auto text = [](const UpdateOutput& outcome) {
      std::string more;
      for (const FailedRows& rows : outcome.failed) {
        more += ", " + std::to_string(rows.row_count) + " failed with " + rows.sqlstate;
      }
      for (const uint64_t rows : outcome.part_rows) {
        more += ", " + std::to_string(rows) + " by a part";
      }
      return std::to_string(raw(outcome.timestamp)) + ": " + std::to_string(outcome.rows_matched) + " matched, " +
             std::to_string(outcome.rows_applied) + " applied, " + std::to_string(outcome.refused_no_room) +
             " without room, " + std::to_string(outcome.refused_overflow) + " overflowed" + more;
    };
    return text(done) == text(expected)
               ? ""
               : "operation " + std::to_string(position) + ": " + text(done) + "; expected " + text(expected);
  }

  void note(const QueryOutput& answer) {
    const uint64_t rows = table_.rows().size();
    const uint64_t slots = segment_.statistics().rows_max;
    seen_cases_.queries_of_no_row += rows == 0 ? 1 : 0;
    seen_cases_.queries_of_one_row += rows == 1 ? 1 : 0;
    seen_cases_.queries_of_one_chunk += slots == segment_.statistics().chunk_rows ? 1 : 0;
    seen_cases_.queries_of_all_slots += rows == slots ? 1 : 0;
    ++(answer.row_count > 0 ? seen_cases_.answers_with_rows : seen_cases_.answers_without);
  }

  [[nodiscard]] std::string fault_of_answer(const Query& query, const QueryOutput& answer) const {
    if (query.aborted != nullptr || query.deadline != kNever) {
      // An update that has failed says so at once, before the updates of its cycle.
      return answer.error.has_value() && answer.error->sqlstate == "57014" ? "" : "was to be dropped";
    }
    if (answer.error && may_be_refused(query, *answer.error)) {
      return "";  // At once, too.
    }
    const Timestamp moment = query.at.value_or(prefix_);
    if (answer.prefix != moment) {
      return "prefix " + std::to_string(raw(answer.prefix)) + ", expected " + std::to_string(raw(moment));
    }
    return (query.at ? history_.at(*query.at) : table_).fault(*query.selection, answer);
  }

  /// A small window loses moments, and small chunks have no room for many first rows.
  [[nodiscard]] bool may_be_refused(const Query& query, const Error& error) const {
    if (error.sqlstate == "72000") {
      return query.at && round_.options.window_bytes < kWindowForAll;
    }
    return error.sqlstate == "53200" && !query.selection->order_by.empty() && query.selection->limit &&
           round_.options.chunk_rows < kChunkRowsForAll;
  }

  /// Nobody asks at a moment before those of the queries that are still to come, from `next` on, and of the pieces of
  /// this burst, which begins at `first`.
  void keep_what_is_wanted(size_t first, size_t next) {
    Timestamp wanted = prefix_;
    for (size_t position = first; position < round_.steps.size(); ++position) {
      const auto* query = std::get_if<Query>(&round_.steps[position].operation);
      if (query != nullptr && (position >= next || query->piece_bytes > 0)) {
        wanted = std::min(wanted, query->at.value_or(wanted));
      }
    }
    segment_.keep_from(std::min(wanted, rests_.lowest()));
  }

  const Round& round_;
  const TestTableScope scope_;
  SeenCases& seen_cases_;
  Segment segment_;
  Instant now_{};
  PlainTable table_;
  TableHistory history_;
  PieceRests rests_;
  std::vector<size_t> updates_;  ///< Positions, in order.
  size_t next_update_ = 0;
  size_t queries_left_ = 0;
  Timestamp prefix_{};
};

}  // namespace

SegmentOptions random_options(Random& random) {
  SegmentOptions options;
  constexpr uint32_t kChunkRows[] = {64, 64, 128, 192, 512, 2'112, 16'384};  // 2,112: more than one block of a probe.
  options.chunk_rows = kChunkRows[below(random, one_in(random, 3) ? 7 : 5)];
  options.access_paths = one_in(random, 2)   ? AccessPaths::kByCost
                         : one_in(random, 5) ? AccessPaths::kCells  // Few queries are of the kind that it is about.
                                             : static_cast<AccessPaths>(below(random, kAccessPathsCount));
  options.sketch_planes_per_cycle_max = one_in(random, 3) ? static_cast<uint32_t>(below(random, 8)) : 1024;
  options.memory_bytes = one_in(random, 4) ? 1 : kRowBytes * (64 + below(random, 1600));
  options.operations_in_flight_max = kInFlightMax;
  options.window_bytes = one_in(random, 4) ? 1 + below(random, 64 * 1024) : kWindowForAll;
  options.share_factor_max = one_in(random, 2) ? 1024 : 1 + static_cast<uint32_t>(below(random, 64));
  options.updates_per_cycle_max = one_in(random, 2) ? 1024 : 1 + static_cast<uint32_t>(below(random, 16));
  return options;
}

TestTable random_table(Random& random) {
  constexpr uint64_t kWideOneIn = 6;
  return one_in(random, kWideOneIn) ? static_cast<TestTable>(1 + below(random, 2)) : TestTable::kUsual;
}

Round random_round(Random& table, Random& operations, RoundSize size) {
  return RoundWriter(table, size).write(operations);
}

Round without_queries(Round round, uint32_t burst_max) {
  std::erase_if(round.steps, [](const RoundStep& step) { return std::holds_alternative<Query>(step.operation); });
  for (size_t position = 0; position < round.steps.size(); ++position) {
    round.steps[position].burst = static_cast<uint32_t>(position / burst_max);
  }
  return round;
}

std::string fault_of(const Round& round, SeenCases* seen_cases) {
  SeenCases unwanted;
  return RoundRun(round, seen_cases == nullptr ? unwanted : *seen_cases).fault();
}

}  // namespace daedalus::engine::test

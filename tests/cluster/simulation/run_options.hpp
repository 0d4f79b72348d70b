// The options of one run of a simulated cluster: its seed, the cluster, its traffic, and what befalls it.
#pragma once

#include <cstdint>
#include <string>

#include "daedalus/base/units.hpp"
#include "event_log.hpp"
#include "sabotage.hpp"
#include "topology.hpp"
#include "workload.hpp"

namespace daedalus::testing {

/// An event that happens once in a run, beside the faults of the network.
enum class Story : uint8_t {
  kNone,
  kNodeIsLost,     ///< A storage node crashes and comes back: without durability, without its rows.
  kTakeOver,       ///< A second writer takes over from the first, which goes on until it learns of it.
  kOlderMap,       ///< An aggregator and clients have the partition map of yesterday.
  kDiskLies,       ///< Something befalls the disk of a node that is down (disk_faults.cpp).
  kOldJournal,     ///< The writer's journal is what it was once (old_journal.cpp).
  kRottenJournal,  ///< A bit turns in it (rotten_journal.cpp).
};

struct RunOptions {
  uint64_t seed = 1;
  Topology topology = {};
  uint32_t updates = 120;
  uint32_t queries = 80;
  uint32_t session_reads = 0;  ///< Acts of clients of PostgreSQL's protocol (act.hpp).
  uint32_t session_writes = 0;
  uint32_t holds = 0;                  ///< Moments that a client holds for a while.
  int64_t duration_ns = 12 * kSecond;  ///< Traffic and faults; then the network heals and the cluster settles.
  /// Says whether the network and aggregators have faults; also aborts and short deadlines.
  bool has_faults = true;
  Story story = Story::kNone;
  bool has_log = false;        ///< Nodes append updates to a log, which takes its time, before they apply them.
  bool is_tight = false;       ///< Segments are so small that they fill up.
  bool writer_looks = true;    ///< With an old journal, at what nodes have.
  bool journals_late = false;  ///< The writer appends updates to a journal, which takes its time, before it sends them.
  uint32_t shape_handles = 3;  ///< The slots of each connection; 0: everything travels whole.
  TableShape shape = TableShape::kSmall;
  /// Says whether a transcript of the first writer is kept.
  bool keeps_transcript = false;
  uint32_t too_wide_queries = 0;                ///< To be refused, besides; of a wide table.
  bool has_older_node = false;                  ///< Node 0: it lacks what asks for a remainder.
  SabotageKind sabotage = SabotageKind::kNone;  ///< Something for the judge to find.
  EventLog::Sink on_event = {};                 ///< Is told what happens.
};

/// A run that the seed decides altogether. Most seeds have the small table; one in 32 has wide columns, another one
/// many.
[[nodiscard]] RunOptions options_of(uint64_t seed);

/// In a line.
[[nodiscard]] std::string describe(const RunOptions& options);

}  // namespace daedalus::testing

// One run of a whole cluster from one seed: random traffic, random faults, and the invariants judged against the plain
// table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "aggregator_process.hpp"
#include "client_process.hpp"
#include "judge.hpp"
#include "node_process.hpp"
#include "plain_table.hpp"
#include "workload.hpp"
#include "writer_process.hpp"

namespace daedalus::testing {

struct RunOptions {
  uint64_t seed = 1;
  uint32_t nodes = 3;
  uint32_t aggregators = 2;
  uint32_t updates = 120;
  uint32_t queries = 80;
  int64_t duration_ns = 12 * kSecond;  ///< Traffic and faults; then the network heals and the cluster settles.
  bool has_faults = true;
  TableShape shape = TableShape::kSmall;
  uint32_t too_wide_queries = 0;               ///< To be refused, besides; of a wide table.
  PlantedFault planted = PlantedFault::kNone;  ///< Something for the judge to find.
};

/// Most seeds have the small table; one in 32 has wide columns, another one many.
[[nodiscard]] TableShape shape_of(uint64_t seed);

/// What a run broke, in words; empty means that every invariant held.
struct RunReport {
  std::vector<std::string> violations;
  uint64_t event_hash = 0;
  uint32_t updates_confirmed = 0;
  uint32_t queries_complete = 0;
  uint32_t queries_failed = 0;
  uint32_t queries_too_wide = 0;  ///< Refused as they should be.
  std::string transcript;
};

class SimulatedCluster {
 public:
  explicit SimulatedCluster(const RunOptions& options);
  ~SimulatedCluster();

  [[nodiscard]] RunReport run();

 private:
  void schedule_updates();
  void schedule_queries();
  void schedule_faults();
  void submit_update();
  void submit_too_early(Submission submission, const Workload::Update& update);
  void repeat_old();
  void on_outcome(const SubmissionOutcome& outcome);
  void ask();
  void fault();
  void settle();
  void judge_answers();
  void judge(const ClientProcess::Answer& answer);
  void judge_too_wide(const ClientProcess::Answer& answer);
  void add(const std::vector<std::string>& violations);
  void judge_order();
  void judge_final_state();
  void violation(std::string text);

  RunOptions options_;
  rpc::SimulatedNetwork network_;
  ClusterConfiguration configuration_;
  Workload workload_;
  PlainTable table_;
  Judge judge_{table_};
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
  std::vector<std::unique_ptr<AggregatorProcess>> aggregators_;
  std::unique_ptr<WriterProcess> writer_;
  std::unique_ptr<ClientProcess> client_;
  std::set<Timestamp> unconfirmed_;
  std::map<uint64_t, Timestamp> timestamps_;  ///< By submission number.
  std::vector<std::pair<Submission, Workload::Update>> submitted_;
  uint64_t next_submission_ = 1;
  Timestamp confirmed_{};  ///< Highest timestamp below which everything has been confirmed.
  RunReport report_;
};

}  // namespace daedalus::testing

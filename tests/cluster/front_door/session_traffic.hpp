// The part of a run that speaks PostgreSQL's protocol: its clients, what they do, and whether what they heard may be.
//
// Decides, by what each act asked and wrote, what its client may have been told; of answers and of updates others
// judge.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "act_maker.hpp"
#include "aggregator_process.hpp"
#include "client_process.hpp"
#include "door_witness.hpp"
#include "session_client.hpp"
#include "submission_judge.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

/// Counts of what befell the clients of one run, or of several.
struct SessionCounts {
  uint32_t logins = 0;
  uint32_t connections_lost = 0;
  uint32_t cancel_requests = 0;
  uint32_t slow_reads = 0;

  // ---- queries that were answered ----
  uint32_t simple = 0;
  uint32_t extended = 0;
  uint32_t bound = 0;      ///< Queries in acts with parameters.
  uint32_t pipelined = 0;  ///< With others up to one Sync, or beyond it.
  uint32_t suspended = 0;  ///< A few rows at a time.
  // ---- and those that were not ----
  uint32_t failed = 0;
  uint32_t cancelled = 0;
  uint32_t abandoned = 0;  ///< By their clients.
  uint32_t wrong = 0;      ///< As they should be.
  uint32_t skipped = 0;    ///< Behind an error, up to a Sync.

  // ---- writes ----
  uint32_t changes = 0;  ///< Confirmed,
  uint32_t groups = 0;
  uint32_t mixed = 0;  ///< Groups with UPDATEs or DELETEs.
  uint32_t blocks = 0;
  uint32_t refused_rows = 0;  ///< But for some rows;
  uint32_t returned = 0;      ///< INSERTs that gave rows back.
  uint32_t rolled_back = 0;
  uint32_t denied = 0;
  uint32_t unknown = 0;

  void add(const SessionCounts& other);
  /// never() names what has never happened; text() has a line for each with its count.
  [[nodiscard]] std::vector<std::string> never() const;
  [[nodiscard]] std::string text() const;
};

class SessionTraffic {
 public:
  /// The run it is part of; all of it outlives the traffic.
  struct World {
    rpc::SimulatedNetwork& network;
    const ClusterConfiguration& configuration;
    std::vector<std::unique_ptr<AggregatorProcess>>& aggregators;
    Workload& workload;
    SubmissionJudge& submissions;
    /// Returns what is wrong with an answer that is complete, and with one that is an error.
    std::function<std::vector<std::string>(const ClientProcess::Answer&)> complaints;
    std::function<std::vector<std::string>(const ClientProcess::Answer&)> refusal_complaints;
    std::function<void(const std::string& who, const std::string& what)> note;
    std::function<void(std::string text)> violation;
    bool has_faults = false;
  };

  explicit SessionTraffic(World world);
  ~SessionTraffic();

  void read();
  void write();
  [[nodiscard]] bool is_idle() const;
  /// The submission that a session made of these bytes.
  [[nodiscard]] uint64_t submission_of(const SubmissionKey& key, const std::string& body);
  /// The submission has been asked for before.
  [[nodiscard]] uint64_t submission_of(const SubmissionKey& key) const { return submissions_.at(key); }
  /// Everything that was answered since. Ask once every row that could have been in it is in the table.
  void judge();
  [[nodiscard]] SessionCounts counts() const;

 private:
  [[nodiscard]] SessionClient::Connection connect(const std::string& aggregator);
  void enqueue(Act act);
  void on_done(Act&& act);

  // ---- writes, as soon as they are told ----
  void settle(const Act& act);
  void settle_error(const Act& act, const ActStatement& failed);
  void settle_confirmed(const Act& act);
  void judge_returned(const ActStatement& insert);
  [[nodiscard]] static bool is_told(const Act& act);

  // ---- reads, in the end ----
  void judge(const Act& act);
  void judge_answer(const Act& act, const ActStatement& query);
  void judge_fields(const ActStatement& query);
  void judge_error(const Act& act, const ActStatement& statement);
  [[nodiscard]] bool may_fail(const Act& act, const ActStatement& statement) const;
  [[nodiscard]] bool may_core_fail(const Act& act, const ActStatement& statement) const;
  [[nodiscard]] ClientProcess::Answer answer_of(const Act& act, const ActStatement& statement) const;
  void count_answer(const Act& act, const ActStatement& query);

  const World world_;
  DoorWitness witness_;
  ActMaker maker_;
  std::vector<std::unique_ptr<SessionClient>> clients_;
  std::deque<Act> done_;
  std::map<std::string, uint64_t> awaited_;        ///< Bytes of updates that no session has submitted yet.
  std::map<SubmissionKey, uint64_t> submissions_;  ///< The submissions of keys that have one.
  SessionCounts counts_;
};

}  // namespace daedalus::testing

// One run of a whole cluster from one seed: random traffic, random faults, and the invariants judged against the plain
// table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator_process.hpp"
#include "client_process.hpp"
#include "fault_catalogue.hpp"
#include "judge.hpp"
#include "moment_counts.hpp"
#include "node_process.hpp"
#include "plain_table.hpp"
#include "run_options.hpp"
#include "session_traffic.hpp"
#include "submission_judge.hpp"
#include "workload.hpp"
#include "writer_process.hpp"

namespace daedalus::testing {

/// The invariants that a run broke, in words; empty means that every invariant held.
struct RunReport {
  std::vector<std::string> violations;
  uint64_t event_hash = 0;
  uint32_t updates_confirmed = 0;
  uint32_t updates_unknown = 0;  ///< As their submitters were told.
  /// Updates that hang on the clock, where it said less than the time they name.
  uint32_t updates_before = 0;
  uint32_t updates_after = 0;  ///< Such updates where it did not.
  uint32_t queries_complete = 0;
  uint32_t queries_failed = 0;
  uint32_t queries_aborted = 0;
  uint32_t queries_too_wide = 0;  ///< Refused as they should be.
  uint32_t queries_too_new = 0;   ///< For an older node, and refused as they should be.
  MomentCounts moments;
  bool is_taken_over = false;  ///< Another writer has become the writer.
  std::string transcript;      ///< The transcript of the first writer.
  std::vector<std::string> last_events;
  FaultCounts faults;  ///< The faults that have befallen it.
  SessionCounts sessions;
};

class SimulatedCluster {
 public:
  explicit SimulatedCluster(const RunOptions& options);
  ~SimulatedCluster();

  [[nodiscard]] RunReport run();

 private:
  /// The history of the table until a writer went on without the newest journal.
  struct LostHistory {
    PlainTable table;
    Instant lost_at{};
  };

  // ---- traffic ----
  void at_any_time(void (SimulatedCluster::*what)());
  void schedule_traffic();
  void submit_update();
  void submit_from_writer(uint64_t number, const Workload::Update& update);
  void submit_from_client(uint64_t number, const Workload::Update& update);
  void submit_too_early(Submission submission, const Workload::Update& update);
  void repeat_old();
  void submit_by_clock();
  /// Judges whether some aggregator's wall clock can have been what the update was compiled by.
  void judge_clock(uint64_t submission, bool is_otherwise);
  void ask();
  void ask_too_wide();
  /// At once, through every aggregator: each has to see the update that has just been told to be confirmed.
  void ask_behind_confirmation();
  void hold();
  /// A few questions at a moment that is held, and then it is let go.
  void read_held(rpc::PeerId aggregator, Timestamp moment, Timestamp promised);
  void ask_held(rpc::PeerId aggregator, Timestamp moment, Timestamp promised);
  /// At the same time, at moments behind one that is held.
  void ask_behind_held(rpc::PeerId aggregator, Timestamp moment);
  /// Once an aggregator has found a node that has started again: at a moment that this node has replayed.
  void ask_behind_restart(uint32_t node, Instant give_up_at);
  /// Everything up to there may be known to be confirmed, from now on.
  void note_confirmed(Timestamp through);
  /// Returns up to which update everything may have been known to be confirmed then.
  [[nodiscard]] Timestamp confirmed_at(Instant when) const;
  [[nodiscard]] std::unique_ptr<SessionTraffic> make_sessions();
  void read_by_session() { sessions_->read(); }
  void write_by_session();
  /// The number of a submission, whoever made it.
  [[nodiscard]] uint64_t number_of(const SubmissionKey& submission, const std::string& body);
  [[nodiscard]] uint64_t number_of(const SubmissionKey& submission) const;
  [[nodiscard]] int64_t draw_wall_clock();
  [[nodiscard]] ClientProcess::Manner draw_manner();
  void on_report(const SubmissionReport& report);

  // ---- faults ----
  void schedule_faults();
  void inject(FaultPoint point);
  void trouble_connection(FaultPoint point);
  void kill_aggregator(uint64_t which);
  void slow_down(uint32_t node);
  void set_wall_clock(FaultPoint point);
  void freeze(FaultPoint point, const std::string& process);
  void leap(FaultPoint point, const std::string& process);
  void count(FaultPoint point);

  // ---- stories ----
  void schedule_story();
  void lose_node();
  void kill_node(uint32_t node);
  void kill_node(uint32_t node, FaultPoint how);
  void kill_everybody();
  void kill_writer(FaultPoint how);
  void bring_back(uint32_t node, Instant when);

  // ---- disks ----
  using Image = std::map<std::string, std::string>;

  void trouble_disk(FaultPoint point, uint32_t node);
  void schedule_power_losses();
  [[nodiscard]] bool loses_power(uint32_t node, durability::DiskOperation operation, durability::Moment moment,
                                 const std::string& name);
  void prepare_lie();
  void tell_lie(FaultPoint lie, uint32_t node, const Image& image);
  void flip_bit(FaultPoint lie, uint32_t node);
  void find_lost_node();
  void on_refused_to_start(uint32_t node, const Error& error);

  // ---- writers ----
  void prepare_take_over();
  void take_over();
  void on_taken_over(Timestamp last);
  void watch_second_writer();
  void adopt();
  void prepare_old_journal();
  void watch_for_old_journal();
  [[nodiscard]] bool is_time_for_old_journal();
  void put_old_journal_back();
  void look_at_old_journal();
  void put_newest_journal_back();
  void watch_for_rot();
  void let_journal_rot();
  void judge_sound_journal(const std::string& file);
  void on_damaged_journal(const Error& error);
  void provoke_blind_writer();
  void judge_blind_writer();
  void start_older();
  void use_older();
  void start_writer(WriterOptions options);
  [[nodiscard]] WriterProcess& writer() { return *writers_[current_writer_]; }
  /// The writer may have lost what nodes have: none of them is to lose it, too.
  [[nodiscard]] bool is_rotten() const;
  [[nodiscard]] bool is_stopped() const;  ///< No update will be taken any longer, as documented.

  // ---- judgement ----
  void settle();
  [[nodiscard]] bool is_settled() const;
  void judge_answers(ClientProcess& client);
  void judge(const ClientProcess::Answer& answer);
  /// Returns what is wrong with an answer that is complete, and with one that is an error.
  [[nodiscard]] std::vector<std::string> complaints(const ClientProcess::Answer& answer);
  [[nodiscard]] std::vector<std::string> faults_of(const ClientProcess::Answer& answer, const GivenAnswer& given) const;
  [[nodiscard]] std::vector<std::string> faults_by_wall_clock(const ClientProcess::Answer& answer,
                                                              GivenAnswer given) const;
  [[nodiscard]] std::vector<std::string> refusal_complaints(const ClientProcess::Answer& answer) const;
  void count_moment(const ClientProcess::Answer& answer);
  [[nodiscard]] bool is_fresh(const ClientProcess::Answer& answer) const;
  void remember_history();
  void judge_complete(const ClientProcess::Answer& answer);
  void judge_refusal(const ClientProcess::Answer& answer);
  [[nodiscard]] bool is_by_abort(const ClientProcess::Answer& answer) const;
  /// Refused because the older node lacks what it asks for.
  [[nodiscard]] bool is_by_older_node(const ClientProcess::Answer& answer) const;
  [[nodiscard]] bool could_know(const ClientProcess::Answer& answer) const;
  void judge_order();
  void judge_nodes();
  void judge_lost_node();
  void judge_first_writer();
  void judge_stop();
  void judge_final_state();
  void judge_slots();
  void judge_slots_of(uint32_t node, const semantics::Selection& everything);
  [[nodiscard]] bool may_wait(const ClientProcess::Answer& answer) const;
  [[nodiscard]] bool lacks_for_ever(const std::string& aggregator) const;
  [[nodiscard]] std::optional<ClientProcess::Answer> read(const Workload::Query& query, uint64_t which);
  void violation(std::string text);
  /// For whoever reads the run.
  void note(const std::string& who, const std::string& what);

  RunOptions options_;
  rpc::SimulatedNetwork network_;
  ClusterConfiguration configuration_;
  Workload workload_;
  PlainTable table_;
  Judge judge_{table_};
  std::vector<LostHistory> lost_histories_;
  SubmissionJudge submissions_{table_};
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
  std::vector<std::unique_ptr<AggregatorProcess>> aggregators_;
  std::vector<std::unique_ptr<WriterProcess>> writers_;
  uint32_t current_writer_ = 0;
  std::unique_ptr<ClientProcess> client_;
  std::unique_ptr<SessionTraffic> sessions_ = make_sessions();
  struct ByClock {
    int64_t before_us = 0;
    Instant submitted_at{};
  };
  std::map<uint64_t, ByClock> by_clock_;                            ///< Submissions that hang on the time.
  std::map<Instant, Timestamp> confirmed_since_;                    ///< See confirmed_at().
  std::vector<std::pair<Submission, Workload::Update>> submitted_;  ///< From the first writer's own process.
  bool is_paused_ = false;                                          ///< No new updates for now.

  // ---- stories ----
  std::optional<uint32_t> lost_node_;
  std::optional<uint32_t> lied_node_;  ///< Its disk has lied: it may be lost.
  Instant lied_at_{};
  bool has_refused_to_start_ = false;
  Instant lost_at_{};
  std::vector<std::vector<size_t>> power_points_;  ///< By node: where power is lost as soon as it comes there.
  Instant traffic_end_{};
  std::optional<RecoveredJournal> old_journal_;
  /// The timestamp that it knows to be confirmed.
  Timestamp old_journal_confirmed_{};
  std::optional<RecoveredJournal> newest_journal_;  ///< While the writer has the old one.
  bool is_blind_ = false;                           ///< The writer has numbered over what nodes have, or may.
  std::unique_ptr<AggregatorProcess> older_aggregator_;
  std::unique_ptr<ClientProcess> older_client_;

  RunReport report_;
};

}  // namespace daedalus::testing

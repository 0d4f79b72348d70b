// The thread that waits for the log's disk, so that nobody else does: one sync for all that came while the last one
// was under way.
//
// Decides when to write and when to sync, and what happens while the disk refuses: records stay in memory, nobody's are
// lost, and it is tried again until there is room.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daedalus/durability/node_log.hpp"
#include "disk_thread.hpp"

namespace daedalus::node {

struct LogThreadOptions {
  /// How long what was written may wait to be synced; 0: it is synced at once.
  int64_t sync_ns_max = 0;
};

/// Called from the log's thread.
struct LogEvents {
  std::function<void(Timestamp through)> appended;
  std::function<void(Timestamp through)> durable;
  std::function<void(std::optional<Error>)> stuck;
};

class LogThread {
 public:
  LogThread(durability::Disk& disk, std::unique_ptr<durability::NodeLog> log, LogThreadOptions options,
            LogEvents events);
  /// Writes and syncs what it was given, if the disk lets it.
  ~LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;

  /// Records in order, and what came out: everything up to `applied`, of which only `outcomes` had an effect.
  void give(std::vector<LogRecord> records, std::vector<OutcomeRecord> outcomes, Timestamp applied);
  /// Learns that everything up to `through` is in a checkpoint: its files may go.
  void release(Timestamp through);

  /// Updates and their outcomes are both durable up to here. Any thread.
  [[nodiscard]] Timestamp settled() const { return settled_.load(); }
  /// The last outcome that is durable; there are none between it and settled(). Any thread.
  [[nodiscard]] Timestamp outcomes_durable() const { return outcomes_durable_.load(); }
  /// Adds up the log's files. Any thread.
  [[nodiscard]] uint64_t bytes() const { return bytes_.load(); }

 private:
  struct Batch {
    std::vector<LogRecord> records;
    std::vector<OutcomeRecord> outcomes;
    Timestamp applied{};
    Timestamp release{};
  };
  using Clock = std::chrono::steady_clock;

  void work(const std::stop_token& stop);
  [[nodiscard]] Batch take(const std::stop_token& stop);
  void keep(Batch batch);
  /// False: the disk refused.
  [[nodiscard]] bool write_and_sync(bool is_last);
  [[nodiscard]] Result<void> sync_what_is_due(bool is_last);
  void release_files();
  void wait_for_room(const std::stop_token& stop);
  void prepare_files();
  [[nodiscard]] Clock::time_point next_due() const;

  durability::Disk& disk_;
  std::unique_ptr<durability::NodeLog> log_;
  LogThreadOptions options_;
  LogEvents events_;
  std::optional<Error> problem_;  ///< The last that was told.
  Timestamp told_appended_{};
  Timestamp told_durable_{};
  Timestamp release_{};     ///< Still to be removed; zero: nothing.
  std::string unreleased_;  ///< Why it could not be, when it was tried last.
  Clock::time_point unsynced_since_{};
  Clock::time_point outcomes_synced_at_{};
  std::atomic<Timestamp> outcomes_durable_{};
  std::atomic<Timestamp> settled_{};
  std::atomic<uint64_t> bytes_{0};

  std::mutex mutex_;
  std::condition_variable_any is_given_;
  Batch given_;
  bool has_given_ = false;
  struct Prepared {
    durability::RecordLog* log = nullptr;
    std::unique_ptr<durability::File> file;
  };
  Prepared prepared_;  ///< On its way to its log.
  bool is_preparing_ = false;
  Clock::time_point prepare_again_at_{};
  DiskThread preparer_;
  std::jthread thread_;  ///< Last: it uses all of the above.
};

}  // namespace daedalus::node
